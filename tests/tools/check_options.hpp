// The command line of robots-check.
#pragma once

#include <robots/adapters/curl/curl_options.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/http/message.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace robots::check {

enum status : int {
  yes = 0,  ///< all URLs are allowed, no file has a warning, nothing differs, the trail is intact
  no = 1,   ///< one of these is not true
  failed = 2,  ///< the command line is wrong, a text is not a URL, or input or output failed
};

enum class command : std::uint8_t {
  check,
  fetch,
  parse,
  lint,
  diff,
  audit_verify,
  audit_report,
  store_list,
  store_erase,
  rulings_list,
  rulings_halt,
  rulings_resume,
  rulings_override,
  rulings_sign_off,
  rulings_import,
};

/// The options and arguments that the user gave.
struct settings {
  robots::check::command command{};
  cache_options cache;
  curl_options curl{};
  std::vector<std::string> arguments{};  ///< `-` stands for standard input
  std::optional<std::string> file{};     ///< the robots.txt to use for every site
  std::optional<std::string> store{};    ///< the store to share; see `with_store`
  std::string key{};                     ///< the file of a public key in PEM, or empty
  std::string head{};  ///< the hash of an entry that the audit trail must have, or empty
  std::vector<std::string> purposes{};  ///< the purposes or labels to answer for
  std::vector<http_header> headers{};   ///< the headers of the page
  std::optional<std::string> page{};    ///< the file with the HTML of the page
  std::optional<std::string> tdmrep{};  ///< the file with the tdmrep.json of the site
  std::string maker = "robots-check";   ///< who gives an order about a site
  unsigned repeat = 1;
  bool explain = false;
  bool json = false;
  bool stats = false;
  bool timing = false;
  bool withdraw = false;  ///< end a sign-off
  bool dry_run = false;   ///< import nothing
};

/// Reads the command line. After it has printed help or an error, returns the exit status instead.
[[nodiscard]] std::variant<settings, status> read_command_line(int argc, const char* const* argv);

}  // namespace robots::check
