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
  none,           ///< nothing asks for a delay
  crawl_delay,    ///< Crawl-delay of the crawler's group
  file_delay,     ///< Crawl-delay before the first group of the robots.txt
  request_rate,   ///< Request-rate of the crawler's group
  fixed_delay,    ///< a random value in [0.5, 1.5] x `delay_options::fixed_delay`
  last_response,  ///< the square of the last response time in seconds
  floor,          ///< `delay_options::floor`
  cap,            ///< `delay_options::cap`, since something asks for more
};

/// The name of a term, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(delay_term term) noexcept {
  return base::enum_text<delay_term::cap>(
      term, {"none", "crawl_delay", "file_delay", "request_rate", "fixed_delay", "last_response",
             "floor", "cap"});
}

/// The action if a delay is above `delay_options::cap`.
enum class above_cap : std::uint8_t {
  clamp,  ///< wait as long as the cap
  /// Make no request if robots.txt asks for more than the cap: a site that wants an hour between
  /// requests wants no crawler. Wait as long as the cap in other cases.
  skip_host,
};

/// A crawler's own limits for delays.
struct delay_options {
  /// The crawler's own delay where nothing asks for a longer one; spread at random, so that its
  /// requests do not beat in time (CrawlingRules).
  std::chrono::nanoseconds fixed_delay{0};
  /// No delay is shorter.
  std::chrono::nanoseconds floor{0};
  /// No delay is longer. At least `floor`.
  std::chrono::nanoseconds cap = longest_delay;
  /// The action for a longer delay.
  robots::above_cap above_cap = robots::above_cap::clamp;
};

/// Throws `std::invalid_argument` if options contradict each other; the message says how to mend
/// it.
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

/// The inputs of one delay. Negative values count as no value; a delay longer than `longest_delay`
/// counts as that.
struct delay_inputs {
  std::optional<std::chrono::milliseconds> crawl_delay{};   ///< `policy::crawl_delay()`
  std::optional<std::chrono::milliseconds> file_delay{};    ///< `policy::file_delay()`
  std::optional<std::chrono::milliseconds> request_rate{};  ///< `request_rate::interval()`
  std::chrono::nanoseconds last_response{0};                ///< how long the last response took
};

/// A delay, and why it is as long as it is.
struct computed_delay {
  std::chrono::nanoseconds delay{0};       ///< to keep
  delay_term term = delay_term::none;      ///< the deciding term
  std::chrono::nanoseconds asked{0};       ///< by `asked_by`, before the cap
  delay_term asked_by = delay_term::none;  ///< the deciding term before the cap
  bool skip_host = false;  ///< robots.txt asks for more than the cap: leave the site alone
};

namespace polite_detail {

[[nodiscard]] constexpr std::chrono::nanoseconds bounded_delay(
    std::chrono::milliseconds delay) noexcept {
  constexpr auto most = std::chrono::duration_cast<std::chrono::milliseconds>(longest_delay);
  return std::clamp(delay, std::chrono::milliseconds{0}, most);
}

/// A number of nanoseconds, rounded; NaN counts as the maximum.
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

/// The square of a response time in seconds, as a delay: 2 s ask for 4 s, 0.1 s for 10 ms
/// (CrawlingRules). A slow answer comes from a loaded host.
[[nodiscard]] constexpr std::chrono::nanoseconds squared_response(
    std::chrono::nanoseconds response_time) noexcept {
  if (response_time.count() <= 0) {
    return {};
  }
  const double seconds = std::chrono::duration<double>{response_time}.count();
  return polite_detail::bounded_delay(seconds * seconds * 1e9);
}

/// The part of the fixed delay that is kept: from half of it to one and a half, `draw` being a
/// uniform random number in [0, 1]. One outside, or none, is read as 1.
[[nodiscard]] constexpr std::chrono::nanoseconds spread_delay(std::chrono::nanoseconds fixed,
                                                              double draw) noexcept {
  if (!(draw >= 0.0 && draw <= 1.0)) {
    draw = 1.0;
  }
  const auto bounded = std::clamp(fixed, std::chrono::nanoseconds{0}, longest_delay);
  return polite_detail::bounded_delay(static_cast<double>(bounded.count()) * (0.5 + draw));
}

/// The delay to keep between two requests to one host (CrawlingRules):
///
///     max(uniform in [0.5, 1.5] x fixed delay, robots.txt delay, (last response in seconds)^2 s)
///
/// where the delay of robots.txt is the longest of its Crawl-delay, the Crawl-delay before its
/// first group and its Request-rate; then the floor, then the cap. On a tie, robots.txt counts as
/// the deciding term.
///
/// `draw` is a uniform random number in [0, 1]. Pure and constant.
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
