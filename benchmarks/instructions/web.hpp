// The caches, hosts and files of the rows.
#pragma once

#include "inputs/hosts.hpp"
#include "inputs/shapes.hpp"
#include "library/texts_fetcher.hpp"
#include <robots/cache/cache_options.hpp>
#include <robots/policy/fallback.hpp>
#include <robots/testing/manual_clock.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// Returns the options of every cache. The seed is fixed, so that two runs do the same work.
inline robots::cache_options fixed_options() {
  return {.user_agent = "FooBot/1.0 (+https://foo.example/bot)",
          .fallback = robots::fallback_policy::rfc9309(),
          .seed = 1};
}

/// Returns a fetcher that answers with the files of `sites` in turn.
inline texts_fetcher fixed_web() { return texts_fetcher{sites(256).files}; }

/// Returns a URL on each of `count` hosts.
inline std::vector<std::string> fixed_urls(std::size_t count) { return urls_on(host_names(count)); }

/// Moves a clock at a rate of a million calls a second, with little work for a call.
class pace_of_calls {
 public:
  explicit pace_of_calls(robots::ManualClock clock) : clock_{std::move(clock)} {}

  void operator()(std::size_t i) const {
    if (i % step == 0) {
      clock_.advance(std::chrono::microseconds{step});
    }
  }

 private:
  static constexpr std::size_t step = 256;

  robots::ManualClock clock_;
};

}  // namespace bench
