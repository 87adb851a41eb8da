#pragma once

#include <robots/base/ascii.hpp>
#include <robots/rep/diff/change_report.hpp>
#include <robots/rep/rules/detail/match.hpp>
#include <robots/rep/rules/explanation.hpp>
#include <robots/rep/rules/rule_set.hpp>
#include <robots/rep/rules/verdict.hpp>
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
      : sets_{&before, &after}, lists_{before.list(), after.list()} {
    rules_.reserve(lists_[0].size() + lists_[1].size());
    // These octets have no special meaning.
    std::string unused =
        "\\\"<>}|{`^[]@=;:,+)('&!ZYXWVUTSRQPONMLKJIHGFEDCBA~_.-"
        "9876543210borstxacdefghijklmnpquvwzy";
    for (std::size_t side = 0; side < 2; ++side) {
      for (const listed_rule& listed : lists_[side]) {
        std::string_view text = listed.compared;
        text.remove_suffix(listed.anchored ? 1 : 0);
        rules_.push_back(
            {.pattern = {text, listed.anchored}, .literal = text.substr(0, text.find('*'))});
        rules_.back().in[side] = &listed;
        if (text.find_first_of(unused) != std::string_view::npos) {
          std::erase_if(unused, [text](char c) { return text.find(c) != std::string_view::npos; });
        }
      }
    }
    filler_ = unused.substr(unused.size() - (unused.empty() ? 0 : 1));
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
      for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        if (self.in[side] != nullptr && self.differs()) {
          rules_[i].examples[side] = find_example(i, side);
          result.complete = result.complete && self.examples[side] != "";
        }
      }
      const bool is_in_both = self.in[0] != nullptr && self.in[1] != nullptr;
      const bool is_unchanged = is_in_both && self.in[0]->kind == self.in[1]->kind &&
                                !self.examples[0] && !self.examples[1];
      result.unchanged += is_unchanged ? 1U : 0U;
    }
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        if (rules_[i].examples[side] && !rules_[i].reported[side]) {
          result.rules.push_back(change_of(i, side));
        }
      }
    }
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
  static constexpr std::size_t steps_to_visit = 4;  // the steps that one visit to a rule costs
  static constexpr std::size_t steps_for_one = std::size_t{1} << 18U;  // the limit for one rule
  static constexpr std::size_t steps_to_try = 16;    // the least steps that one target costs
  static constexpr std::size_t octets_per_step = 8;  // octets of a target that count as one step

  struct rule {
    compiled_pattern pattern{};
    std::string_view literal{};              // the part before the first wildcard
    std::array<const listed_rule*, 2> in{};  // the rule in the old and in the new set
    std::size_t parent = none;  // the nearest earlier rule whose literal is a prefix of `literal`
    std::array<bool, 2> reported{};
    // An example for each set. An empty text means that the search stopped early.
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
    std::sort(rules_.begin(), rules_.end(), [](const rule& a, const rule& b) {
      const listed_rule& one = *(a.in[0] != nullptr ? a.in[0] : a.in[1]);
      const listed_rule& other = *(b.in[0] != nullptr ? b.in[0] : b.in[1]);
      return std::tuple{a.key(), other.rank, one.line} < std::tuple{b.key(), one.rank, other.line};
    });
    std::vector<rule> merged;
    for (const rule& next : rules_) {
      if (merged.empty() || merged.back().key() != next.key()) {
        merged.push_back(next);
      }
      for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        const listed_rule*& best = merged.back().in[side];
        best = best != nullptr ? best : next.in[side];
      }
    }
    rules_ = std::move(merged);
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

  /// Finds a target that rule `i` of set `side` decides, and the other set decides differently.
  /// Returns an empty text if the search stopped early.
  [[nodiscard]] std::optional<std::string> find_example(std::size_t i, std::size_t side) {
    const rule& self = rules_[i];
    const listed_rule& own = *self.in[side];
    std::vector<std::string> fills{"", filler_};
    const auto try_fills = [&](const compiled_pattern& pattern) -> std::optional<std::string> {
      for (const std::string& star : fills) {
        for (const std::string& end : fills) {
          const std::string target = target_of(pattern, star, end);
          if (!target.empty() && is_example(target, own, side)) {
            return target;
          }
        }
      }
      return std::nullopt;
    };
    if (auto found = try_fills(self.pattern)) {
      return found;
    }
    if (steps_.exceeded()) {
      return "";
    }
    const std::size_t steps_at_start = steps_.left();
    const std::vector<std::size_t> nearby = neighbours(i);
    // If a rule of the other set matches all targets of `self`, rules of lower rank never decide.
    const std::string everything = symbolic(self);
    std::uint32_t least_rank = 0;
    for (const std::size_t index : nearby) {
      const listed_rule* const twin = rules_[index].in[1 - side];
      if (twin != nullptr && twin->kind == own.kind && twin->rank > least_rank &&
          covers(rules_[index].pattern, everything)) {
        least_rank = twin->rank;
      }
    }
    for (const std::size_t index : nearby) {
      const compiled_pattern& pattern = rules_[index].pattern;
      const listed_rule* const rival = rules_[index].in[1 - side];
      if (rival == nullptr || rival->kind == own.kind || rival->rank < least_rank) {
        continue;
      }
      fills.resize(2);
      auto found = try_fills(pattern);
      suggest(fills, self, pattern);
      found = found ? found : try_fills(self.pattern);
      if (found) {
        return found;
      }
      if (steps_.exceeded() || steps_at_start - steps_.left() > steps_for_one) {
        return "";
      }
    }
    return std::nullopt;
  }

  /// Returns true if rule `own` of set `side` decides `target`, and the other set decides
  /// differently.
  [[nodiscard]] bool is_example(std::string_view target, const listed_rule& own, std::size_t side) {
    const verdict answer = sets_[side]->match(target, steps_);
    return answer.line == own.line &&
           sets_[1 - side]->match(target, steps_).allowed != answer.allowed && !steps_.exceeded();
  }

  /// Returns a target that `pattern` matches, with `star` for each wildcard, and `end` at the end.
  /// Returns an empty text if the target is too long, or if no steps are left.
  [[nodiscard]] std::string target_of(const compiled_pattern& pattern, std::string_view star,
                                      std::string_view end) {
    const auto stars =
        static_cast<std::size_t>(std::count(pattern.text.begin(), pattern.text.end(), '*'));
    const std::size_t size = 1 + pattern.text.size() + stars * star.size() + end.size();
    steps_.spend(steps_to_try + size / octets_per_step);
    if (size > max_normal_target || steps_.exceeded()) {
      return "";
    }
    const std::string target = filled(pattern, star, end);
    return spelled(target.starts_with('/') ? target : '/' + target);
  }

  /// Adds fillers to `fills`. With these fillers, a target of `self` may match `rival`, too.
  void suggest(std::vector<std::string>& fills, const rule& self,
               const compiled_pattern& rival) const {
    for (const std::string_view star : {"", filler_.c_str()}) {
      const std::string whole = filled(rival, star, {});
      const auto common =
          std::mismatch(whole.begin(), whole.end(), self.literal.begin(), self.literal.end());
      const std::string rest{common.first, whole.end()};
      for (const std::string& fill : {whole, rest}) {
        fills.push_back(fill);
        fills.push_back(fill + filler_);
      }
    }
    fills.emplace_back(rival.text.substr(rival.text.rfind('*') + 1));
  }

  /// Returns a target whose normal form is `target`.
  [[nodiscard]] std::string spelled(std::string_view target) const {
    // google/robotstxt reads the text after `//` as a host. So a path that begins with `//` needs a
    // host.
    const bool reads_hosts = sets_[0]->reads_hosts();
    std::string result{reads_hosts && target.starts_with("//") ? "https://example.com" : ""};
    for (std::size_t i = 0; i < target.size(); ++i) {
      result += target[i];
      if (target[i] == '%' && !reads_hosts &&
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

  std::array<const rule_set*, 2> sets_;  // the old and the new set
  std::array<std::vector<listed_rule>, 2> lists_;
  std::string filler_;       // an octet that is in no pattern, or empty if there is none
  std::vector<rule> rules_;  // sorted by `key`
  step_budget steps_{max_match_steps};
};

}  // namespace robots::rep_detail
