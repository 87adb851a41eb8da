#pragma once

#include <robots/fetch/fetcher.hpp>
#include <robots/observe/observer.hpp>
#include <robots/rulings/no_rulings.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/store/storage.hpp>
#include <robots/time/clock.hpp>
#include <robots/time/steady_clock.hpp>

namespace robots::cache_detail {

/// Checks the types of the arguments from which the compiler deduces the parts of a cache. If a
/// deduction fails, clang says only "constraints not satisfied". If a check fails, the error names
/// the part, and notes name the missing expression.
template <class F, class C = SteadyClock, class S = LruStorage<4096>, class O = NullObserver,
          class R = NoRulings>
struct checked_parts {
  static_assert(Fetcher<F>, "the argument after the options of a cache must be a Fetcher");
  static_assert(Clock<C>, "the argument after the fetcher of a cache must be a Clock");
  static_assert(Storage<S>, "the argument after the clock of a cache must be a Storage");
  static_assert(Observer<O>, "the argument after the storage of a cache must be an Observer");
  static_assert(Rulings<R>, "the argument after the observer of a cache must be a Rulings");
  using fetcher = F;
};

}  // namespace robots::cache_detail
