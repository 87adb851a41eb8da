#pragma once

#include "fuzz/bodies.hpp"
#include <robots/rep/read/parse_options.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace fuzz {

class broken_property : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

inline void require(bool holds, const char* property) {
  if (!holds) {
    throw broken_property{property};
  }
}

/// Returns true if `part` is empty, or is a part of `text` in memory.
inline bool lies_in(std::string_view part, std::string_view text) {
  const std::less_equal<> is_before;
  return part.empty() || (is_before(text.data(), part.data()) &&
                          is_before(part.data() + part.size(), text.data() + text.size()));
}

/// Reads an input part by part, from its start.
class reader {
 public:
  explicit reader(octets input)
      : text_(input.begin(), input.end()), rest_(text_) {}  // ASan sees overruns of a copy
  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;

  /// Returns the next octet, or 0 at the end.
  [[nodiscard]] unsigned octet() {
    if (rest_.empty()) {
      return 0;
    }
    const auto value = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }

  /// Returns the text before the next line feed, and removes both.
  [[nodiscard]] std::string line() {
    const std::size_t end = rest_.find('\n');
    const std::string taken{rest_.substr(0, end)};
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    return taken;
  }

  [[nodiscard]] std::string rest() const { return std::string{rest_}; }

 private:
  std::string text_;
  std::string_view rest_;
};

inline constexpr std::array dialects{robots::dialect::rfc9309, robots::dialect::google};

/// Returns the options that the low bits of an octet select. `@` selects none.
inline robots::parse_options options_of(unsigned octet) {
  robots::parse_options options;
  options.strict = (octet & 1U) != 0;
  options.delay_closes_group = (octet & 2U) != 0;
  options.prepend_slash = (octet & 4U) != 0;
  options.tie = (octet & 8U) != 0 ? robots::tie_break::disallow : robots::tie_break::allow;
  options.truncated = (octet & 16U) != 0;
  return options;
}

/// Replaces each of the first four octets 0x01 by `length` letters, so that small inputs reach
/// large limits.
inline std::string inflated(std::string_view text, std::size_t length) {
  std::string result;
  int runs = 4;
  for (const char c : text) {
    if (c == '\x01' && runs > 0) {
      --runs;
      result.append(length, 'a');
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace fuzz
