#include "rep/rules/plug_in.hpp"

#include <robots/rep/rules/compile.hpp>
#include <robots/rep/rules/rule_set.hpp>

#include <string_view>

robots::rule_set rules_of_plug_in(std::string_view text) {
  return text.empty() ? robots::rule_set{} : robots::compile(text, "*");
}
