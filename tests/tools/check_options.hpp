// The command line of robots-check.
#pragma once

#include <robots/adapters/curl/curl_options.hpp>
#include <robots/cache/cache_options.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace robots::check {

/// Exit statuses.
enum status : int {
  yes = 0,     ///< all URLs are allowed, no file has a warning, nothing differs, a trail is intact
  no = 1,      ///< one of these is not so
  failed = 2,  ///< the command line is wrong, a text is no URL, or input or output failed
};

/// The subcommands.
enum class command : std::uint8_t {
  check,
  parse,
  lint,
  diff,
  audit_verify,
  audit_report,
  store_list,
  store_erase,
  store_override,
};

/// The options and arguments that the user gave.
struct settings {
  robots::check::command command{};
  cache_options cache;
  curl_options curl{};
  std::vector<std::string> arguments{};  ///< `-` stands for standard input
  std::optional<std::string> file{};     ///< the robots.txt to use instead of the sites' own
  std::optional<std::string> store{};    ///< the store to share; see `with_store`
  std::string key{};                     ///< the file of a public key in PEM; may be empty
  std::string head{};                    ///< the hash that an audit trail must have; may be empty
  unsigned repeat = 1;
  bool explain = false;
  bool json = false;
  bool stats = false;
  bool timing = false;
};

/// Reads the command line. Returns the exit status instead if the program is to end, after help or
/// after an error. Both are printed already.
[[nodiscard]] std::variant<settings, status> read_command_line(int argc, const char* const* argv);

}  // namespace robots::check
