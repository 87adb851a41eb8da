#pragma once

#include <robots/base/hash.hpp>
#include <robots/base/striped_mutex.hpp>
#include <robots/http/excluded_hosts.hpp>
#include <robots/http/host.hpp>
#include <robots/http/site.hpp>
#include <robots/observe/events.hpp>
#include <robots/observe/observer.hpp>
#include <robots/policy/judge.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/policy/site_names.hpp>
#include <robots/rulings/ruling.hpp>
#include <robots/rulings/rulings_view.hpp>
#include <robots/time/clock.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::rulings_detail {

/// Finds the ruling for a site. If several rulings apply, the ruling that comes first in this list
/// decides: halt, exclusion, missing sign-off, override, quarantine. An exclusion does not apply to
/// a site with an override. Halts and sign-offs apply to a host and port with either scheme.
///
/// With a shared store, rulings apply in every process: `share` sends them to other processes, and
/// `learn` takes them over. While there are no rulings, look-ups take no lock.
class site_rulings {
 public:
  /// Sends an encoded record to the other processes. `key` is the key in the shared store.
  using sharing = std::function<void(std::string key, std::string text)>;

  /// The arguments, and the objects that they refer to, must outlive this object. `share` is empty
  /// if there is no shared store. Throws what `excluded_hosts` throws.
  site_rulings(const ruling_options& options, detail::event_teller& teller, sharing share = {})
      : options_(options),
        teller_(teller),
        high_risk_(options.sign_off, "sign_off"),
        has_risks_(!high_risk_.empty() || options.is_high_risk),
        allow_(policy::by_hand(options.crawler, true)),
        deny_(policy::by_hand(options.crawler, false)),
        excluded_policy_(policy::refusal(options.crawler, decision_reason::excluded)),
        halted_policy_(policy::refusal(options.crawler, decision_reason::halted)),
        unsigned_policy_(policy::refusal(options.crawler, decision_reason::needs_sign_off)),
        share_(std::move(share)) {
    set_excluded(options.excluded);
  }

  /// Lets `view` decide instead of the rulings of this object. The excluded hosts stay here. Called
  /// before any other thread uses this object.
  void use(rulings_view& view) {
    view_ = &view;
    has_risks_ = true;  // so `may_hold_for` and `find` ask the view
  }

  /// Replaces the excluded hosts. Throws what `excluded_hosts` throws, and then changes nothing.
  void set_excluded(std::span<const std::string> entries) {
    auto next = std::make_shared<const detail::excluded_hosts>(entries);
    const std::scoped_lock lock{mutex_};
    has_exclusions_ = !next->empty();
    excluded_.swap(next);
  }
  [[nodiscard]] std::shared_ptr<const detail::excluded_hosts> excluded() const {
    const std::shared_lock lock{mutex_};
    return excluded_;
  }

  /// Returns true if `find` may find a ruling. `key` is a result of `possible_site_key`.
  [[nodiscard]] bool may_hold_for(std::string_view key) const {
    if ((has_risks_ || has_exclusions_) &&
        (is_excluded(host_of(key)) || is_high_risk(host_of(key)) ||
         (view_ != nullptr && view_->may_decide_on(host_of(key))))) {
      return true;
    }
    if (ruled_ == 0) {
      return false;
    }
    const std::shared_lock lock{mutex_};
    return entry_of(key).decides();
  }

  /// Returns the policy of a ruling, or null if the site's robots.txt decides. The first call for a
  /// site that needs a sign-off sends a `sign_off_event`, and adds the site to `awaiting_sign_off`.
  [[nodiscard]] std::shared_ptr<const policy> find(const site& asked) {
    if (is_empty()) {
      return nullptr;
    }
    if (view_ != nullptr) {
      const rulings_view::ruled ruling = view_->find(asked);
      const bool is_first = ruling.policy != nullptr && ruling.precedes_exclusions;
      return !is_first && is_excluded(asked.host) ? excluded_policy_ : ruling.policy;
    }
    const std::string key = asked.key();
    std::shared_lock lock{mutex_};
    const ruled_site& own = entry_of(key);
    if (own.value(ruling_kind::halt) > 0) {
      return halted_policy_;
    }
    const bool is_signed_off = own.value(ruling_kind::sign_off) > 0;
    const bool awaits = own.awaits_sign_off;
    auto by_hand = site_override::none;
    for (const site& name : policy_detail::names_of(asked)) {
      if (by_hand == site_override::none) {
        by_hand = static_cast<site_override>(own.value(ruling_kind::site_override, name.scheme));
      }
    }
    lock.unlock();
    if (by_hand == site_override::none && is_excluded(asked.host)) {
      return excluded_policy_;
    }
    if (!is_signed_off && is_high_risk(asked.host)) {
      if (!awaits) {
        note_awaiting(std::string{detail::without_scheme(key)});
      }
      return unsigned_policy_;
    }
    if (by_hand == site_override::none) {
      return quarantined(asked);
    }
    return by_hand == site_override::allow ? allow_ : deny_;
  }

  [[nodiscard]] bool may_ask(const site& asked) {
    if (view_ != nullptr) {
      const auto ruled = find(asked);
      return view_->may_ask(asked) &&
             (ruled == nullptr || ruled->given_reason() != decision_reason::excluded);
    }
    const auto ruling = find(asked);
    return ruling == nullptr || !ruling->refused();
  }

  void set_override(const site& asked, site_override value) {
    rule(asked.key(), {ruling_kind::site_override, asked.scheme, static_cast<std::uint8_t>(value)});
  }
  /// Returns the overrides in this process, sorted by `site::key`.
  [[nodiscard]] std::vector<std::pair<std::string, site_override>> overrides() const {
    return in_force<site_override>(ruling_kind::site_override, 0);
  }

  /// Halts a site, unless it is halted or 65,536 sites are halted. `found_at` is the time when the
  /// reason was found. If the site was resumed after this time, the halt has no effect.
  void halt(std::string_view key, halt_reason why,
            const std::shared_ptr<const call_context>& context = {},
            std::optional<std::chrono::sys_seconds> found_at = {}) {
    ruling added{.kind = ruling_kind::halt,
                 .value = static_cast<std::uint8_t>(1 + static_cast<int>(why))};
    if (found_at) {
      added.stamp = (std::max)(stamp_of(*found_at), std::int64_t{1});
    }
    rule(key, added, context);
  }
  /// Lifts a halt. Returns the reason of the halt, or an empty optional if the site was not halted.
  std::optional<halt_reason> resume(std::string_view key) {
    const auto before = rule(key, {.kind = ruling_kind::halt});
    return before ? std::optional{static_cast<halt_reason>(*before - 1)} : std::nullopt;
  }
  [[nodiscard]] bool is_halted(std::string_view key) const {
    if (view_ != nullptr) {
      const auto named = parse_site(key);
      const auto ruled = named ? view_->find(*named).policy : nullptr;
      return ruled != nullptr && ruled->refused() == decision_reason::halted;
    }
    if (ruled_ == 0) {
      return false;
    }
    const std::shared_lock lock{mutex_};
    return entry_of(key).value(ruling_kind::halt) > 0;
  }
  /// Returns the halted sites of this process and the reasons, sorted by key without a scheme.
  [[nodiscard]] std::vector<std::pair<std::string, halt_reason>> halted() const {
    return in_force<halt_reason>(ruling_kind::halt, 1);
  }

  /// Returns true if a site needs a sign-off and this process sees the site for the first time. In
  /// this case, ask the shared store, since another process may have signed the site off.
  [[nodiscard]] bool may_be_signed_off_elsewhere(const site& asked) const {
    if (!share_ || !has_risks_ || !is_high_risk(asked.host)) {
      return false;
    }
    const std::string key = asked.key();
    const std::shared_lock lock{mutex_};
    const ruled_site& own = entry_of(key);
    return !own.awaits_sign_off && find_ruling(own.rulings, ruling_kind::sign_off) == nullptr;
  }

  /// Signs a site off, or withdraws the sign-off if `is_given` is false.
  void sign_off(std::string_view key, bool is_given) {
    rule(key, {.kind = ruling_kind::sign_off, .value = std::uint8_t{is_given}});
  }
  /// Returns the sites that wait for a sign-off in this process, sorted.
  [[nodiscard]] std::vector<std::string> awaiting_sign_off() const { return keys(true); }

  /// Counts a malformed file of a site. Keeps the counts of at most 65,536 sites. After
  /// `ruling_options::quarantine_after` malformed files in a row, puts the site into quarantine,
  /// unless 65,536 sites are in quarantine. `make` makes the policy for the quarantine.
  void note_malformed(std::string_view key, const std::shared_ptr<const call_context>& context,
                      const std::function<std::shared_ptr<const policy>()>& make) {
    const int after = options_.quarantine_after;
    std::unique_lock lock{malformed_mutex_};
    const bool is_due = after > 0 && malformed_.add(key) >= after;
    lock.unlock();
    if (is_due) {
      rule(key,
           {.kind = ruling_kind::quarantine,
            .scheme = parse_site(key)->scheme,
            .value = 1,
            .policy = make()},
           context);
    }
  }
  /// Releases a site from quarantine and resets its count of malformed files.
  void release(std::string_view key, const std::shared_ptr<const call_context>& context = {}) {
    std::unique_lock lock{malformed_mutex_};
    malformed_.erase(key);
    lock.unlock();
    if (quarantined_ > 0) {
      rule(key, {.kind = ruling_kind::quarantine, .scheme = parse_site(key)->scheme}, context);
    }
  }
  /// Returns the policy of a site in quarantine, or null. Looks for both keys of the site, such as
  /// `https://host` and `host` (`policy_detail::counterpart_of`).
  [[nodiscard]] std::shared_ptr<const policy> quarantined(const site& asked) const {
    if (view_ != nullptr) {
      auto ruled = view_->find(asked).policy;
      return ruled != nullptr && ruled->outcome() == outcome::quarantined ? std::move(ruled)
                                                                          : nullptr;
    }
    if (quarantined_ == 0) {
      return nullptr;
    }
    const std::string key = asked.key();
    const std::shared_lock lock{mutex_};
    const std::vector<ruling>& all = entry_of(key).rulings;
    for (const site& name : {asked, policy_detail::counterpart_of(asked)}) {
      const ruling* const held = find_ruling(all, ruling_kind::quarantine, name.scheme);
      if (held != nullptr && held->policy &&
          (name.scheme == asked.scheme || policy_detail::answers_for(asked, held->policy))) {
        return held->policy;
      }
    }
    return nullptr;
  }
  [[nodiscard]] std::vector<std::string> all_quarantined() const {
    std::vector<std::string> keys;
    for (const auto& [key, value] : in_force<int>(ruling_kind::quarantine, 0)) {
      keys.push_back(key);
    }
    return keys;
  }
  [[nodiscard]] std::size_t quarantined_count() const {
    return view_ != nullptr ? view_->quarantined().size() : quarantined_.load();
  }
  /// Calls the functions of `on_denial`.
  void note_denial(std::string_view bare_site) const { listeners_.call(bare_site); }

  /// Calls `on_denied` when a ruling begins to deny a site. Destroy the result to end the calls.
  [[nodiscard]] std::shared_ptr<const void> on_denial(
      std::function<void(std::string_view)> on_denied) {
    return listeners_.add(std::move(on_denied));
  }

  /// Merges a record of another process. Returns false and changes nothing if `text` is no record,
  /// if a ruling is later than `latest`, or if `bare_site` is given and is not the record's site.
  bool learn(std::string_view text, wall_time latest, std::string_view bare_site = {}) {
    const auto record = decode_rulings(text);
    const std::int64_t last = stamp_of(latest);
    if (!record || (!bare_site.empty() && record->site != bare_site) ||
        std::any_of(record->rulings.begin(), record->rulings.end(),
                    [&](const ruling& received) { return received.stamp > last; })) {
      return false;
    }
    for (ruling received : record->rulings) {
      if (received.kind == ruling_kind::quarantine && received.value > 0) {
        record_head source;
        source.url = parse_site(key_of(record->site, received))->robots_urls().front();
        source.final_url = source.url;
        source.status = 200;
        received.policy = detail::quarantined(std::move(source),
                                              "another process has put the site into quarantine",
                                              options_.crawler, options_.fallback);
      }
      std::unique_lock lock{mutex_};
      const auto before = put(record->site, received);
      lock.unlock();
      if (before && *before != received.value) {
        tell(record->site, received, *before, {});
      }
    }
    share_missing(record->site, record->rulings);
    return true;
  }
  /// Sends the rulings on a site to the other processes if the shared store lacks a ruling of this
  /// process. `shared` holds the store's rulings on the site.
  void share_missing(const std::string& bare, const std::vector<ruling>& shared) {
    std::shared_lock lock{mutex_};
    const std::vector<ruling>& own = entry_of(bare).rulings;
    const bool is_missing = std::any_of(own.begin(), own.end(), [&shared](const ruling& mine) {
      const ruling* const other = find_ruling(shared, mine.kind, mine.scheme);
      return mine.is_own && (other == nullptr || other->stamp < mine.stamp);
    });
    lock.unlock();
    if (is_missing) {
      share(bare);
    }
  }
  /// Returns the keys, without a scheme, of the sites that have a ruling or wait for a sign-off.
  [[nodiscard]] std::vector<std::string> sites_to_ask_about() const { return keys(false); }

 private:
  // This limit applies separately to halts, quarantines, malformed counts and awaited sign-offs.
  static constexpr std::size_t most_noted = 65'536;
  // While `sites_` has this many sites, rulings of other processes add no site to `sites_`.
  static constexpr std::size_t most_learned = 262'144;

  [[nodiscard]] bool is_high_risk(std::string_view host) const {
    try {
      return high_risk_.contains(host) || (options_.is_high_risk && options_.is_high_risk(host));
    } catch (...) {
      return true;  // the user's function threw, so a person must decide
    }
  }
  [[nodiscard]] bool is_excluded(std::string_view host) const {
    if (!has_exclusions_) {
      return false;
    }
    const std::shared_lock lock{mutex_};
    return excluded_->contains(host);
  }
  [[nodiscard]] bool is_empty() const noexcept {
    return !has_risks_ && !has_exclusions_ && ruled_ == 0;
  }
  /// Returns the entry of a key, or an empty entry. The caller holds the lock.
  [[nodiscard]] const ruled_site& entry_of(std::string_view key) const {
    static const ruled_site none{};
    const auto found = sites_.find(detail::without_scheme(key));
    return found == sites_.end() ? none : found->second;
  }

  /// Adds or replaces a ruling, under the lock. Returns the old value, or nothing if unchanged.
  std::optional<std::uint8_t> put(const std::string& bare, ruling added) {
    const ruling* const last = find_ruling(entry_of(bare).rulings, added.kind, added.scheme);
    const std::uint8_t before = last == nullptr ? std::uint8_t{0} : last->value;
    auto& limited = added.kind == ruling_kind::halt ? halted_ : quarantined_;
    const bool has_no_room =
        (stops_requests(added.kind) && added.value > 0 && before == 0 && limited >= most_noted) ||
        (!added.is_own && sites_.size() >= most_learned && !sites_.contains(bare));
    if (has_no_room || (last != nullptr && added.stamp <= last->stamp)) {
      return std::nullopt;
    }
    if (added.kind == ruling_kind::quarantine) {
      const std::scoped_lock lock{malformed_mutex_};
      malformed_.erase(key_of(bare, added));
    }
    if (before > 0 && added.value > 0) {
      added.policy = last->policy;
    }
    ruled_site& own = sites_[bare];
    const std::size_t decided_before = own.decides() ? 1 : 0;
    if (last == nullptr) {
      own.rulings.push_back(added);
    } else {
      own.rulings[static_cast<std::size_t>(last - own.rulings.data())] = added;
    }
    if (stops_requests(added.kind)) {
      limited += std::size_t{added.value > 0} - std::size_t{before > 0};
    }
    if (added.kind == ruling_kind::sign_off) {
      awaiting_ -= std::exchange(own.awaits_sign_off, false) ? 1U : 0U;
    }
    ruled_ += (own.decides() ? 1U : 0U) - decided_before;
    // While there is room, a lifted ruling is kept: see `ruling`.
    const bool is_idle =
        !own.awaits_sign_off && !own.decides() && own.value(ruling_kind::sign_off) == 0;
    if (is_idle && (!share_ || sites_.size() > most_noted)) {
      sites_.erase(bare);
    }
    return before;
  }
  /// Makes, shares and reports a ruling. Stamp 0 means now. Returns the same result as `put`.
  std::optional<std::uint8_t> rule(std::string_view key, ruling added,
                                   const std::shared_ptr<const call_context>& context = {}) {
    const std::string bare{detail::without_scheme(key)};
    std::unique_lock lock{mutex_};
    const ruling* const last = find_ruling(entry_of(bare).rulings, added.kind, added.scheme);
    const bool was_in_force = last != nullptr && last->value > 0;
    if (stops_requests(added.kind) && was_in_force == (added.value > 0)) {
      return std::nullopt;
    }
    if (added.stamp == 0) {
      added.stamp = (std::max)(stamp_of(teller_.wall()), last == nullptr ? 1 : last->stamp + 1);
    }
    added.is_own = true;
    const auto before = put(bare, added);
    lock.unlock();
    if (before) {
      share(bare);
      tell(bare, added, *before, context);
    }
    return before;
  }
  void tell(const std::string& bare, const ruling& added, std::uint8_t before,
            const std::shared_ptr<const call_context>& context) {
    const std::string key = key_of(bare, added);
    const event_base about = teller_.about(key, context);
    const bool applies = added.value > 0;
    bool denies = applies;
    switch (added.kind) {
      case ruling_kind::site_override:
        denies = added.value == static_cast<std::uint8_t>(site_override::deny);
        teller_.tell(override_event{about, static_cast<site_override>(added.value)});
        break;
      case ruling_kind::halt:
        teller_.tell(halt_event{
            about, static_cast<halt_reason>((applies ? added.value : before) - 1), !applies});
        break;
      case ruling_kind::sign_off:
        denies = !applies;
        teller_.tell(sign_off_event{about, applies});
        break;
      case ruling_kind::quarantine:
        teller_.tell(quarantine_event{about, !applies});
        break;
    }
    if (denies) {
      listeners_.call(bare);
    }
  }
  void note_awaiting(const std::string& bare) {
    std::unique_lock lock{mutex_};
    const ruled_site& known = entry_of(bare);
    if (awaiting_ >= most_noted || known.awaits_sign_off ||
        known.value(ruling_kind::sign_off) > 0) {
      return;
    }
    sites_[bare].awaits_sign_off = true;
    ++awaiting_;
    lock.unlock();
    teller_.tell(sign_off_event{teller_.about(bare), false, true});
  }
  void share(const std::string& bare) {
    if (share_) {
      std::shared_lock lock{mutex_};
      const std::string text = encode({bare, entry_of(bare).rulings});
      lock.unlock();
      share_(ruling_key(bare), text);
    }
  }

  /// Lists the key and `ruling::value - least` of each ruling of `kind` that is in force, sorted.
  template <class Value>
  [[nodiscard]] std::vector<std::pair<std::string, Value>> in_force(ruling_kind kind,
                                                                    int least) const {
    std::vector<std::pair<std::string, Value>> result;
    std::shared_lock lock{mutex_};
    for (const auto& [bare, own] : sites_) {
      for (const ruling& listed : own.rulings) {
        if (listed.kind == kind && listed.value > 0) {
          result.emplace_back(key_of(bare, listed), static_cast<Value>(listed.value - least));
        }
      }
    }
    lock.unlock();
    std::sort(result.begin(), result.end());
    return result;
  }
  /// Returns the sorted keys, without a scheme, of all sites or of the sites that await a sign-off.
  [[nodiscard]] std::vector<std::string> keys(bool only_awaiting) const {
    std::vector<std::string> result;
    std::shared_lock lock{mutex_};
    for (const auto& [bare, own] : sites_) {
      if (own.awaits_sign_off || !only_awaiting) {
        result.push_back(bare);
      }
    }
    lock.unlock();
    std::sort(result.begin(), result.end());
    return result;
  }

  const ruling_options options_;
  detail::event_teller& teller_;
  const detail::excluded_hosts high_risk_;
  bool has_risks_;
  rulings_view* view_ = nullptr;
  const std::shared_ptr<const policy> allow_;
  const std::shared_ptr<const policy> deny_;
  const std::shared_ptr<const policy> excluded_policy_;
  const std::shared_ptr<const policy> halted_policy_;
  const std::shared_ptr<const policy> unsigned_policy_;
  const sharing share_;
  mutable base::striped_mutex mutex_;  // guards the members below; each hit can read them
  std::shared_ptr<const detail::excluded_hosts> excluded_;
  std::atomic<bool> has_exclusions_ = false;
  std::atomic<std::size_t> ruled_ = 0;  // sites whose `decides()` is true; read without the lock
  std::atomic<std::size_t> halted_ = 0;
  std::atomic<std::size_t> quarantined_ = 0;  // read without the lock
  std::size_t awaiting_ = 0;
  boost::unordered_flat_map<std::string, ruled_site, base::text_hash, std::equal_to<>> sites_;
  denial_listeners listeners_;
  // Each robots.txt that arrives changes `malformed_`. `mutex_` would keep out all hits meanwhile.
  std::mutex malformed_mutex_;
  malformed_counts malformed_{most_noted};
};

}  // namespace robots::rulings_detail
