#pragma once

#include <robots/base/enum_text.hpp>
#include <robots/base/longest_delay.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace robots {

/// The source of a delay between two requests to one host.
enum class delay_term : std::uint8_t {
  none,           ///< no delay is asked for
  crawl_delay,    ///< Crawl-delay of the crawler's group
  file_delay,     ///< Crawl-delay before the first group of the robots.txt
  request_rate,   ///< Request-rate of the crawler's group
  fixed_delay,    ///< a random value in [0.5, 1.5] x `delay_options::fixed_delay`
  last_response,  ///< the square of the last response time in seconds
  floor,          ///< `delay_options::floor`
  cap,            ///< `delay_options::cap`, since the delay asked for is longer
};

/// The name of a term, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(delay_term term) noexcept {
  return base::enum_text<delay_term::cap>(
      term, {"none", "crawl_delay", "file_delay", "request_rate", "fixed_delay", "last_response",
             "floor", "cap"});
}

/// The action if a delay is longer than `delay_options::cap`.
enum class above_cap : std::uint8_t {
  clamp,  ///< wait for the cap
  /// If robots.txt asks for more than the cap, send no request: a site that wants an hour between
  /// requests does not want a crawler. In all other cases, wait for the cap.
  skip_host,
};

/// A crawler's own limits for delays.
struct delay_options {
  /// The crawler's own delay if no longer one is asked for. It varies at random, so that requests
  /// of many crawlers do not coincide (CrawlingRules).
  std::chrono::nanoseconds fixed_delay{0};
  /// The shortest delay.
  std::chrono::nanoseconds floor{0};
  /// The longest delay. At least `floor`.
  std::chrono::nanoseconds cap = longest_delay;
  /// The action for a longer delay.
  robots::above_cap above_cap = robots::above_cap::clamp;
};

/// Throws `std::invalid_argument` if options contradict each other. The message says what to
/// change.
inline void validate(const delay_options& options) {
  if (options.fixed_delay.count() < 0 || options.floor.count() < 0) {
    throw std::invalid_argument{"fixed_delay and floor cannot be negative: use 0 for none"};
  }
  if (options.fixed_delay > longest_delay || options.floor > longest_delay) {
    throw std::invalid_argument{"fixed_delay and floor are longer than any delay: 136 years"};
  }
  if (options.cap < options.floor) {
    throw std::invalid_argument{"cap is below floor: raise it, or leave it as it is for none"};
  }
}

/// The inputs of a delay. A negative value counts as missing, and a value above `longest_delay`
/// counts as that.
struct delay_inputs {
  std::optional<std::chrono::milliseconds> crawl_delay{};   ///< `policy::crawl_delay()`
  std::optional<std::chrono::milliseconds> file_delay{};    ///< `policy::file_delay()`
  std::optional<std::chrono::milliseconds> request_rate{};  ///< `request_rate::interval()`
  std::chrono::nanoseconds last_response{0};                ///< duration of the last response
};

/// A delay, and the term that decided it.
struct computed_delay {
  std::chrono::nanoseconds delay{0};       ///< the delay to wait
  delay_term term = delay_term::none;      ///< the deciding term
  std::chrono::nanoseconds asked{0};       ///< what `asked_by` asked for, before the cap
  delay_term asked_by = delay_term::none;  ///< the deciding term before the cap
  bool skip_host = false;  ///< robots.txt asks for more than the cap: send no request
};

namespace polite_detail {

[[nodiscard]] constexpr std::chrono::nanoseconds bounded_delay(
    std::chrono::milliseconds delay) noexcept {
  constexpr auto most = std::chrono::duration_cast<std::chrono::milliseconds>(longest_delay);
  return std::clamp(delay, std::chrono::milliseconds{0}, most);
}

/// Returns a number of nanoseconds, rounded; NaN counts as the maximum.
[[nodiscard]] constexpr std::chrono::nanoseconds bounded_delay(double nanoseconds) noexcept {
  constexpr auto most = static_cast<double>(longest_delay.count());
  if (!(nanoseconds < most)) {
    return longest_delay;
  }
  if (nanoseconds <= 0) {
    return {};
  }
  const auto whole = static_cast<std::chrono::nanoseconds::rep>(nanoseconds);
  const bool up = nanoseconds - static_cast<double>(whole) >= 0.5;
  return std::chrono::nanoseconds{whole + (up ? 1 : 0)};
}

}  // namespace polite_detail

/// Returns the square of a response time in seconds, as a delay: 4 s for 2 s, 10 ms for 0.1 s
/// (CrawlingRules). The reason: a slow answer comes from a busy host.
[[nodiscard]] constexpr std::chrono::nanoseconds squared_response(
    std::chrono::nanoseconds response_time) noexcept {
  if (response_time.count() <= 0) {
    return {};
  }
  const double seconds = std::chrono::duration<double>{response_time}.count();
  return polite_detail::bounded_delay(seconds * seconds * 1e9);
}

/// Returns a random delay: from half of the fixed delay to one and a half times it. `draw` is a
/// uniform random number in [0, 1]. Any other `draw` counts as 1.
[[nodiscard]] constexpr std::chrono::nanoseconds spread_delay(std::chrono::nanoseconds fixed,
                                                              double draw) noexcept {
  if (!(draw >= 0.0 && draw <= 1.0)) {
    draw = 1.0;
  }
  const auto bounded = std::clamp(fixed, std::chrono::nanoseconds{0}, longest_delay);
  return polite_detail::bounded_delay(static_cast<double>(bounded.count()) * (0.5 + draw));
}

/// Returns the delay between two requests to one host (CrawlingRules):
///
///     max(uniform in [0.5, 1.5] x fixed delay, robots.txt delay, (last response in seconds)^2 s)
///
/// The delay of robots.txt is the longest of its Crawl-delay, the Crawl-delay before its first
/// group and its Request-rate. The floor applies next, and the cap last. If two terms are equal,
/// robots.txt counts as the deciding one.
///
/// `draw` is a uniform random number in [0, 1]. Pure; constant time.
[[nodiscard]] constexpr computed_delay compute_delay(const delay_options& options,
                                                     const delay_inputs& inputs,
                                                     double draw) noexcept {
  computed_delay result;
  const auto ask = [&result](std::chrono::nanoseconds delay, delay_term term) {
    if (delay > result.asked) {
      result.asked = delay;
      result.asked_by = term;
    }
  };
  const auto none = std::chrono::milliseconds{0};
  ask(polite_detail::bounded_delay(inputs.crawl_delay.value_or(none)), delay_term::crawl_delay);
  ask(polite_detail::bounded_delay(inputs.file_delay.value_or(none)), delay_term::file_delay);
  ask(polite_detail::bounded_delay(inputs.request_rate.value_or(none)), delay_term::request_rate);
  result.skip_host = options.above_cap == above_cap::skip_host && result.asked > options.cap;
  if (result.skip_host) {
    result.delay = options.cap;
    result.term = delay_term::cap;
    return result;
  }
  ask(spread_delay(options.fixed_delay, draw), delay_term::fixed_delay);
  ask(squared_response(inputs.last_response), delay_term::last_response);
  ask(options.floor, delay_term::floor);
  result.delay = result.asked;
  result.term = result.asked_by;
  if (result.asked > options.cap) {
    result.delay = options.cap;
    result.term = delay_term::cap;
  }
  return result;
}

}  // namespace robots
