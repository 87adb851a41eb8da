#pragma once

#include <robots/base/ascii.hpp>
#include <robots/rep/text/detail/normal_form.hpp>

#include <array>
#include <cstdint>
#include <string_view>

namespace robots::detail {

/// A forward position in the normal form of a text, made octet by octet without storing it.
class normal_cursor {
 public:
  constexpr normal_cursor(std::string_view text, const normal_form& form,
                          bool leading_slash = false) noexcept
      : rest_(text), form_(&form) {
    if (leading_slash) {
      put('/');
    } else {
      load();
    }
  }

  [[nodiscard]] constexpr bool done() const noexcept { return at_ == size_; }
  [[nodiscard]] constexpr char operator*() const noexcept { return octets_[at_]; }
  constexpr normal_cursor& operator++() noexcept {
    if (++at_ == size_) {
      load();
    }
    return *this;
  }

 private:
  /// What a stray `%` just written could still turn into an escape. Decoding a hexadecimal digit
  /// right behind it would write one that the text does not hold, and the normal form would not be
  /// its own normal form.
  enum class stray : std::uint8_t { none, percent, percent_and_digit };

  constexpr void load() noexcept {
    at_ = 0;
    size_ = 0;
    if (rest_.empty()) {
      return;
    }
    const char c = rest_.front();
    const octet_action action = form_->action(c);
    if (action == octet_action::percent && rest_.size() > 2 && hex_value(rest_[1]) >= 0 &&
        hex_value(rest_[2]) >= 0) {
      load_escape(hex_value(rest_[1]), hex_value(rest_[2]));
      rest_.remove_prefix(3);
      return;
    }
    rest_.remove_prefix(1);
    if (action == octet_action::encode) {
      put_escape(static_cast<unsigned char>(c));
      return;
    }
    put(c);
    if (action == octet_action::percent) {
      stray_ = stray::percent;
    } else {
      stray_ =
          stray_ == stray::percent && hex_value(c) >= 0 ? stray::percent_and_digit : stray::none;
    }
  }

  constexpr void load_escape(int high, int low) noexcept {
    const auto octet = static_cast<unsigned char>(high * 16 + low);
    const char c = static_cast<char>(octet);
    const bool completes_stray = stray_ != stray::none && hex_value(c) >= 0;
    if (form_->decode_unreserved && is_unreserved(c) && !completes_stray) {
      put(c);
      stray_ = stray::none;
    } else {
      put_escape(octet);
    }
  }

  constexpr void put(char c) noexcept {
    octets_[0] = c;
    size_ = 1;
  }

  constexpr void put_escape(unsigned char octet) noexcept {
    constexpr std::string_view digits = "0123456789ABCDEF";
    octets_ = {'%', digits[octet / 16U], digits[octet % 16U]};
    size_ = 3;
    stray_ = stray::none;
  }

  std::string_view rest_;
  const normal_form* form_;
  std::array<char, 3> octets_{};
  std::uint8_t at_ = 0;
  std::uint8_t size_ = 0;
  stray stray_ = stray::none;
};

}  // namespace robots::detail
