#pragma once

#include <robots/base/config.hpp>
#include <robots/http/site_key.hpp>
#include <robots/observe/events.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/quarantine_rule.hpp>
#include <robots/policy/record.hpp>
#include <robots/policy/site_names.hpp>
#include <robots/rulings/site_rulings.hpp>

#include <algorithm>

namespace robots::rulings_detail {

ROBOTS_INLINE site_rulings::site_rulings(const ruling_options& options,
                                         const exclusion_list& excluded,
                                         detail::event_teller& teller, sharing share)
    : options_(options),
      teller_(teller),
      excluded_(excluded),
      high_risk_(options.sign_off, "sign_off"),
      has_risks_(!high_risk_.empty() || options.is_high_risk),
      allow_(policy::by_hand(options.user_agent, true)),
      deny_(policy::by_hand(options.user_agent, false)),
      excluded_policy_(policy::refusal(options.user_agent, decision_reason::excluded)),
      halted_policy_(policy::refusal(options.user_agent, decision_reason::halted)),
      unsigned_policy_(policy::refusal(options.user_agent, decision_reason::needs_sign_off)),
      quarantine_(options.quarantine_after),
      share_(std::move(share)) {}

ROBOTS_INLINE bool site_rulings::knows_of(std::string_view key) const {
  if (has_risks_ || !excluded_.empty()) {
    const std::string_view host = host_of(key);
    if (excluded_.contains(host) || is_high_risk(host)) {
      return true;
    }
  }
  const std::string_view bare = detail::without_scheme(key);
  if (quarantine_.size() > 0) {
    if (quarantine_.find(key) || quarantine_.find(bare) ||
        quarantine_.find("https://" + std::string{bare})) {
      return true;
    }
  }
  if (ruled_ == 0) {
    return false;
  }
  const std::shared_lock lock{mutex_};
  const auto found = sites_.find(bare);
  return found != sites_.end() && found->second.denies_or_allows();
}

ROBOTS_INLINE std::shared_ptr<const policy> site_rulings::find(const site& asked) {
  if (is_empty()) {
    return nullptr;
  }
  const std::string key = asked.key();
  const std::string bare{detail::without_scheme(key)};
  auto by_hand = site_override::none;
  bool is_signed_off = false;
  bool awaits = false;
  {
    const std::shared_lock lock{mutex_};
    if (const auto found = sites_.find(bare); found != sites_.end()) {
      const entry& own = found->second;
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
  }
  if (by_hand == site_override::none && excluded_.contains(asked.host)) {
    return excluded_policy_;
  }
  if (!is_signed_off && is_high_risk(asked.host)) {
    if (!awaits) {
      note_awaiting(bare);
    }
    return unsigned_policy_;
  }
  if (by_hand == site_override::none) {
    return quarantined(asked);
  }
  return by_hand == site_override::allow ? allow_ : deny_;
}

ROBOTS_INLINE void site_rulings::set_override(const site& asked, site_override value) {
  const std::string key = asked.key();
  const std::string bare{detail::without_scheme(key)};
  const ruling added{ruling_kind::site_override, asked.scheme, static_cast<std::uint8_t>(value)};
  static_cast<void>(rule(bare, added));
  tell(bare, added, 0, {});
}

ROBOTS_INLINE std::vector<std::pair<std::string, site_override>> site_rulings::overrides() const {
  std::vector<std::pair<std::string, site_override>> result;
  for_each([&](const std::string& bare, const entry& own) {
    for (const ruling& one : own.rulings) {
      if (one.kind == ruling_kind::site_override && one.value > 0) {
        site name = *parse_site(bare);
        name.scheme = one.scheme;
        result.emplace_back(name.key(), static_cast<site_override>(one.value));
      }
    }
  });
  std::sort(result.begin(), result.end());
  return result;
}

ROBOTS_INLINE void site_rulings::halt(std::string_view key, halt_reason why,
                                      const std::shared_ptr<const call_context>& context,
                                      std::optional<std::chrono::sys_seconds> found_at) {
  const std::string bare{detail::without_scheme(key)};
  ruling added{.kind = ruling_kind::halt,
               .value = static_cast<std::uint8_t>(1 + static_cast<int>(why))};
  if (found_at) {
    added.stamp = (std::max)(stamp_of(*found_at), std::int64_t{1});
  }
  if (rule(bare, added, true)) {
    tell(bare, added, 0, context);
  }
}

ROBOTS_INLINE std::optional<halt_reason> site_rulings::resume(std::string_view key) {
  const std::string bare{detail::without_scheme(key)};
  if (!is_halted(bare)) {
    return std::nullopt;
  }
  const ruling added{.kind = ruling_kind::halt};
  const std::uint8_t was = rule(bare, added).value_or(0);
  if (was == 0) {
    return std::nullopt;
  }
  tell(bare, added, was, {});
  return static_cast<halt_reason>(was - 1);
}

ROBOTS_INLINE bool site_rulings::is_halted(std::string_view key) const {
  if (ruled_ == 0) {
    return false;
  }
  const std::shared_lock lock{mutex_};
  const auto found = sites_.find(detail::without_scheme(key));
  return found != sites_.end() && found->second.value(ruling_kind::halt) > 0;
}

ROBOTS_INLINE std::vector<std::pair<std::string, halt_reason>> site_rulings::halted() const {
  std::vector<std::pair<std::string, halt_reason>> result;
  for_each([&](const std::string& bare, const entry& own) {
    if (const int value = own.value(ruling_kind::halt); value > 0) {
      result.emplace_back(bare, static_cast<halt_reason>(value - 1));
    }
  });
  std::sort(result.begin(), result.end());
  return result;
}

ROBOTS_INLINE bool site_rulings::may_be_signed_off_elsewhere(const site& asked) const {
  if (!share_ || !has_risks_ || !is_high_risk(asked.host)) {
    return false;
  }
  const std::string key = asked.key();
  const std::shared_lock lock{mutex_};
  const auto own = sites_.find(detail::without_scheme(key));
  return own == sites_.end() ||
         (!own->second.awaits_sign_off && own->second.find(ruling_kind::sign_off) == nullptr);
}

ROBOTS_INLINE void site_rulings::sign_off(std::string_view key, bool given) {
  const std::string bare{detail::without_scheme(key)};
  const ruling added{.kind = ruling_kind::sign_off, .value = std::uint8_t{given}};
  static_cast<void>(rule(bare, added));
  tell(bare, added, 0, {});
}

ROBOTS_INLINE std::vector<std::string> site_rulings::awaiting_sign_off() const {
  std::vector<std::string> result;
  for_each([&](const std::string& bare, const entry& own) {
    if (own.awaits_sign_off) {
      result.push_back(bare);
    }
  });
  std::sort(result.begin(), result.end());
  return result;
}

ROBOTS_INLINE std::shared_ptr<const policy> site_rulings::quarantined(const site& asked) const {
  if (quarantine_.size() == 0) {
    return nullptr;
  }
  if (auto own = quarantine_.find(asked.key())) {
    return own;
  }
  const auto other = quarantine_.find(policy_detail::counterpart_of(asked).key());
  return other && policy_detail::answers_for(asked, other) ? other : nullptr;
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
                  [&](const ruling& one) { return one.stamp > last; })) {
    return false;
  }
  std::vector<std::pair<ruling, std::uint8_t>> changes;
  bool lacks_own = false;
  {
    const std::scoped_lock lock{mutex_};
    for (const ruling& one : record->rulings) {
      if (const auto before = put(record->site, one); before && *before != one.value) {
        changes.emplace_back(one, *before);
      }
    }
    if (const auto own = sites_.find(record->site); own != sites_.end()) {
      lacks_own = std::any_of(
          own->second.rulings.begin(), own->second.rulings.end(), [&](const ruling& mine) {
            return mine.is_own && std::none_of(record->rulings.begin(), record->rulings.end(),
                                               [&](const ruling& theirs) {
                                                 return theirs.replaces(mine) &&
                                                        theirs.stamp >= mine.stamp;
                                               });
          });
    }
  }
  for (const auto& [added, before] : changes) {
    tell(record->site, added, before, {});
  }
  if (lacks_own) {
    share(record->site);
  }
  return true;
}

ROBOTS_INLINE void site_rulings::learn_of_none(std::string_view bare_site) {
  const std::string bare{bare_site};
  bool has_own = false;
  {
    const std::shared_lock lock{mutex_};
    const auto own = sites_.find(bare);
    has_own =
        own != sites_.end() && std::any_of(own->second.rulings.begin(), own->second.rulings.end(),
                                           [](const ruling& one) { return one.is_own; });
  }
  if (has_own) {
    share(bare);
  }
}

ROBOTS_INLINE std::vector<std::string> site_rulings::sites_to_ask_about() const {
  std::vector<std::string> result;
  for_each([&](const std::string& bare, const entry& own) {
    if (!own.rulings.empty() || own.awaits_sign_off) {
      result.push_back(bare);
    }
  });
  return result;
}

ROBOTS_INLINE const ruling* site_rulings::entry::find(ruling_kind kind,
                                                      std::optional<url_scheme> scheme) const {
  const ruling wanted{.kind = kind, .scheme = scheme};
  const auto found = std::find_if(rulings.begin(), rulings.end(),
                                  [&](const ruling& one) { return one.replaces(wanted); });
  return found == rulings.end() ? nullptr : &*found;
}

ROBOTS_INLINE bool site_rulings::entry::denies_or_allows() const {
  return std::any_of(rulings.begin(), rulings.end(), [](const ruling& one) {
    return one.value > 0 &&
           (one.kind == ruling_kind::halt || one.kind == ruling_kind::site_override);
  });
}

ROBOTS_INLINE bool site_rulings::entry::says_something() const {
  return awaits_sign_off || std::any_of(rulings.begin(), rulings.end(),
                                        [](const ruling& one) { return one.value > 0; });
}

ROBOTS_INLINE bool site_rulings::is_high_risk(std::string_view host) const {
  try {
    return high_risk_.contains(host) || (options_.is_high_risk && options_.is_high_risk(host));
  } catch (...) {
    return true;  // the user's function threw: a person decides
  }
}

ROBOTS_INLINE std::optional<std::uint8_t> site_rulings::put(const std::string& bare,
                                                            const ruling& added) {
  if (!added.is_own && sites_.size() >= most_learned && !sites_.contains(bare)) {
    return std::nullopt;
  }
  entry& own = sites_[bare];
  const auto place = std::find_if(own.rulings.begin(), own.rulings.end(),
                                  [&](const ruling& one) { return one.replaces(added); });
  const bool is_new = place == own.rulings.end();
  const std::uint8_t before = is_new ? std::uint8_t{0} : place->value;
  const bool halts = added.kind == ruling_kind::halt;
  const bool has_no_room = halts && added.value > 0 && before == 0 && halted_ >= most_noted;
  const bool is_older = !is_new && added.stamp <= place->stamp;
  const std::size_t ruled = own.denies_or_allows() ? 1 : 0;
  if (!has_no_room && !is_older) {
    if (is_new) {
      own.rulings.push_back(added);
    } else {
      *place = added;
    }
    if (halts) {
      halted_ = halted_ - (before > 0 ? 1 : 0) + (added.value > 0 ? 1 : 0);
    }
    if (added.kind == ruling_kind::sign_off) {
      awaiting_ -= std::exchange(own.awaits_sign_off, false) ? 1U : 0U;
    }
    ruled_ += (own.denies_or_allows() ? 1U : 0U) - ruled;
  }
  // A lifted ruling is kept while there is room, so that an older one does not come back.
  if (!own.says_something() && (!share_ || sites_.size() > most_noted)) {
    sites_.erase(bare);
  }
  return has_no_room || is_older ? std::nullopt : std::optional{before};
}

ROBOTS_INLINE std::optional<std::uint8_t> site_rulings::rule(const std::string& bare, ruling added,
                                                             bool only_if_none) {
  std::optional<std::uint8_t> before;
  {
    const std::scoped_lock lock{mutex_};
    const auto own = sites_.find(bare);
    const ruling* const last =
        own == sites_.end() ? nullptr : own->second.find(added.kind, added.scheme);
    if (only_if_none && last != nullptr && last->value > 0) {
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
  }
  return before;
}

ROBOTS_INLINE void site_rulings::tell(const std::string& bare, const ruling& added,
                                      std::uint8_t before,
                                      const std::shared_ptr<const call_context>& context) {
  site name = *parse_site(bare);
  name.scheme = added.scheme;
  const std::string key = name.key();
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
    case ruling_kind::quarantine: {
      const bool is_news =
          denies ? quarantine_.hold(key, policy_for_quarantine(name)) : quarantine_.release(key);
      if (is_news) {
        teller_.tell(quarantine_event{teller_.about(key, context), !denies});
      }
      break;
    }
  }
  if (denies) {
    tell_denial(bare);
  }
}

ROBOTS_INLINE void site_rulings::note_quarantine(
    std::string_view key, bool held, const std::shared_ptr<const call_context>& context) {
  teller_.tell(quarantine_event{teller_.about(key, context), !held});
  const std::string bare{detail::without_scheme(key)};
  if (const auto asked = share_ ? parse_site(key) : std::nullopt) {
    static_cast<void>(
        rule(bare, {ruling_kind::quarantine, asked->scheme, static_cast<std::uint8_t>(held)}));
  }
  if (held) {
    tell_denial(bare);
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
    entry& own = sites_[bare];
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
    if (const auto own = sites_.find(bare); own != sites_.end()) {
      record.rulings = own->second.rulings;
    }
  }
  share_(ruling_key(bare), encode(record));
}

ROBOTS_INLINE void site_rulings::tell_denial(std::string_view key) {
  const std::scoped_lock lock{listeners_->mutex};
  for (const auto& listener : listeners_->all) {
    try {
      listener(key);
    } catch (...) {
      continue;  // the ruling applies all the same
    }
  }
}

template <class Visit>
void site_rulings::for_each(const Visit& visit) const {
  const std::shared_lock lock{mutex_};
  for (const auto& [bare, own] : sites_) {
    visit(bare, own);
  }
}

}  // namespace robots::rulings_detail
