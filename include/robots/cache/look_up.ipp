#pragma once

#include <robots/base/config.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/cache/detail/look_up_runner.hpp>
#include <robots/cache/detail/look_ups.hpp>
#include <robots/cache/detail/site_work.hpp>
#include <robots/cache/look_up.hpp>
#include <robots/fetch/retrieval.hpp>
#include <robots/fetch/run_retrieval.hpp>
#include <robots/policy/policy.hpp>
#include <robots/time/wall_time.hpp>

#include <functional>
#include <utility>

namespace robots {

ROBOTS_INLINE look_up::look_up(cache_detail::look_up_state&& begun,
                               cache_detail::look_up_runner& runner)
    : state_(std::make_unique<cache_detail::look_up_state>(std::move(begun))), runner_(&runner) {}

ROBOTS_INLINE look_up::look_up(look_up&&) noexcept = default;
ROBOTS_INLINE look_up& look_up::operator=(look_up&&) noexcept = default;
ROBOTS_INLINE look_up::~look_up() = default;

ROBOTS_INLINE const cache_detail::look_up_state& look_up::state() const noexcept {
  static const cache_detail::look_up_state none;
  return state_ ? *state_ : none;
}

ROBOTS_INLINE detail::retrieval* look_up::fetch() const noexcept {
  const auto& work = state().work;
  return work && work->next() == cache_detail::work_step::fetch ? &work->fetch() : nullptr;
}

ROBOTS_INLINE look_up::step look_up::next() const {
  const detail::retrieval* const fetched = fetch();
  if (fetched == nullptr) {
    return state().place || state().must_ask ? step{news_wait{}} : policy();
  }
  const stop_token stop = state().work->led()->stop.get_token();
  if (const auto* const pause = std::get_if<detail::retry_wait>(&fetched->next())) {
    return detail::retry_wait{pause->until, stop};
  }
  auto request = std::get<fetch_request>(fetched->next());
  request.stop = stop;
  return request;
}

ROBOTS_INLINE const std::shared_ptr<const robots::policy>& look_up::policy() const noexcept {
  return state().answer.policy;
}

ROBOTS_INLINE bool look_up::from_cache() const noexcept { return state().answer.from_cache; }

ROBOTS_INLINE bool look_up::led() const noexcept { return state().led; }

ROBOTS_INLINE std::optional<decision_reason> look_up::refusal() const noexcept {
  return policy() ? policy()->refused() : std::nullopt;
}

ROBOTS_INLINE void look_up::on_response(fetch_response response) {
  if (fetch() == nullptr) {
    return;
  }
  if (!state().work->led()->stop.stop_requested()) {
    detail::be_no_cancellation(response);
  }
  const wall_anchor now = runner_->moment();
  state().work->on_event([&](detail::retrieval& fetched) {
    fetched.on_response(std::move(response), now.steady, now.wall);
  });
  resume();
}

ROBOTS_INLINE void look_up::on_wait_over() {
  if (fetch() != nullptr && state().work->led()->stop.stop_requested()) {
    cut_short();
  } else if (fetch() != nullptr) {
    const time_point now = runner_->moment().steady;
    state().work->on_event([now](detail::retrieval& fetched) { fetched.on_wait_over(now); });
    resume();
  }
}

ROBOTS_INLINE void look_up::cut_short() {
  const detail::retrieval* const fetched = fetch();
  if (fetched != nullptr && std::holds_alternative<detail::retry_wait>(fetched->next())) {
    const time_point now = runner_->moment().steady;
    state().work->on_event([now](detail::retrieval& waiting) { waiting.cancel({}, now); });
    resume();
  }
}

ROBOTS_INLINE void look_up::resume() {
  if (state_ && !policy()) {
    runner_->proceed(*state_);
  }
}

ROBOTS_INLINE void look_up::call_on_news(std::function<void()> wake) {
  if (state().place) {
    state().place.on_news(std::move(wake));
  } else {
    wake();
  }
}

ROBOTS_INLINE bool look_up::leave() noexcept {
  if (state_) {
    state_->place = {};
  }
  return fetch() != nullptr;
}

}  // namespace robots
