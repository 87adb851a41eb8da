#include <robots/usage/usage_statements.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using robots::content_use;
using robots::http_header;
using robots::meta_element;
using robots::read_usage;
using robots::usage_statements;

constexpr std::optional<bool> unstated{};

std::optional<bool> preference_at(std::string_view robots, std::string_view url,
                                  std::string_view label, std::string_view user_agent = "*") {
  return read_usage({.robots = robots}, url, user_agent).preference(label);
}

/// The preference of a header, without a robots.txt.
std::optional<bool> of_headers(const std::vector<http_header>& headers, std::string_view label) {
  return read_usage({.headers = headers}, "/a", "FooBot").preference(label);
}

// draft-ietf-aipref-attach-05, section 3.4.
constexpr std::string_view draft =
    "User-Agent: *\n"
    "Allow: /\n"
    "Disallow: /never/\n"
    "Content-Usage: train-ai=n\n"
    "Content-Usage: /ai-ok/ train-ai=y\n"
    "\n"
    "User-Agent: ExampleBot\n"
    "Allow: /\n"
    "Content-Usage: train-ai=y\n";

TEST_CASE("The example of the AIPREF draft is read as the draft says") {
  CHECK(preference_at(draft, "/test", "train-ai") == false);
  CHECK(preference_at(draft, "/never/test", "train-ai") == unstated);
  CHECK(preference_at(draft, "/ai-ok/test", "train-ai") == true);
  CHECK(preference_at(draft, "/test", "train-ai", "ExampleBot/1.0") == true);
  CHECK(preference_at(draft, "/never/test", "train-ai", "ExampleBot") == true);
  CHECK(preference_at(draft, "/test", "search") == unstated);
}

TEST_CASE("The Content-Usage line with the longest matching path decides about all labels") {
  constexpr std::string_view nested =
      "User-agent: *\nContent-Usage: /a/b search=n\nContent-Usage: train-ai=n\n"
      "Content-Usage: /a train-ai=y\n";
  CHECK(preference_at(nested, "/", "train-ai") == false);
  CHECK(preference_at(nested, "/a", "train-ai") == true);
  CHECK(preference_at(nested, "/a/b", "train-ai") == unstated);
  CHECK(preference_at(nested, "/a/b", "search") == false);
}

TEST_CASE(
    "The longest path with an unreadable or missing statement leaves the preference unknown") {
  constexpr std::string_view before = "User-agent: *\nContent-Usage: train-ai=n\n";
  CHECK(preference_at(std::string{before} + "Content-Usage: /a train-ai=No\n", "/a", "train-ai") ==
        unstated);
  CHECK(preference_at(std::string{before} + "Content-Usage: /a\n", "/a", "train-ai") == unstated);
  CHECK(preference_at(std::string{before} + "Content-Usage: / train-ai=y\n", "/a", "train-ai") ==
        true);
}

TEST_CASE("Paths match like those of rules, and their normal forms are compared") {
  CHECK(preference_at("User-agent: *\nContent-Usage: /~me train-ai=n\n"
                      "Content-Usage: /%7Em* train-ai=y\n",
                      "/%7eme", "train-ai") == false);
  CHECK(preference_at("User-agent: *\nContent-Usage: /*.gif$ train-ai=n\n",
                      "https://example.com/x.gif", "train-ai") == false);
}

TEST_CASE("Of lines with equally long paths the most restrictive applies, in any order") {
  CHECK(preference_at("User-agent: *\nContent-Usage: /a train-ai=y\nContent-Usage: /a train-ai=n\n",
                      "/a", "train-ai") == false);
  CHECK(preference_at("User-agent: *\nContent-Usage: /a train-ai=n\nContent-Usage: /a train-ai=y\n",
                      "/a", "train-ai") == false);
}

TEST_CASE("The Content-Signal line with the longest path decides about each signal by itself") {
  constexpr std::string_view signals =
      "User-agent: *\nContent-Signal: search=yes, ai-train=no, use=full\n"
      "Content-Signal: /blog ai-input=no, ai-train=yes\nContent-Signal: /blog ai-input=yes\n"
      "Content-Signal: /blog/x use=reference\n";
  CHECK(preference_at(signals, "/", "ai-train") == false);
  CHECK(preference_at(signals, "/", "ai-input") == unstated);
  CHECK(preference_at(signals, "/blog/x", "ai-train") == true);
  CHECK(preference_at(signals, "/blog/x", "ai-input") == false);
  CHECK(preference_at(signals, "/blog/x", "search") == true);
  CHECK(read_usage({.robots = signals}, "/", "*").use() == content_use::full);
  CHECK(read_usage({.robots = signals}, "/blog/x", "*").use() == content_use::reference);
}

TEST_CASE("Search that differs across vocabularies is the most restrictive") {
  constexpr std::string_view both =
      "User-agent: *\nContent-Signal: search=no, ai-train=no\nContent-Usage: search=y, "
      "train-ai=y\n";
  CHECK(preference_at(both, "/", "search") == false);
  CHECK(preference_at(both, "/", "ai-train") == false);
  CHECK(preference_at(both, "/", "train-ai") == true);
}

TEST_CASE("A signal under * is not for a crawler that has its own group") {
  constexpr std::string_view managed =
      "User-agent: *\nContent-Signal: search=yes,ai-train=no,use=reference\nAllow: /\n\n"
      "User-agent: MistralAI-Training\nDisallow: /\n";
  const usage_statements other = read_usage({.robots = managed}, "/a", "FooBot");
  CHECK(other.preference("ai-train") == false);
  CHECK(other.preference("search") == true);
  CHECK(other.preference("ai-input") == unstated);
  CHECK(other.use() == content_use::reference);
  const usage_statements named = read_usage({.robots = managed}, "/a", "MistralAI-Training");
  CHECK(named.preference("ai-train") == unstated);
  CHECK(named.use() == std::nullopt);
}

TEST_CASE("A signal before any group is ignored, and a line ends no list of User-agent lines") {
  CHECK(preference_at("Content-Signal: ai-train=no\nUser-agent: *\nAllow: /\n", "/", "ai-train") ==
        unstated);
  constexpr std::string_view between =
      "User-agent: a\nContent-Usage: train-ai=y\nUser-agent: *\nContent-Usage: train-ai=n\n"
      "Disallow: /x\n";
  CHECK(preference_at(between, "/", "train-ai", "a") == true);
  CHECK(preference_at(between, "/", "train-ai", "b") == false);
}

TEST_CASE("Content-Usage headers form one Dictionary") {
  CHECK(of_headers({{"Content-Usage", "train-ai=n"}, {"content-usage", "train-ai=y"}},
                   "train-ai") == true);
  CHECK(of_headers({{"Content-Usage", "train-ai=n"}, {"Content-Usage", "SEARCH=y"}}, "train-ai") ==
        unstated);
  CHECK(of_headers({{"Content-Usage", "train-ai=n#x"}}, "train-ai") == unstated);
  CHECK(of_headers({{"Content-Usage", "train-ai=n;"}}, "train-ai") == unstated);
}

TEST_CASE("Content-Signal headers combine by the most restrictive") {
  const std::vector<http_header> headers{{"Content-Signal", "ai-train=yes, use=full"},
                                         {"Content-Signal", "ai-train=no, use=immediate"}};
  CHECK(of_headers(headers, "ai-train") == false);
  CHECK(read_usage({.headers = headers}, "/a", "*").use() == content_use::immediate);
}

TEST_CASE("The robots.txt and the headers combine by the most restrictive") {
  const std::vector<http_header> headers{{"Content-Usage", "train-ai=n"},
                                         {"Content-Signal", "ai-input=no"}};
  const usage_statements statements = read_usage(
      {.robots = "User-agent: *\nContent-Usage: train-ai=y\nContent-Signal: ai-input=yes\n",
       .headers = headers},
      "/a", "*");
  CHECK(statements.preference("train-ai") == false);
  CHECK(statements.preference("ai-input") == false);
}

TEST_CASE(
    "A later place of a TDM reservation replaces an earlier one, and absence resets nothing") {
  constexpr std::string_view reserved =
      R"([{"location":"/","tdm-reservation":1,"tdm-policy":"https://p.example/"}])";
  const std::vector<http_header> open{{"tdm-reservation", "0"}};
  const std::vector<http_header> closed{{"TDM-Reservation", "1"}};
  const std::vector<meta_element> open_meta{{"tdm-reservation", "0"}};
  const std::vector<http_header> other{{"Content-Type", "text/html"}};

  const usage_statements of_file = read_usage({.headers = other, .tdmrep = reserved}, "/a", "*");
  CHECK(of_file.tdm_reservation() == true);
  CHECK(of_file.tdm_policy() == "https://p.example/");
  const usage_statements of_header = read_usage({.headers = open, .tdmrep = reserved}, "/a", "*");
  CHECK(of_header.tdm_reservation() == false);
  CHECK_FALSE(of_header.tdm_policy().has_value());
  CHECK(read_usage({.headers = closed, .meta = open_meta}, "/a", "*").tdm_reservation() == false);
}

TEST_CASE("A header without a policy keeps the policy of the file") {
  constexpr std::string_view reserved =
      R"([{"location":"/","tdm-reservation":1,"tdm-policy":"https://p.example/"}])";
  const std::vector<http_header> closed{{"tdm-reservation", "1"}};
  const usage_statements of_file = read_usage({.headers = closed, .tdmrep = reserved}, "/a", "*");
  CHECK(of_file.tdm_policy() == "https://p.example/");
  const std::vector<http_header> with_policy{{"tdm-reservation", "1"},
                                             {"tdm-policy", "https://h.example/"}};
  const usage_statements of_header =
      read_usage({.headers = with_policy, .tdmrep = reserved}, "/a", "*");
  CHECK(of_header.tdm_policy() == "https://h.example/");
}

TEST_CASE("A repeated reservation is reserved, and an unreadable one says nothing") {
  const std::vector<http_header> twice{{"tdm-reservation", "1"}, {"tdm-reservation", "0"}};
  CHECK(read_usage({.headers = twice}, "/a", "*").tdm_reservation() == true);
  const std::vector<http_header> odd{{"tdm-reservation", "2"}};
  CHECK(read_usage({.headers = odd}, "/a", "*").tdm_reservation() == unstated);
}

TEST_CASE("Licences of the robots.txt and of Link headers are both listed") {
  const std::vector<http_header> headers{
      {"Link", "<https://e.example/page.xml>; rel=license; type=application/rsl+xml"}};
  const usage_statements statements =
      read_usage({.robots = "License: https://e.example/site.xml\nUser-agent: *\nDisallow: /x\n",
                  .headers = headers},
                 "/x", "*");
  CHECK(statements.licenses() ==
        std::vector<std::string>{"https://e.example/site.xml", "https://e.example/page.xml"});
}

TEST_CASE("Statements can be copied and moved, since they own what they keep") {
  usage_statements copy;
  {
    const std::string robots =
        "User-agent: *\nContent-Signal: ai-train=no\nContent-Usage: search=n\n";
    const usage_statements original = read_usage({.robots = robots}, "/", "*");
    copy = original;
  }
  const usage_statements moved = std::move(copy);
  CHECK(moved.preference("ai-train") == false);
  CHECK(moved.preference("search") == false);
}

TEST_CASE("A page that cannot be compared with all lines gets no permission") {
  std::string many = "User-agent: *\n";
  for (int i = 0; i < 16'000; ++i) {
    many += "Content-Usage: /*a*b train-ai=y\n";
  }
  const auto denied = read_usage({.robots = many}, "/" + std::string(60'000, 'a'), "*");
  CHECK(denied.preference("train-ai") == false);
  CHECK(denied.preference("ai-input") == false);
  CHECK(preference_at(many, "/" + std::string(300, 'a'), "train-ai") == unstated);
  CHECK(preference_at(many, "/ab", "train-ai") == true);
}

TEST_CASE("Nothing is stated where there are no statements") {
  const usage_statements nothing = read_usage({}, "/", "*");
  CHECK(nothing.preference("search") == unstated);
  CHECK(nothing.use() == std::nullopt);
  CHECK(nothing.tdm_reservation() == unstated);
  CHECK_FALSE(nothing.tdm_policy().has_value());
  CHECK(nothing.licenses().empty());
}

}  // namespace
