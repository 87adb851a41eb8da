// The output of robots-check about audit trails.
#pragma once

#include <string>
#include <vector>

namespace robots::check {

/// A trail, and the facts about it that the user knows.
struct audit_question {
  std::vector<std::string> files{};  ///< the oldest first
  std::string key{};                 ///< the file of a public key in PEM, or empty
  std::string head{};                ///< the hash of an entry that the trail must have, or empty
};

/// The answer about a trail, to be printed.
struct audit_answer {
  bool intact = false;
  std::string text;
};

/// Verifies that the trail was not changed, and that each decision follows from the entries
/// before it. Returns the result in lines or as a JSON object. Throws `std::runtime_error` for a
/// file that cannot be read or is not a regular one, and if this program was built without OpenSSL.
[[nodiscard]] audit_answer verify(const audit_question& trail, bool json);

/// Returns an HTML page about a trail. The page needs no other file, no network and no script.
/// Throws like `verify`.
[[nodiscard]] std::string report(const audit_question& trail);

}  // namespace robots::check
