#pragma once

#include <robots/base/ascii.hpp>
#include <robots/rep/text/detail/normal_form.hpp>

#include <array>
#include <cstdint>
#include <string_view>

namespace robots::rep_detail {

/// A forward position in the normal form of a text, made octet by octet without storing it.
///
/// A `%` that begins no escape stays, and what follows is read anew: `%%61` is `%a`. So the normal
/// form of a text is that of its parts, and what a pattern and a target have in common stays so.
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
  constexpr void load() noexcept {
    at_ = 0;
    size_ = 0;
    if (rest_.empty()) {
      return;
    }
    const char c = rest_.front();
    const octet_action action = form_->action(c);
    if (action == octet_action::percent && rest_.size() > 2 && base::hex_value(rest_[1]) >= 0 &&
        base::hex_value(rest_[2]) >= 0) {
      load_escape(base::hex_value(rest_[1]), base::hex_value(rest_[2]));
      rest_.remove_prefix(3);
      return;
    }
    rest_.remove_prefix(1);
    if (action == octet_action::encode) {
      put_escape(static_cast<unsigned char>(c));
      return;
    }
    put(c);
  }

  constexpr void load_escape(int high, int low) noexcept {
    const auto octet = static_cast<unsigned char>(high * 16 + low);
    const char c = static_cast<char>(octet);
    if (form_->decode_unreserved && base::is_unreserved(c)) {
      put(c);
    } else {
      put_escape(octet);
    }
  }

  constexpr void put(char c) noexcept {
    octets_[0] = c;
    size_ = 1;
  }

  constexpr void put_escape(unsigned char octet) noexcept {
    const auto [high, low] = base::hex_digits(octet);
    octets_ = {'%', high, low};
    size_ = 3;
  }

  std::string_view rest_;
  const normal_form* form_;
  std::array<char, 3> octets_{};
  std::uint8_t at_ = 0;
  std::uint8_t size_ = 0;
};

}  // namespace robots::rep_detail
