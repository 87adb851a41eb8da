#pragma once

#include <robots/cache/cache_options.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/cache/detail/flight.hpp>
#include <robots/cache/detail/quarantine.hpp>
#include <robots/cache/detail/shared_names.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/http/site.hpp>
#include <robots/policy/judge_options.hpp>
#include <robots/policy/lifetime.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/quarantine_rule.hpp>
#include <robots/store/storage.hpp>
#include <robots/time/clock.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace robots::cache_detail {

/// What this process keeps of sites: their policies, in the storage, and which of them are in
/// quarantine.
class kept_sites {
 public:
  /// All of them outlive it.
  kept_sites(cache_parts& parts, const cache_options& options, const judge_options& judging)
      : parts_(parts),
        user_agent_(options.user_agent),
        judging_(judging),
        quarantine_(options.quarantine_after) {}

  [[nodiscard]] const quarantine& all_quarantined() const noexcept { return quarantine_; }

  /// Lets a site out of quarantine.
  void release(std::string_view key, const std::shared_ptr<const call_context>& context = {}) {
    if (quarantine_.release(key)) {
      parts_.tell(quarantine_event{parts_.about(key, context), true});
    }
  }

  /// Whether an entry, if it is one, is no longer fresh and may answer while it is renewed.
  [[nodiscard]] bool may_serve_stale(const cache_entry& kept, time_point now) const {
    return kept.policy && now >= kept.fresh_until &&
           now < validity_of(*kept.policy, judging_).stale_until;
  }

  /// Stores a policy unless the site was invalidated meanwhile. Whoever does that marks the flight
  /// before it erases, so that one of the two erases last.
  void keep(const flight& led, const std::shared_ptr<const policy>& made, time_point now) noexcept {
    if (led.detached()) {
      return;
    }
    const std::string& key = led.site();
    const validity until = validity_of(*made, judging_);
    parts_.store(key, {made, until.fresh_until, until.keep_until}, now);
    // The newest answer of an origin counts under each of its names.
    if (answers_for(counterpart_of(led.where()), made->source())) {
      parts_.try_erase(counterpart_of(led.where()).key());
    }
    if (led.detached()) {
      parts_.try_erase(key);
    }
  }

  /// Takes note of whether the file was malformed, where that denies.
  void watch(const flight& led, const policy& made) {
    const std::string& key = led.site();
    switch (quarantine_step_of(made)) {
      case quarantine_step::none:
        break;
      case quarantine_step::count:
        if (quarantine_.note_malformed(
                key, [&] { return robots::quarantined(made, user_agent_, judging_); })) {
          parts_.tell(quarantine_event{parts_.about(key, led.context()), false});
        }
        if (led.detached()) {  // released or forgotten meanwhile, for what was asked before
          release(key, led.context());
        }
        break;
      case quarantine_step::release:
        release(key, led.context());
        break;
    }
  }

  /// The entry of a site; one without a policy when there is none. A bare host and the origin that
  /// answered for it have the same rules, so that either's entry serves the other, and neither is
  /// fetched while one of them is fresh.
  [[nodiscard]] cache_entry find(const site& where, const std::string& key, time_point now) {
    cache_entry own = parts_.find(key, now);
    if (own.policy && now < own.fresh_until) {
      return own;
    }
    cache_entry other = parts_.find(counterpart_of(where).key(), now);
    if (!other.policy || (own.policy && now >= other.fresh_until)) {
      return own;
    }
    return answers_for(where, other.policy) ? other : own;
  }

  /// What holds for a site in quarantine under either of the names that share its rules; null for
  /// any other.
  [[nodiscard]] std::shared_ptr<const policy> quarantined(const site& where,
                                                          const std::string& key) const {
    if (auto own = quarantine_.find(key)) {
      return own;
    }
    const auto other = quarantine_.find(counterpart_of(where).key());
    return other && answers_for(where, other) ? other : nullptr;
  }

 private:
  cache_parts& parts_;
  const std::string& user_agent_;
  const judge_options& judging_;
  quarantine quarantine_;
};

}  // namespace robots::cache_detail
