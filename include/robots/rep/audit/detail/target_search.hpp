#pragma once

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

  pattern_automaton(std::string_view text, bool anchored)
      : text_(text), fallback_(text.size() + 1, dead), anchored_(anchored) {
    for (std::size_t star = text.find('*'); star < text.size(); star = text.find('*', star + 1)) {
      prepare(star + 1);
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

/// Looks for a target that one rule decides, and that the rules of another set decide otherwise.
class target_search {
 public:
  /// For a rule of that kind, where the other set says `base` of all targets that no competitor
  /// matches.
  target_search(std::string_view text, bool anchored, rule_kind kind, rule_kind base)
      : kind_(kind), base_(base) {
    add(text, anchored);
  }

  /// A rule that decides over the one in its own set: the target must not match.
  void avoid(std::string_view text, bool anchored) {
    add(text, anchored);
    competitors_ = automata_.size();
  }

  /// A rule of the other set, by falling rank, after all that must be avoided.
  void compete(std::string_view text, bool anchored, rule_kind kind) {
    add(text, anchored);
    kinds_.push_back(kind);
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
    std::vector<pattern_automaton::state> start;
    start.reserve(automata_.size());
    for (const pattern_automaton& automaton : automata_) {
      start.push_back(automaton.start());
    }
    reach(nullptr, start, '/');
    // It grows meanwhile. NOLINTNEXTLINE(modernize-loop-convert)
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const reached* const from = queue_[i];
      std::vector<pattern_automaton::state> states(automata_.size());
      std::memcpy(states.data(), from->first.data(), from->first.size());
      if (is_target(states)) {
        return path_to(from);
      }
      const std::string_view only = automata_.front().only_next(states.front());
      const std::string_view octets = only.empty() ? std::string_view{alphabet} : only;
      steps.spend(octets.size() * automata_.size());
      if (steps.exceeded()) {
        return std::nullopt;
      }
      for (const char octet : octets) {
        reach(from, states, octet);
      }
    }
    return std::nullopt;
  }

 private:
  struct origin {
    const std::pair<const std::string, origin>* from = nullptr;
    char octet = '/';
  };
  using reached = std::pair<const std::string, origin>;

  void add(std::string_view text, bool anchored) {
    automata_.emplace_back(text, anchored);
    for (const char c : text) {
      used_[static_cast<unsigned char>(c)] = true;
    }
  }

  [[nodiscard]] rule_kind kind_of(std::size_t competitor) const noexcept {
    return kinds_[competitor - competitors_];
  }

  void reach(const reached* from, std::vector<pattern_automaton::state> states, char octet) {
    for (std::size_t i = 0; i < automata_.size(); ++i) {
      states[i] = automata_[i].next(states[i], octet);
    }
    if (!may_lead_on(states)) {
      return;
    }
    std::string key(states.size() * sizeof(pattern_automaton::state), '\0');
    std::memcpy(key.data(), states.data(), key.size());
    const auto [place, is_new] = known_.try_emplace(std::move(key), origin{from, octet});
    if (is_new) {
      queue_.push_back(&*place);
    }
  }

  /// Whether some target that goes on from here may be one; forgets what cannot matter any more.
  [[nodiscard]] bool may_lead_on(std::vector<pattern_automaton::state>& states) const noexcept {
    if (states.front() == pattern_automaton::dead) {
      return false;
    }
    for (std::size_t i = 1; i < competitors_; ++i) {
      if (automata_[i].accepts_all(states[i])) {
        return false;
      }
    }
    bool may_differ = false;
    rule_kind best = base_;
    std::size_t i = competitors_;
    for (; i < automata_.size(); ++i) {
      may_differ = may_differ || (states[i] != pattern_automaton::dead && kind_of(i) != kind_);
      if (automata_[i].accepts_all(states[i])) {
        best = kind_of(i++);
        break;
      }
    }
    for (; i < automata_.size(); ++i) {
      states[i] = pattern_automaton::dead;
    }
    return may_differ || best != kind_;
  }

  [[nodiscard]] bool is_target(const std::vector<pattern_automaton::state>& states) const noexcept {
    if (!automata_.front().accepts(states.front())) {
      return false;
    }
    for (std::size_t i = 1; i < competitors_; ++i) {
      if (automata_[i].accepts(states[i])) {
        return false;
      }
    }
    for (std::size_t i = competitors_; i < automata_.size(); ++i) {
      if (automata_[i].accepts(states[i])) {
        return kind_of(i) != kind_;
      }
    }
    return base_ != kind_;
  }

  [[nodiscard]] static std::string path_to(const reached* last) {
    std::string path;
    for (; last != nullptr; last = last->second.from) {
      path.insert(path.begin(), last->second.octet);
    }
    return path;
  }

  rule_kind kind_;
  rule_kind base_;
  std::vector<pattern_automaton> automata_;  // the rule, what to avoid, the competitors
  std::size_t competitors_ = 1;
  std::vector<rule_kind> kinds_;  // of the competitors
  std::array<bool, 256> used_{};
  std::map<std::string, origin> known_;  // by the states of all automata
  std::vector<const reached*> queue_;
};

}  // namespace robots::rep_detail
