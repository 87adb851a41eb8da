#pragma once

#include <robots/rep/read/crawler_names.hpp>
#include <robots/rep/read/detail/parse_delay.hpp>
#include <robots/rep/read/diagnostic.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/file_findings.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/read/product_token.hpp>
#include <robots/rep/read/read_lines.hpp>
#include <robots/rep/read/scan.hpp>
#include <robots/rep/rules/detail/rule_collector.hpp>
#include <robots/rep/rules/rule_set.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace robots {

namespace rep_detail {

/// A directive, stored as positions in the document's text. At most 16,663 octets of a line are
/// parsed, so a position in a line needs only two octets.
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

  /// `line` must point into `text`.
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

[[nodiscard]] constexpr std::span<const document_line> lines_before(
    std::span<const document_line> lines, bool document_line::* mark) noexcept {
  const auto marked = std::find_if(lines.begin(), lines.end(),
                                   [&](const document_line& line) { return line.*mark; });
  return lines.first(static_cast<std::size_t>(marked - lines.begin()));
}

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

/// The values of all lines of one kind in a part of a `document`, as written, in file order. This
/// forward range of `std::string_view` is valid as long as the document.
class value_range {
 public:
  class iterator {
   public:
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;  // `*` returns values, not references
    using iterator_concept = std::forward_iterator_tag;

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
/// A line such as Crawl-delay between User-agent lines applies only to the crawlers above. So the
/// line divides the group into parts. `document::groups` lists each part as a separate group, with
/// all rules of the whole group. So a loop over the rules of all groups can take quadratic time.
struct group {
  rep_detail::value_range user_agents;                   ///< product tokens, as written
  rep_detail::value_range allow;                         ///< patterns of Allow lines, as written
  rep_detail::value_range disallow;                      ///< patterns of Disallow lines, as written
  std::optional<std::chrono::milliseconds> crawl_delay;  ///< the first valid delay
};

/// The content of one robots.txt, read by `parse` (source: WEB::ROBOTS, see tests/requirements.md).
///
/// A document owns a copy of the text. All returned views and ranges refer to this copy, so they
/// live as long as the document. Several threads can query one object at once.
///
/// A `user_agent` is a product token or a whole `User-Agent` header value; "*" stands for every
/// crawler that no group names. A browser's header names no crawler, so it gets the answer of "*".
/// A path or a URL is no user agent, so it gets no permission. A `target` is an absolute URL or a
/// path with query. A target that has neither a scheme nor a leading slash is read as a path:
/// `example.com/admin` means
/// `/example.com/admin`. But `dialect::google` reads the `example.com` of this target as a host.
class document {
  using name_text = std::string_view;
  using name_span = std::span<const std::string_view>;
  using name_list = std::initializer_list<std::string_view>;

 public:
  // Functions whose results refer to the document are deleted for temporary documents. The compiler
  // prints the comment at the end of the deleted declaration, which says what to do.

  /// Makes a document without lines, which allows everything.
  constexpr document() = default;

  /// Returns true if the crawler is allowed to fetch `target`. Costs the same as `match`.
  [[nodiscard]] constexpr bool allows(std::string_view target,
                                      std::string_view user_agent = "*") const {
    return rules_for(user_agent).allows(target);
  }
  /// Answers for a crawler with several names, such as a `crawler_names`; see `compile`.
  [[nodiscard]] constexpr bool allows(std::string_view target,
                                      std::span<const std::string_view> user_agents) const {
    return rules_for(user_agents).allows(target);
  }
  /// Accepts a list of names in braces.
  [[nodiscard]] constexpr bool allows(std::string_view target,
                                      std::initializer_list<std::string_view> user_agents) const {
    return rules_for(user_agents).allows(target);
  }

  /// Returns the verdict with the deciding rule. The verdict is valid as long as this document and
  /// the text of `user_agent` exist. Each call compiles the crawler's rules. For many queries about
  /// one crawler, keep the result of `rules_for`.
  [[nodiscard]] constexpr verdict match(std::string_view target,
                                        std::string_view user_agent = "*") const& {
    return match(target, std::span{&user_agent, 1});
  }
  /// Answers for a crawler with several names, such as a `crawler_names`; see `compile`.
  [[nodiscard]] constexpr verdict match(std::string_view target,
                                        std::span<const std::string_view> user_agents) const& {
    const rule_set rules = rules_for(user_agents);
    verdict result = rules.match(target);
    // The result outlives `rules`, so its views must not refer to `rules`.
    result.user_agent = name_in(user_agents, result.user_agent);
    result.nameless = rules.nameless();
    if (result.pattern) {
      const auto rule = std::lower_bound(lines_.begin(), lines_.end(), result.line,
                                         [](const rep_detail::document_line& line,
                                            std::uint32_t number) { return line.number < number; });
      result.pattern = rule->value(text());
    }
    return result;
  }
  verdict match(std::string_view, name_text = "*") const&& = delete;  // store the document
  verdict match(std::string_view, name_span) const&& = delete;        // store the document
  /// Accepts a list of names in braces, whose texts must live as long as the verdict.
  [[nodiscard]] constexpr verdict match(
      std::string_view target, std::initializer_list<std::string_view> user_agents) const& {
    return match(target,
                 std::span<const std::string_view>{user_agents.begin(), user_agents.size()});
  }
  verdict match(std::string_view, name_list) const&& = delete;  // store the document
  /// Does not compile for a name that ends with the call, since the verdict refers to it.
  template <class Name>
    requires(std::same_as<std::remove_const_t<Name>, std::string> ||
             std::same_as<std::remove_const_t<Name>, crawler_names>)
  verdict match(std::string_view, Name&&) const = delete;  // store the name

  /// Returns the values of the Sitemap lines of the whole file (RFC 9309, section 2.2.4).
  [[nodiscard]] constexpr rep_detail::value_range sitemaps() const& noexcept {
    return values(directive_kind::sitemap);
  }
  void sitemaps() const&& = delete;  // store the document

  /// Returns the first Host value that is not empty. Host lines have no effect on any verdict.
  [[nodiscard]] constexpr std::optional<std::string_view> host() const& noexcept {
    for (const std::string_view value : values(directive_kind::host)) {
      if (!value.empty()) {
        return value;
      }
    }
    return std::nullopt;
  }
  std::optional<std::string_view> host() const&& = delete;  // store the document

  /// Returns the values of all lines of one kind, as written, in file order.
  [[nodiscard]] constexpr rep_detail::value_range values(directive_kind kind) const& noexcept {
    return {lines_, text(), kind};
  }
  void values(directive_kind) const&& = delete;  // store the document

  /// Returns the crawler's first valid Crawl-delay.
  [[nodiscard]] constexpr std::optional<std::chrono::milliseconds> crawl_delay(
      std::string_view user_agent = "*") const {
    return rules_for(user_agent).crawl_delay();
  }
  /// Answers for a crawler with several names, such as a `crawler_names`; see `compile`.
  [[nodiscard]] constexpr std::optional<std::chrono::milliseconds> crawl_delay(
      std::span<const std::string_view> user_agents) const {
    return rules_for(user_agents).crawl_delay();
  }

  /// Returns the first valid Crawl-delay that stands above the first group. This delay is for every
  /// crawler.
  [[nodiscard]] constexpr std::optional<std::chrono::milliseconds> file_delay() const noexcept {
    const auto before_groups =
        rep_detail::lines_before(lines_, &rep_detail::document_line::in_group);
    return rep_detail::first_delay(before_groups, text());
  }

  /// Lists every directive in file order, including directives of unknown kinds.
  [[nodiscard]] constexpr std::vector<directive> directives() const& {
    std::vector<directive> result;
    result.reserve(lines_.size());
    for (const rep_detail::document_line& line : lines_) {
      result.push_back(line.as_directive(text()));
    }
    return result;
  }
  std::vector<directive> directives() const&& = delete;  // store the document

  /// Lists the directives for a crawler, in file order, without User-agent lines. Uses the groups
  /// that name the crawler, or else the groups of `*`.
  [[nodiscard]] constexpr std::vector<directive> directives_for(
      std::string_view user_agent) const& {
    return directives_for(std::span{&user_agent, 1});
  }
  std::vector<directive> directives_for(name_text) const&& = delete;  // store the document
  /// Answers for a crawler with several names, such as a `crawler_names`; see `compile`.
  [[nodiscard]] constexpr std::vector<directive> directives_for(
      std::span<const std::string_view> user_agents) const& {
    std::vector<directive> found;
    rep_detail::rule_collector groups{user_agents, options_};
    for (const rep_detail::document_line& stored : lines_) {
      const directive line = stored.as_directive(text());
      if (line.kind == directive_kind::user_agent) {
        if (groups.on_user_agent(line)) {
          found.clear();
        }
      } else if (groups.on_other(line)) {
        found.push_back(line);
      }
    }
    return found;
  }
  std::vector<directive> directives_for(name_span) const&& = delete;  // store the document

  /// Reads the lines of one kind that apply to a crawler: `file.read<request_rate>("FooBot")`.
  /// Skips unreadable lines. Lines for the whole file, such as `clean_param`, apply to every
  /// crawler. Takes time linear in the file.
  template <class Line>
  [[nodiscard]] constexpr std::vector<Line> read(std::string_view user_agent = "*") const& {
    return read<Line>(std::span{&user_agent, 1});
  }
  /// Reads the lines for a crawler with several names, such as a `crawler_names`; see `compile`.
  template <class Line>
  [[nodiscard]] constexpr std::vector<Line> read(
      std::span<const std::string_view> user_agents) const& {
    if constexpr (rep_detail::is_for_crawler(Line::kind)) {
      return read_lines<Line>(directives_for(user_agents));
    } else {
      return read_lines<Line>(directives());
    }
  }
  /// Accepts a list of names in braces.
  template <class Line>
  [[nodiscard]] constexpr std::vector<Line> read(
      std::initializer_list<std::string_view> user_agents) const& {
    return read<Line>(std::span<const std::string_view>{user_agents.begin(), user_agents.size()});
  }
  template <class Line>
    requires(!rep_detail::has_no_views<Line>)
  std::vector<Line> read(std::string_view = "*") const&& = delete;  // store the document
  template <class Line>
    requires(!rep_detail::has_no_views<Line>)
  std::vector<Line> read(name_span) const&& = delete;  // store the document

  /// Returns the groups in file order, not merged. Takes linear time.
  [[nodiscard]] constexpr std::vector<group> groups() const&;
  std::vector<group> groups() const&& = delete;  // store the document

  /// Returns the problems that the author of the file should know about, in file order.
  [[nodiscard]] constexpr std::span<const diagnostic> diagnostics() const& noexcept {
    return diagnostics_;
  }
  std::span<const diagnostic> diagnostics() const&& = delete;  // store the document

  /// Returns the options with which the text was parsed.
  [[nodiscard]] constexpr const parse_options& options() const& noexcept { return options_; }
  const parse_options& options() const&& = delete;  // store the document

  /// Returns how many lines have content, and how many of these lines are malformed
  /// (source: the pipeline guide).
  [[nodiscard]] constexpr file_findings::line_counts lines() const noexcept { return counts_; }

  /// Compiles the rules for one crawler.
  [[nodiscard]] constexpr rule_set rules_for(std::string_view user_agent) const {
    return rules_for(std::span{&user_agent, 1});
  }

  /// Compiles the rules for a crawler with several names; see `compile`.
  [[nodiscard]] constexpr rule_set rules_for(std::span<const std::string_view> user_agents) const {
    rep_detail::rule_collector collector{user_agents, options_};
    for (const rep_detail::document_line& line : lines_) {
      collector.on_directive(line.as_directive(text()));
    }
    return collector.finish();
  }

  /// Accepts a list of names in braces.
  [[nodiscard]] constexpr rule_set rules_for(
      std::initializer_list<std::string_view> user_agents) const {
    return rules_for(std::span<const std::string_view>{user_agents.begin(), user_agents.size()});
  }

 private:
  friend constexpr document parse(std::string_view text, parse_options options);

  struct builder {
    document& file;
    std::string_view text;

    static constexpr std::size_t least_line = 12;  // octets of the line `Disallow: /`

    constexpr void on_directive(const directive& line) {
      file.lines_.push_back(rep_detail::document_line::of(line, text));
    }
    constexpr void on_diagnostic(const diagnostic& found) {
      if (file.diagnostics_.empty()) {
        file.diagnostics_.reserve(text.size() / least_line + 8);
      }
      file.diagnostics_.push_back(found);
    }
  };

  /// Returns the name among `user_agents` that has the token `named`, which a rule set returned.
  [[nodiscard]] constexpr std::string_view name_in(std::span<const std::string_view> user_agents,
                                                   std::string_view named) const noexcept {
    for (const std::string_view user_agent : user_agents) {
      const std::string_view token =
          is_target(user_agent) ? user_agent : product_token(user_agent, options_.dialect);
      if (token == named && named != "*") {
        return token;
      }
    }
    return named.empty() ? std::string_view{} : "*";
  }

  [[nodiscard]] constexpr std::string_view text() const noexcept {
    return {octets_.data(), octets_.size()};
  }

  std::vector<char> octets_;
  std::vector<rep_detail::document_line> lines_;
  std::vector<diagnostic> diagnostics_;
  file_findings::line_counts counts_{};
  parse_options options_;
};

constexpr std::vector<group> document::groups() const& {
  using rep_detail::document_line;
  using lines = std::span<const document_line>;
  const auto size_up_to = [](lines rest, bool document_line::* mark) {
    return rest.empty() ? 0 : 1 + rep_detail::lines_before(rest.subspan(1), mark).size();
  };
  std::vector<group> result;
  lines rest = lines_;
  rest = rest.subspan(rep_detail::lines_before(rest, &document_line::starts_group).size());
  while (!rest.empty()) {
    lines all = rest.first(size_up_to(rest, &document_line::starts_group));
    rest = rest.subspan(all.size());
    while (!all.empty()) {
      const lines run = all.first(size_up_to(all, &document_line::starts_run));
      result.push_back({.user_agents = {run, text(), directive_kind::user_agent},
                        .allow = {all, text(), directive_kind::allow},
                        .disallow = {all, text(), directive_kind::disallow},
                        .crawl_delay = rep_detail::first_delay(run, text())});
      all = all.subspan(run.size());
    }
  }
  return result;
}

/// Parses a whole robots.txt.
///
/// Accepts any octets, and never throws because of them. Skips unreadable lines, and reports them
/// in `document::diagnostics`. Takes linear time. Works in constant expressions.
[[nodiscard]] constexpr document parse(std::string_view text, parse_options options = {}) {
  document result;
  result.options_ = options;
  const std::string_view source = text.substr(0, rep_detail::text_limit(options));
  result.lines_.reserve(source.size() / document::builder::least_line);
  document::builder builder{result, source};
  result.counts_ = scan(text, builder, options);
  result.octets_ = {source.begin(), source.end()};
  return result;
}

}  // namespace robots
