// A web of 50 pages with each kind of statement, which a search engine, an answer engine and the
// maker of a training set crawl. An audit trail records the crawl.
#include "support/temporary_folder.hpp"
#include <robots/adapters/audit/audit_decisions.hpp>
#include <robots/adapters/audit/audit_trail.hpp>
#include <robots/adapters/audit/audit_verify.hpp>
#include <robots/adapters/html/read_html.hpp>
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/cache/page.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/testing/manual_clock.hpp>
#include <robots/testing/scripted_fetcher.hpp>
#include <robots/usage/page_statements.hpp>

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace {

using robots::permission_answer;
using robots::purpose;

constexpr std::chrono::sys_days crawled_at{std::chrono::year{2026} / 11 / 28};

struct web_page {
  std::vector<robots::http_header> headers{};
  std::string html = "<title>a page</title><p>text";
};

/// Returns the pages that each site has, under the paths /0 to /9.
std::vector<web_page> pages() {
  const std::string long_script = "<head><script>" + std::string(70'000, 'x');
  return {
      {},
      {.headers = {{"X-Robots-Tag", "noindex"}}},
      {.html = "<head><meta name=robots content=noindex></head>"},
      {.headers = {{"X-Robots-Tag", "SearchBot: noindex"}}},
      {.headers = {{"Content-Signal", "ai-input=no, ai-train=no"}}},
      {.headers = {{"Content-Usage", "train-ai=y"}, {"Content-Usage", "ai-use=y"}}},
      {.headers = {{"TDM-Reservation", "1"}}},
      {.headers = {{"tdm-reservation", "1"}},
       .html = "<meta name=tdm-policy content='https://e.example/policy'>"},
      {.html = "<link rel=license type='application/rsl+xml' href='https://e.example/l.xml'>"},
      {.html = long_script + "</script><meta name=robots content=noindex></head><p>"},
  };
}

/// A site, and the answers for its pages in order: y yes, n no, t on terms, u unstated, r unread.
struct web_site {
  std::string_view name;
  std::string_view robots;
  std::string_view may_index;  ///< for the search engine
  std::string_view may_input;  ///< for the answer engine
  std::string_view may_train;  ///< for the maker of the training set
};

constexpr std::array sites{
    web_site{"silent", "", "unnnuuuuur", "uuuunyuutr", "uuuunynttr"},
    web_site{"signals",
             "User-agent: *\nContent-Signal: search=yes, ai-input=yes, ai-train=no\nAllow: /\n",
             "unnnuuuuur", "yyyynyyyyr", "nnnnnnnnnn"},
    web_site{"licensed", "License: https://e.example/all.xml\nUser-agent: *\nAllow: /\n",
             "unnnuuuuur", "ttttnytttt", "ttttnynttt"},
    web_site{"tokens",
             "User-agent: *\nContent-Signal: ai-input=no\nAllow: /\n"
             "User-agent: TrainBot\nAllow: /\nUser-agent: Google-Extended\nDisallow: /5\n",
             "unnnuuuuur", "nnnnnnnnnn", "yyyynnntyr"},
    web_site{"denying",
             "User-agent: SearchBot\nDisallow: /1\nUser-agent: AnswerBot\nDisallow: /\n"
             "User-agent: TrainBot\nContent-Usage: /2 train-ai=y\nDisallow: /3\n",
             "uunnuuuuur", "nnnnnnnnnn", "uuynnynttr"},
};

char letter_of(permission_answer answer) {
  return std::string_view{"yntur"}[static_cast<std::size_t>(answer)];
}

}  // namespace

TEST_CASE("Three crawlers get the right answer for each of 50 pages, and the trail is confirmed") {
  const robots::test::temporary_folder folder;
  const std::string trail_path = (folder.path() / "audit").string();
  robots::cache_options options{.user_agent = "SearchBot/1.0",
                                .fallback = robots::fallback_policy::rfc9309()};
  options.other_agents = {"AnswerBot", {"TrainBot", {"Google-Extended", purpose::ai_train}}};
  robots::ScriptedFetcher web;
  const std::vector<web_page> all = pages();
  for (const web_site& site : sites) {
    const std::string origin = "https://" + std::string{site.name} + ".example";
    web.on(origin + "/robots.txt", site.robots.empty()
                                       ? robots::ScriptedFetcher::status(404)
                                       : robots::ScriptedFetcher::ok(std::string{site.robots}));
    for (std::size_t i = 0; i < all.size(); ++i) {
      web.on(origin + "/" + std::to_string(i),
             robots::ScriptedFetcher::ok(all[i].html, all[i].headers));
    }
  }
  {
    const robots::ManualClock clock;
    robots::basic_robots_cache<robots::ScriptedFetcher, robots::ManualClock, robots::LruStorage<64>,
                               robots::AuditTrail>
        cache{options, web, clock, {}, robots::AuditTrail{{.path = trail_path}, options}};
    const auto crawl = [&](const web_site& site, const char* agent, purpose wanted) {
      std::string answers;
      for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string url =
            "https://" + std::string{site.name} + ".example/" + std::to_string(i);
        robots::page_statements page = cache.page(url, {.user_agent = agent});
        if (page.may(purpose::fetch, crawled_at).answer == permission_answer::yes) {
          const robots::fetch_response response = web.fetch({.url = url});
          page.mark_read(robots::statement_place::headers);
          for (const auto& [name, value] : response.headers) {
            page.header(name, value);
          }
          robots::read_html(page, response.body, response.headers, response.truncated);
          page.mark_read(robots::statement_place::tdmrep);
        }
        answers += letter_of(page.may(wanted, crawled_at).answer);
      }
      return answers;
    };
    for (const web_site& site : sites) {
      CAPTURE(site.name);
      CHECK(crawl(site, "SearchBot", purpose::index) == site.may_index);
      CHECK(crawl(site, "AnswerBot", purpose::ai_input) == site.may_input);
      CHECK(crawl(site, "TrainBot", purpose::ai_train) == site.may_train);
    }
  }
  const std::vector<std::string> files{trail_path + ".000001.jsonl"};
  CHECK(robots::verify_audit(files).fault == robots::audit_result::fault_kind::none);
  const robots::audit_decisions found = robots::verify_decisions(files);
  CHECK(found.differences.empty());
  CHECK(found.confirmed == sites.size() * all.size() * 3);
}
