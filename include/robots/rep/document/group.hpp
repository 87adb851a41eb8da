#pragma once

#include <robots/rep/read/directive.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

namespace robots {

namespace rep_detail {

/// A directive in a `document`, stored as positions in the document's text. The parsed part of a
/// line has at most 16,663 octets, so a position in a line needs only two octets.
struct document_line {
  std::uint32_t value_offset = 0;
  std::uint32_t number = 0;
  std::uint16_t value_size = 0;
  std::uint16_t key_distance = 0;  ///< octets from the start of the key to the start of the value
  std::uint16_t key_size = 0;
  std::uint16_t column = 0;
  directive_kind kind = directive_kind::unknown;
  bool starts_group = false;
  bool starts_run = false;
  bool in_group = false;

  /// Makes the stored form of `line`, whose views must all be in `text`.
  [[nodiscard]] static constexpr document_line of(const directive& line,
                                                  std::string_view text) noexcept {
    return {.value_offset = static_cast<std::uint32_t>(line.value.data() - text.data()),
            .number = line.line,
            .value_size = static_cast<std::uint16_t>(line.value.size()),
            .key_distance = static_cast<std::uint16_t>(line.value.data() - line.key.data()),
            .key_size = static_cast<std::uint16_t>(line.key.size()),
            .column = static_cast<std::uint16_t>(line.column),
            .kind = line.kind,
            .starts_group = line.starts_group,
            .starts_run = line.starts_run,
            .in_group = line.in_group};
  }

  [[nodiscard]] constexpr std::string_view value(std::string_view text) const noexcept {
    return text.substr(value_offset, value_size);
  }

  [[nodiscard]] constexpr directive as_directive(std::string_view text) const noexcept {
    return {.kind = kind,
            .key = text.substr(value_offset - key_distance, key_size),
            .value = value(text),
            .line = number,
            .column = column,
            .starts_group = starts_group,
            .starts_run = starts_run,
            .in_group = in_group};
  }
};

/// Returns the lines before the first line in which the member that `mark` points to is true.
[[nodiscard]] constexpr std::span<const document_line> lines_before(
    std::span<const document_line> lines, bool document_line::* mark) noexcept {
  const auto marked = std::find_if(lines.begin(), lines.end(),
                                   [&](const document_line& line) { return line.*mark; });
  return lines.first(static_cast<std::size_t>(marked - lines.begin()));
}

/// Returns the first valid Crawl-delay in `lines`.
[[nodiscard]] constexpr std::optional<std::chrono::milliseconds> first_delay(
    std::span<const document_line> lines, std::string_view text) noexcept {
  for (const document_line& line : lines) {
    const bool is_delay = line.kind == directive_kind::crawl_delay;
    if (const auto delay = is_delay ? parse_delay(line.value(text)) : std::nullopt) {
      return delay;
    }
  }
  return std::nullopt;
}

/// The values of all lines of one kind in a part of a `document`, as written, in file order. The
/// type is a forward range of `std::string_view`. A range is valid as long as the document.
class value_range {
 public:
  /// A position among the lines. Skips lines of other kinds.
  class iterator {
   public:
    using value_type = std::string_view;                 ///< the type of the values
    using difference_type = std::ptrdiff_t;              ///< the type that each iterator must have
    using iterator_category = std::input_iterator_tag;   ///< `*` returns values, not references
    using iterator_concept = std::forward_iterator_tag;  ///< multi-pass

    constexpr iterator() = default;
    constexpr iterator(std::span<const document_line> rest, std::string_view text,
                       directive_kind kind) noexcept
        : rest_(rest), text_(text), kind_(kind) {
      skip_others();
    }

    [[nodiscard]] constexpr std::string_view operator*() const noexcept {
      return rest_.front().value(text_);
    }
    constexpr iterator& operator++() noexcept {
      rest_ = rest_.subspan(1);
      skip_others();
      return *this;
    }
    constexpr iterator operator++(int) noexcept {
      const iterator before = *this;
      ++*this;
      return before;
    }
    /// Returns true if two iterators of one range are at the same position.
    [[nodiscard]] friend constexpr bool operator==(const iterator& a, const iterator& b) noexcept {
      return a.rest_.size() == b.rest_.size();
    }

   private:
    constexpr void skip_others() noexcept {
      while (!rest_.empty() && rest_.front().kind != kind_) {
        rest_ = rest_.subspan(1);
      }
    }

    std::span<const document_line> rest_{};
    std::string_view text_{};
    directive_kind kind_ = directive_kind::unknown;
  };

  constexpr value_range(std::span<const document_line> lines, std::string_view text,
                        directive_kind kind) noexcept
      : first_(lines, text, kind) {}

  [[nodiscard]] constexpr iterator begin() const noexcept { return first_; }
  [[nodiscard]] constexpr iterator end() const noexcept { return {}; }
  [[nodiscard]] constexpr bool empty() const noexcept { return first_ == iterator{}; }

 private:
  iterator first_;
};

}  // namespace rep_detail

/// One group of a robots.txt (RFC 9309, section 2.1), as in the file. Groups that name the same
/// crawler are not merged.
///
/// A line such as Crawl-delay between User-agent lines applies only to the crawlers above it, and
/// divides the group into parts. Each part is listed as a group with all rules. So a loop over the
/// rules of all parts takes time quadratic in the size of the group.
struct group {
  rep_detail::value_range user_agents;                   ///< product tokens, as written
  rep_detail::value_range allow;                         ///< patterns of Allow lines, as written
  rep_detail::value_range disallow;                      ///< patterns of Disallow lines, as written
  std::optional<std::chrono::milliseconds> crawl_delay;  ///< the first valid delay
};

}  // namespace robots
