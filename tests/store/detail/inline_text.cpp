#include <robots/store/detail/inline_text.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

using robots::detail::inline_text;

TEST_CASE("a text comes out as it went in, whether it fits or not") {
  for (const std::size_t length : {0U, 1U, 7U, 8U, 9U, 1'000U}) {
    const std::string text(length, 'x');
    const inline_text<8> kept{text};
    CHECK(kept.view() == text);
    CHECK(kept.view().data() != text.data());
  }
  CHECK(inline_text<4>{std::string_view{"a\0b", 3}}.view() == std::string_view{"a\0b", 3});
}
