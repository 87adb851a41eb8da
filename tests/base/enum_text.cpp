#include <robots/base/enum_text.hpp>

#include <doctest/doctest.h>

#include <cstdint>

namespace {

using robots::base::enum_text;
using robots::base::is_enumerator;

enum class color : std::uint8_t { red, green, blue };

static_assert(is_enumerator<color::red>() && is_enumerator<color::blue>());
static_assert(!is_enumerator<static_cast<color>(3)>());

TEST_CASE("An enumerator has the text at its position in the list") {
  const auto text = [](color value) {
    return enum_text<color::blue>(value, {"red", "green", "blue"});
  };
  CHECK(text(color::red) == "red");
  CHECK(text(color::green) == "green");
  CHECK(text(color::blue) == "blue");
  CHECK(text(static_cast<color>(200)) == "blue");
}

}  // namespace
