#pragma once

#include <robots/base/config.hpp>
#include <robots/http/host.hpp>
#include <robots/http/site.hpp>
#include <robots/observe/events.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/judge.hpp>
#include <robots/policy/record.hpp>
#include <robots/policy/site_names.hpp>
#include <robots/rulings/site_rulings.hpp>

#include <algorithm>

namespace robots::rulings_detail {

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

ROBOTS_INLINE std::shared_ptr<const detail::excluded_hosts> site_rulings::excluded() const {
  const std::shared_lock lock{mutex_};
  return excluded_;
}

ROBOTS_INLINE bool site_rulings::knows_of(std::string_view key) const {
  if (has_risks_ || has_exclusions_) {
    const std::string_view host = host_of(key);
    if (is_excluded(host) || is_high_risk(host)) {
      return true;
    }
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
  auto by_hand = site_override::none;
  bool is_signed_off = false;
  bool awaits = false;
  {
    const std::shared_lock lock{mutex_};
    const ruled_site& own = entry_of(key);
    if (own.value(ruling_kind::halt) > 0) {
      return halted_policy_;
    }
    is_signed_off = own.value(ruling_kind::sign_off) > 0;
    awaits = own.awaits_sign_off;
    for (const site& name : policy_detail::names_of(asked)) {
      by_hand = static_cast<site_override>(own.value(ruling_kind::site_override, name.scheme));
      if (by_hand != site_override::none) {
        break;
      }
    }
  }
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

ROBOTS_INLINE void site_rulings::set_override(const site& asked, site_override value) {
  rule(asked.key(), {ruling_kind::site_override, asked.scheme, static_cast<std::uint8_t>(value)});
}

ROBOTS_INLINE std::vector<std::pair<std::string, site_override>> site_rulings::overrides() const {
  using named_override = std::pair<std::string, site_override>;
  return collect<named_override>([](auto& result, const std::string& bare, const ruled_site& own) {
    for (const ruling& listed : own.rulings) {
      if (listed.kind == ruling_kind::site_override && listed.value > 0) {
        result.emplace_back(key_of(bare, listed), static_cast<site_override>(listed.value));
      }
    }
  });
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

ROBOTS_INLINE std::optional<halt_reason> site_rulings::resume(std::string_view key) {
  const auto before = rule(key, {.kind = ruling_kind::halt});
  return before ? std::optional{static_cast<halt_reason>(*before - 1)} : std::nullopt;
}

ROBOTS_INLINE bool site_rulings::is_halted(std::string_view key) const {
  if (ruled_ == 0) {
    return false;
  }
  const std::shared_lock lock{mutex_};
  return entry_of(key).value(ruling_kind::halt) > 0;
}

ROBOTS_INLINE std::vector<std::pair<std::string, halt_reason>> site_rulings::halted() const {
  using reason_of_site = std::pair<std::string, halt_reason>;
  return collect<reason_of_site>([](auto& result, const std::string& bare, const ruled_site& own) {
    if (const int value = own.value(ruling_kind::halt); value > 0) {
      result.emplace_back(bare, static_cast<halt_reason>(value - 1));
    }
  });
}

ROBOTS_INLINE bool site_rulings::may_be_signed_off_elsewhere(const site& asked) const {
  if (!share_ || !has_risks_ || !is_high_risk(asked.host)) {
    return false;
  }
  const std::string key = asked.key();
  const std::shared_lock lock{mutex_};
  const ruled_site& own = entry_of(key);
  return !own.awaits_sign_off && own.find(ruling_kind::sign_off) == nullptr;
}

ROBOTS_INLINE void site_rulings::sign_off(std::string_view key, bool is_given) {
  rule(key, {.kind = ruling_kind::sign_off, .value = std::uint8_t{is_given}});
}

ROBOTS_INLINE std::vector<std::string> site_rulings::awaiting_sign_off() const {
  return collect<std::string>([](auto& result, const std::string& bare, const ruled_site& own) {
    if (own.awaits_sign_off) {
      result.push_back(bare);
    }
  });
}

ROBOTS_INLINE void site_rulings::note_malformed(
    std::string_view key, const std::shared_ptr<const call_context>& context,
    const std::function<std::shared_ptr<const policy>()>& make) {
  if (options_.quarantine_after == 0) {
    return;
  }
  {
    const std::scoped_lock lock{mutex_};
    malformed_files* const found =
        malformed_.find_or_add(key, {}, &malformed_files::needed_until, time_point{});
    if (found == nullptr) {
      return;
    }
    malformed_files& noted = *found;
    noted.note = ++notes_;
    malformed_.forget_after(noted, malformed_files::needed_until(noted));
    if (++noted.count < options_.quarantine_after) {
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
  const ruled_site& ruled = entry_of(key);
  const ruling* const own = ruled.find(ruling_kind::quarantine, asked.scheme);
  if (own != nullptr && own->policy) {
    return own->policy;
  }
  const ruling* const other =
      ruled.find(ruling_kind::quarantine, policy_detail::counterpart_of(asked).scheme);
  return other != nullptr && other->policy && policy_detail::answers_for(asked, other->policy)
             ? other->policy
             : nullptr;
}

ROBOTS_INLINE std::vector<std::string> site_rulings::all_quarantined() const {
  return collect<std::string>([](auto& result, const std::string& bare, const ruled_site& own) {
    for (const ruling& listed : own.rulings) {
      if (listed.kind == ruling_kind::quarantine && listed.value > 0) {
        result.push_back(key_of(bare, listed));
      }
    }
  });
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
      received.policy = policy_for_quarantine(*parse_site(key_of(record->site, received)));
    }
    std::optional<std::uint8_t> before;
    {
      const std::scoped_lock lock{mutex_};
      before = put(record->site, received);
    }
    if (before && *before != received.value) {
      tell(record->site, received, *before, {});
    }
  }
  share_missing(record->site, record->rulings);
  return true;
}

ROBOTS_INLINE void site_rulings::share_missing(const std::string& bare,
                                               const std::vector<ruling>& shared) {
  bool is_missing = false;
  {
    const std::shared_lock lock{mutex_};
    const std::vector<ruling>& own = entry_of(bare).rulings;
    const auto lacks = [&shared](const ruling& mine) {
      return mine.is_own && std::none_of(shared.begin(), shared.end(), [&](const ruling& other) {
               return other.replaces(mine) && other.stamp >= mine.stamp;
             });
    };
    is_missing = std::any_of(own.begin(), own.end(), lacks);
  }
  if (is_missing) {
    share(bare);
  }
}

ROBOTS_INLINE std::vector<std::string> site_rulings::sites_to_ask_about() const {
  return collect<std::string>([](auto& result, const std::string& bare, const ruled_site& /*own*/) {
    result.push_back(bare);
  });
}

ROBOTS_INLINE const ruled_site& site_rulings::entry_of(std::string_view key) const {
  static const ruled_site none{};
  const auto found = sites_.find(detail::without_scheme(key));
  return found == sites_.end() ? none : found->second;
}

ROBOTS_INLINE bool site_rulings::is_high_risk(std::string_view host) const {
  try {
    return high_risk_.contains(host) || (options_.is_high_risk && options_.is_high_risk(host));
  } catch (...) {
    return true;  // the user's function threw, so a person must decide
  }
}

ROBOTS_INLINE std::optional<std::uint8_t> site_rulings::put(const std::string& bare,
                                                            const ruling& added) {
  const auto found = sites_.find(bare);
  const bool is_new_site = found == sites_.end();
  const ruling* const last = is_new_site ? nullptr : found->second.find(added.kind, added.scheme);
  const std::uint8_t before = last == nullptr ? std::uint8_t{0} : last->value;
  auto& in_force = added.kind == ruling_kind::halt ? halted_ : quarantined_;
  const bool has_no_room =
      (stops_requests(added.kind) && added.value > 0 && before == 0 && in_force >= most_noted) ||
      (is_new_site && !added.is_own && sites_.size() >= most_learned);
  if (has_no_room || (last != nullptr && added.stamp <= last->stamp)) {
    return std::nullopt;
  }
  if (added.kind == ruling_kind::quarantine) {
    malformed_.erase(key_of(bare, added));
  }
  const bool is_repeated = before > 0 && added.value > 0;
  auto policy = is_repeated ? last->policy : added.policy;
  ruled_site& own = is_new_site ? sites_[bare] : found->second;
  const std::size_t decided_before = own.decides() ? 1 : 0;
  std::erase_if(own.rulings, [&](const ruling& earlier) { return earlier.replaces(added); });
  own.rulings.push_back(added);
  own.rulings.back().policy = std::move(policy);
  if (stops_requests(added.kind)) {
    in_force += std::size_t{added.value > 0} - std::size_t{before > 0};
  }
  if (added.kind == ruling_kind::sign_off) {
    awaiting_ -= std::exchange(own.awaits_sign_off, false) ? 1U : 0U;
  }
  ruled_ += (own.decides() ? 1U : 0U) - decided_before;
  // While there is room, a lifted ruling is kept with its stamp, so that an older ruling that
  // arrives later from another process is ignored.
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
  std::optional<std::uint8_t> before;
  {
    const std::scoped_lock lock{mutex_};
    const ruling* const last = entry_of(bare).find(added.kind, added.scheme);
    const bool was_in_force = last != nullptr && last->value > 0;
    if (stops_requests(added.kind) && was_in_force == (added.value > 0)) {
      return std::nullopt;
    }
    if (added.stamp == 0) {
      added.stamp = (std::max)(stamp_of(teller_.wall()), last == nullptr ? 1 : last->stamp + 1);
    }
    added.is_own = true;
    before = put(bare, added);
  }
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
  bool denies = added.value > 0;
  switch (added.kind) {
    case ruling_kind::site_override: {
      const auto value = static_cast<site_override>(added.value);
      denies = value == site_override::deny;
      teller_.tell(override_event{teller_.about(key, context), value});
      break;
    }
    case ruling_kind::halt: {
      const auto why = static_cast<halt_reason>((denies ? added.value : before) - 1);
      teller_.tell(halt_event{teller_.about(bare, context), why, !denies});
      break;
    }
    case ruling_kind::sign_off:
      teller_.tell(sign_off_event{teller_.about(bare, context), denies});
      denies = !denies;
      break;
    case ruling_kind::quarantine:
      teller_.tell(quarantine_event{teller_.about(key, context), !denies});
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

ROBOTS_INLINE std::shared_ptr<const policy> site_rulings::policy_for_quarantine(
    const site& asked) const {
  constexpr int success = 200;
  record_head source;
  source.url = source.final_url = asked.robots_urls().front();
  source.status = success;
  return detail::quarantined(std::move(source), "another process has put the site into quarantine",
                             options_.user_agent, options_.fallback);
}

ROBOTS_INLINE void site_rulings::note_awaiting(const std::string& bare) {
  {
    const std::scoped_lock lock{mutex_};
    if (awaiting_ >= most_noted) {
      return;
    }
    ruled_site& own = sites_[bare];
    if (own.awaits_sign_off || own.value(ruling_kind::sign_off) > 0) {
      return;
    }
    own.awaits_sign_off = true;
    ++awaiting_;
  }
  teller_.tell(sign_off_event{teller_.about(bare), false, true});
}

ROBOTS_INLINE void site_rulings::share(const std::string& bare) {
  if (!share_) {
    return;
  }
  ruling_record record{.site = bare};
  {
    const std::shared_lock lock{mutex_};
    record.rulings = entry_of(bare).rulings;
  }
  share_(ruling_key(bare), encode(record));
}

template <class Result, class Add>
std::vector<Result> site_rulings::collect(const Add& add) const {
  std::vector<Result> result;
  {
    const std::shared_lock lock{mutex_};
    for (const auto& [bare, own] : sites_) {
      add(result, bare, own);
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace robots::rulings_detail
