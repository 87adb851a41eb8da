#include "inputs/inputs.hpp"
#include "inputs/shapes.hpp"
#include "instructions/meter.hpp"
#include "instructions/rows.hpp"
#include <robots/rep/document/document.hpp>
#include <robots/rep/rules/compile.hpp>
#include <robots/rep/rules/rule_set.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace bench {
namespace {

/// Parses each file, and compiles each file for the crawler of its first question.
void read(meter& to, const std::string& name, const input& in) {
  to.row("parse/" + name, in.files.size(),
         [&](std::size_t i) { keep(robots::parse(in.files[i])); });
  std::vector<const question*> first(in.files.size());
  for (const question& q : in.questions) {
    first[q.file] = first[q.file] == nullptr ? &q : first[q.file];
  }
  to.row("compile/" + name, in.files.size(), [&](std::size_t i) {
    const question& q = *first[i];
    keep(robots::compile(in.files[i], q.agent).allows(q.path));
  });
}

/// Asks the compiled rules all questions.
void query(meter& to, const std::string& name, const input& in) {
  std::vector<robots::rule_set> sets;
  std::vector<std::size_t> set_of;
  std::vector<std::pair<std::size_t, std::string>> known;
  for (const question& q : in.questions) {
    std::size_t found = 0;
    while (found < known.size() && known[found] != std::pair{q.file, q.agent}) {
      ++found;
    }
    if (found == known.size()) {
      known.emplace_back(q.file, q.agent);
      sets.push_back(robots::compile(in.files[q.file], q.agent));
    }
    set_of.push_back(found);
  }
  to.row("query/" + name, in.questions.size(),
         [&](std::size_t i) { keep(sets[set_of[i]].match(in.questions[i].path)); });
}

}  // namespace

void measure_rules(meter& to) {
  const input all = sites(256);
  const input shapes = mixture_of({groups(60), comments(), crlf(), long_lines()});
  const input literal = rules(20'000, stars_at::nowhere);
  const input inner = rules(20'000, stars_at::inner);
  const input leading = rules(20'000, stars_at::leading);
  read(to, "tiny", sample_of(tiny(), 4));
  read(to, "sites", all);
  read(to, "shapes", shapes);
  read(to, "large", sized(512'000));
  read(to, "20000-inner", inner);
  query(to, "sites", all);
  query(to, "sites-shuffled", shuffled(all));
  query(to, "shapes", shapes);
  query(to, "200-inner", rules(200, stars_at::inner));
  query(to, "200-leading", rules(200, stars_at::leading));
  query(to, "10-stars", stars(10, 2048, "stars/10"));
  query(to, "20000-literal", literal);
  query(to, "20000-inner", inner);
  query(to, "20000-leading", leading);
}

}  // namespace bench
