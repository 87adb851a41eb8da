#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/config.hpp>
#include <robots/base/exceptions.hpp>
#include <robots/base/json_reader.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/cache/tdmrep_cache.hpp>
#include <robots/http/conditional_request.hpp>
#include <robots/policy/challenge.hpp>
#include <robots/policy/judge.hpp>
#include <robots/usage/tdm_reservation.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace robots::cache_detail {

/// Where the file of a site is (TDMRep, section 6.1).
inline constexpr std::string_view tdmrep_path = "/.well-known/tdmrep.json";

/// Returns true if a text is a JSON array, so that it can be a tdmrep.json (TDMRep, section 6.2).
/// An error page is none.
[[nodiscard]] inline bool is_tdmrep(const std::string& text) {
  if (text.size() > max_tdmrep_bytes) {
    return true;
  }
  const std::optional<base::json_value> value = base::read_json(text);
  return value.has_value() && value->type == base::json_type::array;
}

/// Returns the options of each fetch of a tdmrep.json.
[[nodiscard]] inline detail::retrieval_options tdmrep_retrieval_options(
    const cache_options& chosen) {
  detail::retrieval_options options = retrieval_options_of(chosen);
  options.path = tdmrep_path;
  options.accept = "application/json, */*;q=0.1";
  // One octet more than a reader accepts shows that a file is too long, which reserves the rights.
  options.max_bytes = max_tdmrep_bytes + 1;
  options.asks_before_tries = true;
  return options;
}

ROBOTS_INLINE tdmrep_table::tdmrep_table(any_robots_cache& rules, std::size_t capacity)
    : sites{capacity},
      rules_{rules},
      retrieval_{tdmrep_retrieval_options(rules.options())},
      judging_{judge_options_of(rules.options())},
      random_{rules.options().seed} {
  base::require(capacity > 0, "basic_tdmrep_cache: capacity", capacity, ": use 1 or more");
}

ROBOTS_INLINE detail::retrieval tdmrep_table::begin(const site& asked, time_point now,
                                                    detail::known_copy known,
                                                    const call_options& call) {
  detail::valid_retrieval_options options = retrieval_;
  detail::unchecked_retrieval_options& own = options.unchecked();
  own.seed = random_();
  own.may_ask = [this, &call](const origin& place) {
    return !rules_.is_denied(to_string(place).append(tdmrep_path), call);
  };
  own.may_follow = [this, &call](const std::string& url) {
    return rules_.get(url, call)->allows(url);
  };
  return {asked, std::move(options), now, std::move(known)};
}

ROBOTS_INLINE bool tdmrep_table::may_fetch(std::string_view url, const call_options& call) {
  return rules_.get(url, call)->allows(tdmrep_path);
}

ROBOTS_INLINE void tdmrep_table::keep(entry& known, detail::retrieval_result result,
                                      const wall_anchor& now) {
  const std::chrono::seconds until_next_try = result.until_next_try(now.steady);
  record_head head;
  static_cast<detail::retrieval_facts&>(head) = static_cast<detail::retrieval_facts&&>(result);
  if (head.outcome == outcome::cancelled || head.error == fetch_error::local) {
    return;  // says nothing about the site
  }
  const bool is_renewed = head.not_modified && known.good != nullptr;
  if (head.outcome == outcome::success && !is_renewed) {
    const bool is_cut = head.truncated && result.body.size() <= max_tdmrep_bytes;
    if (is_cut || head.not_modified) {
      head.outcome = outcome::server_error;
    } else if (!is_tdmrep(result.body) &&
               (known.good != nullptr ||
                policy_detail::has_sign_of_wall(head.status, head.headers))) {
      head.outcome = outcome::challenged;
    }
  }
  const std::optional<record_head> unchanged =
      is_renewed ? std::optional{known.good_head} : std::nullopt;
  detail::set_lifetime(head, known.failures, unchanged ? &*unchanged : nullptr, judging_, now.wall,
                       random_.draw());
  head.lifetime = (std::min)(head.lifetime, until_next_try);
  known.failures = head.failures;
  known.last = head.outcome;
  known.fresh_until = base::saturating_add(now.steady, head.lifetime);
  known.is_absent = head.outcome == outcome::not_found;
  if (head.outcome == outcome::success) {
    known.good_at = now.steady;
    if (is_renewed) {
      known.good_head = detail::renewed(*unchanged, std::move(head));
    } else {
      known.good = std::make_shared<const std::string>(std::move(result.body));
      head.validators = detail::validators_of(head.headers);
      known.good_head = std::move(head);
    }
    known.good_head.headers.clear();
  } else if (known.is_absent) {
    known.good.reset();
    known.good_head = {};
  }
}

ROBOTS_INLINE tdmrep_copy tdmrep_table::answer(const entry& known, time_point now) const {
  tdmrep_copy copy{.outcome = known.last};
  const bool is_fresh = now < known.fresh_until;
  const bool is_young = now <= base::saturating_add(known.good_at, judging_.last_good_for);
  const bool is_newest = known.last == outcome::success && is_fresh;
  if (known.good != nullptr && (is_newest || is_young)) {
    copy.state = tdmrep_state::file;
    copy.text = known.good;
    copy.is_last_good = !is_newest;
  } else if (known.is_absent && is_fresh) {
    copy.state = tdmrep_state::none;
  }
  return copy;
}

ROBOTS_INLINE time_point tdmrep_table::until(const entry& known) const {
  const time_point good_until = base::saturating_add(known.good_at, judging_.last_good_for);
  return known.is_asked ? (time_point::max)() : (std::max)(known.fresh_until, good_until);
}

ROBOTS_INLINE tdmrep_table::entry* tdmrep_table::find_or_add(const std::string& key,
                                                             time_point now) {
  return sites.find_or_add(key, now, [this](const entry& known) { return until(known); }, now);
}

ROBOTS_INLINE void tdmrep_table::end_fetch(entry& known) {
  known.is_asked = false;
  sites.forget_after(known, until(known));  // the table may have seen that the entry is asked
  changed.notify_all();
}

}  // namespace robots::cache_detail
