// The JSON of robots-check. The library itself writes the JSON of documents and verdicts.
#pragma once

#include "check_answer.hpp"
#include "check_store.hpp"
#include <robots/observe/cache_stats.hpp>
#include <robots/rep/diff/change_report.hpp>
#include <robots/rep/read/file_findings.hpp>

#include <string>
#include <string_view>

namespace robots::check {

/// One line of ASCII: the verdict as the library writes it, then its source. Durations are in
/// seconds. A value that does not exist is null.
[[nodiscard]] std::string to_json(const answer& about);

/// One line: `{"stats": {...}}`.
[[nodiscard]] std::string to_json(const cache_stats& stats);

/// One line about a finding in `file`: `file`, `line`, `column`, `severity`, `code`, `text`.
[[nodiscard]] std::string to_json(const diagnostic& finding, std::string_view file);

/// One line about the changes between two files: `same`, `share`, `complete`, `rules`, `lines`.
[[nodiscard]] std::string to_json(const change_report& found);

/// One line about a site in a store. Dates are as in RFC 3339, durations in seconds.
[[nodiscard]] std::string to_json(const stored_site& site);

}  // namespace robots::check
