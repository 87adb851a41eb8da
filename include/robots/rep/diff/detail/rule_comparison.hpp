#pragma once

#include <robots/base/ascii.hpp>
#include <robots/rep/diff/change_report.hpp>
#include <robots/rep/rules/detail/match.hpp>
#include <robots/rep/rules/explanation.hpp>
#include <robots/rep/rules/rule_set.hpp>
#include <robots/rep/text/detail/normal_form.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace robots::rep_detail {

/// Compares the rules of two rule sets, which must outlive this object.
///
/// For each rule that differs, searches for an example: a target that the rule decides, and that
/// the other set decides differently. Makes the candidates from the pattern of the rule, and from
/// other patterns that can match a target of the rule.
class rule_comparison {
 public:
  rule_comparison(const rule_set& before, const rule_set& after)
      : lists_{before.list(), after.list()},
        reads_hosts_(before.reads_hosts() || after.reads_hosts()) {
    if (after.match("/robots.txt").exempt && before.match("/robots.txt").exempt) {
      for (std::vector<listed_rule>& list : lists_) {
        list.push_back({.compared = "/robots.txt$", .anchored = true, .rank = exempt});
        list.push_back({.compared = "/robots.txt?", .rank = exempt});
      }
    }
    rules_.reserve(lists_[0].size() + lists_[1].size());
    for (std::size_t side = 0; side < 2; ++side) {
      for (const listed_rule& listed : lists_[side]) {
        std::string_view text = listed.compared;
        text.remove_suffix(listed.anchored ? 1 : 0);
        rules_.push_back(
            {.pattern = {text, listed.anchored}, .literal = text.substr(0, text.find('*'))});
        rules_.back().in[side] = &listed;
        for (const char c : text) {
          used_[static_cast<unsigned char>(c)] = true;
        }
      }
    }
    merge();
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      std::size_t parent = i - 1;
      while (parent != none && !rules_[i].literal.starts_with(rules_[parent].literal)) {
        parent = rules_[parent].parent;
      }
      rules_[i].parent = parent;
    }
  }

  [[nodiscard]] change_report run() {
    change_report result;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      const rule& self = rules_[i];
      if (self.differs()) {
        examine(i, 0);
        examine(i, 1);
      }
      const bool is_in_both = self.in[0] != nullptr && self.in[1] != nullptr;
      const bool is_unchanged = is_in_both && self.in[0]->kind == self.in[1]->kind &&
                                !self.examples[0] && !self.examples[1];
      result.unchanged += is_unchanged && self.in[0]->rank != exempt ? 1U : 0U;
    }
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        if (rules_[i].examples[side] && !rules_[i].reported[side]) {
          result.rules.push_back(change_of(i, side));
        }
      }
    }
    result.complete = complete_;
    const auto line = [](const change_report::rule_change& change) {
      return change.after ? change.after->line : change.before->line;
    };
    std::sort(result.rules.begin(), result.rules.end(),
              [&](const change_report::rule_change& a, const change_report::rule_change& b) {
                return std::pair{line(a), a.change} < std::pair{line(b), b.change};
              });
    return result;
  }

 private:
  static constexpr std::size_t none = (std::numeric_limits<std::size_t>::max)();
  static constexpr std::uint32_t exempt = (std::numeric_limits<std::uint32_t>::max)();
  static constexpr std::size_t steps_to_visit = 4;  // the steps that one visit to a rule costs
  static constexpr std::size_t steps_for_one = std::size_t{1} << 18U;  // the limit for one rule
  static constexpr std::size_t octets_per_step = 8;  // octets of a target that count as one step

  struct rule {
    compiled_pattern pattern{};
    std::string_view literal{};              // the part before the first wildcard
    std::array<const listed_rule*, 2> in{};  // the rule in the old and in the new set
    std::size_t parent = none;  // the nearest earlier rule whose literal is a prefix of `literal`
    std::array<bool, 2> reported{};
    // The examples for the old and the new set. If a search stopped early, its example is `""`.
    std::array<std::optional<std::string>, 2> examples{};

    [[nodiscard]] bool differs() const noexcept {
      return in[0] == nullptr || in[1] == nullptr || in[0]->kind != in[1]->kind ||
             in[0]->rank != in[1]->rank;
    }
    [[nodiscard]] auto key() const noexcept { return std::tie(literal, pattern); }
  };

  /// Sorts the rules and merges rules with the same pattern. If a set has several rules with the
  /// same pattern, keeps only the rule that decides.
  void merge() {
    std::sort(rules_.begin(), rules_.end(),
              [](const rule& a, const rule& b) { return a.key() < b.key(); });
    std::size_t merged = 0;
    for (std::size_t i = 1; i < rules_.size(); ++i) {
      if (rules_[merged].key() != rules_[i].key()) {
        rules_[++merged] = rules_[i];
        continue;
      }
      for (std::size_t side = 0; side < 2; ++side) {
        const listed_rule*& best = rules_[merged].in[side];
        const listed_rule* const other = rules_[i].in[side];
        if (other != nullptr && (best == nullptr || other->rank > best->rank ||
                                 (other->rank == best->rank && other->line < best->line))) {
          best = other;
        }
      }
    }
    rules_.resize((std::min)(merged + 1, rules_.size()));
  }

  /// Returns the indexes of the rules that can match a target of rule `i`. The last index is `i`.
  /// The literal of each of these rules is a prefix of the literal of rule `i`, or begins with the
  /// literal of rule `i`.
  [[nodiscard]] std::vector<std::size_t> neighbours(std::size_t i) {
    std::vector<std::size_t> found;
    for (std::size_t above = rules_[i].parent; above != none; above = rules_[above].parent) {
      steps_.spend(steps_to_visit);
      found.push_back(above);
    }
    for (std::size_t below = i + 1;
         below < rules_.size() && rules_[below].literal.starts_with(rules_[i].literal); ++below) {
      steps_.spend(steps_to_visit);
      found.push_back(below);
    }
    found.push_back(i);
    return found;
  }

  /// Replaces each `*` of a pattern by `filler`. Appends `end` unless the pattern is anchored.
  [[nodiscard]] static std::string filled(const compiled_pattern& with, std::string_view filler,
                                          std::string_view end) {
    std::string target;
    for (const char& c : with.text) {
      target += c == '*' ? filler : std::string_view{&c, 1};
    }
    return with.anchored ? target : target.append(end);
  }

  /// Returns true if `wide` matches every target that the pattern `narrow` matches. In `narrow`, a
  /// NUL stands for each `*` and for an open end. Only a wildcard of `wide` matches NUL.
  [[nodiscard]] bool covers(const compiled_pattern& wide, std::string_view narrow) {
    steps_.spend(1 + wide.text.size());
    return (wide.text == "/" && !wide.anchored) || matches(wide, narrow, steps_);
  }

  [[nodiscard]] static std::string symbolic(const rule& of) {
    return filled(of.pattern, {"\0", 1}, {"\0", 1});
  }

  /// Finds the example of rule `i` in one rule set: the old one if `side` is 0, else the new one.
  void examine(std::size_t i, std::size_t side) {
    rule& self = rules_[i];
    if (self.in[side] == nullptr || !(self.pattern.text.empty() || self.pattern.text[0] == '/' ||
                                      self.pattern.text[0] == '*')) {
      return;
    }
    self.examples[side] = steps_.exceeded() ? stopped() : find_example(i, side);
  }

  struct competitor {
    compiled_pattern pattern;
    rule_kind kind;
    std::uint32_t rank;
  };

  /// Returns the result of a search that was stopped early.
  [[nodiscard]] std::optional<std::string> stopped() {
    complete_ = false;
    return "";
  }

  /// Finds a target that rule `i` of set `side` decides, and on which the other set differs.
  [[nodiscard]] std::optional<std::string> find_example(std::size_t i, std::size_t side) {
    const rule& self = rules_[i];
    const listed_rule& own = *self.in[side];
    const std::size_t other = 1 - side;
    const std::string everything = symbolic(self);
    // A target is no example if a rule of higher rank in the set `side` matches the target.
    // `is_example` rejects a target if the first matching competitor has the kind `own.kind`. So
    // each rule of higher rank becomes a competitor with the kind `own.kind`.
    std::vector<competitor> competitors;
    for (const std::size_t index : neighbours(i)) {
      const rule& nearby = rules_[index];
      if (nearby.in[side] != nullptr && nearby.in[side]->rank > own.rank) {
        competitors.push_back({nearby.pattern, own.kind, exempt});
      } else if (const listed_rule* const opponent = nearby.in[other]; opponent != nullptr) {
        competitors.push_back({nearby.pattern, opponent->kind, opponent->rank});
      }
    }
    std::sort(competitors.begin(), competitors.end(),
              [](const competitor& a, const competitor& b) { return a.rank > b.rank; });
    // `base` is the first competitor that matches every target of this rule. So the competitors
    // after `base` never decide.
    const auto base =
        std::find_if(competitors.begin(), competitors.end(),
                     [&](const competitor& rival) { return covers(rival.pattern, everything); });
    const rule_kind base_kind = base != competitors.end() ? base->kind : rule_kind::allow;
    competitors.erase(base, competitors.end());
    while (!competitors.empty() && competitors.back().kind == base_kind) {
      competitors.pop_back();
    }
    if (competitors.empty() && base_kind == own.kind) {
      return steps_.exceeded() ? stopped() : std::nullopt;
    }
    const auto is_example = [&](std::string_view target) {
      const auto is_match = [&](const compiled_pattern& pattern) {
        steps_.spend(1);
        return matches(pattern, target, steps_);
      };
      const auto decides =
          std::find_if(competitors.begin(), competitors.end(),
                       [&](const competitor& rival) { return is_match(rival.pattern); });
      const rule_kind kind = decides != competitors.end() ? decides->kind : base_kind;
      return kind != own.kind && is_match(self.pattern) && !steps_.exceeded();
    };
    const char unused = unused_octet();
    const std::string_view filler{&unused, unused == '\0' ? 0U : 1U};
    const auto try_with = [&](const compiled_pattern& pattern, std::string_view star,
                              std::string_view end) -> std::optional<std::string> {
      const auto stars =
          static_cast<std::size_t>(std::count(pattern.text.begin(), pattern.text.end(), '*'));
      const std::size_t size = 1 + pattern.text.size() + stars * star.size() + end.size();
      if (size > max_normal_target || steps_.exceeded()) {
        return std::nullopt;
      }
      steps_.spend(1 + size / octets_per_step);
      std::string target = filled(pattern, star, end);
      if (!target.starts_with('/')) {
        target.insert(0, 1, '/');
      }
      return is_example(target) ? std::optional{spelled(target)} : std::nullopt;
    };
    std::vector<std::string> fills{"", std::string{filler}};
    const auto try_fills = [&](const compiled_pattern& pattern) {
      std::optional<std::string> found;
      for (const std::string& star : fills) {
        for (const std::string& end : fills) {
          found = found ? found : try_with(pattern, star, end);
        }
      }
      return found;
    };
    if (auto found = try_fills(self.pattern)) {
      return found;
    }
    const std::size_t steps_at_start = steps_.left();
    for (const competitor& rival : competitors) {
      if (rival.kind == own.kind) {
        continue;
      }
      fills.resize(2);
      auto found = try_fills(rival.pattern);
      suggest(fills, self, rival.pattern, filler);
      found = found ? found : try_fills(self.pattern);
      if (found) {
        return found;
      }
      if (steps_at_start - steps_.left() > steps_for_one) {
        return stopped();
      }
    }
    return steps_.exceeded() ? stopped() : std::nullopt;
  }

  /// Adds texts to `fills`, for the wildcards and the open end of `self`. With such a text, a
  /// target of `self` is likely to match `rival`, too.
  static void suggest(std::vector<std::string>& fills, const rule& self,
                      const compiled_pattern& rival, std::string_view filler) {
    for (const std::string_view star : {std::string_view{}, filler}) {
      const std::string whole = filled(rival, star, {});
      const auto common =
          std::mismatch(whole.begin(), whole.end(), self.literal.begin(), self.literal.end());
      const std::string rest{common.first, whole.end()};
      for (const std::string& fill : {whole, rest}) {
        fills.push_back(fill);
        fills.push_back(fill + std::string{filler});
      }
    }
    fills.emplace_back(rival.text.substr(rival.text.rfind('*') + 1));
  }

  /// Returns an octet that is in no pattern and has no special meaning, or 0 if there is none.
  [[nodiscard]] char unused_octet() const noexcept {
    constexpr std::string_view octets =
        "xyzwvutsrqponmlkjihgfedcba0123456789-._~ABCDEFGHIJKLMNOPQRSTUVWXYZ!&'()+,:;=@[]^`{|}\"<>"
        "\\";
    const auto found = std::find_if(octets.begin(), octets.end(), [this](char octet) {
      return !used_[static_cast<unsigned char>(octet)];
    });
    return found == octets.end() ? '\0' : *found;
  }

  /// Returns a target whose normal form is `target`.
  [[nodiscard]] std::string spelled(std::string_view target) const {
    // google/robotstxt reads the text after `//` as a host. So a path that begins with `//` needs a
    // host.
    std::string result{reads_hosts_ && target.starts_with("//") ? "https://example.com" : ""};
    for (std::size_t i = 0; i < target.size(); ++i) {
      result += target[i];
      if (target[i] == '%' && !reads_hosts_ &&
          !is_normal(target.substr(i, 3), rfc9309_target_form)) {
        const auto [high, low] = base::hex_digits(static_cast<unsigned char>(target[++i]));
        result.append({'%', high, low});
      }
    }
    return result;
  }

  /// Returns the change of rule `i` in the set `side`. A partner is a rule of the same kind in the
  /// other set that covers rule `i`, or is covered by it. Chooses the partner whose pattern is
  /// closest in length to the pattern of rule `i`.
  [[nodiscard]] change_report::rule_change change_of(std::size_t i, std::size_t side) {
    rule& self = rules_[i];
    const std::size_t other = 1 - side;
    const listed_rule& own = *self.in[side];
    const std::string everything = symbolic(self);
    const auto nearby = steps_.exceeded() ? std::vector<std::size_t>{} : neighbours(i);
    std::size_t partner = none;
    bool is_wider = false;  // true if `self` is wider than the partner
    std::size_t least = none;
    for (const std::size_t index : nearby) {
      const rule& candidate = rules_[index];
      if (candidate.in[other] == nullptr || candidate.reported[other] ||
          candidate.in[other]->kind != own.kind ||
          (index != i && candidate.in[side] != nullptr && candidate.in[side]->kind == own.kind)) {
        continue;
      }
      const auto [shorter, longer] =
          std::minmax({candidate.pattern.text.size(), self.pattern.text.size()});
      if (longer - shorter >= least) {
        continue;
      }
      const bool is_same = index == i;
      const bool wider = is_same ? own.rank > candidate.in[other]->rank
                                 : covers(self.pattern, symbolic(candidate));
      if (wider || is_same || covers(candidate.pattern, everything)) {
        partner = index;
        is_wider = wider;
        least = longer - shorter;
      }
    }
    change_report::rule_change result{.kind = own.kind};
    const auto report = [&](rule& from, std::size_t of_side) {
      from.reported[of_side] = true;
      (of_side == 0 ? result.before : result.after) = change_report::placed_pattern{
          std::string{from.in[of_side]->pattern}, from.in[of_side]->line};
    };
    report(self, side);
    if (partner == none || steps_.exceeded()) {
      result.change =
          side == 0 ? change_report::change_kind::removed : change_report::change_kind::added;
    } else {
      report(rules_[partner], other);
      const bool grows = is_wider == (side == 1);
      result.change = grows == (own.kind == rule_kind::allow)
                          ? change_report::change_kind::loosened
                          : change_report::change_kind::tightened;
    }
    result.example = self.examples[side].value_or("");
    result.example_allowed = (own.kind == rule_kind::allow) == (side == 1);
    return result;
  }

  std::array<std::vector<listed_rule>, 2> lists_;  // the rules of the old and of the new set
  bool reads_hosts_;
  std::array<bool, 256> used_{};
  std::vector<rule> rules_;  // sorted by `key`
  step_budget steps_{max_match_steps};
  bool complete_ = true;
};

}  // namespace robots::rep_detail
