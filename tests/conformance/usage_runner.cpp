// Runs the conformance cases about the use of pages, tests/conformance/usage/*.json, against the
// library. README.md in the folder above describes the files.
#include <robots/http/message.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/usage/license_link.hpp>
#include <robots/usage/page_statements.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

using nlohmann::json;
using robots::page_statements;
using robots::permission;
using robots::purpose;
using robots::statement_place;

constexpr std::chrono::sys_days asked_at{std::chrono::year{2026} / 11 / 28};

std::optional<purpose> purpose_named(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(purpose::tdm); ++i) {
    if (to_string(static_cast<purpose>(i)) == name) {
      return static_cast<purpose>(i);
    }
  }
  return std::nullopt;
}

page_statements page_of_case(const json& one) {
  robots::crawler_names names{one.value("crawler", "FooBot")};
  for (const json& token : one.value("policy_tokens", json::array())) {
    names = names.with_policy_token(token.at(0).get<std::string>(),
                                    *purpose_named(token.at(1).get<std::string>()));
  }
  page_statements page{robots::parse(one.value("robots_txt", "")),
                       one.value("url", "https://e.example/a"), names};
  for (const json& header : one.value("headers", json::array())) {
    page.header(header.at(0).get<std::string>(), header.at(1).get<std::string>());
  }
  for (const json& element : one.value("meta", json::array())) {
    page.meta(element.at(0).get<std::string>(), element.at(1).get<std::string>());
  }
  for (const json& link : one.value("links", json::array())) {
    page.link(link.at(0).get<std::string>(), link.at(1).get<std::string>(),
              link.at(2).get<std::string>());
  }
  if (one.contains("tdmrep")) {
    page.tdmrep(one.at("tdmrep").get<std::string>());
  }
  page.honour_vendor_meanings(one.value("vendor_meanings", false));
  const std::set<std::string> unread = one.value("unread", std::set<std::string>{});
  const auto mark = [&](statement_place place, const char* name) {
    unread.contains(name) ? page.mark_unread(place) : page.mark_read(place);
  };
  mark(statement_place::headers, "headers");
  mark(statement_place::meta, "meta");
  mark(statement_place::tdmrep, "tdmrep");
  return page;
}

/// Returns the name of the licence that a response demands.
std::string demand_of(const json& one) {
  std::vector<robots::http_header> headers;
  for (const json& header : one.value("headers", json::array())) {
    headers.push_back({header.at(0).get<std::string>(), header.at(1).get<std::string>()});
  }
  switch (robots::licence_demand(one.at("status").get<int>(), headers).need) {
    case robots::licence_need::token:
      return "token";
    case robots::licence_need::payment:
      return "payment";
    case robots::licence_need::none:
      break;
  }
  return "none";
}

permission ask(const page_statements& page, const std::string& name) {
  const auto wanted = purpose_named(name);
  return wanted ? page.may(*wanted, asked_at) : page.may(name, asked_at);
}

}  // namespace

TEST_CASE("The conformance cases about the use of pages have the expected answers") {
  std::size_t cases = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator{std::string{ROBOTS_CONFORMANCE_DIR} + "/usage"}) {
    std::ifstream stream{entry.path()};
    std::set<std::string> names;
    const json file = json::parse(stream);
    for (const json& one : file.at("cases")) {
      const auto name = one.at("name").get<std::string>();
      INFO(entry.path().filename().string() << ": " << name);
      CHECK(names.insert(name).second);
      CHECK_FALSE(one.at("source").get<std::string>().empty());
      const page_statements page = page_of_case(one);
      for (const auto& [asked, expected] : one.at("answers").items()) {
        INFO(asked);
        CHECK(to_string(ask(page, asked).answer) == expected.get<std::string>());
      }
      const json licenses = one.value("licenses", json::object());
      for (const auto& [asked, expected] : licenses.items()) {
        CHECK(ask(page, asked).licenses == expected.get<std::vector<std::string>>());
      }
      if (one.contains("demand")) {
        CHECK(demand_of(one) == one.at("demand").get<std::string>());
      }
      ++cases;
    }
  }
  CHECK(cases > 200);
}
