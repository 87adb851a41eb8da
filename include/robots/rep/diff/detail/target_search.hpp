#pragma once

#include <robots/rep/rules/detail/compiled_pattern.hpp>
#include <robots/rep/rules/detail/match.hpp>
#include <robots/rep/rules/verdict.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::rep_detail {

/// An octet that stands in no pattern of `used`, and in no target's normal form has a meaning of
/// its own; 0 when there is none.
[[nodiscard]] inline char unused_octet(const std::array<bool, 256>& used) noexcept {
  for (const std::string_view range : {"xyzwvutsrqponmlkjihgfedcba", "0123456789-._~",
                                       "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "!&'()+,:;=@[]^`{|}\"<>\\"}) {
    for (const char c : range) {
      if (!used[static_cast<unsigned char>(c)]) {
        return c;
      }
    }
  }
  return '\0';
}

/// One pattern as an automaton, which reads a target octet by octet: its state is how much of the
/// pattern has been found.
class pattern_automaton {
 public:
  using state = std::uint16_t;  // lines have at most 16,663 octets
  static constexpr state dead = 0xFFFF;

  explicit pattern_automaton(const compiled_pattern& pattern)
      : text_(pattern.text), fallback_(text_.size() + 1, dead), anchored_(pattern.anchored) {
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (text_[i] == '*') {
        prepare(i + 1);
      }
    }
  }

  [[nodiscard]] state start() const noexcept { return behind_star(0); }

  /// Whether any target that goes on from here matches.
  [[nodiscard]] bool accepts_all(state at) const noexcept {
    return !anchored_ && at == text_.size();
  }

  /// Whether the target matches that ends here.
  [[nodiscard]] bool accepts(state at) const noexcept { return at == text_.size(); }

  /// The only octet by which a target can go on; nothing where there are others.
  [[nodiscard]] std::string_view only_next(state at) const noexcept {
    return fallback_[at] == dead ? text_.substr(at, 1) : std::string_view{};
  }

  [[nodiscard]] state next(state at, char octet) const noexcept {
    if (at == dead || accepts_all(at)) {
      return at;
    }
    for (;;) {
      if (at < text_.size() && text_[at] == octet) {
        return behind_star(static_cast<state>(at + 1));
      }
      if (fallback_[at] == at || fallback_[at] == dead) {
        return fallback_[at];
      }
      at = fallback_[at];
    }
  }

 private:
  [[nodiscard]] state behind_star(state at) const noexcept {
    return at < text_.size() && text_[at] == '*' ? static_cast<state>(at + 1) : at;
  }

  /// Of the literal that begins at `first`: where to go on when the octet behind a part of it is
  /// another one (Knuth, Morris and Pratt).
  void prepare(std::size_t first) {
    fallback_[first] = static_cast<state>(first);
    std::size_t known = first;
    for (std::size_t i = first + 1; i <= text_.size(); ++i) {
      fallback_[i] = static_cast<state>(known);
      if (i == text_.size() || text_[i] == '*') {
        return;
      }
      while (text_[i] != text_[known] && known != first) {
        known = fallback_[known];
      }
      known += text_[i] == text_[known] ? 1U : 0U;
    }
  }

  std::string_view text_;
  std::vector<state> fallback_;
  bool anchored_;
};

/// Looks for a target that a rule matches and that its competitors decide otherwise.
class target_search {
 public:
  /// For a rule of that kind, where `base` is said of all targets that no competitor matches.
  target_search(const compiled_pattern& rule, rule_kind kind, rule_kind base) : base_(base) {
    compete(rule, kind);
  }

  /// Adds a competitor, which decides over those that are yet to be added.
  void compete(const compiled_pattern& rule, rule_kind kind) {
    automata_.emplace_back(rule);
    kinds_.push_back(kind);
    for (const char c : rule.text) {
      used_[static_cast<unsigned char>(c)] = true;
    }
  }

  /// The normal form of a shortest such target; nothing if there is none, or once `steps` are
  /// exceeded.
  [[nodiscard]] std::optional<std::string> find(step_budget& steps) {
    std::string alphabet;
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (used_[i] && i != '*') {
        alphabet += static_cast<char>(i);
      }
    }
    if (const char other = unused_octet(used_); other != '\0') {
      alphabet += other;
    }
    states start;
    for (const pattern_automaton& automaton : automata_) {
      start.push_back(automaton.start());
    }
    reach(nullptr, start, '/');
    // It grows meanwhile. NOLINTNEXTLINE(modernize-loop-convert)
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const reached* const from = queue_[i];
      if (is_target(from->first)) {
        return path_to(from);
      }
      const std::string_view only = automata_.front().only_next(from->first.front());
      const std::string_view octets = only.empty() ? std::string_view{alphabet} : only;
      steps.spend(octets.size() * automata_.size());
      if (steps.exceeded()) {
        return std::nullopt;
      }
      for (const char octet : octets) {
        reach(from, from->first, octet);
      }
    }
    return std::nullopt;
  }

 private:
  using states = std::vector<pattern_automaton::state>;  // of all automata
  struct less {
    bool operator()(const states& a, const states& b) const noexcept {
      return std::memcmp(a.data(), b.data(), a.size() * sizeof(a.front())) < 0;
    }
  };
  struct origin {
    const std::pair<const states, origin>* from = nullptr;
    char octet = '/';
  };
  using reached = std::pair<const states, origin>;

  void reach(const reached* from, states at, char octet) {
    for (std::size_t i = 0; i < automata_.size(); ++i) {
      at[i] = automata_[i].next(at[i], octet);
    }
    if (!may_lead_on(at)) {
      return;
    }
    const auto [place, is_new] = known_.try_emplace(std::move(at), origin{from, octet});
    if (is_new) {
      queue_.push_back(&*place);
    }
  }

  [[nodiscard]] bool differs(rule_kind kind) const noexcept { return kind != kinds_.front(); }

  /// Whether some target that goes on from here may be one; forgets what cannot matter any more.
  [[nodiscard]] bool may_lead_on(states& at) const noexcept {
    if (at.front() == pattern_automaton::dead) {
      return false;
    }
    bool may_differ = false;
    rule_kind best = base_;
    std::size_t i = 1;
    for (; i < automata_.size(); ++i) {
      may_differ = may_differ || (at[i] != pattern_automaton::dead && differs(kinds_[i]));
      if (automata_[i].accepts_all(at[i])) {
        best = kinds_[i++];
        break;
      }
    }
    for (; i < automata_.size(); ++i) {
      at[i] = pattern_automaton::dead;
    }
    return may_differ || differs(best);
  }

  [[nodiscard]] bool is_target(const states& at) const noexcept {
    if (!automata_.front().accepts(at.front())) {
      return false;
    }
    for (std::size_t i = 1; i < automata_.size(); ++i) {
      if (automata_[i].accepts(at[i])) {
        return differs(kinds_[i]);
      }
    }
    return differs(base_);
  }

  [[nodiscard]] static std::string path_to(const reached* last) {
    std::string path;
    for (; last != nullptr; last = last->second.from) {
      path.insert(path.begin(), last->second.octet);
    }
    return path;
  }

  rule_kind base_;
  std::vector<pattern_automaton> automata_;  // of the rule and of its competitors
  std::vector<rule_kind> kinds_;             // of the same
  std::array<bool, 256> used_{};
  std::map<states, origin, less> known_;
  std::vector<const reached*> queue_;
};

}  // namespace robots::rep_detail
