#pragma once

#include <robots/base/config.hpp>
#include <robots/http/host.hpp>
#include <robots/observe/events.hpp>
#include <robots/policy/judge.hpp>
#include <robots/policy/record.hpp>
#include <robots/policy/site_names.hpp>
#include <robots/rulings/site_rulings.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace robots::rulings_detail {

/// Returns true for a halt and a quarantine. The number of sites with such a ruling is limited. A
/// second such ruling on a site has no effect.
[[nodiscard]] constexpr bool stops_requests(ruling_kind kind) noexcept {
  return kind == ruling_kind::halt || kind == ruling_kind::quarantine;
}

ROBOTS_INLINE std::string encode(const ruling_record& record) {
  std::string text = "ruling 1 " + record.site;
  for (const ruling& listed : record.rulings) {
    const int scheme = !listed.scheme ? 0 : *listed.scheme == url_scheme::http ? 1 : 2;
    for (const std::int64_t number :
         {std::int64_t{static_cast<int>(listed.kind)}, std::int64_t{scheme},
          std::int64_t{listed.value}, listed.stamp}) {
      text.append(" ").append(std::to_string(number));
    }
  }
  return text;
}

ROBOTS_INLINE std::optional<ruling_record> decode_rulings(std::string_view text) {
  constexpr std::size_t most_text = 1'024;
  if (!is_ruling_text(text) || text.size() > most_text) {
    return std::nullopt;
  }
  text.remove_prefix(std::string_view{"ruling 1 "}.size());
  ruling_record result;
  result.site = text.substr(0, text.find(' '));
  text.remove_prefix(result.site.size());
  const auto parsed = parse_site(result.site);
  if (!parsed || parsed->scheme || parsed->key() != result.site) {
    return std::nullopt;
  }
  constexpr std::array most_values{static_cast<int>(site_override::deny),
                                   1 + static_cast<int>(halt_reason::unreachable), 1, 1};
  while (!text.empty()) {
    std::array<std::int64_t, 4> numbers{};
    for (std::int64_t& number : numbers) {
      if (!text.starts_with(' ')) {
        return std::nullopt;
      }
      const auto read = std::from_chars(text.data() + 1, text.data() + text.size(), number);
      if (read.ec != std::errc{} || number < 0) {
        return std::nullopt;
      }
      text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    }
    const auto [kind, scheme, value, stamp] = numbers;
    const bool is_for_both_schemes = kind == static_cast<int>(ruling_kind::halt) ||
                                     kind == static_cast<int>(ruling_kind::sign_off);
    if (kind >= std::ssize(most_values) || scheme > (is_for_both_schemes ? 0 : 2) ||
        value > most_values.at(static_cast<std::size_t>(kind))) {
      return std::nullopt;
    }
    ruling added{.kind = static_cast<ruling_kind>(kind),
                 .value = static_cast<std::uint8_t>(value),
                 .stamp = stamp};
    if (scheme > 0) {
      added.scheme = scheme == 1 ? url_scheme::http : url_scheme::https;
    }
    if (find_ruling(result.rulings, added.kind, added.scheme) != nullptr) {
      return std::nullopt;
    }
    result.rulings.push_back(added);
  }
  return result;
}

ROBOTS_INLINE site_rulings::site_rulings(const ruling_options& options,
                                         detail::event_teller& teller, sharing share)
    : options_(options),
      teller_(teller),
      high_risk_(options.sign_off, "sign_off"),
      has_risks_(!high_risk_.empty() || options.is_high_risk),
      allow_(policy::by_hand(options.user_agent, true)),
      deny_(policy::by_hand(options.user_agent, false)),
      excluded_policy_(policy::refusal(options.user_agent, decision_reason::excluded)),
      halted_policy_(policy::refusal(options.user_agent, decision_reason::halted)),
      unsigned_policy_(policy::refusal(options.user_agent, decision_reason::needs_sign_off)),
      share_(std::move(share)) {
  set_excluded(options.excluded);
}

ROBOTS_INLINE void site_rulings::set_excluded(std::span<const std::string> entries) {
  auto next = std::make_shared<const detail::excluded_hosts>(entries);
  const std::scoped_lock lock{mutex_};
  has_exclusions_ = !next->empty();
  excluded_.swap(next);
}

ROBOTS_INLINE bool site_rulings::knows_of(std::string_view key) const {
  if ((has_risks_ || has_exclusions_) &&
      (is_excluded(host_of(key)) || is_high_risk(host_of(key)))) {
    return true;
  }
  if (ruled_ == 0) {
    return false;
  }
  const std::shared_lock lock{mutex_};
  return entry_of(key).decides();
}

ROBOTS_INLINE std::shared_ptr<const policy> site_rulings::find(const site& asked) {
  if (is_empty()) {
    return nullptr;
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

ROBOTS_INLINE void site_rulings::halt(std::string_view key, halt_reason why,
                                      const std::shared_ptr<const call_context>& context,
                                      std::optional<std::chrono::sys_seconds> found_at) {
  ruling added{.kind = ruling_kind::halt,
               .value = static_cast<std::uint8_t>(1 + static_cast<int>(why))};
  if (found_at) {
    added.stamp = (std::max)(stamp_of(*found_at), std::int64_t{1});
  }
  rule(key, added, context);
}

ROBOTS_INLINE bool site_rulings::may_be_signed_off_elsewhere(const site& asked) const {
  if (!share_ || !has_risks_ || !is_high_risk(asked.host)) {
    return false;
  }
  const std::string key = asked.key();
  const std::shared_lock lock{mutex_};
  const ruled_site& own = entry_of(key);
  return !own.awaits_sign_off && find_ruling(own.rulings, ruling_kind::sign_off) == nullptr;
}

ROBOTS_INLINE void site_rulings::note_malformed(
    std::string_view key, const std::shared_ptr<const call_context>& context,
    const std::function<std::shared_ptr<const policy>()>& make) {
  if (options_.quarantine_after == 0) {
    return;
  }
  {
    const std::scoped_lock lock{mutex_};
    // The result only orders the sites; it is not a real time. A full table first forgets the site
    // with the latest result, which is the site with the smallest `note`.
    const auto needed_until = [](const malformed_files& noted) {
      return (time_point::max)() - time_point::duration{1 + noted.note};
    };
    malformed_files* const noted = malformed_.find_or_add(key, {}, needed_until, time_point{});
    if (noted == nullptr) {
      return;
    }
    noted->note = ++notes_;
    malformed_.forget_after(*noted, needed_until(*noted));
    if (++noted->count < options_.quarantine_after) {
      return;
    }
  }
  rule(key,
       {.kind = ruling_kind::quarantine,
        .scheme = parse_site(key)->scheme,
        .value = 1,
        .policy = make()},
       context);
}

ROBOTS_INLINE void site_rulings::release(std::string_view key,
                                         const std::shared_ptr<const call_context>& context) {
  {
    const std::scoped_lock lock{mutex_};
    malformed_.erase(key);
  }
  if (quarantined_ > 0) {
    rule(key, {.kind = ruling_kind::quarantine, .scheme = parse_site(key)->scheme}, context);
  }
}

ROBOTS_INLINE std::shared_ptr<const policy> site_rulings::quarantined(const site& asked) const {
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

ROBOTS_INLINE std::vector<std::string> site_rulings::all_quarantined() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : in_force<int>(ruling_kind::quarantine, 0)) {
    keys.push_back(key);
  }
  return keys;
}

ROBOTS_INLINE std::shared_ptr<const void> site_rulings::on_denial(
    std::function<void(std::string_view)> on_denied) {
  const std::scoped_lock lock{listeners_->mutex};
  const auto place = listeners_->all.insert(listeners_->all.end(), std::move(on_denied));
  return {listeners_.get(), [shared = listeners_, place](const void* /*nothing*/) {
            const std::scoped_lock held{shared->mutex};
            shared->all.erase(place);
          }};
}

ROBOTS_INLINE bool site_rulings::learn(std::string_view text, wall_time latest,
                                       std::string_view bare_site) {
  const auto record = decode_rulings(text);
  const std::int64_t last = stamp_of(latest);
  if (!record || (!bare_site.empty() && record->site != bare_site) ||
      std::any_of(record->rulings.begin(), record->rulings.end(),
                  [&](const ruling& received) { return received.stamp > last; })) {
    return false;
  }
  for (ruling received : record->rulings) {
    if (received.kind == ruling_kind::quarantine && received.value > 0) {
      constexpr int success = 200;
      record_head source;
      source.url = parse_site(key_of(record->site, received))->robots_urls().front();
      source.final_url = source.url;
      source.status = success;
      received.policy =
          detail::quarantined(std::move(source), "another process has put the site into quarantine",
                              options_.user_agent, options_.fallback);
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

ROBOTS_INLINE void site_rulings::share_missing(const std::string& bare,
                                               const std::vector<ruling>& shared) {
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

ROBOTS_INLINE bool site_rulings::is_high_risk(std::string_view host) const {
  try {
    return high_risk_.contains(host) || (options_.is_high_risk && options_.is_high_risk(host));
  } catch (...) {
    return true;  // the user's function threw, so a person must decide
  }
}

ROBOTS_INLINE std::optional<std::uint8_t> site_rulings::put(const std::string& bare, ruling added) {
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
  // While there is room, a lifted ruling is kept with its stamp. So an older ruling that another
  // process sends afterwards has no effect.
  const bool is_idle =
      !own.awaits_sign_off && !own.decides() && own.value(ruling_kind::sign_off) == 0;
  if (is_idle && (!share_ || sites_.size() > most_noted)) {
    sites_.erase(bare);
  }
  return before;
}

ROBOTS_INLINE std::optional<std::uint8_t> site_rulings::rule(
    std::string_view key, ruling added, const std::shared_ptr<const call_context>& context) {
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

ROBOTS_INLINE void site_rulings::tell(const std::string& bare, const ruling& added,
                                      std::uint8_t before,
                                      const std::shared_ptr<const call_context>& context) {
  const std::string key = key_of(bare, added);
  const event_base about = teller_.about(key, context);
  const bool applies = added.value > 0;
  bool denies = applies;
  switch (added.kind) {
    case ruling_kind::site_override: {
      const auto value = static_cast<site_override>(added.value);
      denies = value == site_override::deny;
      teller_.tell(override_event{about, value});
      break;
    }
    case ruling_kind::halt: {
      const int value = applies ? added.value : before;
      teller_.tell(halt_event{about, static_cast<halt_reason>(value - 1), !applies});
      break;
    }
    case ruling_kind::sign_off:
      denies = !applies;
      teller_.tell(sign_off_event{about, applies});
      break;
    case ruling_kind::quarantine:
      teller_.tell(quarantine_event{about, !applies});
      break;
  }
  if (!denies) {
    return;
  }
  const std::scoped_lock lock{listeners_->mutex};
  for (const auto& listener : listeners_->all) {
    try {
      listener(bare);
    } catch (...) {
      continue;  // the ruling applies anyway
    }
  }
}

ROBOTS_INLINE void site_rulings::note_awaiting(const std::string& bare) {
  std::unique_lock lock{mutex_};
  const ruled_site& known = entry_of(bare);
  if (awaiting_ >= most_noted || known.awaits_sign_off || known.value(ruling_kind::sign_off) > 0) {
    return;
  }
  sites_[bare].awaits_sign_off = true;
  ++awaiting_;
  lock.unlock();
  teller_.tell(sign_off_event{teller_.about(bare), false, true});
}

ROBOTS_INLINE void site_rulings::share(const std::string& bare) {
  if (share_) {
    std::shared_lock lock{mutex_};
    const std::string text = encode({bare, entry_of(bare).rulings});
    lock.unlock();
    share_(ruling_key(bare), text);
  }
}

ROBOTS_INLINE std::vector<std::string> site_rulings::keys(bool only_awaiting) const {
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

}  // namespace robots::rulings_detail
