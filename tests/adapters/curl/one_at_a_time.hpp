// Runs the cases of every Fetcher on a fetcher that makes many exchanges in an event loop.
#pragma once

#include <robots/adapters/curl/curl_options.hpp>
#include <robots/http/message.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace robots::test {

/// Makes one exchange after another. `Loop` is made from `curl_options`. It has `async_fetch`, and
/// `run_once`, which waits for events and handles them.
template <class Loop>
class one_at_a_time {
 public:
  one_at_a_time() : one_at_a_time(curl_options{}) {}
  explicit one_at_a_time(const curl_options& options) : loop_(std::make_shared<Loop>(options)) {}

  [[nodiscard]] fetch_response fetch(const fetch_request& request) const {
    std::optional<fetch_response> result;
    loop_->async_fetch(request, [&](fetch_response response) { result = std::move(response); });
    while (!result) {
      loop_->run_once();
    }
    return *result;
  }

 private:
  std::shared_ptr<Loop> loop_;
};

}  // namespace robots::test
