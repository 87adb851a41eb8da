#pragma once

#include <robots/base/inline.hpp>
#include <robots/rep/read/diagnostic.hpp>
#include <robots/rep/read/malformed_limit.hpp>

#include <vector>

namespace robots {

class document;

/// Everything that the author of a robots.txt should know, by line: `document::diagnostics`, and
/// what shows only when lines are held against each other.
///
/// Rules are compared within one group as it stands in the file: duplicates, rules that an opposite
/// one with the same pattern overrules, and rules that change nothing because a shorter one says
/// the same. Files with n rules in a group take n log n time.
[[nodiscard]] std::vector<diagnostic> lint(const document& file, const malformed_limit& limit = {});

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/rep/lint/lint.ipp>
#endif
