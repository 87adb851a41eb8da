// The command line of robots-check.
#pragma once

#include "check_audit.hpp"
#include <robots/adapters/curl/curl_options.hpp>
#include <robots/cache/cache_options.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace robots::check {

/// Exit statuses.
enum status : int {
  all_allowed = 0,
  some_not_allowed = 1,
  failed = 2,
  well_formed = all_allowed,      ///< --lint found notes at most
  ill_formed = some_not_allowed,  ///< --lint found warnings or errors
  same_meaning = all_allowed,     ///< --diff found no difference
  different = some_not_allowed,   ///< --diff found one
  intact = all_allowed,           ///< --verify-audit found nothing wrong
  broken = some_not_allowed,      ///< --verify-audit found something
};

/// What the user wants.
struct settings {
  cache_options cache;
  curl_options curl{};
  std::optional<std::string> file{};       ///< the robots.txt to use instead of the sites' own
  std::optional<std::string> lint{};       ///< the robots.txt to examine; there are no URLs then
  std::vector<std::string> diff{};         ///< two to compare, or none; there are no URLs then
  std::optional<audit_question> audit{};   ///< the trail to verify; there are no URLs then
  bool audit_report = false;               ///< print a page about it instead
  std::optional<std::string> store{};      ///< the store to share; see `chosen_store`
  bool store_list = false;                 ///< print what it has; there are no URLs then
  std::vector<std::string> store_erase{};  ///< sites to erase from it; there are no URLs then
  bool explain = false;
  bool json = false;
  bool stats = false;
  bool timing = false;
  unsigned repeat = 1;
  std::vector<std::string> urls{};  ///< `-` stands for those on standard input
};

/// What the command line asks for; or, when there is nothing more to do, the exit status. Help and
/// complaints are printed already.
[[nodiscard]] std::variant<settings, status> read_command_line(int argc, const char* const* argv);

}  // namespace robots::check
