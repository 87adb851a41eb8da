#pragma once

#include <string>
#include <utility>

namespace robots::cache_detail {

/// The text of `cache_options::user_agent`. A string without a default, so that a program that does
/// not set this option does not compile.
class required_user_agent : public std::string {
 public:
  using std::string::string;
  using std::string::operator=;
  /// Takes over a string.
  required_user_agent(std::string text) noexcept  // NOLINT(google-explicit-constructor)
      : std::string(std::move(text)) {}

  // If the option is missing, the compiler prints the next declaration. The comment at its end says
  // what to do.
  /// Deleted, since each crawler has its own name.
  required_user_agent() = delete;  // set .user_agent, as in "FooBot/1.0 (+https://foo.example/bot)"
};

}  // namespace robots::cache_detail
