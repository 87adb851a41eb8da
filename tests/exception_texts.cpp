// The message of each exception that the library throws has a value, or says what to do.
#include "support/text_of.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

/// The message of an exception in the code.
struct thrown_message {
  std::string text;        ///< all literals, joined
  bool has_value = false;  ///< true if the message has other parts, too
};

/// Returns the messages of the `throw` expressions in a file.
std::vector<thrown_message> thrown_in(std::string_view code) {
  std::vector<thrown_message> messages;
  constexpr std::string_view mark = "throw ";
  for (std::size_t i = code.find(mark); i != std::string_view::npos; i = code.find(mark, i + 1)) {
    std::size_t end = i + mark.size();
    while (end < code.size() && (std::isalnum(static_cast<unsigned char>(code[end])) != 0 ||
                                 code[end] == '_' || code[end] == ':')) {
      ++end;
    }
    if (end == i + mark.size() || end == code.size() || (code[end] != '{' && code[end] != '(')) {
      continue;  // `throw;`, or a comment
    }
    thrown_message message;
    int depth = 0;
    bool is_quoted = false;
    do {
      const char c = code[end];
      if (is_quoted) {
        message.text += c == '"' ? "" : std::string{c};
        end += c == '\\' ? 1U : 0U;
      }
      is_quoted = is_quoted != (c == '"');
      if (!is_quoted) {
        message.has_value = message.has_value || c == '+';
        if (c == '{' || c == '(') {
          ++depth;
        } else if (c == '}' || c == ')') {
          --depth;
        }
      }
      ++end;
    } while (depth > 0 && end < code.size());
    messages.push_back(std::move(message));
  }
  return messages;
}

/// Returns true if a message has a value, or says in at least seven words what is wrong and what to
/// do. A `throw` without literals is not judged: its message comes from elsewhere.
bool is_helpful(const thrown_message& message) {
  constexpr std::array<std::string_view, 4> marks{": ", "; ", " must ", " cannot be "};
  const auto is_in_text = [&message](std::string_view mark) {
    return message.text.find(mark) != std::string::npos;
  };
  return message.text.empty() || message.has_value ||
         (std::ranges::count(message.text, ' ') >= 6 && std::ranges::any_of(marks, is_in_text));
}

}  // namespace

TEST_CASE("An exception of the library names a value, or says what to do") {
  std::size_t messages = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{
           std::filesystem::path{ROBOTS_SOURCE_DIR} / "include"}) {
    if (entry.is_regular_file()) {
      for (const thrown_message& message : thrown_in(robots::test::text_of(entry.path()))) {
        INFO(entry.path().filename().string() << ": " << message.text);
        CHECK(is_helpful(message));
        ++messages;
      }
    }
  }
  CHECK(messages > 50);
}

TEST_CASE("The check of exceptions tells a helpful message from another") {
  const auto is_helpful_throw = [](std::string_view code) {
    const auto thrown = thrown_in(code);
    CHECK(thrown.size() == 1);
    return is_helpful(thrown.front());
  };
  CHECK(is_helpful_throw(R"(throw std::bad_alloc{};)"));
  CHECK(is_helpful_throw(R"(throw error{"the option is " + value};)"));
  CHECK(is_helpful_throw("throw error{\"the option \"\n  \"is bad: set it to a number\"};"));
  CHECK(!is_helpful_throw(R"(throw error{"the option is bad"};)"));
  CHECK(!is_helpful_throw(R"(throw error{"the option is bad, as bad as it can be"};)"));
  CHECK(thrown_in("// does not throw. throw;").empty());
}
