#include <robots/policy/policy.hpp>

#include "policy/policy_of.hpp"
#include "policy/record_samples.hpp"
#include <robots/policy/decision.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/rules/crawler_directives.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using robots::fallback_action;
using robots::outcome;
using robots::policy;
using robots::policy_basis;
using robots::record_head;
using robots::time_point;
using robots::test::policy_of;

namespace {

static_assert(to_string(policy_basis::rules) == "rules");
static_assert(to_string(policy_basis::allow_all) == "allow_all");
static_assert(to_string(policy_basis::deny_all) == "deny_all");
static_assert(to_string(policy_basis::refused) == "refused");
static_assert(to_string(policy_basis::last_good) == "last_good");
static_assert(noexcept(std::declval<const policy&>().match({})));
static_assert(noexcept(std::declval<const policy&>().allows({})));

constexpr std::string_view whole_file =
    "Crawl-delay: 3\n"
    "User-agent: *\n"
    "Disallow: /\n"
    "User-agent: FooBot\n"
    "Disallow: /private\n"
    "Crawl-delay: 1.5\n"
    "Sitemap: https://example.com/a.xml\n"
    "Sitemap: https://example.com/b.xml\n"
    "Host: example.com\n"
    "what is this\n";

std::shared_ptr<const policy> failed(fallback_action action,
                                     std::shared_ptr<const policy> good = nullptr) {
  return std::make_shared<const policy>(
      action, "FooBot/1.0", record_head{{.outcome = outcome::server_error, .status = 503}},
      std::move(good));
}

}  // namespace

TEST_CASE("A policy can be made from temporary or named directives and sources") {
  const robots::crawler_directives directives = robots::directives_for(whole_file, "FooBot");
  const record_head head{{.status = 200, .url = "https://example.com/robots.txt"}};
  const policy original{directives, head, time_point{1h}};
  for (const policy& copy :
       {original, policy{directives, head}, policy{directives, record_head{head}},
        policy{robots::directives_for(whole_file, "FooBot"), head},
        policy{robots::directives_for(whole_file, "FooBot"), record_head{head}}}) {
    CHECK(copy.fingerprint() == original.fingerprint());
    CHECK(copy.last_retrieval() == head);
  }
  CHECK(original.fetched_at() == time_point{1h});
}

TEST_CASE("The view of a source has the same parts as the source") {
  const auto check = [](const record_head& head) {
    const policy from{fallback_action::deny_all, "FooBot", head};
    const robots::detail::source_view view = from.source_view();
    const record_head source = from.last_retrieval();
    CAPTURE(source.url);
    CHECK(view.fetched_at == source.fetched_at);
    CHECK(view.lifetime == source.lifetime);
    CHECK(view.url.is(source.url));
    CHECK(view.final_url.is(source.final_url));
    CHECK_FALSE(view.url.is(source.url + 'x'));
    CHECK_FALSE(view.url.is('x' + source.url));
    CHECK_FALSE(view.url.is("https://example.org/robots.txt"));
    CHECK(view.status == source.status);
    CHECK(view.error == source.error);
    CHECK(view.error_text == source.error_text);
    CHECK(view.redirects == source.redirects);
    CHECK(view.attempts == source.attempts);
    CHECK(view.has_validators == (source.validators != robots::detail::validators{}));
  };
  for (std::size_t kind = 0; kind < robots::outcome_count; ++kind) {
    check(robots::test::record_of_outcome(static_cast<outcome>(kind)));
    record_head full = robots::test::full_record(static_cast<outcome>(kind));
    check(full);
    full.validators = {};
    check(full);
    full.validators.last_modified = "Sun, 29 Nov 2026 15:00:00 GMT";
    check(full);
  }
  for (const char* const url : {"", "http:///robots.txt", "ftp://a/robots.txt", "https://a/b"}) {
    check({{.url = url, .final_url = "http://b.example:81/robots.txt"}});
  }
}

TEST_CASE("A policy has the crawler's own rules of a file") {
  const auto from_file = policy_of(whole_file);
  CHECK(from_file->basis() == policy_basis::rules);
  CHECK(from_file->allows("https://example.com/public"));
  CHECK_FALSE(from_file->allows("https://example.com/private/x"));
  CHECK_FALSE(from_file->allows("/private"));
  const robots::verdict answer = from_file->match("/private?q");
  CHECK(answer.pattern == "/private");
  CHECK(answer.line == 5);
  CHECK(answer.user_agent == "FooBot");
  CHECK(from_file->rules().size() == 1);
}

TEST_CASE("A policy outlives the text it was made from") {
  std::shared_ptr<const policy> stored;
  {
    const std::string text{whole_file};
    const std::string user_agent{"FooBot/1.0"};
    stored =
        std::make_shared<const policy>(robots::directives_for(text, user_agent), record_head{});
  }
  CHECK(stored->match("/private").pattern == "/private");
  CHECK(stored->sitemaps().front() == "https://example.com/a.xml");
  CHECK(stored->host() == "example.com");
}

TEST_CASE("Sites without rules share one set of rules, and cost little more than their record") {
  const auto without_file = failed(fallback_action::allow_all);
  const auto another = failed(fallback_action::allow_all);
  const auto allows_all =
      policy_of("User-agent: *\nDisallow:\nSitemap: https://example.com/a.xml\n");
  CHECK(without_file->rules().block() == another->rules().block());
  CHECK(without_file->memory_bytes() < 128);
  CHECK(allows_all->memory_bytes() < 160);
  CHECK(policy_of("User-agent: *\nDisallow: /a\n")->memory_bytes() < 160);
}

TEST_CASE("The memory of a policy counts all that it keeps") {
  const std::string long_text(10'000, 'x');
  const std::size_t least = failed(fallback_action::deny_all)->memory_bytes();
  CHECK(policy_of("User-agent: *\nDisallow: /" + long_text + "\n")->memory_bytes() > 10'000);
  CHECK(policy_of("Host: " + long_text + "\n")->memory_bytes() > 10'000);
  CHECK(policy_of("Sitemap: https://example.com/" + long_text + "\n")->memory_bytes() > 10'000);

  std::string many_lines = "User-agent: *\n";
  for (int i = 0; i < 32; ++i) {
    many_lines += "Request-rate: 1/5\n";
  }
  const auto rates = policy_of(many_lines);
  CHECK(rates->memory_bytes() > least + 32 * sizeof(robots::request_rate));
  for (int i = 0; i < 32; ++i) {
    many_lines += "Visit-time: 0600-0845\n";
  }
  const auto visits = policy_of(many_lines);
  CHECK(visits->memory_bytes() >= rates->memory_bytes() + 32 * sizeof(robots::visit_time));
  for (int i = 0; i < 32; ++i) {
    many_lines += "not a line\n";
  }
  const auto malformed = policy_of(many_lines);
  REQUIRE(malformed->findings().diagnostics.size() == 32);
  CHECK(malformed->memory_bytes() >= visits->memory_bytes() + 32 * sizeof(robots::diagnostic));
  CHECK(failed(fallback_action::last_good_or_deny, malformed)->memory_bytes() >
        least + malformed->memory_bytes());
}

TEST_CASE("A policy keeps the other lines of the file") {
  const auto from_file = policy_of(whole_file);
  CHECK(from_file->crawl_delay() == 1'500ms);
  CHECK(from_file->file_delay() == 3'000ms);
  CHECK(std::ranges::equal(
      from_file->sitemaps(),
      std::vector<std::string>{"https://example.com/a.xml", "https://example.com/b.xml"}));
  CHECK(from_file->host() == "example.com");
  CHECK(from_file->lines().non_blank == 10);
  CHECK(from_file->lines().malformed == 1);
}

TEST_CASE("A policy with rules gives a document only if it keeps the text") {
  const record_head head{{.outcome = outcome::success, .status = 200}};
  const auto with_text = std::make_shared<const policy>(
      robots::directives_for(whole_file, "FooBot"), head, time_point{1h},
      std::make_shared<const std::string>(whole_file));
  CHECK_FALSE(with_text->document().allows("/x"));
  CHECK_FALSE(failed(fallback_action::last_good_or_deny, with_text)->document().allows("/x"));

  constexpr const char* message =
      "policy::document: the text of the robots.txt was not kept; set cache_options::keep_text";
  CHECK_THROWS_WITH_AS((void)policy_of(whole_file)->document(), message, std::logic_error);
  CHECK_THROWS_WITH_AS(
      (void)failed(fallback_action::last_good_or_deny, policy_of(whole_file))->document(), message,
      std::logic_error);
  CHECK_THROWS_AS((void)policy_of("")->document(), std::logic_error);
}

TEST_CASE("The document of a policy that denies everything denies everything") {
  using enum robots::decision_reason;
  std::vector<std::shared_ptr<const policy>> denying{
      failed(fallback_action::deny_all), failed(fallback_action::last_good_or_deny),
      failed(fallback_action::parse),  // a file that is too malformed has no rules, either
      policy::by_hand("FooBot", false), policy::refusal("FooBot", invalid_url, "no URL")};
  for (const robots::decision_reason why : {excluded, halted, needs_sign_off}) {
    denying.push_back(policy::refusal("FooBot", why));
  }
  // A redirect to another site denies until the other site has answered.
  denying.push_back(std::make_shared<const policy>(
      fallback_action::deny_all, "FooBot",
      record_head{{.outcome = outcome::redirected, .final_url = "https://other.example/"}}));
  denying.push_back(failed(fallback_action::last_good_or_deny, denying.back()));
  for (const auto& denies : denying) {
    CAPTURE(to_string(denies->basis()));
    REQUIRE_FALSE(denies->allows("/x"));
    CHECK(denies->text() == "User-agent: *\nDisallow: /\n");
    for (const char* crawler : {"FooBot", "BarBot", "*"}) {
      CHECK_FALSE(denies->document().allows("/x", crawler));
    }
  }
  for (const auto& allows : {failed(fallback_action::allow_all), policy::by_hand("FooBot", true)}) {
    CHECK(allows->text().empty());
    CHECK(allows->document().allows("/x"));
  }
}

TEST_CASE("A policy keeps rates and hours, up to a limit") {
  const auto from_file = policy_of(
      "User-agent: *\nAllow: /\nRequest-rate: 1/1d\nVisit-time: 0100-0200\n"
      "User-agent: FooBot\nRequest-rate: 1/5\nRequest-rate: never\nRequest-rate: 2/1m 0600-0845\n"
      "Visit-time: 0600-0845\n");
  REQUIRE(from_file->request_rates().size() == 2);
  CHECK(from_file->request_rates()[0] == robots::request_rate::parse("1/5"));
  CHECK(from_file->request_rates()[1] == robots::request_rate::parse("2/1m 0600-0845"));
  REQUIRE(from_file->visit_times().size() == 1);
  CHECK(from_file->visit_times()[0] == robots::visit_time::parse("0600-0845"));
  const auto stands_in = failed(fallback_action::last_good_or_deny, from_file);
  CHECK(stands_in->request_rates().size() == 2);
  CHECK(stands_in->visit_times().size() == 1);

  std::string endless = "User-agent: *\n";
  for (int i = 0; i < 1'000; ++i) {
    endless += "Request-rate: 1/" + std::to_string(i + 1) + "\nVisit-time: 0600-0845\n";
  }
  CHECK(policy_of(endless)->request_rates().size() == 32);
  CHECK(policy_of(endless)->visit_times().size() == 32);
}

TEST_CASE("Policies with the same numbers in different lists have different fingerprints") {
  // One rate with four numbers and two visit times with two numbers have the same numbers.
  const auto rate = policy_of("User-agent: *\nRequest-rate: 60/0.12s\n");
  const auto visits = policy_of("User-agent: *\nVisit-time: 0100-0200\nVisit-time: 0000-0000\n");
  REQUIRE(rate->request_rates().size() == 1);
  REQUIRE(visits->visit_times().size() == 2);
  CHECK(rate->fingerprint() != visits->fingerprint());
  const auto fewer = policy_of("User-agent: *\nVisit-time: 0100-0200\n");
  CHECK(fewer->fingerprint() != visits->fingerprint());
  // An empty file allows everything, and 0 is the fingerprint of policies that deny everything.
  CHECK(policy_of("")->fingerprint() != 0);
}

TEST_CASE("Order and repetition of rates and hours do not change the fingerprint") {
  const auto one = policy_of(
      "User-agent: *\nRequest-rate: 1/5 0000-0600\nRequest-rate: 1/9\n"
      "Visit-time: 0100-0200\nVisit-time: 0300-0400\n");
  const auto other = policy_of(
      "User-agent: *\nRequest-rate: 1/9\nRequest-rate: 1/5 0000-0600\n"
      "Request-rate: 1/9\nVisit-time: 0300-0400\n"
      "Visit-time: 0100-0200\nVisit-time: 0300-0400\n");
  REQUIRE(one->request_rates().size() == 2);
  CHECK(one->fingerprint() == other->fingerprint());
  CHECK(diff(*one, *other).same());
}

TEST_CASE("Policies whose rates differ only in their hours have different fingerprints") {
  // A rate with hours comes before one without. So the second file asks for a period of 1 s, and
  // the others ask for 5 s.
  const auto longer = policy_of("User-agent: *\nRequest-rate: 1/5 0000-0000\nRequest-rate: 1/1\n");
  const auto shorter = policy_of("User-agent: *\nRequest-rate: 1/5\nRequest-rate: 1/1 0000-0000\n");
  const auto always = policy_of("User-agent: *\nRequest-rate: 1/5\nRequest-rate: 1/1\n");
  CHECK(longer->fingerprint() != shorter->fingerprint());
  CHECK(always->fingerprint() != shorter->fingerprint());
}

TEST_CASE("All policies that deny everything because there is no file have the fingerprint 0") {
  CHECK(failed(fallback_action::deny_all)->fingerprint() == 0);
  CHECK(failed(fallback_action::last_good_or_deny)->fingerprint() == 0);
  CHECK(failed(fallback_action::deny_all, policy_of(whole_file))->fingerprint() == 0);
}

TEST_CASE("An empty file allows everything and needs no memory for rules") {
  const auto from_file = policy_of("");
  CHECK(from_file->request_rates().empty());
  CHECK(from_file->visit_times().empty());
  CHECK(from_file->basis() == policy_basis::rules);
  CHECK(from_file->allows("/anything"));
  CHECK(from_file->crawl_delay() == std::nullopt);
  CHECK(from_file->file_delay() == std::nullopt);
  CHECK(from_file->sitemaps().empty());
  CHECK(from_file->host().empty());
  CHECK(from_file->lines().non_blank == 0);
}

TEST_CASE("A fallback policy allows everything, or only /robots.txt") {
  const auto allows = failed(fallback_action::allow_all);
  CHECK(allows->basis() == policy_basis::allow_all);
  CHECK(allows->allows("https://example.com/x"));
  CHECK(allows->rules().empty());

  const auto denies = failed(fallback_action::deny_all);
  CHECK(denies->basis() == policy_basis::deny_all);
  CHECK_FALSE(denies->allows("https://example.com/x"));
  CHECK_FALSE(denies->allows("/"));
  CHECK_FALSE(denies->allows(""));
  CHECK_FALSE(denies->allows("/robots.txt.bak"));
  CHECK(denies->allows("https://example.com/robots.txt"));
  CHECK(denies->allows("/robots.txt?x=1"));
  CHECK(denies->match("/x").directive == std::nullopt);
  CHECK(denies->match("/x").line == 0);
  CHECK(denies->last_retrieval().status == 503);
}

TEST_CASE("A refusal allows nothing, not even /robots.txt, and says why") {
  const auto refused = policy::refusal("FooBot/1.0", robots::decision_reason::excluded);
  CHECK(refused->basis() == policy_basis::refused);
  CHECK_FALSE(refused->allows("/"));
  CHECK_FALSE(refused->allows("https://example.com/robots.txt"));
  CHECK(refused->last_retrieval().outcome == outcome::refused);
  CHECK(refused->last_retrieval().error_text == "the host is excluded");
  CHECK(refused->refusal_reason() == robots::decision_reason::excluded);
  CHECK(refused->last_retrieval().status == 0);
  CHECK(refused->rules().empty());
  CHECK(policy::good_copy(refused) == nullptr);
}

TEST_CASE("Without a good copy, the action last_good_or_deny denies") {
  CHECK(failed(fallback_action::last_good_or_deny)->basis() == policy_basis::deny_all);
}

TEST_CASE("The last good copy applies with all its lines, and both sources are known") {
  const auto good = policy_of(whole_file, time_point{5h});
  const auto now = failed(fallback_action::last_good_or_deny, good);
  CHECK(now->basis() == policy_basis::last_good);
  CHECK_FALSE(now->allows("/private"));
  CHECK(now->allows("/public"));
  CHECK(now->match("/private").line == 5);
  CHECK(now->crawl_delay() == 1'500ms);
  CHECK(now->file_delay() == 3'000ms);
  CHECK(now->sitemaps().size() == 2);
  CHECK(now->host() == "example.com");
  CHECK(now->lines().non_blank == 10);
  CHECK(now->rules().size() == 1);
  CHECK(now->last_retrieval().outcome == outcome::server_error);
  CHECK(now->rules_source().outcome == outcome::success);
  CHECK(now->rules_fetched_at() == time_point{5h});
}

TEST_CASE("The URLs of sitemaps are resolved against the URL that the file came from") {
  constexpr std::string_view text =
      "Sitemap: /map.xml\nSitemap: https://cdn.example/a b.xml#part\nSitemap: \n"
      "Sitemap: //static.example/c.xml\nSitemap: mailto:map@example.com\nSitemap: d.xml\n"
      "Sitemap: http://[x/e.xml\n";
  record_head source;
  source.outcome = outcome::success;
  source.url = "https://example.com/robots.txt";
  source.final_url = "http://www.example.com/files/robots.txt";
  const auto good = std::make_shared<const policy>(robots::directives_for(text, "FooBot"), source);
  const std::vector<std::string> urls{
      "http://www.example.com/map.xml", "https://cdn.example/a%20b.xml",
      "http://static.example/c.xml", "http://www.example.com/files/d.xml"};
  CHECK(good->sitemap_urls() == urls);
  CHECK(failed(fallback_action::last_good_or_deny, good)->sitemap_urls() == urls);
  CHECK(failed(fallback_action::deny_all, good)->sitemap_urls().empty());
  const policy unknown{robots::directives_for(text, "FooBot"), record_head{}};
  CHECK(unknown.sitemap_urls() == std::vector<std::string>{"https://cdn.example/a%20b.xml"});
}

TEST_CASE("The last good copy is always kept, but applies only if the action says so") {
  const auto good = policy_of(whole_file);
  for (const auto action : {fallback_action::allow_all, fallback_action::deny_all}) {
    const auto now = failed(action, good);
    CHECK(now->basis() != policy_basis::last_good);
    CHECK(now->sitemaps().empty());
    CHECK(now->crawl_delay() == std::nullopt);
    CHECK(policy::good_copy(now) == good);
  }
}

TEST_CASE("The last good copy is kept through any number of failures, and the failures are not") {
  const auto good = policy_of(whole_file);
  CHECK(policy::good_copy(good) == good);
  CHECK(policy::good_copy(nullptr) == nullptr);
  CHECK(policy::good_copy(failed(fallback_action::deny_all)) == nullptr);

  auto now = failed(fallback_action::last_good_or_deny, good);
  const std::weak_ptr<const policy> first = now;
  for (int i = 0; i < 10; ++i) {
    now = failed(fallback_action::last_good_or_deny, policy::good_copy(now));
  }
  CHECK(policy::good_copy(now) == good);
  CHECK(first.expired());
}

TEST_CASE("A policy that an order has made names this order, also for other crawlers") {
  const auto order = std::make_shared<const robots::order_reference>(
      robots::order_reference{.number = {2, 7}, .id = "id", .maker = "ann"});
  const auto plain = policy::with_others(policy{*policy::by_hand("FooBot", false)},
                                         {policy::by_hand("BarBot", false)});
  CHECK(plain->order() == nullptr);
  const auto ruled = policy::by_order(*plain, order);
  REQUIRE(ruled->order() != nullptr);
  CHECK(*ruled->order() == *order);
  CHECK(ruled->reason_for_all_urls() == robots::decision_reason::by_hand);
  REQUIRE(ruled->others().size() == 1);
  CHECK(ruled->others()[0]->order() == order.get());
  CHECK(ruled->memory_bytes() > plain->memory_bytes());
  const robots::decision decided = robots::decide(ruled, "/", {});
  CHECK(decided.order() == order.get());
  CHECK(explain(decided) == "not allowed: an override of the site decides, order 2-7 by ann");
}
