#pragma once

#include <robots/base/enum_text.hpp>
#include <robots/base/longest_delay.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>

// The delay between two requests to one host is one formula:
//
//     robots.txt: Crawl-delay, Request-rate --+
//     the crawler: fixed delay x random ------+--> the longest --> at least the floor,
//     the host: (last response time)^2 -------+                    at most the cap
//
// The result says which term decided, so that a log can say why a request waits. Everything here is
// a function of its arguments; `host_state.hpp` remembers the requests and responses.

namespace robots {

/// A crawler's own limits for delays.
struct delay_options {
  /// The crawler's own delay. It applies unless robots.txt or a slow response leads to a longer
  /// delay. It varies at random, so that requests of crawlers do not coincide (CrawlingRules). 0
  /// means none; the default of `gate_options::delay` is 1 s.
  std::chrono::nanoseconds fixed_delay{0};
  /// The minimum delay.
  std::chrono::nanoseconds floor{0};
  /// The maximum delay. It must be at least `floor`.
  std::chrono::nanoseconds cap = longest_delay;
  /// The maximum of the square of the response time. With 0, response times have no effect.
  std::chrono::nanoseconds response_cap = std::chrono::seconds{60};
  /// If true, the crawler sends no request to a site whose robots.txt asks for a longer delay than
  /// `cap`, since such a site probably wants no crawler. If false, the delay is `cap`.
  bool skip_above_cap = false;
};

/// A delay between two requests to one host, and the source of this delay.
struct computed_delay {
  /// The terms from which a delay is computed.
  enum class source : std::uint8_t {
    none,           ///< no term is above 0
    crawl_delay,    ///< Crawl-delay of the crawler's group
    file_delay,     ///< Crawl-delay before the first group of the robots.txt
    request_rate,   ///< Request-rate of the crawler's group
    fixed_delay,    ///< a random value in [0.5, 1.5] x `delay_options::fixed_delay`
    last_response,  ///< the square of the last response time, up to `response_cap`
    floor,          ///< `delay_options::floor`
    cap,            ///< `delay_options::cap`, since another term is longer than the cap
  };

  /// The inputs of a delay. Each value is limited to the range from 0 to `longest_delay`.
  struct inputs {
    std::chrono::milliseconds crawl_delay{0};   ///< `policy::crawl_delay()`
    std::chrono::milliseconds file_delay{0};    ///< `policy::file_delay()`
    std::chrono::milliseconds request_rate{0};  ///< `request_rate::interval()`
    std::chrono::nanoseconds last_response{0};  ///< duration of the last response

    [[nodiscard]] friend bool operator==(const inputs&, const inputs&) = default;
  };

  std::chrono::nanoseconds delay{0};  ///< the delay that applies
  source term = source::none;         ///< the source of `delay`
  std::chrono::nanoseconds asked{0};  ///< the longest term, before the cap limits it
  source asked_by = source::none;     ///< the source of `asked`
  bool skip_host = false;             ///< no request may start: `delay_options::skip_above_cap`
};

/// Returns the name of the enumerator.
[[nodiscard]] constexpr std::string_view to_string(computed_delay::source term) noexcept {
  return base::enum_text<computed_delay::source::cap>(
      term, {"none", "crawl_delay", "file_delay", "request_rate", "fixed_delay", "last_response",
             "floor", "cap"});
}

namespace polite_detail {

/// Returns `nanoseconds`, limited to the range from 0 to `longest_delay`. NaN gives the maximum.
[[nodiscard]] constexpr std::chrono::nanoseconds bounded_delay(double nanoseconds) noexcept {
  if (!(nanoseconds < static_cast<double>(longest_delay.count()))) {
    return longest_delay;
  }
  const auto whole = static_cast<std::chrono::nanoseconds::rep>((std::max)(nanoseconds, 0.0));
  const bool rounds_up = nanoseconds - static_cast<double>(whole) >= 0.5;
  return std::chrono::nanoseconds{rounds_up ? whole + 1 : whole};
}

}  // namespace polite_detail

/// Returns the delay between two requests to one host (CrawlingRules). It is the longest of these:
///
/// - for the crawler: (0.5 + `draw`) x `fixed_delay`, where `draw` is a random number in [0, 1]
/// - for the robots.txt: the Crawl-delay of the crawler's group, the Crawl-delay before the first
///   group, and the interval of the Request-rate
/// - for the host: the square of the last response time in seconds, but at most `response_cap`.
///   Without this limit, one page of 60 s would mean a delay of an hour
/// - `floor`
///
/// If the longest of them is above `cap`, the delay is `cap`. `term` says what decided. If two are
/// equally long, the first one in the order of `source` decides.
///
/// Example: a `fixed_delay` of 1 s with a `draw` of 0.5, a Crawl-delay of 5 s and a last response
/// of 2 s give the longest of 1 s, 5 s and 4 s: 5 s, by `crawl_delay`.
[[nodiscard]] constexpr computed_delay compute_delay(const delay_options& options,
                                                     const computed_delay::inputs& inputs,
                                                     double draw) noexcept {
  using source = computed_delay::source;
  computed_delay result;
  const auto ask = [&result](std::chrono::nanoseconds delay, source term) {
    if (delay > result.asked) {
      result.asked = delay;
      result.asked_by = term;
    }
  };
  constexpr std::chrono::milliseconds none{0};
  constexpr auto most = std::chrono::duration_cast<std::chrono::milliseconds>(longest_delay);
  ask(std::clamp(inputs.crawl_delay, none, most), source::crawl_delay);
  ask(std::clamp(inputs.file_delay, none, most), source::file_delay);
  ask(std::clamp(inputs.request_rate, none, most), source::request_rate);
  result.skip_host = options.skip_above_cap && result.asked > options.cap;
  if (!result.skip_host) {
    using polite_detail::bounded_delay;
    const double share = draw >= 0.0 && draw <= 1.0 ? draw : 1.0;
    ask(bounded_delay(static_cast<double>(options.fixed_delay.count()) * (0.5 + share)),
        source::fixed_delay);
    const std::chrono::duration<double> response =
        (std::max)(inputs.last_response, std::chrono::nanoseconds{0});
    ask((std::min)(bounded_delay(response.count() * response.count() * 1e9), options.response_cap),
        source::last_response);
    ask(options.floor, source::floor);
  }
  const bool is_capped = result.asked > options.cap;
  result.delay = is_capped ? options.cap : result.asked;
  result.term = is_capped ? source::cap : result.asked_by;
  return result;
}

}  // namespace robots
