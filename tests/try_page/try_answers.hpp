// The answers of the page on which one tries a robots.txt, as JSON.
//
//     robots.txt, crawler --> tried_file --+--> summary    the file: groups, delays, findings
//                                          +--> verdicts   one URL in each dialect: which rule
//                                          decides
//                                          +--> details    one URL: all rules that match, and its
//                                          use
//
// The page reads a file once, after each change, and then asks about each URL. Only the URL that
// the user chose needs details, which cost more. wasm.cpp passes these texts to the script of the
// page.
#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/json_writer.hpp>
#include <robots/http/charset.hpp>
#include <robots/http/host.hpp>
#include <robots/http/site.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/lint/lint.hpp>
#include <robots/rep/read/product_token.hpp>
#include <robots/rep/rules/explanation.hpp>
#include <robots/usage/page_statements.hpp>
#include <robots/usage/permission.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::try_page {

/// The facts about a page that can forbid its use, besides its robots.txt.
struct page_facts {
  std::string_view headers{};                   ///< the lines `NAME: VALUE` of the response
  bool headers_are_read = false;                ///< there are no other headers
  bool meta_is_read = false;                    ///< the page has no meta elements about use
  bool tdmrep_is_read = false;                  ///< the site has no tdmrep.json
  std::chrono::system_clock::time_point now{};  ///< the time of the answer
};

/// One robots.txt, read in each dialect for one crawler.
class tried_file {
 public:
  /// Reads any octets. UTF-16 with a byte order mark is converted, as a cache does.
  tried_file(std::string_view octets, std::string_view crawler)
      : crawler_(base::trim(crawler, base::is_blank)) {
    if (crawler_.empty()) {
      crawler_ = "*";
    }
    // One octet more than the parser reads shows the parser that the file is longer.
    parse_options options;
    const std::string_view start = octets.substr(0, options.max_bytes + 1);
    const std::optional<std::string> converted = to_utf8(start);
    const std::string_view text = converted ? std::string_view{*converted} : start;
    options.max_bytes = (std::max)(options.max_bytes, converted ? text.size() : 0);
    for (const dialect spoken : {dialect::rfc9309, dialect::google}) {
      options.dialect = spoken;
      read_file entry{.content = parse(text, options)};
      entry.rules = entry.content.rules_for(crawler_);
      readings_[spoken == dialect::rfc9309 ? 0 : 1] = std::move(entry);
    }
  }

  /// Returns the crawler's token, the groups and delays in each dialect, the sitemaps, and what
  /// `lint` finds. The lists have at most `most` entries, and the counts say how many there are.
  [[nodiscard]] std::string summary(std::size_t most = 500) const {
    base::json_writer line;
    line.text("token", product_token(crawler_)).flag("nameless", readings_[0].rules.nameless());
    line.open_list("dialects");
    for (const read_file& one : readings_) {
      line.open().text("dialect", to_string(one.content.options().dialect));
      line.text("group", to_string(one.rules.explain("/").group)).number("rules", one.rules.size());
      const auto delay = one.rules.crawl_delay();
      delay ? line.seconds("crawlDelay", *delay) : line.null("crawlDelay");
      line.close();
    }
    line.close_list();
    add_sitemaps(line, most);
    add_findings(line, most);
    return std::move(line).finish();
  }

  /// Returns the verdict about a URL, or about a path with query, in each dialect.
  [[nodiscard]] std::string verdicts(std::string_view url) const {
    base::json_writer line;
    const std::string full = full_url(url);
    const std::string problem = detail::url_problem(full);
    line.text("problem", problem).open_list("dialects");
    std::array<bool, 2> allowed{};
    for (std::size_t i = 0; i < readings_.size() && problem.empty(); ++i) {
      verdict answer = readings_[i].rules.match(target_in(readings_[i], full));
      answer.nameless = readings_[i].rules.nameless();
      allowed[i] = answer.allowed;
      line.open().text("dialect", to_string(readings_[i].content.options().dialect));
      line.flag("allowed", answer.allowed).number("line", answer.line);
      line.text("why", explain(answer)).close();
    }
    line.close_list().flag("differ", allowed[0] != allowed[1]);
    return std::move(line).finish();
  }

  /// Returns all rules that match a URL, in each dialect, and the answer for each purpose.
  [[nodiscard]] std::string details(std::string_view url, const page_facts& page) const {
    base::json_writer line;
    const std::string full = full_url(url);
    if (!detail::url_problem(full).empty()) {
      return std::move(line).finish();
    }
    line.open_list("dialects");
    for (const read_file& one : readings_) {
      add_matches(line, one, target_in(one, full));
    }
    line.close_list();
    add_purposes(line, full, page);
    return std::move(line).finish();
  }

 private:
  struct read_file {
    document content{};
    rule_set rules{};
  };

  /// Returns the URL that robots-check asks about: the rules of a file apply to every site.
  [[nodiscard]] static std::string full_url(std::string_view url) {
    return (url.starts_with('/') ? "https://file.invalid" : "") + std::string{url};
  }

  /// Returns the text that the rules are compared with, as a decision of a cache does.
  [[nodiscard]] static std::string_view target_in(const read_file& one, std::string_view url) {
    return one.rules.reads_hosts() ? url : detail::target_of(url);
  }

  void add_sitemaps(base::json_writer& line, std::size_t most) const {
    std::size_t count = 0;
    line.open_list("sitemaps");
    for (const std::string_view sitemap : readings_[0].content.sitemaps()) {
      if (count++ < most) {
        line.item(sitemap);
      }
    }
    line.close_list().number("sitemapCount", count);
  }

  void add_findings(base::json_writer& line, std::size_t most) const {
    const std::vector<diagnostic> findings = lint(readings_[0].content);
    std::array<std::size_t, 3> counts{};
    line.open_list("findings");
    for (std::size_t i = 0; i < findings.size(); ++i) {
      const diagnostic& one = findings[i];
      ++counts[static_cast<std::size_t>(one.severity)];
      if (i < most) {
        line.open().number("line", one.line).number("column", one.column);
        line.text("severity", to_string(one.severity)).text("code", to_string(one.code));
        line.text("text", one.text).close();
      }
    }
    line.close_list().open("counts");
    for (const severity one : {severity::error, severity::warning, severity::note}) {
      line.number(to_string(one), counts[static_cast<std::size_t>(one)]);
    }
    line.close();
  }

  static void add_matches(base::json_writer& line, const read_file& one, std::string_view target) {
    constexpr std::size_t most = 100;
    const explanation why = one.rules.explain(target);
    line.open().text("dialect", to_string(one.content.options().dialect));
    line.text("group", to_string(why.group)).text("target", why.target);
    line.number("matchCount", why.matches.size()).open_list("matches");
    for (std::size_t i = 0; i < (std::min)(why.matches.size(), most); ++i) {
      const listed_rule& rule = why.matches[i];
      line.open().text("directive", to_string(rule.kind)).text("pattern", rule.pattern);
      line.text("compared", rule.compared).number("specificity", rule.specificity);
      line.number("line", rule.line).flag("decides", i == 0 && why.verdict.directive.has_value());
      line.close();
    }
    line.close_list().close();
  }

  void add_purposes(base::json_writer& line, std::string_view url, const page_facts& page) const {
    page_statements said{readings_[0].content, url, crawler_};
    std::string_view rest = page.headers;
    while (!rest.empty()) {
      const std::size_t end = (std::min)(rest.find('\n'), rest.size());
      const std::string_view header = rest.substr(0, end);
      rest.remove_prefix((std::min)(end + 1, rest.size()));
      if (const std::size_t colon = header.find(':'); colon != std::string_view::npos) {
        said.header(base::trim(header.substr(0, colon), base::is_space),
                    base::trim(header.substr(colon + 1), base::is_space));
      }
    }
    const auto mark_if = [&said](bool is_read, statement_place place) {
      if (is_read) {
        said.mark_read(place);
      }
    };
    mark_if(page.headers_are_read, statement_place::headers);
    mark_if(page.meta_is_read, statement_place::meta);
    mark_if(page.tdmrep_is_read, statement_place::tdmrep);
    line.open_list("purposes");
    for (auto wanted = std::uint8_t{0}; wanted <= static_cast<std::uint8_t>(purpose::tdm);
         ++wanted) {
      const permission answer = said.may(static_cast<purpose>(wanted), page.now);
      const bool is_in_file = answer.reason && answer.reason->place == statement_place::robots_txt;
      line.open().text("purpose", answer.purpose).text("answer", to_string(answer.answer));
      line.text("why", explain(answer)).number("line", is_in_file ? answer.reason->position : 0);
      line.close();
    }
    line.close_list();
  }

  std::string crawler_;
  std::array<read_file, 2> readings_{};
};

}  // namespace robots::try_page
