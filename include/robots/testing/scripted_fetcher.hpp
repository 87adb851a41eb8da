#pragma once

#include <robots/base/exceptions.hpp>
#include <robots/fetch/fetcher.hpp>
#include <robots/http/message.hpp>

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
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
/// For a URL outside the script, the fetcher returns `fetch_error::connect`. Copies share the
/// script and the list of requests. Any thread may call any member.
class ScriptedFetcher {
 public:
  /// A function that answers a request. It may block or throw, since the call holds no lock.
  using handler = std::function<fetch_response(const fetch_request&)>;

  ScriptedFetcher() : state_{std::make_shared<state>()} {}

  // Without a move constructor, a move makes a copy, so a moved-from fetcher can still be used.
  ScriptedFetcher(const ScriptedFetcher&) = default;
  ScriptedFetcher& operator=(const ScriptedFetcher&) = default;
  ~ScriptedFetcher() = default;

  /// Makes a 200 response with `body`. Its type is text/plain if `headers` has no Content-Type.
  [[nodiscard]] static fetch_response ok(std::string body, std::vector<http_header> headers = {}) {
    if (!detail::find_header(headers, "Content-Type")) {
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

  /// Makes the response to a request that failed with `error`.
  [[nodiscard]] static fetch_response failure(fetch_error error) {
    return {.error = error, .error_text = "scripted: " + std::string{to_string(error)}};
  }

  /// Replaces the script for `url` by these answers. The last answer is repeated.
  template <class... Next>
    requires(std::same_as<Next, fetch_response> && ...)
  ScriptedFetcher& on(std::string url, fetch_response first, Next... next) {
    std::vector<fetch_response> answers{std::move(first), std::move(next)...};
    const auto used = std::make_shared<std::atomic<std::size_t>>(0);
    return on_call(std::move(url), [answers = std::move(answers), used](const fetch_request&) {
      return answers[(std::min)((*used)++, answers.size() - 1)];
    });
  }

  /// Answers requests for `url` with `answer(request)`. Throws `std::invalid_argument` if `answer`
  /// is empty.
  ScriptedFetcher& on_call(std::string url, handler answer) {
    base::require(answer != nullptr, "ScriptedFetcher: the handler is empty: pass a callable");
    const std::scoped_lock lock{state_->mutex};
    state_->scripts[std::move(url)] = std::move(answer);
    return *this;
  }

  /// Answers every URL that is not in the script with `answer`.
  ScriptedFetcher& otherwise(fetch_response answer) { return on({}, std::move(answer)); }

  /// Like `on_call`, for every URL that is not in the script.
  ScriptedFetcher& otherwise_call(handler answer) { return on_call({}, std::move(answer)); }

  /// Returns the next answer for the URL.
  [[nodiscard]] fetch_response fetch(const fetch_request& request) {
    std::unique_lock lock{state_->mutex};
    state_->requests.push_back(request);
    const auto found = state_->scripts.find(request.url);
    const handler answer =
        (found == state_->scripts.end() ? state_->scripts.find("") : found)->second;
    lock.unlock();
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
    const std::scoped_lock lock{state_->mutex};
    return state_->requests;
  }

  /// Returns the number of requests.
  [[nodiscard]] std::size_t count() const { return requests().size(); }

  /// Returns the number of requests for `url`.
  [[nodiscard]] std::size_t count(std::string_view url) const {
    const std::vector<fetch_request> all = requests();
    const auto is_wanted = [url](const fetch_request& request) { return request.url == url; };
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), is_wanted));
  }

 private:
  struct state {
    std::mutex mutex;
    /// The answer under the empty URL is for every URL that is not in the script.
    std::map<std::string, handler, std::less<>> scripts{
        {"", [](const fetch_request&) { return failure(fetch_error::connect); }}};
    std::vector<fetch_request> requests;
  };

  std::shared_ptr<state> state_;
};

static_assert(Fetcher<ScriptedFetcher>);

}  // namespace robots
