#include <robots/rep/extensions/content_signal.hpp>

#include "fuzz/bodies.hpp"
#include "fuzz/input.hpp"
#include <robots/base/ascii.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace {

using fuzz::require;
using robots::content_signal;

std::string in_upper_case(std::string_view text) {
  std::string upper;
  for (const char c : text) {
    upper += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return upper;
}

void require_same_signals(const content_signal& first, const content_signal& second,
                          const char* property) {
  require(first.search == second.search && first.ai_input == second.ai_input &&
              first.ai_train == second.ai_train && first.use == second.use &&
              first.complete == second.complete,
          property);
}

}  // namespace

void fuzz::fuzz_content_signal(octets input) {
  reader in{input};
  const std::string label = in.line();
  const std::string value = in.rest();
  const content_signal signal = content_signal::parse(value);
  require(lies_in(signal.path, value) && lies_in(signal.statement, value),
          "path and signals are parts of the value");
  require(signal.search == signal.preference("search") &&
              signal.ai_input == signal.preference("ai-input") &&
              signal.ai_train == signal.preference("AI-TRAIN"),
          "a signal has one value");

  const std::string statement{signal.statement};
  const std::string upper = in_upper_case(statement);
  require(!signal.preference(label) || upper.find(in_upper_case(label)) != std::string::npos,
          "no signal is invented");
  if (statement.starts_with('/')) {
    return;  // The copies below would have a path.
  }
  require_same_signals(content_signal::parse(upper), signal, "the case of a signal means nothing");

  std::vector<std::string> members;
  std::string_view rest = statement;
  while (const auto member = robots::rep_detail::take_signal(rest)) {
    require(lies_in(member->text, statement), "a member is a part of the signals");
    members.emplace_back(member->text);
  }
  std::string reversed;
  for (auto member = members.rbegin(); member != members.rend(); ++member) {
    reversed += (reversed.empty() ? "" : " ,, ") + *member;
  }
  if (!reversed.starts_with('/')) {
    require_same_signals(content_signal::parse(reversed), signal,
                         "the order of signals means nothing");
  }

  const std::string stricter_text = statement + ",search=no,ai-input=no,ai-train=no,use=immediate";
  const content_signal stricter = content_signal::parse(stricter_text);
  require(stricter.search == false && stricter.ai_input == false && stricter.ai_train == false &&
              stricter.use == robots::content_use::immediate,
          "the most restrictive value of a repeated signal counts");
  const std::string looser_text = statement + ",search=yes,ai-input=yes,ai-train=yes,use=full";
  const content_signal looser = content_signal::parse(looser_text);
  require(looser.search == signal.search.value_or(true) &&
              looser.ai_input == signal.ai_input.value_or(true) &&
              looser.ai_train == signal.ai_train.value_or(true) &&
              looser.use == signal.use.value_or(robots::content_use::full),
          "a further permission lifts no refusal");
}
