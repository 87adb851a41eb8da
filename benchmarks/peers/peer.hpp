// The interface of all robots.txt parsers in the benchmarks, including this library.
#pragma once

#include "inputs/input.hpp"
#include "support/best_pass.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

/// The reason why a measurement was not possible.
class peer_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A parser or a limit that can be timed on an input.
class peer {
 public:
  peer() = default;
  peer(const peer&) = delete;
  peer& operator=(const peer&) = delete;
  virtual ~peer() = default;

  /// Returns the name of the peer, which is a part of the names of its rows.
  [[nodiscard]] virtual std::string name() const = 0;

  /// Returns remarks on the rows of the peer, such as its version and its missing features.
  [[nodiscard]] virtual std::string note() const = 0;

  /// Returns true if it supports an operation on an input. For an input that it cannot handle,
  /// `time` throws, and the row has the reason.
  [[nodiscard]] virtual bool does(operation asked, const input& in) const = 0;

  /// Times an operation like `best_pass`. Throws `peer_error`.
  [[nodiscard]] virtual timing time(operation asked, const input& in,
                                    std::chrono::milliseconds budget) = 0;

  /// Returns a character for each question: 1 allowed, 0 not, ? no answer. Throws `peer_error`.
  [[nodiscard]] virtual std::string verdicts(const input& in) = 0;
};

/// A peer, or the reason why it is missing.
struct candidate {
  std::string name;
  std::function<std::unique_ptr<peer>()> start;  ///< empty if the build did not find it
  std::string absent;                            ///< the reason, if `start` is empty
};

/// Returns all candidates: this library, the limits, and the rivals. To add a candidate, add a
/// file, and a line in candidates.cpp.
std::vector<candidate> candidates();

}  // namespace bench
