#pragma once

#include <robots/base/config.hpp>
#include <robots/cache/detail/cache_engine.hpp>
#include <robots/cache/look_up.hpp>
#include <robots/fetch/retrieval.hpp>
#include <robots/policy/policy.hpp>

#include <functional>
#include <utility>

namespace robots {

ROBOTS_INLINE look_up::look_up(cache_detail::cache_engine& engine,
                               std::unique_ptr<cache_detail::site_look_up> begun)
    : engine_(&engine), work_(std::move(begun)) {}

ROBOTS_INLINE look_up::look_up(look_up&&) noexcept = default;
ROBOTS_INLINE look_up& look_up::operator=(look_up&&) noexcept = default;
ROBOTS_INLINE look_up::~look_up() = default;

ROBOTS_INLINE detail::retrieval* look_up::fetch() const noexcept {
  const bool is_fetch =
      work_ && work_->work && work_->work->next() == cache_detail::work_step::fetch;
  return is_fetch ? &work_->work->fetch() : nullptr;
}

ROBOTS_INLINE look_up::step look_up::next() const {
  const detail::retrieval* const fetched = fetch();
  if (fetched == nullptr) {
    return work_ && work_->asked && !work_->has_left ? step{news_wait{}} : policy();
  }
  const stop_token stop = work_->work->led().stop.get_token();
  if (const auto* const pause = std::get_if<detail::retry_wait>(&fetched->next())) {
    return detail::retry_wait{pause->until, stop};
  }
  auto request = std::get<fetch_request>(fetched->next());
  request.stop = stop;
  return request;
}

ROBOTS_INLINE const std::shared_ptr<const robots::policy>& look_up::policy() const noexcept {
  static const std::shared_ptr<const robots::policy> none;
  return work_ ? work_->answer.policy : none;
}

ROBOTS_INLINE bool look_up::from_cache() const noexcept {
  return work_ && work_->answer.from_cache;
}

ROBOTS_INLINE bool look_up::led() const noexcept { return work_ && work_->led; }

ROBOTS_INLINE void look_up::report(
    const std::function<void(detail::retrieval& fetch, const wall_anchor& now)>& handle) {
  if (detail::retrieval* const fetched = fetch()) {
    try {
      handle(*fetched, engine_->parts.moment());
    } catch (...) {
      work_->work = nullptr;
      throw;
    }
    resume();
  }
}

ROBOTS_INLINE void look_up::on_response(fetch_response response) {
  report([&](detail::retrieval& fetched, const wall_anchor& now) {
    if (!work_->work->led().stop.stop_requested()) {
      detail::be_no_cancellation(response);
    }
    fetched.on_response(std::move(response), now.steady, now.wall);
  });
}

ROBOTS_INLINE void look_up::on_wait_over() {
  if (fetch() != nullptr && work_->work->led().stop.stop_requested()) {
    return cut_short();
  }
  report(
      [](detail::retrieval& fetched, const wall_anchor& now) { fetched.on_wait_over(now.steady); });
}

ROBOTS_INLINE void look_up::cut_short() {
  report([](detail::retrieval& fetched, const wall_anchor& now) {
    if (std::holds_alternative<detail::retry_wait>(fetched.next())) {
      fetched.cancel({}, now.steady);
    }
  });
}

ROBOTS_INLINE void look_up::resume() {
  if (work_ && !policy()) {
    engine_->proceed(*work_);
  }
}

ROBOTS_INLINE void look_up::call_on_news(std::function<void()> wake) {
  if (work_ && work_->place) {
    work_->place.on_news(std::move(wake));
  } else {
    wake();
  }
}

ROBOTS_INLINE bool look_up::leave() noexcept {
  if (work_) {
    work_->has_left = true;
    work_->place = {};
  }
  return fetch() != nullptr;
}

}  // namespace robots
