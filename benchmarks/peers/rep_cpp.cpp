// rep-cpp (seomoz), if the build finds it.
#include "peers/in_process.hpp"
#include "peers/rivals.hpp"

#include <robots.h>

#include <iostream>

namespace bench {
namespace {

struct rep_cpp {
  static constexpr std::string_view name = "rep-cpp";
  static constexpr std::string_view note = "seomoz/rep-cpp, in process";
  using prepared = question;
  using asked = Rep::Agent;

  /// Refuses patterns with many stars, since rep-cpp tries every combination of lengths for them.
  std::string_view refuses(const input& in) const {
    return in.name.starts_with("star") ? "left out: three stars take over 20 s" : "";
  }
  prepared prepare(const question& q) const { return q; }
  asked read(const std::string& text, const prepared& q) const {
    asked agent = Rep::Robots{text}.agent(q.agent);
    static_cast<void>(agent.allowed("/"));  // the first query sorts the rules
    return agent;
  }
  std::size_t parse(const std::string& text) const { return Rep::Robots{text}.sitemaps().size(); }
  bool compile(const std::string& text, const prepared& q) const {
    return Rep::Robots{text}.allowed(q.path, q.agent);
  }
  bool match(const asked& rules, const prepared& q) const { return rules.allowed(q.path); }
};

}  // namespace

std::unique_ptr<peer> make_rep_cpp() {
  // rep-cpp prints a message for every delay that is not a number, which would take time.
  std::cerr.setstate(std::ios::failbit);
  return std::make_unique<in_process<rep_cpp>>();
}

}  // namespace bench
