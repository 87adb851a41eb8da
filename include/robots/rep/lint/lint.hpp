#pragma once

#include <robots/base/inline.hpp>
#include <robots/rep/read/diagnostic.hpp>
#include <robots/rep/read/malformed_limit.hpp>

#include <vector>

namespace robots {

class document;

/// Returns everything that the author of a robots.txt should know, by line:
/// `document::diagnostics`, and problems that show only when lines are compared.
///
/// Compares the rules of each group. Reports duplicates, rules that never decide because an
/// opposite rule has the same pattern, and rules that repeat a shorter one. Takes O(n log n) time
/// for n rules in a group.
[[nodiscard]] std::vector<diagnostic> lint(const document& file, const malformed_limit& limit = {});

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/rep/lint/lint.ipp>
#endif
