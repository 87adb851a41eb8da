// This library as a crawler uses it: `parse` makes a document, `compile` makes rules for one
// crawler and one verdict, and `match` asks a compiled rule set.
#include "peers/robots_cpp.hpp"

#include "peers/in_process.hpp"
#include <robots/rep/document/document.hpp>
#include <robots/rep/rules/compile.hpp>
#include <robots/rep/rules/rule_set.hpp>

namespace bench {
namespace {

struct robots_cpp {
  static constexpr std::string_view name = "robots-cpp";
  static constexpr std::string_view note = "this library";
  using prepared = question;
  using asked = robots::rule_set;

  prepared prepare(const question& q) const { return q; }
  asked read(const std::string& text, const prepared& q) const {
    return robots::compile(text, q.agent);
  }
  robots::document parse(const std::string& text) const { return robots::parse(text); }
  bool compile(const std::string& text, const prepared& q) const {
    return robots::compile(text, q.agent).allows(q.path);
  }
  bool match(const asked& rules, const prepared& q) const { return rules.allows(q.path); }
};

}  // namespace

std::unique_ptr<peer> make_robots_cpp() { return std::make_unique<in_process<robots_cpp>>(); }

}  // namespace bench
