#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace robots::store_detail {

/// A text that lies in the object itself up to `Length` octets, so that whoever has come to the
/// object has come to the text.
template <std::size_t Length>
class inline_text {
 public:
  /// Takes a copy of `text` in place of the one before.
  inline_text& operator=(std::string_view text) {
    far_ = text.size() > Length ? std::make_unique_for_overwrite<char[]>(text.size()) : nullptr;
    std::copy(text.begin(), text.end(), far_ ? far_.get() : near_.data());
    size_ = static_cast<std::uint32_t>(text.size());
    return *this;
  }

  [[nodiscard]] std::string_view view() const noexcept {
    return {far_ ? far_.get() : near_.data(), size_};
  }

  /// Finds out from `b` where to look, so that the octets are not waited for one after another.
  [[nodiscard]] friend bool operator==(const inline_text& a, std::string_view b) noexcept {
    return a.size_ == b.size() &&
           std::equal(b.begin(), b.end(), b.size() > Length ? a.far_.get() : a.near_.data());
  }

 private:
  std::unique_ptr<char[]> far_;
  std::uint32_t size_ = 0;  // of a key, which never is near 4 GiB
  std::array<char, Length> near_{};
};

}  // namespace robots::store_detail
