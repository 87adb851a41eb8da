#include <robots/rep/read/purpose.hpp>

#include <doctest/doctest.h>

namespace {

static_assert(to_string(robots::purpose::fetch) == "fetch");
static_assert(to_string(robots::purpose::ai_train) == "ai_train");
static_assert(to_string(robots::purpose::tdm) == "tdm");

}  // namespace
