#include "check_options.hpp"

#include <robots/base/ascii.hpp>
#include <robots/base/printable.hpp>
#include <robots/policy/fallback.hpp>
#include <robots/rep/read/diagnostic.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/read/product_token.hpp>
#include <robots/version.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace robots::check {
namespace {

constexpr std::string_view overview =
    R"(robots-check checks whether a crawler may fetch URLs, and says why (RFC 9309).

Usage: robots-check [OPTION]... URL...
       robots-check COMMAND [OPTION]... ARGUMENT...

Commands:
  check URL...                  checks URLs; you may omit the word "check"
  fetch URL...                  fetches pages politely, and prints each step
  parse FILE                    prints the content of a robots.txt as JSON
  lint FILE|URL...              lists the mistakes in robots.txt files
  diff OLD NEW                  lists the changes for a crawler
  audit verify FILE...          checks whether an audit trail was changed
  audit report FILE...          prints an audit trail as an HTML page
  store list STORE              lists the sites in a shared store
  store erase STORE SITE...     deletes sites from a shared store
  store override STORE allow|deny|none SITE...
                                allows or denies whole sites, or ends that
  rulings list|halt|resume|override|sign-off|import WHERE...
                                reads and gives orders about whole sites

"robots-check COMMAND --help" lists the options of a command, with examples.
"robots-check --version" prints the version. "-" as a FILE is standard input.

Exit status: 0 all is allowed, correct or equal; 1 something is not; 2 an error.
)";

struct command_help {
  robots::check::command command;
  std::string_view name;
  std::string_view arguments;
  std::string_view purpose;
  std::string_view notes;  ///< the output, the exit status, and examples
  std::size_t least_arguments;
  std::size_t most_arguments;
};

constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();

constexpr std::array commands{
    command_help{command::check, "check", "URL...",
                 R"(Checks whether the crawler may fetch URLs. A host without a scheme means https
and, if https cannot be reached, http. With --file, a URL may be a path. "-"
reads URLs from standard input, one per line of at most 65,536 octets. Blanks
around a URL and lines that begin with # are ignored.)",
                 R"(Prints a line for each URL: the answer, the rule, the Crawl-delay, and the
source of the rules. With --json, prints an object for each URL: allowed,
directive, pattern, userAgent, url, line, reason, crawlDelay and source. An
octet that is not UTF-8 is written as \xNN, and a backslash as \x5C. With
--purpose, adds the answer for each purpose, and the statement that decided.

Exit status: 0 all are allowed; 1 some are not, or a purpose has another answer
than yes; 2 an error, or not a URL.

Examples:
  robots-check --user-agent FooBot https://example.com/private
  robots-check --file robots.txt --explain '/a?b' /c
  robots-check --json - < urls.txt
  robots-check --purpose ai_train --page a.html --header 'X-Robots-Tag: noindex'
    https://example.com/a)",
                 1, any_number},
    command_help{command::fetch, "fetch", "URL...",
                 R"(Fetches pages politely, and prints what it did. It asks the robots.txt of each
site, waits as long as the site asks, and follows redirects. Each redirect is
checked, too. It never sends a request that the rules forbid.)",
                 R"(Prints a line for each URL that it wanted to request: the decision, the wait for
the robots.txt and the turn at the host, and the response. Then prints why it
ended. With --json, prints an object for each URL. With --purpose, adds the
answer for each purpose, and the statement that decided.

Exit status: 0 all pages came; 1 some did not, or a purpose has another answer
than yes; 2 an error, or not a URL.

Examples:
  robots-check fetch --user-agent FooBot https://example.com/
  robots-check fetch --purpose ai_train --json https://example.com/a)",
                 1, any_number},
    command_help{command::parse, "parse", "FILE", "Prints the content of a robots.txt as JSON.",
                 R"(Exit status: 0 the JSON is printed; 2 an error.

Examples:
  robots-check parse robots.txt
  curl -s https://example.com/robots.txt | robots-check parse -)",
                 1, 1},
    command_help{command::lint, "lint", "FILE|URL...",
                 R"(Lists the mistakes in robots.txt files. With an http or https URL, fetches the
robots.txt of its site.)",
                 R"(Prints FILE:LINE:COLUMN: severity: text [code] for each mistake, then their
numbers. With --json, prints an object for each mistake and nothing else.

Exit status: 0 nothing worse than notes; 1 warnings or errors; 2 a file cannot
be read or fetched.

Examples:
  robots-check lint robots.txt
  robots-check lint https://example.com
  robots-check lint --json sites/*.txt)",
                 1, any_number},
    command_help{command::diff, "diff", "OLD NEW",
                 "Lists the changes for the crawler from one robots.txt to another.",
                 R"(Prints a line for each change, with a path that shows it, then the share of the
rules and lines that changed. With --json, prints one object: same, share,
complete, rules and lines.

Exit status: 0 both files mean the same to the crawler; 1 they differ; 2 an
error.

Examples:
  robots-check diff old.txt new.txt
  robots-check diff --user-agent FooBot old.txt - < new.txt)",
                 2, 2},
    command_help{command::audit_verify, "audit verify", "FILE...",
                 R"(Checks that an audit trail is as it was written, and that each decision follows
from the entries before it. Give all files of the trail, the oldest first.)",
                 R"(Prints FILE:LINE: fault: text for each fault, then a summary and notes. With
--json, prints one object.

Exit status: 0 the trail is intact; 1 it is broken; 2 an error.

Examples:
  robots-check audit verify logs/audit.*.jsonl
  robots-check audit verify --key public.pem logs/audit.*.jsonl)",
                 1, any_number},
    command_help{command::audit_report, "audit report", "FILE...",
                 R"(Prints an HTML page about an audit trail: sites, decisions and retrievals over
time, failures, changes and the longest waits. Give all files of the trail, the
oldest first. The page needs no other file, no script and no network.)",
                 R"(Exit status: 0 the page is printed; 2 an error.

Examples:
  robots-check audit report logs/audit.*.jsonl > report.html)",
                 1, any_number},
    command_help{command::store_list, "store list", "STORE",
                 R"(Lists the sites in a store, and the rulings on sites, such as overrides. A STORE
is sqlite:PATH, redis://HOST[:PORT] or rediss://HOST[:PORT].)",
                 R"(Prints a line for each site: its answer, the time of the answer, and its expiry.
With --json, prints an object for each.

Exit status: 0 the list is printed; 2 an error.

Examples:
  robots-check store list sqlite:robots.sqlite
  robots-check store list --json redis://localhost)",
                 1, 1},
    command_help{command::store_erase, "store erase", "STORE SITE...",
                 R"(Deletes the records of sites from a store. The processes that use the store
then fetch the robots.txt of these sites again. A SITE is a host, HOST:PORT or a
URL.)",
                 R"(Exit status: 0 the sites are deleted, or were not there; 2 an error.

Examples:
  robots-check store erase sqlite:robots.sqlite example.com
  robots-check store erase redis://localhost https://example.com)",
                 2, any_number},
    command_help{command::rulings_override, "store override", "STORE allow|deny|none SITE...",
                 R"(Another name of "rulings override". The ledger is in the same place as the
store.)",
                 R"(Prints each order, with its number. With --json, prints an object for each.

Exit status: 0 the ledger has it; 2 an error.

Examples:
  robots-check store override sqlite:robots.sqlite deny example.com
  robots-check store override redis://localhost none example.com)",
                 3, any_number},
    command_help{command::rulings_list, "rulings list", "WHERE",
                 R"(Lists the rulings in a ledger: halts, overrides, sign-offs and quarantines. A
WHERE is sqlite:PATH, redis://HOST[:PORT] or rediss://HOST[:PORT].)",
                 R"(Prints a line for each ruling: the site, the ruling, who made it, when, and the
number of its order. For Redis, first says on the standard error how the server
is set, and which orders a crash can lose. With --json, prints only the list, an
object for each ruling.

Exit status: 0 the list is printed; 2 an error.

Examples:
  robots-check rulings list sqlite:robots.sqlite
  robots-check rulings list --json redis://localhost)",
                 1, 1},
    command_help{command::rulings_halt, "rulings halt", "WHERE SITE...",
                 R"(Halts sites: all processes that follow the ledger stop their requests within a
second. A SITE is a host, which means both schemes and all ports, HOST:PORT, or
a URL, which means its origin.)",
                 R"(Prints each order, with its number. With --json, prints an object for each.

Exit status: 0 the ledger has it; 2 an error.

Examples:
  robots-check rulings halt --maker ann sqlite:robots.sqlite example.com)",
                 2, any_number},
    command_help{command::rulings_resume, "rulings resume", "WHERE SITE...",
                 R"(Ends all halts and quarantines that cover a site or a part of it, for all
processes. If the robots.txt of the site raised the halt, it is accepted.)",
                 R"(Prints each order, with its number. With --json, prints an object for each.

Exit status: 0 the ledger has it; 2 an error.

Examples:
  robots-check rulings resume --maker ann sqlite:robots.sqlite example.com)",
                 2, any_number},
    command_help{command::rulings_override, "rulings override", "WHERE allow|deny|none SITE...",
                 R"(Allows or denies every URL of a site, whatever its robots.txt says; "none"
ends that.)",
                 R"(Prints each order, with its number. With --json, prints an object for each.

Exit status: 0 the ledger has it; 2 an error.

Examples:
  robots-check rulings override sqlite:robots.sqlite deny example.com
  robots-check rulings override redis://localhost none example.com)",
                 3, any_number},
    command_help{command::rulings_sign_off, "rulings sign-off", "WHERE SITE...",
                 R"(Permits to crawl high-risk sites.)",
                 R"(Prints each order, with its number. With --json, prints an object for each.

Exit status: 0 the ledger has it; 2 an error.

Examples:
  robots-check rulings sign-off --maker ann sqlite:robots.sqlite clinic.gov
  robots-check rulings sign-off --withdraw redis://localhost clinic.gov)",
                 2, any_number},
    command_help{command::rulings_import, "rulings import", "WHERE",
                 R"(Takes the rulings that an older version kept in a store into the ledger in the
same place. A ledger with orders takes only halts, quarantines and denials.
Nothing is taken twice.)",
                 R"(Prints each order, with its number. With --json, prints an object for each.
Names each record that it cannot read.

Exit status: 0 the ledger has them; 1 the store has records that cannot be read;
2 an error.

Examples:
  robots-check rulings import --dry-run sqlite:robots.sqlite
  robots-check rulings import sqlite:robots.sqlite)",
                 1, 1},
};

/// Accepts a number from `least` to `most`, but not NaN. Without a unit, it must be whole.
CLI::Validator number_between(double least, double most, const std::string& unit) {
  return CLI::Validator{
      [=](const std::string& text) {
        double value = 0;
        const bool is_good = CLI::detail::lexical_cast(text, value) && value >= least &&
                             value <= most && (!unit.empty() || text.find('.') == text.npos);
        const std::string kind = unit.empty() ? "a whole number" : "a number of " + unit;
        const auto whole = [](double bound) { return std::to_string(static_cast<long>(bound)); };
        return is_good ? std::string{}
                       : '"' + text + "\" is not " + kind + " from " + whole(least) + " to " +
                             whole(most);
      },
      ""};
}

CLI::Validator one_of(std::vector<std::string> words) {
  return CLI::Validator{[words = std::move(words)](const std::string& text) {
                          return std::ranges::find(words, text) != words.end()
                                     ? std::string{}
                                     : '"' + text + "\" is not one of " +
                                           CLI::detail::join(words, ", ");
                        },
                        ""};
}

/// Refuses a path and a URL, which a user who has swapped two values gives.
CLI::Validator a_user_agent() {
  return CLI::Validator{
      [](const std::string& text) {
        return is_target(text) ? '"' + text +
                                     "\" is a path or a URL, not a user agent: give a product "
                                     "token, as in FooBot"
                               : std::string{};
      },
      ""};
}

fallback_policy fallback_named(const std::string& name) {
  return name == "permissive" ? fallback_policy::permissive()
         : name == "strict"   ? fallback_policy::strict()
                              : fallback_policy::rfc9309();
}

/// Prints help, or the version.
status print_help(std::string_view text) {
  if (!(std::cout << text << std::flush)) {
    throw std::runtime_error("cannot write the output: check the disk or the reader of the pipe");
  }
  return yes;
}

/// Reads the options and arguments of one command.
class command_line {
 public:
  explicit command_line(const command_help& about) : about_{about} {
    wanted_.command = about.command;
    wanted_.cache.retry.attempts = 1;
    app_.get_formatter()->column_width(29);
    app_.set_help_flag("-h,--help", "print this help");
    app_.allow_extras();  // otherwise, CLI11 strips the brackets of an IPv6 literal
    switch (about.command) {
      case command::check:
        add_crawler();
        add_check();
        break;
      case command::fetch:
        add_crawler();
        add_fallback();
        add_network();
        add_purpose();
        break;
      case command::diff:
        add_crawler();
        break;
      case command::lint:
        add_crawler();
        add_network();
        break;
      case command::parse:
        add_dialect();
        break;
      case command::audit_verify:
        text_option("--key", wanted_.key, "FILE", "PEM file of the public key of the signer");
        text_option("--head", wanted_.head, "HASH", "the trail must have an entry with this hash");
        break;
      case command::rulings_halt:
      case command::rulings_resume:
      case command::rulings_override:
        add_maker();
        break;
      case command::rulings_sign_off:
        add_maker();
        app_.add_flag("--withdraw", wanted_.withdraw, "end the permission");
        break;
      case command::rulings_import:
        app_.add_flag("--dry-run", wanted_.dry_run, "print the orders, and change nothing");
        break;
      default:
        break;
    }
    if (about.notes.find("--json") != std::string_view::npos) {
      app_.add_flag("--json", wanted_.json, "print JSON");
    }
  }

  /// Throws a `CLI::ParseError` if the command line is wrong or asks for help.
  [[nodiscard]] settings read(int argc, const char* const* argv) {
    app_.parse(argc, argv);
    bool options_ended = false;
    for (std::string& argument : app_.remaining()) {
      if (!options_ended && argument == "--") {
        options_ended = true;
      } else if (!options_ended && argument.size() > 1 && argument.starts_with('-')) {
        throw CLI::ValidationError("there is no option \"" + argument + '"');
      } else {
        wanted_.arguments.push_back(std::move(argument));
      }
    }
    check_arguments();
    return wanted_;
  }

  [[nodiscard]] std::string help() const {
    std::string options = app_.help();
    options.erase(0, options.find("Options:"));
    return "Usage: robots-check " + std::string{about_.name} + " [OPTION]... " +
           std::string{about_.arguments} + "\n\n" + std::string{about_.purpose} + "\n\n" + options +
           std::string{about_.notes} + '\n';
  }

 private:
  void check_arguments() const {
    const std::vector<std::string>& given = wanted_.arguments;
    if (given.size() < about_.least_arguments) {
      throw CLI::ValidationError("there are not enough arguments: give " +
                                 std::string{about_.arguments});
    }
    if (given.size() > about_.most_arguments) {
      throw CLI::ValidationError("\"" + given[about_.most_arguments] +
                                 "\" is an argument too many: give only " +
                                 std::string{about_.arguments});
    }
    if (wanted_.purposes.empty() && (wanted_.page || wanted_.tdmrep || !wanted_.headers.empty())) {
      throw CLI::ValidationError(
          "--header, --page and --tdmrep need a purpose: give --purpose, as in --purpose ai_train");
    }
    if (std::ranges::count(given, "-") + (wanted_.file == "-" ? 1 : 0) +
            (wanted_.page == "-" ? 1 : 0) + (wanted_.tdmrep == "-" ? 1 : 0) >
        1) {
      throw CLI::ValidationError("standard input can be read only once: give - only once");
    }
  }

  CLI::Option* text_option(const std::string& names, std::string& value, const char* type,
                           const char* purpose) {
    return app_.add_option(names, value, purpose)->type_name(type);
  }

  void list_option(const std::string& name, std::vector<std::string>& values, const char* type,
                   const char* purpose) {
    app_.add_option(name, values, purpose)->allow_extra_args(false)->type_name(type);
  }

  void add_header(const std::string& line) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || colon == 0) {
      throw CLI::ValidationError("\"" + line + "\" is not a header: write 'NAME: VALUE'");
    }
    const std::string_view value = std::string_view{line}.substr(colon + 1);
    wanted_.headers.push_back(
        {line.substr(0, colon), std::string{base::trim(value, base::is_blank)}});
  }

  void add_dialect() {
    const auto set = [this](const std::string& name) {
      wanted_.cache.parse.dialect = name == "google" ? dialect::google : dialect::rfc9309;
    };
    app_.add_option_function<std::string>("--dialect", set,
                                          "read rules as the RFC says, or as google does")
        ->check(one_of({"rfc9309", "google"}))
        ->default_str("rfc9309")
        ->type_name("D");
  }

  void add_maker() {
    text_option("--maker", wanted_.maker, "NAME", "who gives the order")->capture_default_str();
  }

  void add_crawler() {
    text_option("-a,--user-agent", wanted_.cache.user_agent, "U",
                "the crawler: a product token or a User-Agent value")
        ->check(a_user_agent());
    add_dialect();
  }

  void add_check() {
    cache_options& cache = wanted_.cache;
    list_option("--exclude", cache.excluded, "SUFFIX",
                "exclude hosts under it, such as gov; repeatable");
    const auto set_file = [this](const std::string& name) { wanted_.file = name; };
    auto* const file = app_.add_option_function<std::string>(
        "--file", set_file, "use the rules in a file, and no network");
    file->option_text("FILE");
    app_.add_option_function<std::string>(
            "--store", [this](const std::string& name) { wanted_.store = name; },
            "share the answers of sites with other processes:\n"
            "sqlite:PATH or redis://HOST[:PORT]")
        ->excludes(file)
        ->option_text("STORE");
    add_fallback();
    add_network();
    app_.add_option("--repeat", wanted_.repeat, "check N times, to show the effect of the cache")
        ->check(number_between(1, 1e6, ""))
        ->capture_default_str()
        ->type_name("N");
    add_purpose();
    app_.add_option_function<std::vector<std::string>>(
            "--header",
            [this](const std::vector<std::string>& lines) {
              for (const std::string& line : lines) {
                add_header(line);
              }
            },
            "a header of the page, for --purpose; repeatable")
        ->allow_extra_args(false)
        ->type_name("'NAME: VALUE'");
    app_.add_option_function<std::string>(
            "--page", [this](const std::string& name) { wanted_.page = name; },
            "the HTML of the page, for --purpose")
        ->option_text("FILE");
    app_.add_option_function<std::string>(
            "--tdmrep", [this](const std::string& name) { wanted_.tdmrep = name; },
            "the tdmrep.json of the site, for --purpose")
        ->option_text("FILE");
    app_.add_flag_callback(
        "--explain", [this] { wanted_.explain = wanted_.cache.keep_text = true; },
        "add the group, target, all matches and mistakes");
    app_.add_flag("--stats", wanted_.stats, "add the statistics of the cache");
    app_.add_flag("--timing", wanted_.timing, "add the time that each answer took");
  }

  void add_fallback() {
    cache_options& cache = wanted_.cache;
    app_.add_option_function<std::string>(
            "--fallback",
            [&cache](const std::string& name) { cache.fallback = fallback_named(name); },
            "the decision if a robots.txt is not available:\n"
            "permissive: failures allow; rfc9309: server\n"
            "errors, 429 and silence deny; strict: only 404\n"
            "and 410 allow, and a malformed file denies")
        ->check(one_of({"permissive", "rfc9309", "strict"}))
        ->default_str("rfc9309")
        ->type_name("P");
  }

  void add_purpose() {
    list_option("--purpose", wanted_.purposes, "P",
                "say if the page may be used for P, such as\n"
                "index, snippet, ai_train, tdm or a label of\n"
                "the site; repeatable");
  }

  /// Adds the options of requests.
  void add_network() {
    cache_options& cache = wanted_.cache;
    curl_options& curl = wanted_.curl;
    app_.add_option("--attempts", cache.retry.attempts, "tries after 5xx, 429 and network errors")
        ->check(number_between(1, 100, ""))
        ->capture_default_str()
        ->type_name("N");
    app_.add_option_function<double>(
            "--timeout",
            [&cache](double seconds) {
              cache.timeout = std::chrono::ceil<std::chrono::milliseconds>(
                  std::chrono::duration<double>{seconds});
            },
            "seconds for each exchange; 0 means no limit")
        ->check(number_between(0, 1e6, "seconds"))
        ->default_str("5")
        ->type_name("S");
    text_option("--ca-file", curl.ca_file, "FILE", "PEM file of the certificates to trust");
    list_option("--connect-to", curl.connect_to, "H1:P1:H2:P2",
                "connect to H2:P2 instead of H1:P1; repeatable");
    list_option("--allow-address", curl.allowed_addresses, "A",
                "permit A, such as 127.0.0.0/8, which is not\n"
                "public; repeatable");
    app_.add_option_function<std::string>(
            "--proxy", [&curl](const std::string& url) { curl.proxy = url; },
            "[SCHEME://]HOST[:PORT]; empty for none")
        ->type_name("URL");
  }

  const command_help& about_;
  settings wanted_{.cache = {.user_agent = "robots-check/" + std::string{version},
                             .fallback = fallback_policy::rfc9309()}};
  CLI::App app_;
};

/// Returns the command with that name, or null.
const command_help* find_command(std::string_view name) {
  const auto* const found = std::ranges::find(commands, name, &command_help::name);
  return found == commands.end() ? nullptr : found;
}

status complain(std::string_view text, std::string_view name) {
  std::cerr << "robots-check: " << base::printable(text) << "\nRun \"robots-check "
            << (name.empty() ? "" : std::string{name} + ' ') << "--help\" to see how to use it.\n";
  return failed;
}

}  // namespace

std::variant<settings, status> read_command_line(int argc, const char* const* argv) {
  const std::vector<std::string_view> words(argv, argv + argc);
  const std::string_view first = argc > 1 ? words[1] : "";
  if (argc == 2 && (first == "--help" || first == "-h" || first == "help")) {
    return print_help(overview);
  }
  if (argc == 2 && first == "--version") {
    return print_help("robots-check " + std::string{version} + '\n');
  }
  if (argc < 2) {
    return complain("nothing to do: give URLs or a command", "");
  }
  const command_help* about = find_command(first);
  int skipped = 1;
  if (first == "audit" || first == "store" || first == "rulings") {
    const std::string second{argc > 2 ? words[2] : ""};
    about = find_command(std::string{first} + ' ' + second);
    if (about == nullptr) {
      return complain(
          (second.empty() ? "the command \"" + std::string{first} + "\" is not complete: give "
                          : '"' + second + "\" is not a command: give ") +
              std::string{first == "audit"   ? "audit verify or audit report"
                          : first == "store" ? "store list, store erase or store override"
                                             : "rulings list, rulings halt, rulings resume, "
                                               "rulings override, rulings sign-off or rulings "
                                               "import"},
          "");
    }
    skipped = 2;
  } else if (about == nullptr) {
    about = commands.data();
    skipped = 0;
  }
  command_line line{*about};
  try {
    return line.read(argc - skipped, argv + skipped);
  } catch (const CLI::CallForHelp&) {
    return print_help(line.help());
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string_view text = error.what();  // "--option: 1 required TYPE missing"
    return complain(std::string{text.substr(0, text.find(':'))} + ": give one value", about->name);
  } catch (const CLI::ParseError& error) {
    return complain(error.what(), about->name);
  }
}

}  // namespace robots::check
