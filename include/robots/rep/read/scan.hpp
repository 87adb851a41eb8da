#pragma once

#include <robots/base/config.hpp>
#include <robots/base/utf8.hpp>
#include <robots/rep/read/detail/dialect_traits.hpp>
#include <robots/rep/read/detail/invisible.hpp>
#include <robots/rep/read/detail/line.hpp>
#include <robots/rep/read/detail/parse_delay.hpp>
#include <robots/rep/read/diagnostic.hpp>
#include <robots/rep/read/directive.hpp>
#include <robots/rep/read/file_findings.hpp>
#include <robots/rep/read/foreign_content.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/read/read_lines.hpp>
#include <robots/rep/read/request_rate.hpp>
#include <robots/rep/read/visit_time.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace robots {

/// A type to which `scan` passes every directive, in file order. `scan` calls
/// `handler.on_directive(line)`. The views of `line` point into the scanned text.
///
/// If the handler has `on_diagnostic`, `scan` passes every finding about the text to this function.
/// If the handler has `waits_for_group`, `scan` may pass over all lines except User-agent lines
/// while this function returns true. Then the result of `scan` has no meaning.
template <class H>
concept DirectiveHandler =
    requires(H& handler, const directive& line) { handler.on_directive(line); };

/// The maximum number of octets read from one line, as in google/robotstxt.
inline constexpr std::size_t max_line_bytes = 16'663;

namespace rep_detail {

/// Returns the maximum number of octets to read. Offsets must fit into 32 bits.
[[nodiscard]] constexpr std::size_t text_limit(const parse_options& options) noexcept {
  constexpr std::size_t most = std::size_t{256} << 20U;
  return (std::min)(options.max_bytes, most);
}

template <DirectiveHandler Handler>
class scanner {
  static constexpr bool diagnoses =
      requires(Handler& handler, const diagnostic& finding) { handler.on_diagnostic(finding); };
  static constexpr bool waits = requires(Handler& handler) { handler.waits_for_group(); };
  static_assert(!(diagnoses && waits), "the lines that are passed over would have no diagnostics");

 public:
  constexpr scanner(Handler& handler, const parse_options& options,
                    const dialect_traits& traits) noexcept
      : handler_(handler), options_(options), traits_(traits) {}

  constexpr file_findings::line_counts run(std::string_view text) {
    const std::string_view whole = cut(text);
    begin_ = whole.data();
    if constexpr (!waits) {
      const foreign_content foreign = find_foreign_content(text);
      counts_.not_robots_txt = foreign != foreign_content::none;
      if (foreign == foreign_content::other) {  // markup is reported as `looks_like_html`
        report(diagnostic_code::not_robots_txt, whole.substr(0, 0));
      }
    }
    read_lines(without_byte_order_mark(whole));
    if (whole.size() < text.size()) {
      begin_ = whole.data();
      report(diagnostic_code::file_too_long, whole.substr(0, 0));
    }
    return counts_;
  }

  /// Returns true if a Disallow pattern begins with neither `/` nor `*`, so that it never matches.
  [[nodiscard]] constexpr bool has_dead_disallow() const noexcept { return has_dead_disallow_; }

 private:
  /// Cuts the text at the limit (RFC 9309, section 2.5). Drops the line that the limit cuts. A cut
  /// line can have the opposite effect: `Disallow: /` could become `Disallow:`.
  [[nodiscard]] constexpr std::string_view cut(std::string_view text) const noexcept {
    const std::size_t limit = text_limit(options_);
    if (text.size() <= limit && !options_.truncated) {
      return text;
    }
    const bool at_line_end = text.size() > limit && is_line_end(text[limit]);
    text = text.substr(0, limit);
    const auto last_end = std::find_if(text.rbegin(), text.rend(), is_line_end);
    return at_line_end ? text : text.substr(0, static_cast<std::size_t>(text.rend() - last_end));
  }

  [[nodiscard]] constexpr std::string_view without_byte_order_mark(
      std::string_view text) const noexcept {
    if (traits_.one_byte_order_mark) {
      constexpr std::string_view mark = base::byte_order_mark;
      return {std::mismatch(text.begin(), text.end(), mark.begin(), mark.end()).first, text.end()};
    }
    while (begins_with(text, base::byte_order_mark)) {
      text.remove_prefix(base::byte_order_mark.size());
    }
    return text.substr(base::damaged_mark_size(text));
  }

  /// Removes an incomplete percent escape at the end of `line`.
  [[nodiscard]] static constexpr std::string_view without_cut_escape(
      std::string_view line) noexcept {
    const std::size_t tail = line.size() - std::min<std::size_t>(line.size(), 2);
    const auto percent = line.substr(tail).rfind('%');
    return percent == std::string_view::npos ? line : line.substr(0, tail + percent);
  }

  [[nodiscard]] static constexpr bool has_nul(std::string_view text) noexcept {
    return text.find('\0') != std::string_view::npos;
  }

  constexpr void read_lines(std::string_view text) {
    const char* const text_end = text.data() + text.size();
    for (const char* next = text.data(); next != text_end;) {
      ++number_;
      begin_ = next;
      const char* const end =
          is_passed_over(*next) ? find_line_end(next, text_end) : read_line(next, text_end);
      next = after_line_end(end, text_end);
    }
  }

  /// Returns true if no line that begins with `first` matters to the handler.
  [[nodiscard]] ROBOTS_ALWAYS_INLINE constexpr bool is_passed_over(char first) const noexcept {
    return waits && is_waiting_ && !begins_user_agent[static_cast<unsigned char>(first)];
  }

  /// Returns the start of the next line. CR LF is one line end.
  [[nodiscard]] ROBOTS_ALWAYS_INLINE static constexpr const char* after_line_end(
      const char* end, const char* text_end) noexcept {
    if (end == text_end) {
      return end;
    }
    const char* const next = end + 1;
    return *end == '\r' && next != text_end && *next == '\n' ? next + 1 : next;
  }

  ROBOTS_ALWAYS_INLINE constexpr const char* read_line(const char* begin, const char* text_end) {
    const char* const first = base::is_ws(*begin) ? skip_indent(begin, text_end) : begin;
    if (first == text_end || *first == '#' || is_line_end(*first)) {
      const bool is_comment = first != text_end && *first == '#';
      const char* const end = is_comment ? find_line_end(first, text_end) : first;
      if (is_too_long(begin, end)) [[unlikely]] {
        read_other(begin, end);
      }
      return end;
    }
    const common_line line = read_common_line(first, text_end);
    if (is_too_long(begin, line.end)) [[unlikely]] {
      read_other(begin, line.end);
    } else if (line.kind != directive_kind::unknown) [[likely]] {
      ++counts_.non_blank;
      emit({.kind = line.kind,
            .key = line.key,
            .value = line.value,
            .line = number_,
            .column = column_of(line.value)});
    } else if (*first == '<') {
      read_markup(first);
    } else {
      read_other(first, line.end);
    }
    return line.end;
  }

  [[nodiscard]] static constexpr bool is_too_long(const char* begin, const char* end) noexcept {
    return end - begin > static_cast<std::ptrdiff_t>(max_line_bytes);
  }

  constexpr void read_markup(const char* about) {
    ++counts_.non_blank;
    malformed(std::exchange(seen_html_, true) ? diagnostic_code::malformed_line
                                              : diagnostic_code::looks_like_html,
              {about, 1});
  }

  /// Reads a line that is too long or not a common line.
  ROBOTS_NOINLINE constexpr void read_other(const char* begin, const char* end) {
    std::string_view line{begin, end};
    bool is_cut = false;
    if (line.size() > max_line_bytes) {
      line = line.substr(0, max_line_bytes);
      // If the cut is inside a comment, the directive before the comment is complete.
      is_cut = line.find('#') == std::string_view::npos;
      if (is_cut && !traits_.keeps_cut_allow) {
        line = without_cut_escape(line);
      }
      if (is_cut) {
        report(diagnostic_code::line_too_long, line.substr(line.size()));
      }
    }
    line = line.substr(0, line.find('#'));
    bool nul = has_nul(line);
    if (nul && traits_.nul_ends_line) {
      line = line.substr(0, line.find('\0'));
      nul = false;
    }
    std::string_view text = base::trim(line, is_padding);
    if (!traits_.keeps_invisible && !text.empty() && is_odd(text.front())) {
      const std::string_view visible = without_invisible_start(text);
      if (visible.size() != text.size() && !visible.empty()) {
        report_invisible(text);
      }
      text = visible;
    }
    if (text.empty()) {
      return;
    }
    if (text.front() == '<') {
      read_markup(text.data());
      return;
    }
    ++counts_.non_blank;
    const key_and_value parts = split_line(text);
    if (nul && (has_nul(parts.key) || has_nul(parts.value))) {
      drop(diagnostic_code::nul_in_line, text, parts);
    } else if (!parts.found || (options_.strict && !parts.colon)) {
      drop(diagnostic_code::malformed_line, text, parts);
    } else {
      read_parts(parts, is_cut);
    }
  }

  /// Ignores the value of `line`, but not its kind. Even a malformed User-agent line can start a
  /// group. Then the rules below the line do not apply to the crawlers above. Even a malformed rule
  /// ends a list of User-agent lines.
  constexpr void drop(diagnostic_code code, std::string_view line, const key_and_value& parts) {
    malformed(code, line);
    if ((traits_.ignores_keyless_lines && !parts.found) || (!may_be_key(line) && !has_nul(line))) {
      return;
    }
    const auto words_to = [line](std::size_t from) {
      const auto blank =
          std::find_if(line.begin() + (std::min)(from, line.size()), line.end(), is_padding);
      return line.substr(0, static_cast<std::size_t>(blank - line.begin()));
    };
    std::string_view key = parts.colon ? parts.key : words_to(0);
    directive_kind kind = kind_without_nul(key);
    if (!parts.colon && kind == directive_kind::unknown) {
      key = words_to(key.size() + 1);  // `User agent a b`
      kind = kind_without_nul(key);
    }
    if (kind == directive_kind::user_agent) {
      const std::string_view nobody = line.substr(line.size());
      directive unnamed{
          .kind = kind, .key = key, .value = nobody, .line = number_, .column = column_of(nobody)};
      place(unnamed);
      handler_.on_directive(unnamed);
    } else if (is_rule(kind) && key.size() < line.size()) {  // a key alone is not a rule
      close_agents();
    }
  }

  [[nodiscard]] constexpr directive_kind kind_without_nul(std::string_view key) const noexcept {
    std::array<char, 16> octets{};  // longer than each spelling of a key
    if (has_nul(key)) {
      std::size_t size = 0;
      for (const char c : key) {
        if (c != '\0' && size < octets.size()) {
          octets[size++] = c;
        }
      }
      key = {octets.data(), size};
    }
    return recognise_key(key, traits_.key_prefixes, options_.strict).kind;
  }

  constexpr void read_parts(const key_and_value& parts, bool is_cut) {
    auto [kind, misspelled] = recognise_key(parts.key, traits_.key_prefixes, options_.strict);
    std::string_view key = parts.key;
    if (kind == directive_kind::unknown && !traits_.keeps_invisible) {
      key = without_invisible_ends(key);
      if (key.size() != parts.key.size()) {
        report_invisible(parts.key);
        kind = recognise_key(key, traits_.key_prefixes, options_.strict).kind;
      }
    }
    if (!parts.colon) {
      // If the first of two words is not a known key, the line is prose, not a directive.
      if (kind == directive_kind::unknown) {
        malformed(diagnostic_code::malformed_line, parts.key);
        return;
      }
      report(diagnostic_code::missing_colon, parts.value);
    }
    if (misspelled) {
      report(diagnostic_code::misspelled_key, parts.key);
    }
    if (kind == directive_kind::unknown) {
      report(diagnostic_code::unknown_key, parts.key);
    }
    if (is_cut && kind == directive_kind::allow && !traits_.keeps_cut_allow) {
      close_agents();
      return;
    }
    const std::uint32_t malformed_above = counts_.malformed;
    emit({.kind = kind,
          .key = key,
          .value = parts.value,
          .line = number_,
          .column = column_of(parts.value)});
    if ((misspelled || !parts.colon) && counts_.malformed == malformed_above) {
      ++counts_.guessed;
    }
  }

  ROBOTS_ALWAYS_INLINE constexpr void emit(directive line) {
    if (!line.value.empty() && (is_high(line.value.front()) || is_high(line.value.back())))
        [[unlikely]] {
      line.value = visible_value(line.kind, line.value);
      line.column = column_of(line.value);
    }
    place(line);
    if constexpr (!waits) {
      if (is_rule(line.kind)) [[likely]] {
        check_rule(line);
      } else {
        check_other(line.kind, line.value);
      }
    }
    handler_.on_directive(line);
  }

  /// Sets the members of `line` that depend on the lines above: `starts_group`, `starts_run` and
  /// `in_group`. User-agent lines belong to one group if no rule stands between them (RFC 9309,
  /// sections 2.1 and 2.2.4).
  ROBOTS_ALWAYS_INLINE constexpr void place(directive& line) {
    if (is_rule(line.kind)) [[likely]] {
      if (in_agents_) {
        close_agents();
      }
    } else if (line.kind == directive_kind::user_agent) {
      is_waiting_ = false;
      if (has_odd_end(line.value) && !traits_.keeps_invisible) [[unlikely]] {
        line.value = trimmed_name(line.value);
        line.column = column_of(line.value);
      }
      line.starts_group = !in_agents_;
      line.starts_run = line.starts_group || run_is_over_;
      run_is_over_ = false;
      if (line.starts_run) {
        run_has_delay_ = false;
      }
      if (in_agents_ && delay_among_agents_) {
        report(diagnostic_code::delay_only_group, line.key);
      }
      in_agents_ = true;
      in_group_ = true;
      delay_among_agents_ = false;
    } else if (is_for_crawler(line.kind)) {
      run_is_over_ = true;
      if (line.kind == directive_kind::crawl_delay) {
        delay_among_agents_ = in_agents_;
        if (options_.delay_closes_group) {
          close_agents();
        }
      }
    }
    line.in_group = in_group_;
  }

  /// Returns true for an octet outside ASCII, which can be a part of an invisible character.
  [[nodiscard]] static constexpr bool is_high(char c) noexcept {
    return static_cast<unsigned char>(c) >= 0x80;
  }

  /// Returns true for an octet that can be a part of an invisible character, and for `;`.
  [[nodiscard]] static constexpr bool is_odd(char c) noexcept { return is_high(c) || c == ';'; }

  /// Removes invisible characters from the ends of a value, which would else never match, or hide a
  /// number. Removes octets in ISO-8859-1 only in front of a path, since they can end one.
  /// `trimmed_name` reads the value of a User-agent line.
  [[nodiscard]] ROBOTS_NOINLINE constexpr std::string_view visible_value(directive_kind kind,
                                                                         std::string_view written) {
    if (traits_.keeps_invisible || kind == directive_kind::user_agent) {
      return written;
    }
    std::string_view value = without_invisible_ends(written);
    if (is_rule(kind)) {
      const std::string_view path = without_western_start(value);
      value = begins_as_pattern(path) ? path : value;
    }
    if (value.size() != written.size()) {
      report_invisible(written);
    }
    return value;
  }

  [[nodiscard]] static constexpr bool has_odd_end(std::string_view name) noexcept {
    return !name.empty() && (is_odd(name.front()) || is_odd(name.back()) ||
                             (name.front() == '*' && name.size() > 1 && is_odd(name[1])));
  }

  /// Removes invisible characters and `;` from the ends of a name, and all text that such a
  /// character separates from `*`. Takes no reference to the directive, which stays in registers.
  [[nodiscard]] ROBOTS_NOINLINE constexpr std::string_view trimmed_name(std::string_view written) {
    std::string_view name = without_invisible_ends(written);
    while (name.ends_with(';')) {
      name = without_invisible_ends(name.substr(0, name.size() - 1));
    }
    if (name.size() > 1 && name.front() == '*' &&
        (name[1] == ';' || invisible_at_start(name.substr(1)).size != 0)) {
      name = name.substr(0, 1);
    }
    if (name.size() == written.size()) {
      return name;
    }
    if (find_invisible(written).size != 0) {
      report_invisible(written);
    } else {
      report(diagnostic_code::semicolon_after_name, written.substr(written.find(';')));
    }
    return name;
  }

  ROBOTS_ALWAYS_INLINE constexpr void check_rule(const directive& line) {
    if (!line.in_group) [[unlikely]] {
      report(diagnostic_code::rule_outside_group, line.key);
    }
    if (pattern_never_matches(line.value)) [[unlikely]] {
      report(diagnostic_code::pattern_never_matches, line.value);
      has_dead_disallow_ = has_dead_disallow_ || line.kind == directive_kind::disallow;
    }
  }

  constexpr void check_other(directive_kind kind, std::string_view value) {
    if (kind == directive_kind::user_agent && value.empty()) {
      malformed(diagnostic_code::empty_product_token, value);
    } else if (kind == directive_kind::crawl_delay) {
      if (!parse_delay(value)) {
        malformed(diagnostic_code::invalid_crawl_delay, value);
      } else if (std::exchange(run_has_delay_, true)) {
        report(diagnostic_code::repeated_crawl_delay, value);
      }
    } else if (kind == directive_kind::request_rate && !request_rate::parse(value)) {
      malformed(diagnostic_code::invalid_request_rate, value);
    } else if (kind == directive_kind::visit_time && !visit_time::parse(value)) {
      malformed(diagnostic_code::invalid_visit_time, value);
    }
  }

  [[nodiscard]] constexpr bool pattern_never_matches(std::string_view value) const noexcept {
    return !value.empty() && !begins_as_pattern(value) && !options_.prepend_slash;
  }

  constexpr void close_agents() noexcept {
    in_agents_ = false;
    delay_among_agents_ = false;
    if constexpr (waits) {
      is_waiting_ = handler_.waits_for_group();
    }
  }

  constexpr void malformed(diagnostic_code code, std::string_view about) {
    ++counts_.malformed;
    report(code, about);
  }

  constexpr void report(diagnostic_code code, std::string_view about) {
    if constexpr (diagnoses) {
      handler_.on_diagnostic(make_diagnostic(code, (std::max)(number_, 1U), column_of(about)));
    }
  }

  /// Reports the first invisible character of `about`.
  constexpr void report_invisible(std::string_view about) {
    if constexpr (diagnoses) {
      const invisible_character found = find_invisible(about);
      diagnostic finding =
          make_diagnostic(diagnostic_code::invisible_character, (std::max)(number_, 1U),
                          column_of(about.substr(found.at)));
      if (found.size != 0) {  // otherwise, the character is in ISO-8859-1
        finding.text = found.text;
      }
      handler_.on_diagnostic(finding);
    }
  }

  [[nodiscard]] constexpr std::uint32_t column_of(std::string_view about) const noexcept {
    return static_cast<std::uint32_t>(about.data() - begin_) + 1;
  }

  Handler& handler_;
  const parse_options& options_;
  const dialect_traits& traits_;
  const char* begin_ = nullptr;  // start of the current line
  std::uint32_t number_ = 0;     // number of the current line, 1-based
  file_findings::line_counts counts_;
  bool in_group_ = false;
  bool in_agents_ = false;
  bool run_is_over_ = false;
  bool delay_among_agents_ = false;
  bool run_has_delay_ = false;
  bool seen_html_ = false;
  bool has_dead_disallow_ = false;
  bool is_waiting_ = waits;  // true if the handler needs only User-agent lines now
};

/// Counts the Disallow lines of a file by the start of their patterns.
struct disallow_lines {
  constexpr void on_directive(const directive& line) noexcept {
    if (line.kind == directive_kind::disallow && !line.value.empty()) {
      ++(begins_as_pattern(line.value) ? live : dead);
    }
  }

  std::uint32_t live = 0;
  std::uint32_t dead = 0;
};

/// If all Disallow patterns of a file are dead, its author plainly meant to deny something, and the
/// file denies nothing. So these lines count as malformed. Beside a good pattern, they do not.
ROBOTS_NOINLINE constexpr void count_dead_disallows(file_findings::line_counts& counts,
                                                    std::string_view text,
                                                    const parse_options& options) {
  disallow_lines lines;
  static_cast<void>(scanner<disallow_lines>{lines, options, traits_of(options.dialect)}.run(text));
  if (lines.live == 0) {
    counts.malformed += lines.dead;
    counts.all_disallows_dead = true;
  }
}

}  // namespace rep_detail

/// Reads a robots.txt in one pass, and gives its directives to `handler`, in file order. Returns
/// how many lines have content, and how many of these lines are malformed.
///
/// Accepts any octets. Reports and skips unreadable lines. Throws only if the handler throws. Takes
/// linear time.
template <DirectiveHandler Handler>
constexpr file_findings::line_counts scan(std::string_view text, Handler& handler,
                                          const parse_options& options = {}) {
  rep_detail::scanner<Handler> reader{handler, options, rep_detail::traits_of(options.dialect)};
  file_findings::line_counts counts = reader.run(text);
  if (reader.has_dead_disallow()) [[unlikely]] {
    rep_detail::count_dead_disallows(counts, text, options);
  }
  return counts;
}

}  // namespace robots
