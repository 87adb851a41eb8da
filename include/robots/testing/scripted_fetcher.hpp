#pragma once

#include <robots/fetch/fetcher.hpp>
#include <robots/http/message.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

/// A fetcher that answers from a script and opens no socket, for tests.
///
///     ScriptedFetcher web;
///     web.on("https://example.com/robots.txt", ScriptedFetcher::status(503),
///            ScriptedFetcher::ok("User-agent: *\nDisallow: /private\n"));
///
/// For a URL outside the script, it returns `fetch_error::connect`. It keeps the promises of a
/// `Fetcher`: cuts bodies at `max_bytes` and answers `fetch_error::cancelled` once `stop` is
/// requested. Copies share script and record. All members may be called from any thread.
class ScriptedFetcher {
 public:
  /// Computes an answer. No lock is held during the call, which may block or throw.
  using handler = std::function<fetch_response(const fetch_request&)>;

  ScriptedFetcher() : state_{std::make_shared<state>()} {}

  // Declared, so that there is no move: a moved-from fetcher still shares the script.
  ScriptedFetcher(const ScriptedFetcher&) = default;
  ScriptedFetcher& operator=(const ScriptedFetcher&) = default;
  ~ScriptedFetcher() = default;

  /// Makes a 200 response with a body. Its type is text/plain unless the headers say otherwise.
  [[nodiscard]] static fetch_response ok(std::string body, std::vector<http_header> headers = {}) {
    if (!find_header(headers, "Content-Type")) {
      headers.push_back({"Content-Type", "text/plain"});
    }
    fetch_response response = status(200, std::move(headers));
    response.body = std::move(body);
    return response;
  }

  /// Makes a response without a body.
  [[nodiscard]] static fetch_response status(int code, std::vector<http_header> headers = {}) {
    return {.status = code, .headers = std::move(headers)};
  }

  /// Makes a response with the header `Location`.
  [[nodiscard]] static fetch_response redirect(int code, std::string location) {
    return status(code, {{"Location", std::move(location)}});
  }

  /// Makes a failure without a response.
  [[nodiscard]] static fetch_response failure(fetch_error error) {
    return {.error = error, .error_text = "scripted: " + std::string{to_string(error)}};
  }

  /// Returns these answers to requests for `url`, one after another, and repeats the last one.
  /// Replaces the earlier script for `url`.
  template <class... Next>
    requires(std::same_as<Next, fetch_response> && ...)
  ScriptedFetcher& on(std::string url, fetch_response first, Next... next) {
    std::vector<fetch_response> answers;
    answers.reserve(1 + sizeof...(next));
    answers.push_back(std::move(first));
    (answers.push_back(std::move(next)), ...);
    const std::lock_guard lock{state_->mutex};
    state_->scripts[std::move(url)] = script{std::move(answers), nullptr};
    return *this;
  }

  /// Answers requests for `url` with whatever `answer` returns. Throws `std::invalid_argument` if
  /// `answer` is empty.
  ScriptedFetcher& on_call(std::string url, handler answer) {
    require(answer);
    const std::lock_guard lock{state_->mutex};
    state_->scripts[std::move(url)] = script{{}, std::move(answer)};
    return *this;
  }

  /// Answers every URL that is not in the script.
  ScriptedFetcher& otherwise(fetch_response answer) {
    const std::lock_guard lock{state_->mutex};
    state_->fallback = script{{std::move(answer)}, nullptr};
    return *this;
  }

  /// Answers every URL that is not in the script with the result of `answer`. Throws
  /// `std::invalid_argument` if `answer` is empty.
  ScriptedFetcher& otherwise_call(handler answer) {
    require(answer);
    const std::lock_guard lock{state_->mutex};
    state_->fallback = script{{}, std::move(answer)};
    return *this;
  }

  /// Returns the next answer of the script. Cuts the body at `max_bytes`, as a real fetcher would.
  [[nodiscard]] fetch_response fetch(const fetch_request& request) {
    fetch_response response = answer(request);
    if (request.stop.stop_requested()) {
      return failure(fetch_error::cancelled);
    }
    if (response.error != fetch_error::none) {
      response.status = 0;
    }
    if (request.max_bytes != 0 && response.body.size() > request.max_bytes) {
      response.body.resize(request.max_bytes);
      response.truncated = true;
    }
    return response;
  }

  /// Returns all requests so far, in order.
  [[nodiscard]] std::vector<fetch_request> requests() const {
    const std::lock_guard lock{state_->mutex};
    return state_->requests;
  }

  /// Returns the number of requests.
  [[nodiscard]] std::size_t count() const {
    const std::lock_guard lock{state_->mutex};
    return state_->requests.size();
  }

  /// Returns the number of requests for `url`.
  [[nodiscard]] std::size_t count(std::string_view url) const {
    const std::lock_guard lock{state_->mutex};
    return static_cast<std::size_t>(
        std::count_if(state_->requests.begin(), state_->requests.end(),
                      [url](const fetch_request& request) { return request.url == url; }));
  }

 private:
  struct script {
    std::vector<fetch_response> answers;
    handler call;
    std::size_t used = 0;
  };

  struct state {
    std::mutex mutex;
    std::map<std::string, script, std::less<>> scripts;
    script fallback{{failure(fetch_error::connect)}, nullptr};
    std::vector<fetch_request> requests;
  };

  static void require(const handler& answer) {
    if (!answer) {
      throw std::invalid_argument{"ScriptedFetcher: the handler is empty: pass a callable"};
    }
  }

  [[nodiscard]] fetch_response answer(const fetch_request& request) {
    handler call;
    {
      const std::lock_guard lock{state_->mutex};
      state_->requests.push_back(request);
      const auto found = state_->scripts.find(request.url);
      script& chosen = found == state_->scripts.end() ? state_->fallback : found->second;
      if (!chosen.call) {
        const std::size_t next = chosen.used;
        if (next + 1 < chosen.answers.size()) {
          ++chosen.used;
        }
        return chosen.answers[next];
      }
      call = chosen.call;
    }
    return call(request);
  }

  std::shared_ptr<state> state_;
};

static_assert(Fetcher<ScriptedFetcher>);

}  // namespace robots
