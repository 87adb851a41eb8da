#pragma once

#include <robots/rep/rules/rule_set.hpp>

#include <string_view>

/// A shared library that hides its symbols, except this one. Its rule sets go to the tests.
__attribute__((visibility("default"))) robots::rule_set rules_of_plug_in(std::string_view text);
