#pragma once

#include <robots/cache/cache_options.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/policy/judge.hpp>
#include <robots/policy/policy.hpp>
#include <robots/rulings/cache_rulings.hpp>
#include <robots/rulings/rulings_view.hpp>
#include <robots/rulings/site_alarms.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace robots::cache_detail {

[[nodiscard]] inline robots::rulings_detail::alarm_settings alarm_settings_of(
    const cache_options& options, bool observes_changes) {
  std::optional<std::chrono::seconds> longest;
  if (options.halt_unreachable_after.count() > 0) {
    longest = options.halt_unreachable_after;
  }
  return {.halt_hostile = options.halt_hostile.value_or(options.fallback.halts_hostile()),
          .halt_unreachable_after = longest,
          .halt_revoked = options.halt_revoked,
          .fast_change_share = options.fast_change_share,
          .fast_change_within = options.fast_change_within,
          .observes_changes = observes_changes,
          .other_agents = {}};
}

/// The alarms of a cache without `SiteRulings`: they make the rulings of this cache.
class own_alarms final : private robots::rulings_detail::alarm_actions {
 public:
  own_alarms(const cache_options& options, cache_parts& parts,
             robots::rulings_detail::site_rulings& rulings)
      : options_(options),
        rulings_(rulings),
        alarms_(alarm_settings_of(options, parts.observes_changes), parts, *this) {}

  /// See `rulings_view::on_answer`.
  bool on_answer(const site_answer& answer) {
    alarms_.note_change(answer);
    const bool turned_hostile = alarms_.halt_if_due(answer);
    if (!answer.is_from_store) {
      alarms_.note_malformed(answer);
    }
    return turned_hostile;
  }

 private:
  void halt(const site_answer& answer, halt_reason why,
            const std::string& /*fingerprint*/) override {
    std::optional<std::chrono::sys_seconds> found_at;
    if (why == halt_reason::hostile && answer.turned_hostile) {
      found_at = answer.after->source().fetched_at;
    }
    rulings_.halt(answer.site_key, why, answer.context, found_at);
  }

  void note_malformed(const site_answer& answer) override {
    rulings_.note_malformed(answer.site_key, answer.context, [&] {
      const policy& after = *answer.after;
      return detail::quarantined(after.source(), "its files are malformed again and again",
                                 options_.names, options_.fallback, after.fetched_at(),
                                 after.findings());
    });
  }

  void note_sound(const site_answer& answer) override {
    rulings_.release(answer.site_key, answer.context);
  }

  [[nodiscard]] bool has_accepted_rules(std::string_view /*site_key*/) override { return false; }

  const cache_options& options_;
  robots::rulings_detail::site_rulings& rulings_;
  robots::rulings_detail::site_alarms alarms_;
};

}  // namespace robots::cache_detail
