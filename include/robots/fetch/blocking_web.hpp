#pragma once

#include <robots/base/stop_token.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/fetch/fetcher.hpp>
#include <robots/fetch/one_exchange.hpp>
#include <robots/http/message.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/wall_time.hpp>

namespace robots::detail {

/// A fetcher and a clock behind one interface. It hides their types from `run_retrieval`, which is
/// then compiled once for all fetchers and clocks.
class blocking_web {
 public:
  blocking_web() = default;
  blocking_web(const blocking_web&) = delete;
  blocking_web& operator=(const blocking_web&) = delete;

  /// See `exchange_within`.
  [[nodiscard]] virtual fetch_response exchange(const fetch_request& request,
                                                const call_options& limits) = 0;
  virtual void sleep_until(time_point end, const stop_token& stop) = 0;
  [[nodiscard]] virtual time_point now() = 0;
  [[nodiscard]] virtual wall_time wall() noexcept = 0;

 protected:
  ~blocking_web() = default;
};

/// A `blocking_web` over a fetcher and a clock, which must outlive it.
template <Fetcher F, Clock C>
class blocking_web_of final : public blocking_web {
 public:
  blocking_web_of(F& fetcher, C& clock) : fetcher_(fetcher), clock_(clock) {}

  [[nodiscard]] fetch_response exchange(const fetch_request& request,
                                        const call_options& limits) override {
    return exchange_within(fetcher_, clock_, request, limits);
  }
  void sleep_until(time_point end, const stop_token& stop) override {
    clock_.sleep_until(end, stop);
  }
  [[nodiscard]] time_point now() override { return clock_.now(); }
  [[nodiscard]] wall_time wall() noexcept override { return wall_now(clock_); }

 private:
  F& fetcher_;
  C& clock_;
};

}  // namespace robots::detail
