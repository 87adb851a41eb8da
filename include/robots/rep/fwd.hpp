#pragma once

#include <cstdint>

/// Declares the types of `rep/`. To use a type, include the header that defines it.
namespace robots {

enum class dialect : std::uint8_t;
enum class tie_break : std::uint8_t;
enum class several_names : std::uint8_t;
struct parse_options;
class crawler_names;
class crawler_names_view;

enum class directive_kind : std::uint8_t;
struct directive;
struct request_rate;
struct visit_time;

enum class diagnostic_code : std::uint8_t;
enum class severity : std::uint8_t;
struct diagnostic;
struct file_findings;
struct malformed_limit;

class pattern;
class rule_set;
enum class group_choice : std::uint8_t;
enum class rule_kind : std::uint8_t;
struct crawler_directives;
struct explanation;
struct listed_rule;
struct verdict;

class document;
struct editable_file;
struct group;

struct clean_param;
struct content_signal;
struct content_usage;
struct license_line;

struct change_report;

}  // namespace robots
