#pragma once

#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/read/product_token.hpp>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

/// Says who a crawler is: the names under which it looks for its groups in a robots.txt, the most
/// specific name first, and the `User-Agent` header that it sends.
///
///     crawler_names one = "FooBot/2.1 (+https://foo.example/bot)";
///     crawler_names image{"FooBot-Image", "FooBot"};
///     crawler_names posing = crawler_names{"FooBot"}.sent_as("Mozilla/5.0 ... Safari/605.1.15");
///
/// A name is a product token or a whole header value: see `product_token`. `*` stands for a crawler
/// that no file names. `compile` and `document::rules_for` take an object as a list of names. They
/// use the groups of `*` if no name has a group, whether or not `*` is in the list.
class crawler_names {
 public:
  /// A name in a list. Its constructors make sure that two texts are never read as the start and
  /// the end of one.
  struct name {
    std::string_view text;  ///< the name

    /// Refers to `from`.
    constexpr name(const char* from) : text(from) {}  // NOLINT
    /// Refers to `from`.
    constexpr name(std::string_view from) noexcept : text(from) {}  // NOLINT
    /// Refers to `from`.
    constexpr name(const std::string& from) noexcept : text(from) {}  // NOLINT
  };

  /// Names nobody.
  constexpr crawler_names() = default;
  /// Makes the names of a crawler with one name. If the text is a header, it is also `header()`.
  constexpr crawler_names(const char* only) : crawler_names(std::string_view{only}) {}  // NOLINT
  /// Makes the names of a crawler with one name.
  constexpr crawler_names(const std::string& only)  // NOLINT
      : crawler_names(std::string_view{only}) {}
  /// Makes the names of a crawler with one name.
  constexpr crawler_names(std::string_view only)  // NOLINT
      : crawler_names(std::span{&only, 1}) {}
  /// Makes the names of a crawler with several names, the most specific name first.
  constexpr crawler_names(std::initializer_list<name> names) {
    for (const name& one : names) {
      append(one.text);
    }
    refer();
  }
  /// Makes the names of a crawler with several names, the most specific name first.
  constexpr explicit crawler_names(std::span<const std::string_view> names) {
    for (const std::string_view one : names) {
      append(one);
    }
    refer();
  }

  /// Copies the texts of the names.
  constexpr crawler_names(const crawler_names& other)
      : octets_(other.octets_), names_(other.names_), header_size_(other.header_size_) {
    refer();
  }
  /// Takes over the names of `other`, which then names nobody.
  constexpr crawler_names(crawler_names&& other) noexcept
      : octets_(std::exchange(other.octets_, {})),
        names_(std::exchange(other.names_, {})),
        header_size_(std::exchange(other.header_size_, 0)) {}
  /// Takes over the names of `other`.
  constexpr crawler_names& operator=(crawler_names other) noexcept {
    octets_ = std::move(other.octets_);
    names_ = std::move(other.names_);
    header_size_ = other.header_size_;
    return *this;
  }
  constexpr ~crawler_names() = default;

  /// Returns the same names with another header.
  [[nodiscard]] constexpr crawler_names sent_as(std::string_view header) const {
    crawler_names result{std::span<const std::string_view>{*this}};
    result.octets_.insert(result.octets_.end(), header.begin(), header.end());
    result.header_size_ = header.size();
    result.refer();
    return result;
  }

  /// Returns the `User-Agent` header that the crawler sends: the text of `sent_as`, or else the
  /// first name.
  [[nodiscard]] constexpr std::string_view header() const& noexcept {
    return header_size_ != 0
               ? std::string_view{octets_.data() + octets_.size() - header_size_, header_size_}
           : names_.empty() ? std::string_view{}
                            : names_.front();
  }
  std::string_view header() const&& = delete;

  /// Returns the most specific product token, `*` for every crawler, or an empty text.
  [[nodiscard]] constexpr std::string_view token(
      robots::dialect dialect = robots::dialect::rfc9309) const& noexcept {
    return names_.empty() ? std::string_view{} : product_token(names_.front(), dialect);
  }
  std::string_view token(robots::dialect = robots::dialect::rfc9309) const&& = delete;

  /// Returns the names, as given, the most specific first.
  [[nodiscard]] constexpr const std::string_view* begin() const noexcept { return names_.data(); }
  /// Returns the end of the names.
  [[nodiscard]] constexpr const std::string_view* end() const noexcept {
    return names_.data() + names_.size();
  }
  /// Returns the number of names.
  [[nodiscard]] constexpr std::size_t size() const noexcept { return names_.size(); }
  /// Returns true if the object names nobody.
  [[nodiscard]] constexpr bool empty() const noexcept { return names_.empty(); }

  /// Returns true if both have the same names in the same order, and the same header.
  [[nodiscard]] friend constexpr bool operator==(const crawler_names& a, const crawler_names& b) {
    return a.header() == b.header() && std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  constexpr void append(std::string_view one) {
    octets_.insert(octets_.end(), one.begin(), one.end());
    names_.push_back(one);  // `refer` makes it a part of `octets_`
  }

  /// Makes the names refer to `octets_`, which has their texts in the same order.
  constexpr void refer() noexcept {
    const char* start = octets_.data();
    for (std::string_view& one : names_) {
      one = {start, one.size()};
      start += one.size();
    }
  }

  // The texts of the names, and then the header if it is set apart. A vector keeps its octets where
  // they are when it is moved, so that the views stay valid; a short `std::string` does not.
  std::vector<char> octets_;
  std::vector<std::string_view> names_;
  std::size_t header_size_ = 0;
};

/// The names of a crawler in the argument of a function. Is made from a name or from a list of
/// names, which must live longer, without a copy.
class crawler_names_view {
 public:
  /// Refers to one name.
  constexpr crawler_names_view(const char* only) noexcept : only_(only) {}  // NOLINT
  /// Refers to one name.
  constexpr crawler_names_view(const std::string& only) noexcept : only_(only) {}  // NOLINT
  /// Refers to one name.
  constexpr crawler_names_view(std::string_view only) noexcept : only_(only) {}  // NOLINT
  /// Refers to a list of names, the most specific name first.
  constexpr crawler_names_view(const crawler_names& names) noexcept : several_(names) {}  // NOLINT

  /// Returns the names as a list, which is valid as long as this object.
  [[nodiscard]] constexpr std::span<const std::string_view> list() const& noexcept {
    return several_.empty() ? std::span{&only_, 1} : several_;
  }
  std::span<const std::string_view> list() const&& = delete;

 private:
  std::string_view only_{};
  std::span<const std::string_view> several_{};
};

}  // namespace robots
