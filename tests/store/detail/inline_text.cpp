#include <robots/store/detail/inline_text.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

using robots::store_detail::inline_text;

TEST_CASE("a text comes out as it went in, whether it fits or not, in place of any before") {
  inline_text<8> kept;
  CHECK(kept.view().empty());
  for (const std::size_t length : {0U, 1U, 9U, 8U, 1'000U, 7U, 0U}) {
    const std::string text(length, 'x');
    kept = text;
    CHECK(kept.view() == text);
    CHECK(kept.view().data() != text.data());
  }
  kept = std::string_view{"a\0b", 3};
  CHECK(kept.view() == std::string_view{"a\0b", 3});
}
