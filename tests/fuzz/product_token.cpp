#include <robots/rep/read/product_token.hpp>

#include "fuzz/bodies.hpp"
#include "fuzz/input.hpp"
#include "rep/reference_matcher.hpp"
#include <robots/rep/document/document.hpp>
#include <robots/rep/rules/compile.hpp>

#include <string>
#include <string_view>

namespace {

using fuzz::require;

std::string upper(std::string_view text) {
  std::string result{text};
  for (char& c : result) {
    c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  }
  return result;
}

}  // namespace

void fuzz::fuzz_product_token(octets input) {
  reader in{input};
  const std::string header = in.line();
  const std::string value = in.rest();
  const std::string_view token = robots::product_token(header);
  const bool is_target = robots::is_target(header);
  require(robots::product_token(header, robots::dialect::google) ==
              (is_target ? std::string_view{} : robots::rep_detail::first_product(header)),
          "dialect::google takes the first product");
  if (!is_target) {
    require(reference::lower(robots::product_token(header, robots::dialect::google)) ==
                reference::token_of(header),
            "the reference finds the token of dialect::google");
  }
  if (reference::is_one_product(header)) {
    require(reference::lower(token) == reference::token_of(header), "one product stays itself");
  }
  require(header.find(token) != std::string::npos, "the token is a part of the header");
  require(robots::product_token(token) == token, "the token of a token is the same token");
  if (reference::lower(token) !=
      "mozilla") {  // a header that begins with `Mozilla/` is a browser's
    require(robots::product_token(std::string{token} + "/2.1 (+https://bot.example/)") == token,
            "a version and a comment change nothing");
  }

  if (value.find_first_of("#\r\n") != std::string::npos || value.find('\0') != std::string::npos ||
      robots::base::trim(value, robots::base::is_blank) != value) {
    return;
  }
  const std::string text = "User-agent: " + value + "\nDisallow: /\n";
  for (const robots::dialect dialect : dialects) {
    const robots::parse_options options{.dialect = dialect};
    const std::string_view own = robots::product_token(header, dialect);
    const reference::reading mode = dialect == robots::dialect::google
                                        ? reference::reading::google
                                        : reference::reading::rfc9309;
    const bool everyone = reference::names_everyone(value, mode);
    const bool named = reference::names_crawler(value, reference::lower(own), mode);
    const robots::document document = robots::parse(text, options);
    const robots::verdict verdict = document.match("/x", header);
    require(document.allows("/x", upper(header)) == verdict.allowed,
            "the case of the crawler's name changes nothing");
    require(robots::compile(upper(text), header, options).allows("/x") == verdict.allowed,
            "the case of the line changes nothing");
    const robots::rule_set rules = robots::compile(text, header, options);
    require(rules.match("/x").user_agent == verdict.user_agent, "rules name the same crawler");
    if (is_target) {
      require(!verdict.allowed && verdict.undecided, "a path or a URL gets no permission");
      continue;
    }
    require(verdict.allowed == !(named || everyone), "a line and the reference name the same");
    const bool nobody = own.empty() || (everyone && !named);
    require(verdict.user_agent == (nobody ? "*" : own), "a verdict names the right crawler");
  }
}
