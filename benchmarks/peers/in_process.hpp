// Peers in this process. An engine is a class with the five members that `in_process` uses.
#pragma once

#include "inputs/input.hpp"
#include "peers/peer.hpp"
#include "support/best_pass.hpp"

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bench {

/// The requirements of an engine; see robots_cpp.cpp for an example.
template <class E>
concept Engine = requires(const E engine, const std::string text, const question q,
                          const typename E::asked about, const typename E::prepared ready) {
  { E::name } -> std::convertible_to<std::string_view>;
  { E::note } -> std::convertible_to<std::string_view>;
  // Returns the question in the engine's form. This is not timed.
  { engine.prepare(q) } -> std::same_as<typename E::prepared>;
  // Returns the rules of a file for a crawler. This is not timed. `text` outlives the rules.
  { engine.read(text, ready) } -> std::same_as<typename E::asked>;
  engine.parse(text);
  { engine.compile(text, ready) } -> std::same_as<bool>;
  { engine.match(about, ready) } -> std::same_as<bool>;
};

/// Makes a peer from an engine. The engine can have a member `does(operation, input)`, and
/// `refuses(input)`, which returns the reason why it cannot handle an input, or an empty optional.
template <Engine E>
class in_process final : public peer {
 public:
  [[nodiscard]] std::string name() const override { return std::string{E::name}; }

  [[nodiscard]] std::string note() const override { return std::string{E::note}; }

  [[nodiscard]] bool does(operation asked, const input& in) const override {
    if constexpr (requires { engine_.does(asked, in); }) {
      return engine_.does(asked, in);
    }
    return std::ranges::find(in.operations, asked) != in.operations.end();
  }

  [[nodiscard]] timing time(operation asked, const input& in,
                            std::chrono::milliseconds budget) override {
    const compiled& ready = made_of(in);
    const auto size = [&](std::size_t file) { return in.files[file].size(); };
    const auto file_of = [&](std::size_t i) { return ready.questions[ready.first[i]].file; };
    switch (asked) {
      case operation::parse:
        return best_pass(
            in.files.size(), budget, [&](std::size_t i) { return engine_.parse(in.files[i]); },
            size);
      case operation::compile:
        return best_pass(
            ready.first.size(), budget,
            [&](std::size_t i) {
              return engine_.compile(in.files[file_of(i)], ready.questions[ready.first[i]].asks);
            },
            [&](std::size_t i) { return size(file_of(i)); });
      case operation::match:
        break;
    }
    return best_pass(
        ready.questions.size(), budget,
        [&](std::size_t i) {
          const ready_question& q = ready.questions[i];
          return engine_.match(*q.about, q.asks);
        },
        [](std::size_t) { return std::size_t{0}; });
  }

  [[nodiscard]] std::string verdicts(const input& in) override {
    std::string answers;
    for (const ready_question& q : made_of(in).questions) {
      answers += engine_.match(*q.about, q.asks) ? '1' : '0';
    }
    return answers;
  }

 private:
  struct ready_question {
    std::size_t file;
    typename E::prepared asks;
    std::shared_ptr<const typename E::asked> about;
  };
  struct compiled {
    std::vector<ready_question> questions;
    std::vector<std::size_t> first;  // the first question about each file that has one
  };

  const compiled& made_of(const input& in) {
    if constexpr (requires { engine_.refuses(in); }) {
      if (const std::string_view why = engine_.refuses(in); !why.empty()) {
        throw peer_error{std::string{why}};
      }
    }
    const auto [at, is_new] = made_.try_emplace(in.name);
    compiled& result = at->second;
    if (!is_new) {
      return result;
    }
    std::map<std::pair<std::size_t, std::string_view>, std::shared_ptr<const typename E::asked>>
        read;
    std::vector<bool> seen(in.files.size());
    for (const question& q : in.questions) {
      if (!seen[q.file]) {
        seen[q.file] = true;
        result.first.push_back(result.questions.size());
      }
      auto asks = engine_.prepare(q);
      auto& about = read[{q.file, q.agent}];
      if (about == nullptr) {
        about = std::make_shared<const typename E::asked>(engine_.read(in.files[q.file], asks));
      }
      result.questions.push_back({q.file, std::move(asks), about});
    }
    return result;
  }

  E engine_{};
  std::map<std::string, compiled> made_;
};

}  // namespace bench
