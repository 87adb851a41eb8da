// Runs the conformance suite, tests/conformance/*.json, against the library. README.md in that
// folder describes the files.
#include <robots/rep/document/document.hpp>
#include <robots/rep/rules/compile.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using nlohmann::json;

constexpr std::array dialects{robots::dialect::rfc9309, robots::dialect::google};

std::string from_base64(std::string_view text) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const auto value = digits.find(c);
    if (value == std::string_view::npos) {
      break;  // padding
    }
    bits = (bits << 6U) | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      result += static_cast<char>((bits >> static_cast<unsigned>(count)) & 0xFFU);
    }
  }
  return result;
}

/// Returns the text of a string, of `{"repeat": text, "times": n}`, or of a list of both.
std::string text_of(const json& value) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  std::string result;
  if (value.is_object()) {
    const auto part = value.at("repeat").get<std::string>();
    for (auto times = value.at("times").get<std::size_t>(); times > 0; --times) {
      result += part;
    }
    return result;
  }
  for (const json& part : value) {
    result += text_of(part);
  }
  return result;
}

robots::parse_options options_of(const json& value) {
  robots::parse_options options;
  for (const auto& [name, setting] : value.items()) {
    if (name == "strict") {
      options.strict = setting;
    } else if (name == "delay_closes_group") {
      options.delay_closes_group = setting;
    } else if (name == "prepend_slash") {
      options.prepend_slash = setting;
    } else if (name == "truncated") {
      options.truncated = setting;
    } else if (name == "max_bytes") {
      options.max_bytes = setting;
    } else if (name == "tie") {
      options.tie = setting == "disallow" ? robots::tie_break::disallow : robots::tie_break::allow;
    } else {
      throw std::invalid_argument{"no such option: " + name};
    }
  }
  return options;
}

/// Returns the value of `key` that a case expects in a dialect, or nothing if it expects none. The
/// case has one value for all dialects, or an object with a value for each of some dialects.
std::optional<json> expected(const json& from, const std::string& key, robots::dialect dialect) {
  if (!from.contains(key)) {
    return std::nullopt;
  }
  const json& value = from.at(key);
  if (!value.is_object()) {
    return value;
  }
  const std::string name{to_string(dialect)};
  return value.contains(name) ? std::optional<json>{value.at(name)} : std::nullopt;
}

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

/// Returns the answers of the library to everything that a check can ask for.
json answer_of(const robots::verdict& verdict, std::optional<std::chrono::milliseconds> delay) {
  std::optional<std::string_view> directive;
  if (verdict.directive) {
    directive = to_string(*verdict.directive);
  }
  return {{"allowed", verdict.allowed},
          {"line", verdict.line},
          {"directive", or_null(directive)},
          {"pattern", or_null(verdict.pattern)},
          {"reported_user_agent", verdict.user_agent},
          {"crawl_delay_ms", delay ? json(delay->count()) : json(nullptr)}};
}

int run_check(const json& check, const std::string& text, const robots::document& document,
              const robots::parse_options& options) {
  const std::string user_agent = check.at("user_agent");
  const std::string target = check.contains("target") ? text_of(check.at("target")) : "/";
  INFO(check.dump());
  const robots::rule_set rules = robots::compile(text, user_agent, options);
  const json one = answer_of(document.match(target, user_agent), document.crawl_delay(user_agent));
  const json two = answer_of(rules.match(target), rules.crawl_delay());
  CHECK(one == two);
  int compared = 0;
  for (const auto& [key, value] : one.items()) {
    if (const auto wanted = expected(check, key, options.dialect)) {
      INFO(key << " is " << value.dump() << ", expected " << wanted->dump());
      const bool as_expected = value == *wanted;
      CHECK(as_expected);
      ++compared;
    }
  }
  return compared;
}

int run_case(const json& item, robots::dialect dialect) {
  robots::parse_options options =
      options_of(item.contains("options") ? item.at("options") : json::object());
  options.dialect = dialect;
  const std::string text = item.contains("robots_txt_base64")
                               ? from_base64(item.at("robots_txt_base64").get<std::string>())
                               : text_of(item.at("robots_txt"));
  INFO(item.at("name").get<std::string>()
       << ", in " << to_string(dialect) << ": " << (text.size() < 500 ? text : std::string{}));
  const robots::document document = robots::parse(text, options);
  int compared = 0;
  for (const json& check : item.at("checks")) {
    compared += run_check(check, text, document, options);
  }
  if (const auto wanted = expected(item, "sitemaps", dialect)) {
    const auto found = document.sitemaps();
    CHECK(std::vector<std::string>(found.begin(), found.end()) ==
          wanted->get<std::vector<std::string>>());
    ++compared;
  }
  if (const auto wanted = expected(item, "host", dialect)) {
    CHECK(or_null(document.host()) == *wanted);
    ++compared;
  }
  if (const auto wanted = expected(item, "file_delay_ms", dialect)) {
    const auto delay = document.file_delay();
    CHECK((delay ? json(delay->count()) : json(nullptr)) == *wanted);
    ++compared;
  }
  if (const auto wanted = expected(item, "diagnostics", dialect)) {
    for (const json& finding : *wanted) {
      INFO("diagnostic " << finding.dump());
      const auto line = finding.at("line").get<std::uint32_t>();
      const auto code = finding.at("code").get<std::string>();
      CHECK(std::ranges::any_of(document.diagnostics(), [&](const robots::diagnostic& result) {
        return result.line == line && to_string(result.code) == code;
      }));
    }
    const bool clean = !wanted->empty() || document.diagnostics().empty();
    CHECK(clean);
    ++compared;
  }
  return compared;
}

TEST_CASE("The library conforms to the suite") {
  int files = 0;
  int cases = 0;
  int compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator{ROBOTS_CONFORMANCE_DIR}) {
    if (entry.path().extension() != ".json") {
      continue;
    }
    ++files;
    INFO(entry.path().filename().string());
    std::ifstream stream{entry.path()};
    const json topic = json::parse(stream);
    for (const json& item : topic.at("cases")) {
      ++cases;
      for (const robots::dialect dialect : dialects) {
        compared += run_case(item, dialect);
      }
    }
  }
  CHECK(files > 0);
  MESSAGE("conformance: " << files << " files, " << cases << " cases, " << compared
                          << " expectations compared");
}

}  // namespace
