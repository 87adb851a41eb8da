#pragma once

#include <robots/rep/document/document.hpp>
#include <robots/rep/read/crawler_names.hpp>
#include <robots/rep/read/purpose.hpp>
#include <robots/usage/page_rules.hpp>
#include <robots/usage/permission.hpp>
#include <robots/usage/usage_lines.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

/// A header, a meta element or a link that was added to a page and can say something about use.
struct page_field {
  statement_place place = statement_place::headers;  ///< `headers` or `meta`
  /// The number of the header or of the meta element, 1-based; 0 for a link of the page.
  std::uint32_t number = 0;
  std::string name{};   ///< the name, as written; `license` for a link
  std::string value{};  ///< the value, as written; the URL of a link

  [[nodiscard]] friend bool operator==(const page_field&, const page_field&) = default;
};

/// All that a site says about one page to one crawler, and what it means for a purpose.
///
///     robots.txt ----+
///     headers -------+--> statements, each with its place --> one permission for each purpose
///     meta elements -+         (`all`)                            (`may`)
///     tdmrep.json ---+
///
/// The object is made of a parsed robots.txt, then gets the headers, the meta elements and the
/// tdmrep.json, in any order. Which statement answers which purpose is the table in the guide "What
/// may I do with the page?". Among the statements that answer a purpose, the most restrictive one
/// wins: no, on terms, yes. It does no I/O, and owns everything that it keeps. Several threads can
/// ask one object at once.
class page_statements {
 public:
  /// Reads the statements of a robots.txt about `url`, an absolute URL or a path with query.
  /// `names` says who the crawler is: a product token, a whole `User-Agent` header value, or
  /// several names, the most specific first, and the policy tokens that bind it. A group of a
  /// policy token counts only if it names the token; the group of `*` does not answer for it.
  page_statements(const document& file, std::string_view url, const crawler_names_view& names);

  /// Begins with the answer of a robots.txt that was asked before. `verdict` is a statement of the
  /// kind `robots_rule`, and `lines` are the lines of this robots.txt. `page_of` calls this
  /// constructor with the facts of a decision.
  page_statements(page_statement verdict, const usage_lines& lines, std::string_view url,
                  const crawler_names_view& names);

  /// Adds a header of the page's response. Call it for each header, in order: it ignores those that
  /// say nothing about use. A response without any: `mark_read(statement_place::headers)`.
  void header(std::string_view name, std::string_view value);

  /// Adds a meta element of the page. Call it for each element: it ignores those that say nothing
  /// about use. A page without any, such as a PDF: `mark_read(statement_place::meta)`.
  void meta(std::string_view name, std::string_view content);

  /// Adds a link element of the page. A link with the relation `license`, the type
  /// `application/rsl+xml` and an absolute URL names a licence (RSL 1.0, section 4.2). Call it for
  /// each element: it ignores all others.
  void link(std::string_view rel, std::string_view type, std::string_view href);

  /// Adds the text of `/.well-known/tdmrep.json`. A site without one:
  /// `mark_read(statement_place::tdmrep)`.
  void tdmrep(std::string_view text);

  /// Says that a place was read, even if it held nothing.
  void mark_read(statement_place place);

  /// Says that a place was not read to its end, such as the head of a long page. The part that was
  /// read counts, but the rest could forbid more.
  void mark_unread(statement_place place);

  /// Returns true if the place was read to its end.
  [[nodiscard]] bool is_read(statement_place place) const noexcept {
    return is_read_[static_cast<std::size_t>(place)];
  }

  /// Honours what vendors add to a rule: `nosnippet` also forbids to give the page to a model
  /// (Google), and `noarchive` and `nocache` also forbid input and training (Bing). Off by default.
  void honour_vendor_meanings(bool honoured = true) noexcept { has_vendor_meanings_ = honoured; }

  /// Returns what all statements mean for one purpose at the time `now`.
  [[nodiscard]] permission may(purpose wanted, std::chrono::system_clock::time_point now) const;

  /// Returns the same for a label of Content-Signal or Content-Usage that no `purpose` stands for,
  /// such as `train-genai`.
  [[nodiscard]] permission may(std::string_view label,
                               std::chrono::system_clock::time_point now) const;

  /// Returns the headers, the meta elements and the links on which the answers depend, in order. A
  /// page that gets the same fields by `add` gives the same answers.
  [[nodiscard]] std::vector<page_field> fields() const;

  /// Adds a field of another page, with its number. Numbers must rise within a place.
  ///
  /// Throws `std::invalid_argument` for a number above 100,000, or one that does not rise.
  void add(const page_field& field);

  /// Returns the text of the tdmrep.json, or an empty optional if none was added.
  [[nodiscard]] const std::optional<std::string>& tdmrep_text() const noexcept { return tdmrep_; }

  /// Returns true if `honour_vendor_meanings` is on.
  [[nodiscard]] bool honours_vendor_meanings() const noexcept { return has_vendor_meanings_; }

  /// Returns the page rules that apply, from headers and meta elements.
  [[nodiscard]] page_rules rules() const;

  /// Lists everything that was said, in the order robots.txt, headers, meta elements, tdmrep.json,
  /// also what is for other crawlers, unknown or malformed.
  [[nodiscard]] std::vector<page_statement> all() const;

 private:
  [[nodiscard]] std::vector<std::string_view> tokens() const;
  void keep_names(const crawler_names_view& names);
  void read_robots(page_statement&& verdict, const usage_lines& lines);
  void add_page_rules(std::vector<page_statement>& to, const std::vector<page_rule>& rules,
                      const page_statement& source, bool is_for_crawler) const;
  void add_headers(std::vector<page_statement>& to) const;
  void add_meta(std::vector<page_statement>& to) const;
  void add_tdm(std::vector<page_statement>& to) const;
  template <class Effect>
  [[nodiscard]] permission combine(std::string_view purpose_name, Effect effect,
                                   std::span<const statement_place> places) const;

  std::string url_;
  std::vector<std::string> names_;
  std::vector<page_statement> in_robots_;
  std::vector<std::pair<purpose, page_statement>> token_verdicts_;
  std::vector<http_header> headers_;
  std::vector<http_header> meta_;  // names and contents
  std::vector<std::string> license_links_;
  std::optional<std::string> tdmrep_;
  bool may_fetch_ = true;
  bool is_undecided_ = false;  // the lines of the robots.txt could not be compared
  bool has_vendor_meanings_ = false;
  std::array<bool, 4> is_read_{true, false, false, false};  // by `statement_place`
};

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/usage/page_statements.bodies.hpp>
#endif
