#pragma once

#include <robots/base/config.hpp>
#include <robots/base/random.hpp>
#include <robots/fetch/one_exchange.hpp>
#include <robots/fetch/origin_breakers.hpp>
#include <robots/fetch/retrieval.hpp>
#include <robots/http/conditional_request.hpp>
#include <robots/http/excluded_hosts.hpp>
#include <robots/http/retry_after.hpp>
#include <robots/rep/rules/pattern.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace robots::detail {

ROBOTS_INLINE retrieval::retrieval(const site& parsed, valid_retrieval_options options,
                                   time_point now, known_copy known)
    : options_{std::move(options).take()},
      known_{std::move(known)},
      origins_{parsed.origins()},
      random_{options_.seed} {
  result_.attempts = 1;
  ask_origin(now);
}

ROBOTS_INLINE void retrieval::on_response(fetch_response response, time_point now, wall_time date) {
  if (!std::holds_alternative<fetch_request>(step_)) {
    return;
  }
  response = checked(std::move(response));
  if (response.error == fetch_error::timeout && options_.timed_out_tries) {
    *options_.timed_out_tries = result_.attempts;
  }
  const bool has_response = response.error == fetch_error::none;
  result_.exchanges.push_back({chain_.last(), response.status, response.error});
  result_.timings.push_back({.ended = now,
                             .duration = now - sent_at_,
                             .bytes = response.body.size(),
                             .hop = chain_.followed(),
                             .attempt = result_.attempts});
  answered_ = answered_ || has_response;
  is_closed_ = is_closed_ && (has_response || response.error == fetch_error::connection_refused);
  if (is_redirect(response.status)) {
    return on_redirect(std::move(response), now);
  }
  settle(response, now);
  const outcome kind = has_response ? outcome_of(response.status) : outcome_of(response.error);
  if (!has_response) {
    on_failure(kind, std::move(response), now, date);
  } else if (response.status == 304 && asks_for_changes()) {
    result_.not_modified = true;
    finish(outcome::success, std::move(response));
  } else if (response.status == 429 || (response.status >= 500 && response.status < 600)) {
    try_again(kind, std::move(response), now, date);
  } else {
    finish(kind, std::move(response));
  }
}

ROBOTS_INLINE void retrieval::on_wait_over(time_point now) {
  const auto* const wait = std::get_if<retry_wait>(&step_);
  if (wait == nullptr || now < wait->until) {
    return;
  }
  ++result_.attempts;
  is_closed_ = true;
  origin_ = answered_ ? origin_ : 0;
  if (!end_if_forbidden()) {
    answered_ ? begin_try(now) : ask_origin(now);
  }
}

ROBOTS_INLINE void retrieval::cancel(std::string why, time_point now) {
  if (const auto* const wait = std::get_if<retry_wait>(&step_)) {
    result_.cut_short = true;
    result_.next_try = wait->until;
    finish(failure_, std::move(failed_));
  } else if (std::holds_alternative<fetch_request>(step_)) {
    fetch_response cancelled{.error = fetch_error::cancelled, .error_text = std::move(why)};
    settle(cancelled, now);
    finish(outcome::cancelled, std::move(cancelled));
  }
}

ROBOTS_INLINE void retrieval::ask_origin(time_point now) {
  chain_ = redirect_chain{own_origin().append(options_.path)};
  begin_try(now);
}

ROBOTS_INLINE bool retrieval::end_if_forbidden() {
  if (!options_.asks_before_tries || options_.may_ask(origins_[origin_])) {
    return false;
  }
  finish(outcome::cancelled, {.error = fetch_error::cancelled,
                              .error_text = "a ruling forbids further requests to the site"});
  return true;
}

ROBOTS_INLINE void retrieval::begin_try(time_point now) {
  if (options_.breakers) {
    std::string origin = own_origin();
    if (!options_.breakers->admits(origin, now)) {
      return on_failure(outcome::circuit_open,
                        {.error = fetch_error::other,
                         .error_text = "the circuit breaker of " + origin + " is open"},
                        now);
    }
    const auto release = [breakers = options_.breakers, origin = std::move(origin), now](void*) {
      breakers->on_abandoned(origin, now);
    };
    permit_ = std::shared_ptr<void>{options_.breakers.get(), release};
  }
  send(now);
}

ROBOTS_INLINE void retrieval::send(time_point now) {
  sent_at_ = now;
  fetch_request request{
      .url = chain_.last(),
      .headers = {{"User-Agent", options_.user_agent}, {"Accept", std::string{options_.accept}}},
      .timeout = options_.timeout,
      .max_bytes = options_.max_bytes,
      .stop = {}};
  if (asks_for_changes()) {
    append_conditions(request.headers, known_.validators);
  }
  step_ = std::move(request);
}

ROBOTS_INLINE void retrieval::settle(const fetch_response& response, time_point now) {
  const bool answered = response.error == fetch_error::none;
  if (!permit_ || response.error == fetch_error::cancelled ||
      response.error == fetch_error::refused_address || is_on_our_side(response.error)) {
    // A cancellation, a refused address or a failure on this side says nothing about the origin.
  } else if (!answered || response.status >= 500) {
    options_.breakers->on_failure(own_origin(), now, answered || chain_.followed() > 0);
  } else {
    options_.breakers->on_success(own_origin());
  }
  permit_.reset();
}

ROBOTS_INLINE void retrieval::on_failure(outcome kind, fetch_response response, time_point now,
                                         wall_time date) {
  // An open breaker does not mean that the origin is out of reach: its last failure may have been a
  // response, such as a 500.
  const bool out_of_reach =
      kind == outcome::unreachable ||
      (kind == outcome::circuit_open && !options_.breakers->answered(own_origin()));
  if (is_on_our_side(response.error)) {
    return finish(kind, std::move(response));  // another try would fail in the same way
  }
  if (out_of_reach && !answered_ && origin_ + 1 < origins_.size()) {
    ++origin_;
    if (!end_if_forbidden()) {
      ask_origin(now);
    }
  } else if (kind == outcome::unreachable && !is_closed_) {
    try_again(kind, std::move(response), now, date);
  } else if (kind == outcome::circuit_open && result_.attempts > 1) {
    finish(failure_, std::move(failed_));  // the failure of the last try
  } else {
    finish(kind, std::move(response));
  }
}

ROBOTS_INLINE void retrieval::try_again(outcome kind, fetch_response response, time_point now,
                                        wall_time date) {
  if (result_.attempts >= options_.retry.attempts) {
    return finish(kind, std::move(response));
  }
  std::chrono::nanoseconds wait =
      backoff(options_.retry, result_.attempts, base::unit_interval(random_()));
  if (kind == outcome::too_many_requests) {
    wait = (std::max)(wait, backoff(options_.retry, 1, 1.0));  // at least `base`, up to `cap`
  }
  if (const auto asked = retry_after(response.headers, date)) {
    if (*asked > options_.retry.max_retry_after) {
      return finish(kind, std::move(response));
    }
    wait = std::max<std::chrono::nanoseconds>(wait, *asked);
  }
  failure_ = kind;
  failed_ = std::move(response);
  failed_.body = {};
  step_ = retry_wait{base::saturating_add(now, wait)};
}

ROBOTS_INLINE void retrieval::on_redirect(fetch_response response, time_point now) {
  const auto end = [&](outcome kind, std::string why) {
    response.error_text = std::move(why);
    settle(response, now);
    finish(kind, std::move(response));
  };
  auto target = redirect_target(chain_.last(), find_header(response.headers, "Location"));
  if (auto* const refusal = std::get_if<redirect_refusal>(&target)) {
    return end(outcome_of(refusal->problem, chain_.followed()), std::move(refusal->why));
  }
  const redirect_url& next = std::get<redirect_url>(target);
  const auto& [place, url] = next;
  if (options_.excluded && options_.excluded->contains(place.host)) {
    return end(outcome::refused, "redirect to a host that is excluded: " + place.host);
  }
  if (auto refusal = chain_.refusal(next, options_.max_redirects, options_.redirects)) {
    return end(outcome_of(refusal->problem, chain_.followed()), std::move(refusal->why));
  }
  // A URL names a robots.txt if the normal form of its path is `/robots.txt` (RFC 9309, section
  // 2.2.2) and it has no query or an empty one. With another query, the URL names another resource.
  const bool is_left = options_.leave_to_other_sites &&
                       std::find(origins_.begin(), origins_.end(), place) == origins_.end() &&
                       (static_pattern<"/robots.txt$">::matches(url) ||
                        static_pattern<"/robots.txt?$">::matches(url));
  if (options_.may_follow && !options_.may_follow(url)) {
    return end(outcome::refused, "redirect to a URL that must not be fetched: " + url);
  }
  if (!is_left && !options_.may_follow && options_.may_ask && !options_.may_ask(place)) {
    return end(outcome::refused, "redirect to a site that must not be asked: " + to_string(place));
  }
  chain_.follow(url);
  is_left ? end(outcome::redirected, {}) : send(now);
}

ROBOTS_INLINE void retrieval::finish(outcome kind, fetch_response response) {
  result_.outcome = kind;
  result_.status = response.status;
  result_.error = response.error;
  result_.error_text = std::move(response.error_text);
  result_.url = chain_.first();
  result_.final_url = chain_.last();
  result_.redirects = chain_.followed();
  result_.headers = std::move(response.headers);
  if (kind == outcome::success && !result_.not_modified) {
    result_.body = std::move(response.body);
    result_.truncated = response.truncated;
    if (options_.max_bytes != 0 && result_.body.size() > options_.max_bytes) {
      result_.body.resize(options_.max_bytes);
      result_.truncated = true;
    }
  }
  step_ = std::move(result_);
}

}  // namespace robots::detail
