#pragma once

#include <robots/fetch/outcome.hpp>
#include <robots/fetch/retrieval_options.hpp>
#include <robots/http/message.hpp>
#include <robots/http/origin.hpp>
#include <robots/http/site.hpp>
#include <robots/http/url.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace robots {

/// One exchange of a retrieval, for those who ask why.
struct exchange {
  std::string url;                        ///< what was asked for
  int status = 0;                         ///< HTTP status, or 0
  fetch_error error = fetch_error::none;  ///< why there is no status
};

/// What came of a retrieval.
struct retrieval_result {
  robots::outcome outcome = outcome::unreachable;  ///< the row of the failure table
  int status = 0;                         ///< HTTP status of the last exchange, 0 without response
  fetch_error error = fetch_error::none;  ///< why the last exchange had no response
  std::string error_text;                 ///< for people, when something went wrong
  std::string url;        ///< the robots.txt first asked for under the origin that was settled on
  std::string final_url;  ///< the URL of the last exchange: another one after redirects
  int redirects = 0;      ///< how many were followed from `url` to `final_url`
  std::vector<exchange> exchanges;   ///< all that were made, in order
  std::vector<http_header> headers;  ///< of the last exchange
  std::string body;                  ///< the robots.txt; empty unless `outcome` is `success`
  bool truncated = false;            ///< the robots.txt is longer than `body`
};

/// What a retrieval wants done next: a request sent, or nothing more. Waiting before another try
/// will be one more alternative.
using retrieval_step = std::variant<fetch_request, retrieval_result>;

/// The retrieval of one robots.txt, without any I/O: a value that answers what to do next and is
/// told what came of it.
///
///     while (const auto* request = std::get_if<fetch_request>(&work.next())) {
///       work.on_response(send(*request));
///     }
///
/// The origins of the site are asked in turn until one gives any response; an exchange that was
/// cancelled, or refused by policy, ends the search. Redirects (301, 302, 303, 307, 308) are
/// followed from there, up to `retrieval_options::max_redirects` of them and to http and https
/// only; whatever is found at their end are the rules of the first origin (RFC 9309,
/// section 2.3.1.2).
///
/// A driver adds the stop token to each request and may shorten its timeout. See `run_retrieval`
/// for one that blocks.
class retrieval {
 public:
  /// Throws `std::invalid_argument` when the options are none that can be used; see `validate`.
  explicit retrieval(const site& where, retrieval_options options)
      : options_{std::move(options)}, origins_{where.robots_urls()} {
    validate(options_);
    ask_origin();
  }

  /// What to do now; the same until `on_response` is called. Once it is a `retrieval_result`, it
  /// stays so.
  [[nodiscard]] const retrieval_step& next() const& noexcept { return step_; }

  /// The same, to take the result out of a retrieval that has come to its end.
  [[nodiscard]] retrieval_step next() && noexcept { return std::move(step_); }

  /// Tells what came of the request that `next()` asked for. Without effect when it asked for none.
  void on_response(fetch_response response) {
    if (!std::holds_alternative<fetch_request>(step_)) {
      return;
    }
    if (response.error == fetch_error::none && response.status == 0) {
      response.error = fetch_error::other;
      response.error_text = "the fetcher returned neither a status nor an error";
    }
    if (response.error != fetch_error::none) {
      response.status = 0;
    }
    exchanges_.push_back({url_, response.status, response.error});

    if (response.error != fetch_error::none) {
      on_failure(std::move(response));
    } else if (is_redirect(response.status)) {
      on_redirect(std::move(response));
    } else {
      const outcome what = outcome_of(response.status);
      finish(what, std::move(response));
    }
  }

  /// Ends the retrieval with `outcome::cancelled`, no exchange having been made. Without effect
  /// when it has ended already.
  void cancel(std::string why) {
    if (!std::holds_alternative<fetch_request>(step_)) {
      return;
    }
    fetch_response nothing;
    nothing.error = fetch_error::cancelled;
    nothing.error_text = std::move(why);
    finish(outcome::cancelled, std::move(nothing));
  }

 private:
  /// RFC 9110, section 4.1, recommends to support URIs of 8,000 octets.
  static constexpr std::size_t max_location_bytes = 8'000;

  [[nodiscard]] static constexpr bool is_redirect(int status) noexcept {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
  }

  void ask_origin() {
    chain_.clear();
    ask(origins_[origin_]);
  }

  void ask(std::string url) {
    url_ = std::move(url);
    chain_.push_back(url_);
    step_ =
        fetch_request{.url = url_,
                      .headers = {{"User-Agent", options_.user_agent}, {"Accept", options_.accept}},
                      .timeout = options_.timeout,
                      .max_bytes = options_.max_bytes,
                      .stop = {}};
  }

  void on_failure(fetch_response response) {
    const outcome what = outcome_of(response.error);
    const bool at_origin = chain_.size() == 1;
    if (what == outcome::unreachable && at_origin && origin_ + 1 < origins_.size()) {
      ++origin_;
      ask_origin();
    } else {
      finish(what, std::move(response));
    }
  }

  void on_redirect(fetch_response response) {
    const std::optional<std::string_view> location = find_header(response.headers, "Location");
    if (location && location->size() > max_location_bytes) {
      response.error_text = "the redirect's Location is too long";
      return finish(outcome::server_error, std::move(response));
    }
    const std::optional<std::string> target =
        location ? resolve_reference(url_, *location) : std::nullopt;
    if (!target) {
      response.error_text =
          location ? "the redirect's Location is no URL" : "the redirect has no Location";
      return finish(outcome::server_error, std::move(response));
    }
    const url_parts parts = split_url(*target);
    if (!parse_scheme(parts.scheme.value_or(std::string_view{}))) {
      response.error_text = "redirect to a scheme that is not http or https: " +
                            std::string{parts.scheme.value_or("none").substr(0, 32)};
      return finish(outcome::refused, std::move(response));
    }
    const std::optional<origin> where = parse_origin(*target);
    if (!where) {
      response.error_text = "the redirect's Location names no host that can be asked";
      return finish(outcome::server_error, std::move(response));
    }
    if (options_.excluded && options_.excluded->contains(where->host)) {
      response.error_text = "redirect to a host that is excluded: " + where->host;
      return finish(outcome::refused, std::move(response));
    }
    std::string url = to_string(*where);
    url += parts.path.empty() ? std::string_view{"/"} : parts.path;
    if (parts.query) {
      url += '?';
      url += *parts.query;
    }
    if (std::find(chain_.begin(), chain_.end(), url) != chain_.end()) {
      response.error_text = "the redirects go round in a loop";
      return finish(outcome::too_many_redirects, std::move(response));
    }
    if (static_cast<int>(chain_.size()) > options_.max_redirects) {
      response.error_text = "more than " + std::to_string(options_.max_redirects) + " redirects";
      return finish(outcome::too_many_redirects, std::move(response));
    }
    ask(std::move(url));
  }

  void finish(outcome what, fetch_response response) {
    retrieval_result result;
    result.outcome = what;
    result.status = response.status;
    result.error = response.error;
    result.error_text = std::move(response.error_text);
    result.url = chain_.front();
    result.final_url = url_;
    result.redirects = static_cast<int>(chain_.size()) - 1;
    result.exchanges = std::move(exchanges_);
    result.headers = std::move(response.headers);
    if (what == outcome::success) {
      result.body = std::move(response.body);
      result.truncated = response.truncated;
      if (options_.max_bytes != 0 && result.body.size() > options_.max_bytes) {
        result.body.resize(options_.max_bytes);
        result.truncated = true;
      }
    }
    step_ = std::move(result);
  }

  retrieval_options options_;
  std::vector<std::string> origins_;
  std::size_t origin_ = 0;
  std::string url_;
  std::vector<std::string> chain_;  // the URLs asked for since the origin, it included
  std::vector<exchange> exchanges_;
  retrieval_step step_;
};

}  // namespace robots
