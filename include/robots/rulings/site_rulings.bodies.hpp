#pragma once

#include <robots/base/config.hpp>
#include <robots/base/exceptions.hpp>
#include <robots/base/printable.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/base/thrown_text.hpp>
#include <robots/http/host.hpp>
#include <robots/rulings/detail/rulings_state.hpp>
#include <robots/rulings/detail/site_rulings_view.hpp>
#include <robots/rulings/site_rulings.hpp>
#include <robots/time/steady_clock.hpp>

#include <algorithm>
#include <chrono>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

namespace robots::rulings_detail {

[[nodiscard]] inline std::unique_ptr<rulings_view> make_view(const SiteRulings& rulings,
                                                             const rulings_context& context);

ROBOTS_INLINE rulings_state::rulings_state(rulings_options own_options)
    : options(std::move(own_options)),
      high_risk_(options.needs_sign_off, "needs_sign_off"),
      is_read_(options.ledger == nullptr) {
  table.ruled_hosts.include_all(!is_read_);  // until then, each host can have a ruling
  base::require(options.poll.count() >= 0, "rulings_options::poll", options.poll.count(),
                " ms: use 0 for no thread, or more");
  base::require(options.maker.find_first_of("\r\n") == std::string::npos,
                "rulings_options::maker has a line end: give one line, such as a name");
  base::require(options.fast_change_share >= 0 && options.fast_change_share <= 1,
                "rulings_options::fast_change_share", options.fast_change_share,
                ": use a number from 0 to 1");
  const auto window = options.fast_change_within.value_or(std::chrono::seconds{0}).count();
  base::require(window >= 0, "rulings_options::fast_change_within", window,
                " s: use 0 or more, or leave it empty for any time");
  const auto longest = options.halt_unreachable_after.value_or(std::chrono::seconds{0}).count();
  base::require(longest >= 0, "rulings_options::halt_unreachable_after", longest,
                " s: use 0 or more, or leave it empty for never");
  base::require(options.quarantine_after >= 0, "rulings_options::quarantine_after",
                options.quarantine_after, ": use 0 for no quarantine, or more");
}

ROBOTS_INLINE rulings_state::~rulings_state() {
  if (home_.is_here() && thread_) {
    try {
      options.ledger->watch({});
    } catch (...) {
      wake();  // the ledger cannot be reached, and calls nothing any more
    }
  }
}

ROBOTS_INLINE void rulings_state::start() {
  if (options.ledger == nullptr || options.poll.count() == 0 || is_started_.exchange(true)) {
    return;
  }
  require_home();
  thread_ = base::make_home<base::jthread>([this](const stop_token& stop) { follow(stop); });
}

ROBOTS_INLINE void rulings_state::follow(const stop_token& stop) {
  static_cast<void>(catch_up());
  try {
    options.ledger->watch([this] { wake(); });
  } catch (...) {
    wake();  // without messages, the polls find each order
  }
  SteadyClock clock;
  while (!stop.stop_requested()) {
    static_cast<void>(catch_up());
    std::unique_lock lock{mutex_};
    const time_point next = base::saturating_add(clock.now(), options.poll);
    static_cast<void>(changed_.wait(lock, clock, next, stop, [&] { return wakes_ > 0; }));
    wakes_ = 0;
  }
}

ROBOTS_INLINE void rulings_state::wake() {
  {
    const std::scoped_lock lock{mutex_};
    ++wakes_;
  }
  changed_.notify_all();
}

ROBOTS_INLINE bool rulings_state::catch_up() {
  if (options.ledger == nullptr) {
    return true;
  }
  require_home();
  start();  // the first call can be an order: the process must learn those of others, too
  std::string problem;
  std::unique_lock calling{calling_};
  try {
    read_ledger();
    is_read_ = true;
    table.ruled_hosts.include_all(false);
    send();
  } catch (...) {
    problem = base::thrown_text("the ledger of rulings");
  }
  const bool is_done = problem.empty();
  {
    const std::scoped_lock lock{mutex_};
    failure_ = std::move(problem);
    has_tried_ = true;
  }
  calling.unlock();
  changed_.notify_all();
  listeners_.report();
  return is_done;
}

ROBOTS_INLINE bool rulings_state::wait_until_read(std::optional<time_point> deadline,
                                                  const stop_token& stop) {
  if (is_read_) {
    return true;
  }
  if (options.poll.count() == 0) {
    return catch_up();
  }
  start();
  SteadyClock clock;
  std::unique_lock lock{mutex_};
  static_cast<void>(changed_.wait(lock, clock, deadline, stop, [&] { return has_tried_; }));
  return is_read_;
}

ROBOTS_INLINE void rulings_state::read_ledger() {
  constexpr int most_rounds = 10'000;  // a round is a page, or a race with another put-back
  bool needs_all = false;
  for (int round = 0; round < most_rounds; ++round) {
    std::unique_lock lock{mutex_};
    const ledger_head known = needs_all ? ledger_head{} : head_;
    lock.unlock();
    const ledger_news news = options.ledger->read(known);
    const bool has_all = needs_all || !news.is_continued;
    if (has_all && put_back(news)) {
      continue;
    }
    take(news);
    if (news.has_more) {
      continue;
    }
    if (has_all || !lacks_own_order()) {
      forget_unconfirmed();
      return;
    }
    needs_all = true;
  }
  throw std::runtime_error{
      "SiteRulings: the ledger changes faster than it can be read: look for a program that makes "
      "orders without end"};
}

/// Returns true if the ledger has lost an order of this process since this was made. The process
/// has read all later orders of the ledger.
ROBOTS_INLINE bool rulings_state::lacks_own_order() {
  const std::scoped_lock lock{mutex_};
  return !unconfirmed_.empty();
}

ROBOTS_INLINE void rulings_state::forget_unconfirmed() {
  const std::scoped_lock lock{mutex_};
  unconfirmed_.clear();
}

/// Puts back what the ledger has lost. Returns false if it has lost nothing.
ROBOTS_INLINE bool rulings_state::put_back(const ledger_news& news) {
  order_table theirs;
  for (const ruling_order& order : news.orders) {
    theirs[name_of(order)] = order;
  }
  std::unique_lock lock{mutex_};
  const std::string name = std::to_string(random_());
  const lost_orders lost = find_lost(head_, known_, news.head, theirs, name);
  lock.unlock();
  if (lost.is_whole) {
    return false;
  }
  if (options.ledger->put_back(news.head, lost.next, lost.orders)) {
    ++put_backs_;
  }
  return true;
}

ROBOTS_INLINE void rulings_state::take(const ledger_news& news) {
  const std::scoped_lock lock{mutex_};
  for (const ruling_order& order : news.orders) {
    const std::string name = name_of(order);
    const ruling_order* const before = last_known(name);
    const bool is_later = before == nullptr || before->number < order.number;
    if (!is_later && news.is_continued) {
      continue;
    }
    const bool is_other = before == nullptr || before->id != order.id;
    const bool is_renumbered = before == nullptr || before->number != order.number;
    // The first reading finds all orders that were ever made. Those that ended rulings end nothing
    // that this process knew.
    const bool is_old = before == nullptr && !is_read_ && !order.is_in_force();
    // If memory runs out, the order is still unknown, and is read again.
    if ((is_other || is_renumbered) && last_unsent(name) == nullptr) {
      std::optional<order_news> kind;
      if (!is_old) {
        kind = is_other ? order_news::made : order_news::numbered;
      }
      put(order, kind);
    }
    known_[name] = order;
  }
  for (const ruling_order& order : news.orders) {
    unconfirmed_.erase(order.id);
  }
  head_ = news.head;
}

/// Changes the ruling of the order. The listeners get the order later, if there is `news`. If
/// memory runs out, throws, and changes nothing. `mutex_` is locked.
ROBOTS_INLINE void rulings_state::put(const ruling_order& order, std::optional<order_news> news) {
  std::list<order_listeners::news> changed;
  if (news) {
    changed.push_back({.order = order, .kind = *news});
  }
  std::vector<std::string> signed_off;
  if (news == order_news::made && order.kind == ruling_kind::sign_off) {
    const auto named = parse_site(order.site);
    awaiting_.for_each([&](const std::string& bare_site) {
      const auto listed = parse_site(bare_site);
      if (listed && named && listed->host == named->host) {
        signed_off.push_back(bare_site);
      }
    });
  }
  table.put(order);
  for (const std::string& bare_site : signed_off) {
    awaiting_.erase(bare_site);
  }
  listeners_.note(std::move(changed));
}

/// The listeners get the number of an own order later. `mutex_` is locked.
ROBOTS_INLINE void rulings_state::note_number(ruling_order order, const ruling_number& number) {
  order.number = number;
  std::list<order_listeners::news> numbered;
  numbered.push_back({.order = std::move(order), .kind = order_news::numbered});
  listeners_.note(std::move(numbered));
}

/// Begins an empty ledger, and reads its token. If an order got its number from a ledger whose
/// token this process does not know, nothing would distinguish it from later orders after a loss:
/// see `find_lost`.
ROBOTS_INLINE void rulings_state::begin_ledger() {
  const std::string name = std::to_string(random_());
  const ledger_head first{.last = {.generation = 1}, .token = name, .last_id = "begin-" + name};
  static_cast<void>(options.ledger->put_back({}, first, {}));  // another process can be first
  read_ledger();
}

ROBOTS_INLINE void rulings_state::send() {
  constexpr int most_tries = 100;
  for (int tries = 0; tries < most_tries;) {
    std::unique_lock lock{mutex_};
    if (unsent_.empty()) {
      return;
    }
    const unsent_order next = unsent_.front();
    const ledger_head known = head_;
    const std::string name = name_of(next.order);
    const ruling_order* const latest = last_known(name);
    if (next.is_alarm && latest != nullptr && is_outdated(next, *latest)) {
      // Another process was first, and somebody may have resumed the site already.
      const ruling_order decided = *latest;
      put(decided, decided.id == next.order.id ? order_news::numbered : order_news::made);
      forget_unsent(name);
      continue;
    }
    lock.unlock();
    if (known.last.generation == 0) {
      ++tries;
      begin_ledger();
      continue;
    }
    const auto number = options.ledger->append(next.order, known);
    if (!number) {
      ++tries;
      read_ledger();  // puts back what the ledger has lost
      continue;
    }
    lock.lock();
    if (head_.last < *number) {
      unconfirmed_.insert(next.order.id);
    }
    ruling_order decided = next.order;
    decided.number = *number;
    if (const ruling_order* const known_order = last_known(name);
        known_order != nullptr && !(known_order->number < *number)) {
      decided = *known_order;
    }
    note_number(next.order, *number);
    const ruling_order* const own = last_unsent(name);
    const bool is_last = own != nullptr && own->id == next.order.id;
    if (own == nullptr || is_last) {
      const bool is_own = decided.id == next.order.id;
      put(decided, is_own ? std::nullopt : std::optional{order_news::made});
    }
    // If memory runs out, the order is still unsent, and is sent again, which changes nothing.
    known_[name] = std::move(decided);
    if (is_last) {
      forget_unsent(name);
    }
  }
  throw std::runtime_error{
      "SiteRulings: the ledger refuses an order as often as it is sent: look for a second ledger "
      "under the same name"};
}

/// Returns true if an alarm must not be sent any more, since `latest` has come meanwhile: the
/// ruling is in force, or its end has accepted the fact of the alarm. The end of a quarantine
/// accepts all files that a process asked for before it knew the end.
ROBOTS_INLINE bool rulings_state::is_outdated(const unsent_order& alarm,
                                              const ruling_order& latest) {
  const std::string& fact = alarm.order.detail;
  return latest.is_in_force() || (!fact.empty() && latest.detail == fact) ||
         (latest.kind == ruling_kind::quarantine && alarm.known_before < latest.number);
}

/// Returns an order of this moment, without an id and a number.
[[nodiscard]] ROBOTS_INLINE ruling_order new_order(ruling_kind kind, const std::string& site,
                                                   std::string value, std::string_view detail,
                                                   std::string maker) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const std::int64_t seconds_since_epoch = now.time_since_epoch().count();
  return {.site = site,
          .kind = kind,
          .value = std::move(value),
          .detail = std::string{detail},
          .maker = std::move(maker),
          .time = (std::max)(seconds_since_epoch, std::int64_t{0})};
}

ROBOTS_INLINE ruling_order rulings_state::make(ruling_kind kind, const std::string& site,
                                               std::string value, std::string_view detail,
                                               std::string_view maker) {
  const std::string_view author = maker.empty() ? std::string_view{options.maker} : maker;
  return apply(new_order(kind, site, std::move(value), detail, base::printable(author)), false);
}

ROBOTS_INLINE std::optional<ruling_order> rulings_state::raise(ruling_kind kind,
                                                               const std::string& site,
                                                               std::string value,
                                                               std::string_view fingerprint) {
  const auto before = last(kind, site);
  const bool is_accepted = before && !fingerprint.empty() && before->detail == fingerprint;
  if (is_accepted || (before && before->is_in_force())) {
    return std::nullopt;
  }
  if (table.alarms() >= options.most_alarms) {
    ++dropped_alarms_;
    return std::nullopt;
  }
  return apply(new_order(kind, site, std::move(value), fingerprint, "an alarm of " + options.maker),
               true);
}

/// Lets an order hold at once, and notes that it must be sent.
ROBOTS_INLINE ruling_order rulings_state::apply(ruling_order order, bool is_alarm) {
  require_home();
  start();
  std::unique_lock lock{mutex_};
  order.id = next_id();
  if (!is_alarm && !is_readable(order)) {
    throw std::invalid_argument{"SiteRulings: no ledger could store this order on " + order.site +
                                ": give a shorter name of its maker"};
  }
  const std::string name = name_of(order);
  // Everything that needs memory comes first, so that an order is made whole or not at all.
  if (options.ledger == nullptr) {
    order.number = {.generation = 1, .number = head_.last.number + 1};
    ruling_order known = order;
    ruling_order& slot = known_[name];
    put(order, order_news::made);
    slot = std::move(known);
    head_.last = slot.number;
  } else {
    const ruling_order* const before = last_known(name);
    std::list<unsent_order> added;
    added.push_back({.order = order,
                     .is_alarm = is_alarm,
                     .known_before = before == nullptr ? ruling_number{} : before->number});
    std::string key = name;
    unsent_places_.reserve(unsent_places_.size() + 1);
    put(order, order_news::made);
    forget_unsent(name);
    unsent_places_.emplace(std::move(key), added.begin());
    unsent_.splice(unsent_.end(), added);
  }
  lock.unlock();
  listeners_.report();
  return order;
}

ROBOTS_INLINE std::optional<ruling_order> rulings_state::last(ruling_kind kind,
                                                              const std::string& site) {
  const std::string name = name_of({.site = site, .kind = kind});
  const std::scoped_lock lock{mutex_};
  const ruling_order* order = last_unsent(name);
  if (order == nullptr) {
    order = last_known(name);
  }
  return order == nullptr ? std::nullopt : std::optional{*order};
}

ROBOTS_INLINE const ruling_order* rulings_state::last_known(const std::string& name) const {
  return known_.find(name);
}

ROBOTS_INLINE const ruling_order* rulings_state::last_unsent(const std::string& name) const {
  const auto listed = unsent_places_.find(name);
  return listed == unsent_places_.end() ? nullptr : &listed->second->order;
}

/// Removes the unsent order of a ruling, if there is one. `mutex_` is locked.
ROBOTS_INLINE void rulings_state::forget_unsent(const std::string& name) noexcept {
  if (const auto listed = unsent_places_.find(name); listed != unsent_places_.end()) {
    unsent_.erase(listed->second);
    unsent_places_.erase(listed);
  }
}

ROBOTS_INLINE void rulings_state::add_numbers(std::vector<ruling_order>& orders) {
  const std::scoped_lock lock{mutex_};
  for (ruling_order& order : orders) {
    const ruling_order* const latest = last_known(name_of(order));
    if (latest != nullptr && latest->id == order.id) {
      order.number = latest->number;
    }
  }
}

ROBOTS_INLINE bool rulings_state::is_high_risk(std::string_view host) const {
  try {
    return high_risk_.contains(host) || (options.is_high_risk && options.is_high_risk(host));
  } catch (...) {
    return true;  // the user's function threw, so a person must decide
  }
}

ROBOTS_INLINE bool rulings_state::note_awaiting(const std::string& bare_site) {
  constexpr std::size_t most = 65'536;
  const std::scoped_lock lock{mutex_};
  return awaiting_.size() < most && awaiting_.insert(bare_site);
}

ROBOTS_INLINE std::vector<std::string> rulings_state::awaiting() {
  const std::scoped_lock lock{mutex_};
  std::vector<std::string> result;
  awaiting_.for_each([&](const std::string& bare_site) { result.push_back(bare_site); });
  return result;
}

ROBOTS_INLINE std::size_t rulings_state::unsent() {
  const std::scoped_lock lock{mutex_};
  return unsent_.size();
}

ROBOTS_INLINE std::string rulings_state::failure() {
  const std::scoped_lock lock{mutex_};
  return failure_;
}

/// Returns an id that no other process makes.
ROBOTS_INLINE std::string rulings_state::next_id() {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return std::to_string(random_()) + '-' + std::to_string(random_()) + '-' + std::to_string(now);
}

ROBOTS_INLINE std::shared_ptr<const void> rulings_state::on_news(order_listeners::listener listener,
                                                                 bool begins_with_all) {
  std::list<order_listeners::news> in_force;
  std::unique_lock lock{mutex_};  // no order changes between the list and the subscription
  if (begins_with_all) {
    for (ruling_order& order : table.all()) {
      in_force.push_back({.order = std::move(order)});
    }
  }
  auto subscription = listeners_.add(std::move(listener), std::move(in_force));
  lock.unlock();
  listeners_.report();
  return subscription;
}

/// Returns the site that a text names. Throws `std::invalid_argument` if it names none.
[[nodiscard]] ROBOTS_INLINE site named_site(std::string_view host_or_url, const char* member) {
  auto named = parse_site(host_or_url);
  if (!named) {
    throw std::invalid_argument{"SiteRulings::" + std::string{member} + ": \"" +
                                base::printable(host_or_url) +
                                "\" names no site: give a host, host:port, or http or https URL"};
  }
  return *std::move(named);
}

/// Makes an order that begins or replaces a ruling, unless it changes nothing.
[[nodiscard]] ROBOTS_INLINE std::vector<ruling_order> begin_ruling(
    rulings_state& state, ruling_kind kind, const site& named, const std::string& value,
    std::string_view detail, std::string_view maker) {
  static_cast<void>(state.catch_up());
  const std::string key = named.key();
  const auto before = state.last(kind, key);
  std::vector<ruling_order> orders;
  if (!before || before->value != value || before->detail != detail) {
    orders.push_back(state.make(kind, key, value, detail, maker));
    static_cast<void>(state.catch_up());
    state.add_numbers(orders);
  }
  return orders;
}

/// Ends all rulings of a kind that share an origin with the named site.
[[nodiscard]] ROBOTS_INLINE std::vector<ruling_order> end_rulings(rulings_state& state,
                                                                  ruling_kind kind,
                                                                  const site& named,
                                                                  std::string_view maker) {
  const bool is_current = state.catch_up();
  std::vector<ruling_order> orders;
  for (const auto& ended : state.table.overlapping(place_of(named), kind)) {
    const std::string_view accepted =
        kind == ruling_kind::halt ? std::string_view{ended->detail} : std::string_view{};
    orders.push_back(state.make(kind, ended->site, {}, accepted, maker));
  }
  if (orders.empty() && !is_current) {
    // The ledger can have a ruling that this process does not know.
    orders.push_back(state.make(kind, named.key(), {}, {}, maker));
  }
  if (!orders.empty()) {
    static_cast<void>(state.catch_up());
    state.add_numbers(orders);
  }
  return orders;
}

/// Returns the fingerprint of the fact that raised the last halt of a site, if this halt has ended.
/// Otherwise, returns an empty text.
[[nodiscard]] ROBOTS_INLINE std::string accepted_fact(rulings_state& state,
                                                      std::string_view host_or_url) {
  auto named = parse_site(host_or_url);
  if (!named) {
    return {};
  }
  const auto last = state.last(ruling_kind::halt, covering_both_schemes(*std::move(named)).key());
  return last && !last->is_in_force() ? last->detail : std::string{};
}

}  // namespace robots::rulings_detail

namespace robots {

ROBOTS_INLINE std::string explain(const site_ruling& ruling) {
  std::string text;
  switch (ruling.effect) {
    case ruling_effect::none:
      return "no ruling";
    case ruling_effect::unread:
      return "denied until the ledger of rulings was read";
    case ruling_effect::halted:
      text = "halted";
      break;
    case ruling_effect::needs_sign_off:
      return "denied until somebody signs the site off";
    case ruling_effect::allowed:
      text = "allowed by an override";
      break;
    case ruling_effect::denied:
      text = "denied by an override";
      break;
    case ruling_effect::fixed_text:
      text = "an override has a fixed robots.txt";
      break;
    case ruling_effect::quarantined:
      text = "in quarantine";
      break;
  }
  if (ruling.order == nullptr) {
    return text;
  }
  const ruling_order& order = *ruling.order;
  if (order.kind == ruling_kind::halt) {
    text += " (" + base::printable(order.value) + ")";
  }
  const bool is_sent = order.number.generation != 0;
  text += " by " + base::printable(order.maker) + ", order ";
  text += is_sent ? to_string(order.number) : "not sent yet";
  return text + " on " + order.site;
}

ROBOTS_INLINE SiteRulings::SiteRulings(rulings_options options)
    : state_(std::make_shared<rulings_detail::rulings_state>(std::move(options))) {}

ROBOTS_INLINE site_ruling SiteRulings::find(const site& asked) const {
  const rulings_detail::ruling_table& table = state_->table;
  if (!state_->is_read()) {
    state_->start();
  }
  if (auto order = table.find(asked, ruling_kind::halt)) {
    return {ruling_effect::halted, std::move(order)};
  }
  if (!state_->is_read() && options().without_ledger == unread_ledger::denies) {
    return {ruling_effect::unread, nullptr};
  }
  if (state_->is_high_risk(asked.host) && !table.find(asked, ruling_kind::sign_off)) {
    return {ruling_effect::needs_sign_off, nullptr};
  }
  if (auto order = table.find(asked, ruling_kind::site_override)) {
    // An unknown value is that of a newer version. It must not turn into an allow.
    ruling_effect effect = ruling_effect::denied;
    if (order->value == "allow") {
      effect = ruling_effect::allowed;
    } else if (order->value == "text") {
      effect = ruling_effect::fixed_text;
    }
    return {effect, std::move(order)};
  }
  if (auto order = table.find(asked, ruling_kind::quarantine)) {
    return {ruling_effect::quarantined, std::move(order)};
  }
  return {};
}

ROBOTS_INLINE site_ruling SiteRulings::find(std::string_view host_or_url) const {
  const auto asked = parse_site(host_or_url);
  return asked ? find(*asked) : site_ruling{};
}

ROBOTS_INLINE bool SiteRulings::may_decide_on(std::string_view host) const {
  if (!state_->is_read()) {
    state_->start();
    return true;
  }
  return state_->table.may_have(host) || state_->is_high_risk(host);
}

ROBOTS_INLINE const detail::host_filter* SiteRulings::ruled_hosts() const noexcept {
  const bool has_high_risk = options().is_high_risk || !options().needs_sign_off.empty();
  return has_high_risk ? nullptr : &state_->table.ruled_hosts;
}

ROBOTS_INLINE std::vector<ruling_order> SiteRulings::in_force() const {
  return state_->table.all();
}

ROBOTS_INLINE std::vector<ruling_order> SiteRulings::halt(std::string_view host_or_url,
                                                          std::string_view maker) {
  const site named = rulings_detail::named_site(host_or_url, "halt");
  static_cast<void>(state_->catch_up());
  const auto before = state_->last(ruling_kind::halt, named.key());
  if (before && before->is_in_force()) {
    return {};
  }
  return rulings_detail::begin_ruling(*state_, ruling_kind::halt, named,
                                      std::string{to_string(halt_reason::by_hand)}, {}, maker);
}

ROBOTS_INLINE std::vector<ruling_order> SiteRulings::resume(std::string_view host_or_url,
                                                            std::string_view maker) {
  return rulings_detail::end_rulings(*state_, ruling_kind::halt,
                                     rulings_detail::named_site(host_or_url, "resume"), maker);
}

ROBOTS_INLINE std::vector<ruling_order> SiteRulings::override_with(std::string_view host_or_url,
                                                                   site_override value,
                                                                   std::string_view maker) {
  const site named = rulings_detail::named_site(host_or_url, "override_with");
  if (value == site_override::none) {
    throw std::invalid_argument{
        "SiteRulings::override_with: the value is none: call end_override instead"};
  }
  if (value == site_override::text) {
    throw std::invalid_argument{
        "SiteRulings::override_with: the value is text: call override_with_text instead"};
  }
  return rulings_detail::begin_ruling(*state_, ruling_kind::site_override, named,
                                      std::string{to_string(value)}, {}, maker);
}

ROBOTS_INLINE std::vector<ruling_order> SiteRulings::override_with_text(
    std::string_view host_or_url, std::string_view robots_txt, std::string_view maker) {
  const site named = rulings_detail::named_site(host_or_url, "override_with_text");
  base::require(robots_txt.size() <= rulings_detail::most_detail,
                "SiteRulings::override_with_text: the size of robots_txt", robots_txt.size(),
                " octets: give at most 65536");
  return rulings_detail::begin_ruling(*state_, ruling_kind::site_override, named, "text",
                                      robots_txt, maker);
}

ROBOTS_INLINE std::vector<ruling_order> SiteRulings::end_override(std::string_view host_or_url,
                                                                  std::string_view maker) {
  return rulings_detail::end_rulings(*state_, ruling_kind::site_override,
                                     rulings_detail::named_site(host_or_url, "end_override"),
                                     maker);
}

ROBOTS_INLINE std::vector<ruling_order> SiteRulings::sign_off(std::string_view host_or_url,
                                                              std::string_view maker) {
  return rulings_detail::begin_ruling(*state_, ruling_kind::sign_off,
                                      rulings_detail::named_site(host_or_url, "sign_off"), "given",
                                      {}, maker);
}

ROBOTS_INLINE std::vector<ruling_order> SiteRulings::withdraw_sign_off(std::string_view host_or_url,
                                                                       std::string_view maker) {
  return rulings_detail::end_rulings(*state_, ruling_kind::sign_off,
                                     rulings_detail::named_site(host_or_url, "withdraw_sign_off"),
                                     maker);
}

ROBOTS_INLINE std::vector<ruling_order> SiteRulings::quarantine(std::string_view host_or_url,
                                                                std::string_view maker) {
  return rulings_detail::begin_ruling(*state_, ruling_kind::quarantine,
                                      rulings_detail::named_site(host_or_url, "quarantine"),
                                      "malformed", {}, maker);
}

ROBOTS_INLINE std::vector<ruling_order> SiteRulings::end_quarantine(std::string_view host_or_url,
                                                                    std::string_view maker) {
  return rulings_detail::end_rulings(*state_, ruling_kind::quarantine,
                                     rulings_detail::named_site(host_or_url, "end_quarantine"),
                                     maker);
}

ROBOTS_INLINE std::vector<ruling_order> SiteRulings::raise_halt(std::string_view host_or_url,
                                                                halt_reason why,
                                                                std::string_view fingerprint) {
  const site named =
      rulings_detail::covering_both_schemes(rulings_detail::named_site(host_or_url, "raise_halt"));
  std::vector<ruling_order> orders;
  if (auto order =
          state_->raise(ruling_kind::halt, named.key(), std::string{to_string(why)}, fingerprint)) {
    orders.push_back(*std::move(order));
  }
  return orders;
}

ROBOTS_INLINE std::vector<ruling_order> SiteRulings::raise_quarantine(
    std::string_view host_or_url) {
  const site named = rulings_detail::named_site(host_or_url, "raise_quarantine");
  std::vector<ruling_order> orders;
  if (auto order = state_->raise(ruling_kind::quarantine, named.key(), "malformed", {})) {
    orders.push_back(*std::move(order));
  }
  return orders;
}

ROBOTS_INLINE bool SiteRulings::has_accepted_rules(std::string_view host_or_url) const {
  return !rulings_detail::accepted_fact(*state_, host_or_url).empty();
}

ROBOTS_INLINE bool SiteRulings::has_accepted(std::string_view host_or_url,
                                             std::string_view fingerprint) const {
  return !fingerprint.empty() && rulings_detail::accepted_fact(*state_, host_or_url) == fingerprint;
}

ROBOTS_INLINE bool SiteRulings::note_awaiting(const site& asked) {
  return state_->note_awaiting(rulings_detail::covering_both_schemes(asked).key());
}

ROBOTS_INLINE std::vector<std::string> SiteRulings::awaiting_sign_off() const {
  std::vector<std::string> sites = state_->awaiting();
  std::erase_if(sites, [this](const std::string& bare_site) {
    return find(bare_site).effect != ruling_effect::needs_sign_off;
  });
  std::sort(sites.begin(), sites.end());
  return sites;
}

ROBOTS_INLINE std::unique_ptr<rulings_view> SiteRulings::view(const rulings_context& context) {
  return rulings_detail::make_view(*this, context);
}

ROBOTS_INLINE bool SiteRulings::catch_up() { return state_->catch_up(); }

ROBOTS_INLINE bool SiteRulings::wait_until_read(std::optional<time_point> deadline,
                                                const stop_token& stop) const {
  return state_->wait_until_read(deadline, stop);
}

ROBOTS_INLINE bool SiteRulings::is_read() const { return state_->is_read(); }

ROBOTS_INLINE std::size_t SiteRulings::unsent() const { return state_->unsent(); }

ROBOTS_INLINE std::string SiteRulings::failure() const { return state_->failure(); }

ROBOTS_INLINE std::size_t SiteRulings::put_backs() const { return state_->put_backs(); }

ROBOTS_INLINE std::size_t SiteRulings::dropped_alarms() const { return state_->dropped_alarms(); }

ROBOTS_INLINE std::shared_ptr<const void> SiteRulings::on_order(
    std::function<void(const ruling_order& order)> on_order) {
  return state_->on_news(
      [listener = std::move(on_order)](const ruling_order& order, order_news why) {
        if (why == order_news::made) {
          listener(order);
        }
      },
      false);
}

ROBOTS_INLINE std::shared_ptr<const void> SiteRulings::on_news(
    std::function<void(const ruling_order& order, order_news why)> on_news) {
  return state_->on_news(std::move(on_news), true);
}

ROBOTS_INLINE const rulings_options& SiteRulings::options() const noexcept {
  return state_->options;
}

}  // namespace robots
