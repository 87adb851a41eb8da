// What robots-check says of audit trails.
#pragma once

#include <string>
#include <vector>

namespace robots::check {

/// A trail, and what is known of it beside.
struct audit_question {
  std::vector<std::string> files{};  ///< the oldest first
  std::string key{};                 ///< the file of a public key, in PEM; may be empty
  std::string head{};                ///< the hash of an entry that must be there; may be empty
};

/// What came of it, to be printed.
struct audit_answer {
  bool intact = false;
  std::string text;
};

/// Says in lines, or as an object of JSON, whether nobody has touched the trail and each decision
/// follows from the entries before it. Throws `std::runtime_error` for a file that cannot be read
/// or is not a regular one, and if this program was built without OpenSSL.
[[nodiscard]] audit_answer verify(const audit_question& trail, bool json);

}  // namespace robots::check
