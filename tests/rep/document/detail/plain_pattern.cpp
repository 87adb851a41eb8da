#include <robots/rep/document/detail/plain_pattern.hpp>
#include <robots/rep/rules/detail/compiled_pattern.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace {

using robots::detail::octet_window;

bool is_plain(const std::string& text) {
  return robots::detail::is_plain_pattern(text, {text.data(), text.data() + text.size()});
}

TEST_CASE("a plain pattern is its own compiled form in all dialects") {
  for (const std::string_view seed : {"/", "/a*b$", "*.gif", "/a**", "/%41", "/a$b", "/\xC3\xA4"}) {
    for (std::size_t size = 0; size < 80; ++size) {
      const std::string text = "/" + std::string(size, 'x') + std::string{seed};
      const auto source = robots::detail::pattern_source::of(text);
      CAPTURE(text);
      for (const auto* form :
           {&robots::detail::rfc9309_rule_form, &robots::detail::google_rule_form}) {
        CHECK((!is_plain(text) || robots::detail::is_compiled(source, *form)));
      }
    }
  }
}

TEST_CASE("usual patterns are plain, whatever their length") {
  for (std::size_t size = 1; size < 100; ++size) {
    const std::string text(size, '/');
    CHECK(is_plain(text));
    CHECK(is_plain(text + '$'));
    CHECK(is_plain(text + '*' + text + "?a=b&c=(d)"));
    CHECK_FALSE(is_plain(text + "**" + text));
    CHECK_FALSE(is_plain(text + "$$"));
  }
}

}  // namespace
