#pragma once

#include <cstddef>
#include <string_view>

namespace robots::rep_detail {

/// A forward position in text that is in normal form already.
class text_cursor {
 public:
  constexpr explicit text_cursor(std::string_view rest) noexcept : rest_(rest) {}

  [[nodiscard]] constexpr bool done() const noexcept { return rest_.empty(); }
  [[nodiscard]] constexpr char operator*() const noexcept { return rest_.front(); }
  constexpr text_cursor& operator++() noexcept {
    rest_.remove_prefix(1);
    return *this;
  }

  [[nodiscard]] constexpr std::string_view rest() const noexcept { return rest_; }
  constexpr void skip(std::size_t count) noexcept { rest_.remove_prefix(count); }

 private:
  std::string_view rest_;
};

}  // namespace robots::rep_detail
