#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string_view>

namespace robots::detail {

/// A text that lies in the object itself up to `Length` octets, so that whoever has come to the
/// object has come to the text. It neither changes nor moves.
template <std::size_t Length>
class inline_text {
 public:
  explicit inline_text(std::string_view text) : size_(text.size()) {
    if (size_ > Length) {
      far_ = std::make_unique<char[]>(size_);
    }
    std::ranges::copy(text, size_ > Length ? far_.get() : near_.data());
  }

  [[nodiscard]] std::string_view view() const noexcept {
    return {far_ ? far_.get() : near_.data(), size_};
  }

 private:
  std::size_t size_;
  std::unique_ptr<char[]> far_;
  std::array<char, Length> near_;
};

}  // namespace robots::detail
