#include "check_options.hpp"

#include <robots/base/printable.hpp>
#include <robots/policy/fallback.hpp>
#include <robots/rep/read/dialect.hpp>
#include <robots/version.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace robots::check {
namespace {

constexpr const char* output_notes = R"(What is printed:
  One line a URL: the answer, the rule that decided, the Crawl-delay, and where
  the rules came from. With --json, one object a line: allowed, directive,
  pattern, userAgent, url, line, reason, crawlDelay and source; durations are in
  seconds. With --stats a last line {"stats": {...}}; with --timing a member
  elapsed; with --repeat a member round; with --explain a member explain: group,
  target and matches. In its texts an octet that is not UTF-8 reads as \xNN, and
  a backslash as \x5C.
  With --store-list, one line a site; with --json, an object.
  With --lint, one line a finding, FILE:LINE:COLUMN: severity: text [code], and
  their counts; with --json, only one object a finding.
  With --diff, one line a change: how the rule or line has changed, what it was
  and is, and for a rule a path that shows it; with --json, one object: same,
  share, complete, rules and lines.
  With --verify-audit, one line for what is wrong, FILE:LINE: fault: text; then
  what is in order, and notes; with --json, one object. With --report, a page.

Exit status:
  0  all URLs are allowed; with --lint, nothing worse than notes; with --diff,
     both files mean the same to the crawler
  1  some are not; with --lint, warnings or errors; with --diff, they differ;
     with --verify-audit, the trail is broken or a decision comes out otherwise
  2  bad usage, a text that is no URL, a line of standard input over 64 KiB,
     or input or output that failed

Examples:
  robots-check --user-agent FooBot https://example.com/private
  robots-check --file robots.txt --user-agent FooBot '/a?b' /c
  robots-check --file robots.txt --json
  robots-check --file robots.txt --explain /a
  robots-check --lint robots.txt
  robots-check --diff old.txt new.txt --user-agent FooBot
  robots-check --verify-audit logs/audit.*.jsonl --key public.pem
  robots-check --report logs/audit.*.jsonl > report.html
  robots-check --store sqlite:robots.sqlite --store-list
  robots-check --json - < urls.txt)";

std::string own_user_agent() { return "robots-check/" + std::string{version}; }

/// Everything that CLI11 sets, in types that it knows.
struct raw_options {
  std::string user_agent = own_user_agent();
  std::string fallback = "rfc9309";
  std::string dialect = "rfc9309";
  std::string file;
  std::string lint;
  std::vector<std::string> diff;
  std::string audit;
  std::string report;
  std::string audit_key;
  std::string audit_head;
  std::string store;
  std::string ca_file;
  std::string proxy;
  double timeout = 5;
  int attempts = 1;
  unsigned repeat = 1;
  std::vector<std::string> excluded;
  std::vector<std::string> connect_to;
  std::vector<std::string> allowed_addresses;
  std::vector<std::string> store_erase;
  std::vector<std::string> urls;
  bool store_list = false;
  bool explain = false;
  bool json = false;
  bool stats = false;
  bool timing = false;
};

/// Unlike CLI::Range, lets no nan pass.
std::string check_timeout(const std::string& text) {
  double value = 0;
  const bool good = CLI::detail::lexical_cast(text, value) && value >= 0 && value <= 1e6;
  return good ? std::string{} : "not a number of seconds from 0 to 1000000: " + text;
}

/// The options of a `CLI::App`, which must not outlive this.
class command_line {
 public:
  command_line() {
    app.set_version_flag("--version", "robots-check " + std::string{version});
    app.footer(output_notes);
    app.get_formatter()->column_width(24);
    add_questions();
    add_audit();
    add_store();
    add_network();
    add_output();
  }

  [[nodiscard]] settings result() const {
    settings made{.cache = {.user_agent = raw.user_agent, .fallback = fallback()}};
    made.cache.excluded = raw.excluded;
    made.cache.parse.dialect = raw.dialect == "google" ? dialect::google : dialect::rfc9309;
    made.cache.timeout =
        std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>{raw.timeout});
    made.cache.retry.attempts = raw.attempts;
    made.curl.ca_file = raw.ca_file;
    made.curl.connect_to = raw.connect_to;
    made.curl.allowed_addresses = raw.allowed_addresses;
    if (proxy->count() > 0) {
      made.curl.proxy = raw.proxy;
    }
    if (file->count() > 0) {
      made.file = raw.file;
    }
    if (lint->count() > 0) {
      made.lint = raw.lint;
    }
    made.diff = raw.diff;
    if (is_about_audit()) {
      made.audit_report = report->count() > 0;
      const std::string& first = made.audit_report ? raw.report : raw.audit;
      made.audit = {.files = {first}, .key = raw.audit_key, .head = raw.audit_head};
      made.audit->files.insert(made.audit->files.end(), raw.urls.begin(), raw.urls.end());
    }
    if (store->count() > 0) {
      made.store = raw.store;
    }
    made.store_list = raw.store_list;
    made.store_erase = raw.store_erase;
    made.explain = raw.explain;
    made.json = raw.json;
    made.stats = raw.stats;
    made.timing = raw.timing;
    made.repeat = raw.repeat;
    made.urls = raw.urls;
    return made;
  }

  /// Throws a CLI::ParseError when an option is unknown or has a bad value, or no sense can be made
  /// of all of them together.
  void parse(int argc, const char* const* argv) {
    app.allow_extras();
    app.parse(argc, argv);
    bool options_ended = false;
    for (std::string& extra : app.remaining()) {
      if (!options_ended && extra == "--") {
        options_ended = true;
      } else if (!options_ended && extra.size() > 1 && extra.starts_with('-')) {
        throw CLI::ExtrasError("robots-check", {extra});
      } else {
        raw.urls.push_back(std::move(extra));
      }
    }
    check_together();
  }

  CLI::App app{"Tells whether a crawler may fetch a URL, and why (robots.txt, RFC 9309).",
               "robots-check"};

 private:
  [[nodiscard]] bool is_about_audit() const { return audit->count() + report->count() > 0; }

  void check_together() const {
    check_answer_options();
    if (is_about_audit()) {
      return;  // all that is no option is one more file
    }
    if (!raw.audit_key.empty() || !raw.audit_head.empty()) {
      throw CLI::ValidationError("--key and --head are for --verify-audit and --report");
    }
    if (lint->count() > 0) {
      if (!raw.urls.empty()) {
        throw CLI::ValidationError("--lint takes a file and no URL: give one of the two");
      }
      return;
    }
    if (!raw.diff.empty()) {
      if (!raw.urls.empty()) {
        throw CLI::ValidationError("--diff takes two files and no URL");
      }
      if (std::ranges::count(raw.diff, "-") > 1) {
        throw CLI::ValidationError("standard input can be read only once: give - only once");
      }
      return;
    }
    if (raw.store_list || !raw.store_erase.empty()) {
      if (!raw.urls.empty()) {
        throw CLI::ValidationError("--store-list and --store-erase take no URL: give one of these");
      }
      return;
    }
    const auto from_input = std::ranges::count(raw.urls, "-");
    if (raw.urls.empty() && !(file->count() > 0 && raw.json)) {
      throw CLI::ValidationError(
          file->count() > 0 ? "no URL: give one, or --json to print what the file says"
                            : "no URL: give one, - to read them from standard input, or --lint");
    }
    if (from_input + (file->count() > 0 && raw.file == "-" ? 1 : 0) > 1) {
      throw CLI::ValidationError("standard input can be read only once: give - only once");
    }
  }

  /// Refuses what would have no effect.
  void check_answer_options() const {
    if (!raw.urls.empty() && !is_about_audit()) {
      return;
    }
    for (const CLI::Option* const option : about_answers) {
      if (option->count() > 0) {
        throw CLI::ValidationError(option->get_name() +
                                   " is about answers: remove it, or ask about a URL instead");
      }
    }
  }

  // CLI11 takes a list out of its brackets, and so an IPv6 literal, unless one argument is all that
  // is taken: the other URLs are what it leaves over.
  void add_questions() {
    app.add_option("URL", raw.urls,
                   "URLs or bare hosts, which mean https and, where that\n"
                   "cannot be reached, http; with --file also paths; - reads\n"
                   "them from standard input, one a line of up to 64 KiB")
        ->allow_extra_args(false)
        ->type_name("");
    app.add_option("-a,--user-agent", raw.user_agent,
                   "the crawler: a product token or a whole User-Agent value")
        ->capture_default_str()
        ->type_name("U");
    app.add_option("--dialect", raw.dialect,
                   "read rules by the RFC, or as google/robotstxt, quirks included")
        ->check(CLI::IsMember({"rfc9309", "google"}))
        ->capture_default_str()
        ->type_name("D");
    app.add_option("--exclude", raw.excluded,
                   "a host suffix such as gov: never asked, never allowed; repeatable")
        ->allow_extra_args(false)
        ->type_name("SUFFIX");
    file = app.add_option("--file", raw.file,
                          "use the rules in this file, - for standard input, and no network")
               ->type_name("FILE");
    lint = app.add_option("--lint", raw.lint,
                          "ask nothing, but tell what is wrong with this file, - for\n"
                          "standard input")
               ->excludes(file)
               ->type_name("FILE");
    diff = app.add_option("--diff", raw.diff,
                          "ask nothing, but tell what has changed for the crawler from one\n"
                          "file to the other, - for standard input")
               ->expected(2)
               ->excludes(file)
               ->excludes(lint)
               ->type_name("OLD NEW");
    app.add_option("--fallback", raw.fallback,
                   "what holds when a robots.txt cannot be had:\n"
                   "  permissive  failures allow\n"
                   "  rfc9309     server errors, 429 and silence deny; other 4xx\n"
                   "              and too many redirects allow\n"
                   "  strict      only 404 and 410 allow; a file that is mostly\n"
                   "              garbage denies, too")
        ->check(CLI::IsMember({"permissive", "rfc9309", "strict"}))
        ->capture_default_str()
        ->type_name("P");
    about_answers.push_back(
        app.add_option("--repeat", raw.repeat, "ask so many times, to see the cache work")
            ->check(CLI::Range(1U, 1'000'000U))
            ->capture_default_str()
            ->type_name("N"));
  }

  void add_audit() {
    const std::string group = "Audit trails";
    audit = app.add_option("--verify-audit", raw.audit,
                           "ask nothing, but tell whether the trail in this file, and those\n"
                           "that follow it, is as it was written, and whether each decision\n"
                           "comes out again")
                ->allow_extra_args(false)
                ->excludes(file)
                ->excludes(lint)
                ->excludes(diff)
                ->type_name("FILE...")
                ->group(group);
    report = app.add_option("--report", raw.report,
                            "the same, as a page of HTML that shows what the trail says")
                 ->allow_extra_args(false)
                 ->excludes(file)
                 ->excludes(lint)
                 ->excludes(diff)
                 ->excludes(audit)
                 ->type_name("FILE...")
                 ->group(group);
    app.add_option("--key", raw.audit_key, "PEM file of the public key by which it is signed")
        ->type_name("FILE")
        ->group(group);
    app.add_option("--head", raw.audit_head, "the hash of an entry that must be there")
        ->type_name("HASH")
        ->group(group);
  }

  void add_store() {
    const std::string group = "Store";
    store = app.add_option("--store", raw.store,
                           "look first into what other processes know, and tell them:\n"
                           "redis://HOST[:PORT] and the like, or sqlite:PATH")
                ->excludes(file)
                ->excludes(lint)
                ->excludes(diff)
                ->excludes(audit)
                ->excludes(report)
                ->type_name("WHERE")
                ->group(group);
    app.add_flag("--store-list", raw.store_list, "ask nothing, but tell what the store has")
        ->needs(store)
        ->group(group);
    app.add_option("--store-erase", raw.store_erase,
                   "ask nothing, but erase a site from the store, and tell those\n"
                   "who use it; repeatable")
        ->allow_extra_args(false)
        ->needs(store)
        ->type_name("SITE")
        ->group(group);
  }

  void add_network() {
    const std::string network = "Network";
    app.add_option("--timeout", raw.timeout, "for each exchange; 0 means no limit")
        ->check(check_timeout)
        ->capture_default_str()
        ->type_name("SECONDS")
        ->group(network);
    app.add_option("--attempts", raw.attempts,
                   "how often to try in all, after 5xx, 429 and network errors")
        ->check(CLI::Range(1, 100))
        ->capture_default_str()
        ->type_name("N")
        ->group(network);
    app.add_option("--ca-file", raw.ca_file, "PEM file of the certificates to trust, and no others")
        ->type_name("FILE")
        ->group(network);
    app.add_option("--connect-to", raw.connect_to,
                   "connect to the second pair for what is meant for the first;\nrepeatable")
        ->allow_extra_args(false)
        ->type_name("HOST1:PORT1:HOST2:PORT2")
        ->group(network);
    app.add_option("--allow-address", raw.allowed_addresses,
                   "an address or a prefix such as 127.0.0.0/8 that may be reached\n"
                   "though it is not of the internet; repeatable")
        ->allow_extra_args(false)
        ->type_name("ADDRESS")
        ->group(network);
    proxy = app.add_option("--proxy", raw.proxy,
                           "the proxy to use, empty for none, instead of the environment's")
                ->type_name("[SCHEME://]HOST[:PORT]")
                ->group(network);
  }

  void add_output() {
    const std::string output = "Output";
    app.add_flag("--json", raw.json, "print JSON; with --file and no URL, what the file says")
        ->group(output);
    about_answers.push_back(app.add_flag("--explain", raw.explain,
                                         "print the group, the target and every rule that matches")
                                ->group(output));
    about_answers.push_back(
        app.add_flag("--stats", raw.stats, "print the cache's statistics at the end")
            ->group(output));
    about_answers.push_back(
        app.add_flag("--timing", raw.timing, "print how long each answer took")->group(output));
  }

  [[nodiscard]] fallback_policy fallback() const {
    if (raw.fallback == "permissive") {
      return fallback_policy::permissive();
    }
    return raw.fallback == "strict" ? fallback_policy::strict() : fallback_policy::rfc9309();
  }

  raw_options raw;
  CLI::Option* file = nullptr;
  CLI::Option* lint = nullptr;
  CLI::Option* diff = nullptr;
  CLI::Option* audit = nullptr;
  CLI::Option* report = nullptr;
  CLI::Option* store = nullptr;
  CLI::Option* proxy = nullptr;
  std::vector<const CLI::Option*> about_answers;  // options without effect where there is no URL
};

}  // namespace

std::variant<settings, status> read_command_line(int argc, const char* const* argv) {
  command_line line;
  try {
    line.parse(argc, argv);
    return line.result();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
      line.app.exit(error, std::cout, std::cerr);
      if (!std::cout.flush()) {
        throw std::runtime_error("cannot write the output");
      }
      return all_allowed;
    }
    std::cerr << "robots-check: " << base::printable(error.what())
              << "\nrobots-check --help tells how it is used.\n";
    return failed;
  }
}

}  // namespace robots::check
