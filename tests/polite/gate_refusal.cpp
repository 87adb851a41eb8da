#include <robots/polite/gate_refusal.hpp>

#include <doctest/doctest.h>

#include <string_view>

using robots::gate_refusal;

static_assert(to_string(gate_refusal::none) == "none");
static_assert(to_string(gate_refusal::invalid_url) == "invalid_url");
static_assert(to_string(gate_refusal::busy) == "busy");
static_assert(to_string(gate_refusal::not_yet) == "not_yet");
static_assert(to_string(gate_refusal::skip_host) == "skip_host");
static_assert(to_string(gate_refusal::no_room) == "no_room");
static_assert(to_string(gate_refusal::stopped) == "stopped");
static_assert(to_string(gate_refusal::too_late) == "too_late");

TEST_CASE("a value that is no refusal has a name, too") {
  CHECK(to_string(static_cast<gate_refusal>(200)) == std::string_view{"none"});
}
