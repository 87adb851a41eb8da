#pragma once

#include <robots/base/exceptions.hpp>
#include <robots/base/printable.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/read/product_token.hpp>
#include <robots/rep/read/purpose.hpp>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

/// A name that fetches nothing, and whose group in a robots.txt answers for one purpose: the group
/// of `Google-Extended` answers for training.
struct policy_token {
  std::string_view token{};                             ///< a product token
  robots::purpose purpose = robots::purpose::ai_train;  ///< the purpose of its group

  /// Returns true if both are the same token for the same purpose.
  [[nodiscard]] friend constexpr bool operator==(const policy_token&,
                                                 const policy_token&) = default;
};

/// Says who a crawler is: the names under which it looks for its groups in a robots.txt, the most
/// specific name first, the policy tokens that bind it, and the `User-Agent` header that it sends.
///
///     crawler_names one = "FooBot/2.1 (+https://foo.example/bot)";
///     crawler_names image{"FooBot-Image", "FooBot"};
///     crawler_names bound{"FooBot", {"Google-Extended", purpose::ai_train}};
///     crawler_names posing = crawler_names{"FooBot"}.sent_as("Mozilla/5.0 ... Safari/605.1.15");
///
/// A name is a product token or a whole header value: see `product_token`. `*` stands for a crawler
/// that no file names. `compile` and `document::rules_for` take an object as a list of names. They
/// use the groups of `*` if no name has a group, whether or not `*` is in the list. A policy token
/// is not in the list, and changes no verdict: only `page_statements` asks for its group.
class crawler_names {
 public:
  /// A name in a list. Its constructors make sure that two texts are never read as the start and
  /// the end of one.
  struct name {
    std::string_view text;                      ///< the name
    std::optional<robots::purpose> only_for{};  ///< the purpose of a policy token

    /// Refers to `from`.
    constexpr name(const char* from) : text(from) {}  // NOLINT
    /// Refers to `from`.
    constexpr name(std::string_view from) noexcept : text(from) {}  // NOLINT
    /// Refers to `from`.
    constexpr name(const std::string& from) noexcept : text(from) {}  // NOLINT
    /// Refers to the policy token `from`.
    constexpr name(std::string_view from, robots::purpose purpose) noexcept
        : text(from), only_for(purpose) {}
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
  /// Makes the names of a crawler with several names, the most specific name first. Throws
  /// `std::invalid_argument` for a policy token that is no product token.
  constexpr crawler_names(std::initializer_list<name> names) {
    for (const name& one : names) {
      if (!one.only_for) {
        append(one.text);
      }
    }
    for (const name& one : names) {
      if (one.only_for) {
        append({one.text, *one.only_for});
      }
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
      : octets_(other.octets_),
        names_(other.names_),
        policy_tokens_(other.policy_tokens_),
        header_size_(other.header_size_) {
    refer();
  }
  /// Takes over the names of `other`, which then names nobody.
  constexpr crawler_names(crawler_names&& other) noexcept
      : octets_(std::exchange(other.octets_, {})),
        names_(std::exchange(other.names_, {})),
        policy_tokens_(std::exchange(other.policy_tokens_, {})),
        header_size_(std::exchange(other.header_size_, 0)) {}
  /// Takes over the names of `other`.
  constexpr crawler_names& operator=(crawler_names other) noexcept {
    octets_ = std::move(other.octets_);
    names_ = std::move(other.names_);
    policy_tokens_ = std::move(other.policy_tokens_);
    header_size_ = other.header_size_;
    return *this;
  }
  constexpr ~crawler_names() = default;

  /// Returns the same names with another header.
  [[nodiscard]] constexpr crawler_names sent_as(std::string_view header) const {
    crawler_names result = *this;
    result.octets_.resize(octets_.size() - header_size_);
    result.octets_.insert(result.octets_.end(), header.begin(), header.end());
    result.header_size_ = header.size();
    result.refer();
    return result;
  }

  /// Returns the same names with one more policy token. Throws `std::invalid_argument` if `token`
  /// is no product token.
  [[nodiscard]] constexpr crawler_names with_policy_token(std::string_view token,
                                                          robots::purpose purpose) const {
    crawler_names result{std::span<const std::string_view>{*this}};
    for (const policy_token& one : policy_tokens_) {
      result.append(one);
    }
    result.append({token, purpose});
    result.refer();
    return header_size_ != 0 ? result.sent_as(header()) : result;
  }

  /// Returns the `User-Agent` header that the crawler sends: the text of `sent_as`, or else the
  /// first name.
  [[nodiscard]] constexpr std::string_view header() const& noexcept {
    if (header_size_ != 0) {
      return {octets_.data() + octets_.size() - header_size_, header_size_};
    }
    return names_.empty() ? std::string_view{} : names_.front();
  }
  std::string_view header() const&& = delete;  // store the names

  /// Returns the policy tokens that bind the crawler, in the given order.
  [[nodiscard]] constexpr std::span<const policy_token> policy_tokens() const& noexcept {
    return policy_tokens_;
  }
  std::span<const policy_token> policy_tokens() const&& = delete;  // store the names

  /// Returns the most specific product token, `*` for every crawler, or an empty text.
  [[nodiscard]] constexpr std::string_view token(
      robots::dialect dialect = robots::dialect::rfc9309) const& noexcept {
    return names_.empty() ? std::string_view{} : product_token(names_.front(), dialect);
  }
  std::string_view token(robots::dialect = robots::dialect::rfc9309) const&& =
      delete;  // store the names

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

  /// Returns true if both have the same names and policy tokens in the same order, and the same
  /// header.
  [[nodiscard]] friend constexpr bool operator==(const crawler_names& a, const crawler_names& b) {
    return a.header() == b.header() && std::equal(a.begin(), a.end(), b.begin(), b.end()) &&
           a.policy_tokens_ == b.policy_tokens_;
  }

 private:
  constexpr void append(std::string_view one) {
    octets_.insert(octets_.end(), one.begin(), one.end());
    names_.push_back(one);  // `refer` makes it a part of `octets_`
  }

  constexpr void append(const policy_token& one) {
    const std::string_view token = product_token(one.token);
    if (token.empty() || token == "*" || is_target(one.token)) {
      base::raise(
          std::invalid_argument{"policy token \"" + base::printable(one.token) +
                                "\" names no group: give a product token, as in Google-Extended"});
    }
    octets_.insert(octets_.end(), one.token.begin(), one.token.end());
    policy_tokens_.push_back(one);
  }

  /// Makes the names and tokens refer to `octets_`, which has their texts in the same order.
  constexpr void refer() noexcept {
    const char* start = octets_.data();
    const auto next = [&start](std::string_view text) {
      const std::string_view own{start, text.size()};
      start += text.size();
      return own;
    };
    for (std::string_view& one : names_) {
      one = next(one);
    }
    for (policy_token& one : policy_tokens_) {
      one.token = next(one.token);
    }
  }

  // The texts of the names, of the policy tokens, and of the header if it is set apart. A vector
  // keeps its octets where they are when it is moved, so that the views stay valid; a short
  // `std::string` does not.
  std::vector<char> octets_;
  std::vector<std::string_view> names_;
  std::vector<policy_token> policy_tokens_;
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
  constexpr crawler_names_view(const crawler_names& names) noexcept  // NOLINT
      : several_(names), policy_tokens_(names.policy_tokens()) {}

  /// Returns the names as a list, which is valid as long as this object.
  [[nodiscard]] constexpr std::span<const std::string_view> list() const& noexcept {
    return several_.empty() ? std::span{&only_, 1} : several_;
  }
  std::span<const std::string_view> list() const&& = delete;  // store the names

  /// Returns the policy tokens that bind the crawler.
  [[nodiscard]] constexpr std::span<const policy_token> policy_tokens() const noexcept {
    return policy_tokens_;
  }

 private:
  std::string_view only_{};
  std::span<const std::string_view> several_{};
  std::span<const policy_token> policy_tokens_{};
};

}  // namespace robots
