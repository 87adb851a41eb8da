#pragma once

#include <robots/base/ascii.hpp>
#include <robots/rep/read/detail/shared_products.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace robots::rep_detail {

/// Returns true if `c` ends a product name (RFC 9110, section 10.1.5).
[[nodiscard]] constexpr bool ends_product_name(char c) noexcept {
  return base::is_blank(c) || c == '\r' || c == '\n' || c == '/' || c == '(' || c == ';' ||
         c == ',' || c == ')';
}

/// Returns the name of the product at the start of `text`.
[[nodiscard]] constexpr std::string_view product_name(std::string_view text) noexcept {
  text = base::trim(text, base::is_blank);
  // This is faster than `find_first_of`, which calls a function for each octet.
  const auto end = std::find_if(text.begin(), text.end(), ends_product_name);
  return {text.begin(), end};
}

/// Returns true for a name that a crawler can have: letters, digits and some punctuation (RFC 9110,
/// section 5.6.2), but no version such as `2.1` or `v1.4.8`.
[[nodiscard]] constexpr bool can_be_crawler(std::string_view name) noexcept {
  constexpr std::string_view others = "!#$%&'*+-.^_`|~";
  const auto is_token_octet = [&](char c) {
    return base::is_alpha(c) || base::is_digit(c) || others.find(c) != std::string_view::npos;
  };
  const auto is_version_octet = [](char c) { return base::is_digit(c) || c == '.'; };
  const bool has_mark = base::starts_with_ignoring_case(name, "v");
  const std::string_view number = name.substr(has_mark ? 1 : 0);
  return std::all_of(name.begin(), name.end(), is_token_octet) &&
         std::any_of(name.begin(), name.end(), base::is_alpha) &&
         !std::all_of(number.begin(), number.end(), is_version_octet) && !is_shared_product(name);
}

/// Returns true if `word` contains a part of a URL or mail address, in upper or lower case.
[[nodiscard]] constexpr bool has_contact(std::string_view word) noexcept {
  for (std::size_t i = 0; i < word.size(); ++i) {
    // Looks at one octet first, since events write the crawler's name.
    const char first = base::to_lower(word[i]);
    const std::string_view rest = word.substr(i);
    if (first == '@' || (first == ':' && rest.starts_with("://")) ||
        (first == 'w' && base::starts_with_ignoring_case(rest, "www."))) {
      return true;
    }
  }
  return false;
}

/// Returns the start of the first URL or mail address in `text`, or the size of `text`.
[[nodiscard]] constexpr std::size_t contact_at(std::string_view text) noexcept {
  for (std::size_t start = 0; start < text.size();) {
    const auto blank =
        std::find_if(text.begin() + static_cast<std::ptrdiff_t>(start), text.end(), base::is_blank);
    const auto end = static_cast<std::size_t>(blank - text.begin());
    const std::string_view word = text.substr(start, end - start);
    if (has_contact(word)) {
      return start;
    }
    start = end + 1;
  }
  return text.size();
}

/// Finds the crawler's own name in a `User-Agent` header that names several products, or begins
/// like a browser's. RFC 9110, section 10.1.5: `User-Agent = product *( RWS ( product / comment )
/// )`.
///
///     Mozilla/5.0 (X11; Linux) Safari/605.1 (Applebot/0.1; +https://www.apple.com/go/applebot)
///
/// The search goes through the header once, from product to comment to product. It keeps two
/// names: `by_contact_` is the first product with a URL or a mail address beside it, in the same
/// comment or in the comment behind it. `other_` is the first product that is not in the table of
/// `shared_products`. A product in this table is never the answer. In a comment, only the part
/// behind `compatible;` and a part such as `FooBot/2.1` count as products, unless a contact
/// follows.
class product_search {
 public:
  constexpr explicit product_search(std::string_view header) noexcept { walk(header); }

  /// Returns the number of products outside comments.
  [[nodiscard]] constexpr std::size_t products() const noexcept { return products_; }

  /// Returns the crawler's name, or an empty text if all products are shared by many programs.
  [[nodiscard]] constexpr std::string_view name() const noexcept {
    return by_contact_.empty() ? other_ : by_contact_;
  }

 private:
  constexpr void walk(std::string_view rest) noexcept {
    while (!rest.empty()) {
      if (rest.front() == '(') {
        rest.remove_prefix(1);
        const std::size_t size = comment_size(rest);
        read_comment(rest.substr(0, size));
        rest.remove_prefix((std::min)(size + 1, rest.size()));
      } else if (ends_product_name(rest.front())) {
        rest.remove_prefix(1);
      } else {
        const auto end = std::find_if(rest.begin(), rest.end(), ends_word);
        read_word({rest.begin(), end});
        rest = {end, rest.end()};
      }
    }
  }

  [[nodiscard]] static constexpr bool ends_word(char c) noexcept {
    return c != '/' && ends_product_name(c);
  }

  /// Returns the octets before the `)` that ends a comment. Comments can contain comments (RFC
  /// 9110, section 5.6.5).
  [[nodiscard]] static constexpr std::size_t comment_size(std::string_view text) noexcept {
    std::size_t depth = 1;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\\') {
        ++i;  // the next octet is quoted
      } else if (text[i] == '(') {
        ++depth;
      } else if (text[i] == ')' && --depth == 0) {
        return i;
      }
    }
    return text.size();
  }

  constexpr void read_word(std::string_view word) noexcept {
    if (contact_at(word) < word.size()) {
      take_by_contact(latest_);
      return;
    }
    const std::string_view name = product_name(word);
    const bool has_version = name.size() < word.size();
    if (!can_be_crawler(name)) {
      // A shared product is a product, too, but a version without a name is none.
      if (is_shared_product(name)) {
        ++products_;
        latest_ = has_version ? std::string_view{} : latest_;
      }
      return;
    }
    ++products_;
    if (other_.empty()) {
      other_ = name;
    }
    if (has_version || latest_.empty()) {
      latest_ = name;
    }
  }

  constexpr void read_comment(std::string_view comment) noexcept {
    std::string_view before{};  // the part before the present one
    bool is_named = false;      // true if `before` follows `compatible;`
    bool wants_name = false;    // true after a contact without a name
    while (!comment.empty()) {
      const std::size_t size = (std::min)(comment.find(';'), comment.size());
      const std::string_view part = base::trim(comment.substr(0, size), base::is_blank);
      comment.remove_prefix((std::min)(size + 1, comment.size()));
      const bool follows_compatible = base::equal_ignoring_case(before, "compatible");
      const std::size_t contact = contact_at(part);
      const std::string_view text = base::trim(part.substr(0, contact), base::is_blank);
      if (contact < part.size()) {
        const bool is_own = follows_compatible || text.find('/') != std::string_view::npos;
        take_by_contact(is_own ? single_name(text, follows_compatible) : std::string_view{});
        take_by_contact(single_name(before, is_named));
        take_by_contact(latest_);
        take_by_contact(single_name(text, false));
        wants_name = by_contact_.empty();
      } else if (wants_name) {
        take_by_contact(single_name(part, false));
        wants_name = false;
      }
      const bool is_product = follows_compatible || part.find('/') != std::string_view::npos;
      if (other_.empty() && is_product && contact == part.size()) {
        other_ = single_name(part, follows_compatible);
      }
      is_named = follows_compatible;
      before = part;
    }
  }

  /// Returns the name in a part of a comment, or an empty text. The part must be one word, unless
  /// it follows `compatible;`: `Yahoo! Slurp` is a name there, and `Nexus 5X` is none elsewhere.
  [[nodiscard]] static constexpr std::string_view single_name(std::string_view part,
                                                              bool follows_compatible) noexcept {
    const std::string_view name = product_name(part);
    const std::string_view word = part.substr(0, part.find(' '));
    const bool is_single = follows_compatible || word.size() == part.size() ||
                           part.substr(word.size()).starts_with(" (");
    return is_single && can_be_crawler(name) ? name : std::string_view{};
  }

  constexpr void take_by_contact(std::string_view name) noexcept {
    if (by_contact_.empty()) {
      by_contact_ = name;
    }
  }

  std::size_t products_ = 0;
  std::string_view latest_{};  // the last product outside comments that a contact can be beside
  std::string_view by_contact_{};
  std::string_view other_{};
};

}  // namespace robots::rep_detail
