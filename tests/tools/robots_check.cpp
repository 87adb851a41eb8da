// robots-check: a program that says whether a crawler may fetch URLs, and why.
#include "check_answer.hpp"
#include "check_audit.hpp"
#include "check_fetch.hpp"
#include "check_json.hpp"
#include "check_options.hpp"
#include "check_rulings.hpp"
#include "check_store.hpp"
#include "check_text.hpp"
#include "fetch_robots.hpp"
#include "file_fetcher.hpp"
#include "progress.hpp"
#include "purpose_named.hpp"
#include "read_file.hpp"
#include "read_line.hpp"
#include "standard_streams.hpp"
#include <robots/adapters/curl/curl_fetcher.hpp>
#ifdef ROBOTS_CHECK_HTML
#include <robots/adapters/html/read_html.hpp>
#endif
#ifdef ROBOTS_CHECK_IDN
#include <robots/adapters/idn/idn_hosts.hpp>
#endif
#include <robots/base/ascii.hpp>
#include <robots/base/printable.hpp>
#include <robots/base/utf8.hpp>
#include <robots/robots.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace robots::check {
namespace {

/// Throws if the output cannot be written. A closed pipe is such an error: SIGPIPE is ignored.
void print(std::string_view text) {
  if (!(std::cout << text << std::flush)) {
    throw std::runtime_error("cannot write the output: check the disk or the reader of the pipe");
  }
}

text_style style_for(const settings& wanted) {
  constexpr std::size_t widest = 60;
  text_style style{.fallback = wanted.cache.fallback.name(),
                   .crawler = product_token(wanted.cache.user_agent)};
  std::size_t width = 0;
  for (const std::string& url : wanted.arguments) {
    width = std::max(width, url == "-" ? style.url_width : base::printable(url).size());
  }
  style.url_width = std::min(width, widest);
  style.colour = ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
  return style;
}

/// Returns the name of a file in messages.
std::string_view name_of(std::string_view file) { return file == "-" ? "standard input" : file; }

/// Makes a message safe for a terminal. A backslash stays, since the message may have been escaped.
std::string for_terminal(std::string_view message) {
  std::string shown;
  for (const char octet : message) {
    shown += octet == '\\' ? "\\" : base::printable({&octet, 1});
  }
  return shown;
}

constexpr std::size_t longest_page = 1'000'000;

/// Reads the meta elements and licence links of a page.
void read_page([[maybe_unused]] page_statements& page, [[maybe_unused]] const std::string& html,
               [[maybe_unused]] const std::vector<http_header>& headers) {
#ifdef ROBOTS_CHECK_HTML
  read_html(page, html, headers, html.size() == longest_page);
#else
  throw std::runtime_error(
      "robots-check was built without robots::html: install libgumbo-dev and build it again");
#endif
}

/// Asks one cache about all URLs, and prints its answers.
template <class Cache>
class session {
 public:
  session(const settings& wanted, Cache& cache)
      : wanted_(wanted), cache_(cache), style_(style_for(wanted)) {}

  /// Returns the exit status.
  [[nodiscard]] status run() {
    begin_round(1);
    for (const std::string& url : wanted_.arguments) {
      if (url == "-") {
        ask_standard_input();
      } else {
        ask_first(url);
      }
    }
    for (unsigned round = 2; round <= wanted_.repeat; ++round) {
      begin_round(round);
      for (const std::string& url : asked_) {
        ask(url);
      }
    }
    if (wanted_.stats) {
      const cache_stats stats = cache_.stats();
      print(wanted_.json ? to_json(stats) + '\n' : '\n' + to_text(stats));
    }
    return worst_;
  }

 private:
  void begin_round(unsigned round) {
    if (wanted_.repeat == 1) {
      return;
    }
    round_ = round;
    if (!wanted_.json) {
      print((round == 1 ? "round " : "\nround ") + std::to_string(round) + '\n');
    }
  }

  void ask_standard_input() {
    constexpr std::size_t longest = 65'536;  // rules never allow a longer target
    line_reader lines{std::cin, longest};
    std::size_t number = 0;
    while (const auto line = lines.next()) {
      ++number;
      if (line->is_too_long) {
        worst_ = failed;
        std::cerr << "robots-check: line " << number
                  << " of standard input is skipped: a URL has at most " << longest << " octets\n";
        continue;
      }
      std::string_view text = line->text;
      if (number == 1 && text.starts_with(robots::base::byte_order_mark)) {
        text.remove_prefix(robots::base::byte_order_mark.size());
      }
      text = base::trim(text, base::is_blank);
      if (!text.empty() && !text.starts_with('#')) {
        ask_first(std::string{text});
      }
    }
    if (std::cin.bad() || std::ferror(stdin) != 0) {
      throw std::runtime_error("cannot read the URLs from standard input");
    }
  }

  void ask_first(const std::string& url) {
    if (wanted_.repeat > 1) {
      asked_.push_back(url);
    }
    ask(url);
  }

  void ask(const std::string& url) {
    using stopwatch = std::chrono::steady_clock;
    // The rules of a file apply to every site, so the user can give only a path. The cache needs a
    // URL.
    const bool path = wanted_.file && url.starts_with('/');
    const std::string full = path ? "https://file.invalid" + url : url;
    const auto began = stopwatch::now();
    const decision answered = cache_.check(full);
    const auto elapsed = stopwatch::now() - began;
    progress_.count();
    note(answered);
    if (wanted_.file) {
      warn_of_host(full);
    }
    answer about{.url = url, .decided = answered, .file = file_name(), .round = round_};
    if (wanted_.timing) {
      about.elapsed = elapsed;
    }
    if (wanted_.explain) {
      about.why = answered.policy->rules().explain(detail::target_for(*answered.policy, full));
      about.mistakes = mistakes_in(*answered.policy);
    }
    if (!wanted_.purposes.empty() && answered.reason != decision_reason::invalid_url) {
      about.permissions = permissions_for(answered, full);
      for (const permission& one : about.permissions) {
        worst_ = one.answer == permission_answer::yes ? worst_ : std::max(worst_, no);
      }
    }
    if (wanted_.json) {
      print(to_json(about) + '\n');
    } else if (answered.reason == decision_reason::invalid_url) {
      complain(url);
    } else {
      std::string lines = to_text(about, style_) + '\n';
      lines += about.why ? explanation_text(about, style_) : "";
      for (const permission& one : about.permissions) {
        lines += "    " + base::printable(one.purpose) + ": " + explain(one) + '\n';
      }
      print(lines);
    }
  }

  /// Returns the warnings and errors that `lint` finds in the robots.txt in force.
  [[nodiscard]] std::vector<diagnostic> mistakes_in(const policy& used) const {
    if (used.basis() != policy_basis::rules && used.basis() != policy_basis::last_good) {
      return {};
    }
    std::vector<diagnostic> mistakes =
        lint(used.text(), wanted_.cache.parse, wanted_.cache.malformed);
    std::erase_if(mistakes,
                  [](const diagnostic& mistake) { return mistake.severity == severity::note; });
    return mistakes;
  }

  /// Returns the answers for the purposes that the user gave.
  [[nodiscard]] std::vector<permission> permissions_for(const decision& answered,
                                                        const std::string& url) const {
    page_statements page = page_of(answered, url, wanted_.cache.user_agent);
    for (const auto& [name, value] : wanted_.headers) {
      page.header(name, value);
    }
    if (wanted_.page) {
      read_page(page, read_file(*wanted_.page, longest_page), wanted_.headers);
    }
    if (wanted_.tdmrep) {
      page.tdmrep(read_file(*wanted_.tdmrep, longest_page));
    }
    return answers_for(wanted_.purposes, page);
  }

  [[nodiscard]] std::string_view file_name() const {
    return wanted_.file ? name_of(*wanted_.file) : std::string_view{};
  }

  void note(const decision& answered) {
    if (answered.reason == decision_reason::invalid_url) {
      worst_ = failed;
    } else if (!answered.allowed) {
      worst_ = std::max(worst_, no);
    }
  }

  /// Warns once that the cache reads a text such as `admin/users` as a host with a path. `document`
  /// reads it as a path.
  void warn_of_host(const std::string& url) {
    const auto named = parse_site(url);
    if (warned_of_host_ || !named || named->scheme || url.starts_with('[')) {
      return;
    }
    warned_of_host_ = true;
    const std::string shown = base::printable(url);
    const std::string path = base::printable(detail::target_of(url));
    std::cerr << "robots-check: warning: \"" << shown << "\" is read as the host " << named->host
              << " and the path " << (path.starts_with('/') ? "" : "/") << path
              << ": write https://" << shown << " for a URL or /" << shown << " for a path\n";
  }

  void complain(const std::string& url) const {
    const std::string problem = detail::url_problem(url);
    std::cerr << "robots-check: not an http or https URL"
              << (wanted_.file ? " nor a path that begins with /" : "") << ": \""
              << base::printable(url) << '"'
              << (problem.empty() ? "" : ": " + base::printable(problem)) << '\n';
  }

  const settings& wanted_;
  Cache& cache_;
  text_style style_;
  progress progress_{"URLs answered", ::isatty(STDOUT_FILENO) == 0};
  std::vector<std::string> asked_;
  unsigned round_ = 0;
  bool warned_of_host_ = false;
  status worst_ = yes;
};

template <Fetcher F, Storage S = LruStorage<4096>, Rulings R = NoRulings>
status run_with(const settings& wanted, F fetcher, S storage = {}, R rulings = {}) {
  basic_robots_cache<F, SteadyClock, S, NullObserver, R> cache{
      wanted.cache, std::move(fetcher), {}, std::move(storage), {}, std::move(rulings)};
  return session{wanted, cache}.run();
}

/// Reads one octet more than the parser does, so that the parser notices a longer file.
std::string read_robots(const settings& wanted, const std::string& file) {
  return read_file(file, wanted.cache.parse.max_bytes + 1);
}

/// Calls `use` with the text of a file in UTF-8, whatever its charset, and with the options for
/// parsing it.
template <class Use>
auto with_text(const settings& wanted, const std::string& octets, detail::charset written_in,
               const Use& use) {
  const std::optional<std::string> transcoded = to_utf8(octets, written_in);
  parse_options options = wanted.cache.parse;
  if (transcoded) {
    options.max_bytes = std::max(options.max_bytes, transcoded->size());
  }
  return use(std::string_view{transcoded ? *transcoded : octets}, options);
}

document document_of(const settings& wanted, const std::string& octets,
                     detail::charset written_in) {
  return with_text(
      wanted, octets, written_in,
      [](std::string_view text, const parse_options& options) { return parse(text, options); });
}

document read_document(const settings& wanted, const std::string& file) {
  const std::string octets = read_robots(wanted, file);
  return document_of(wanted, octets, detail::charset_of(octets));
}

status run_diff(const settings& wanted) {
  parse_options reading = wanted.cache.parse;
  const auto read = [&](const std::string& file) {
    const std::string octets = read_robots(wanted, file);
    return with_text(wanted, octets, detail::charset_of(octets),
                     [&](std::string_view text, const parse_options& options) {
                       reading.max_bytes = std::max(reading.max_bytes, options.max_bytes);
                       return std::string{text};
                     });
  };
  const std::string before = read(wanted.arguments[0]);
  const std::string after = read(wanted.arguments[1]);
  const change_report found = diff(before, after, wanted.cache.user_agent, reading);
  print(wanted.json ? to_json(found) + '\n' : to_text(found));
  return found.same() ? yes : no;
}

/// A robots.txt, and its name in messages.
struct named_document {
  std::string name;
  document content;
};

/// Reads a file, or fetches the robots.txt of the site of a URL.
named_document read_or_fetch(const settings& wanted, const std::string& argument) {
  if (!is_url(argument)) {
    return {std::string{name_of(argument)}, read_document(wanted, argument)};
  }
  const detail::retrieval_result fetched = fetch_robots(wanted, argument);
  const auto written_in = detail::charset_of(
      fetched.body, detail::find_header(fetched.headers, "Content-Type").value_or(""),
      fetched.truncated);
  return {fetched.final_url, document_of(wanted, fetched.body, written_in)};
}

status run_lint(const settings& wanted) {
  finding_counts counts;
  for (const std::string& argument : wanted.arguments) {
    const auto [name, content] = read_or_fetch(wanted, argument);
    for (const diagnostic& finding : lint(content, wanted.cache.malformed)) {
      print((wanted.json ? to_json(finding, name) : to_text(finding, name)) + '\n');
      counts.errors += finding.severity == severity::error ? 1 : 0;
      counts.warnings += finding.severity == severity::warning ? 1 : 0;
      counts.notes += finding.severity == severity::note ? 1 : 0;
    }
  }
  if (!wanted.json) {
    print(to_text(counts) + '\n');
  }
  return counts.errors + counts.warnings == 0 ? yes : no;
}

/// Prints the sites in a store in batches, since a store can have many sites.
template <class Store>
status list_store(const settings& wanted, Store& store) {
  constexpr std::size_t at_once = 256;
  std::vector<std::string> keys;
  std::vector<std::chrono::milliseconds> lifetimes;
  const auto print_all = [&] {
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    const auto values = store.load_all(keys);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (!values[i]) {
        continue;  // the site was erased or has expired meanwhile
      }
      const stored_site site{.key = keys[i],
                             .content = detail::decode_site(*values[i]),
                             .rulings = rulings_detail::decode_old_record(*values[i]),
                             .left = lifetimes[i],
                             .now = now};
      print((wanted.json ? to_json(site) : to_text(site)) + '\n');
    }
    keys.clear();
    lifetimes.clear();
  };
  store.for_each([&](std::string_view key, std::chrono::milliseconds lifetime) {
    keys.emplace_back(key);
    lifetimes.push_back(lifetime);
    if (keys.size() == at_once) {
      print_all();
    }
  });
  print_all();
  return yes;
}

/// Returns the sites that the arguments after the first name.
std::vector<site> sites_of(const settings& wanted) {
  std::vector<site> sites;
  for (std::size_t i = 1; i < wanted.arguments.size(); ++i) {
    const auto named = parse_site(wanted.arguments[i]);
    if (!named) {
      throw std::invalid_argument(
          '"' + wanted.arguments[i] +
          "\" is not a site: give a host, HOST:PORT, or an http or https URL");
    }
    sites.push_back(*named);
  }
  return sites;
}

status erase_from(const settings& wanted, SharedStore& store) {
  for (const site& named : sites_of(wanted)) {
    const std::string key = named.key();
    const bool was_there = store.load(key).has_value();
    store.erase(key);
    print(base::printable(key) + (was_there ? " is erased\n" : " was not there\n"));
  }
  return yes;
}

status run_store(const settings& wanted) {
  const std::string& name = wanted.arguments[0];
  if (name.starts_with("sqlite:") && !std::filesystem::exists(name.substr(7)) &&
      name != "sqlite:") {
    throw std::invalid_argument('"' + name + "\" does not exist: give the file of a store");
  }
  return with_store<status>(name, [&](auto store) {
    return wanted.command == command::store_list ? list_store(wanted, store)
                                                 : erase_from(wanted, store);
  });
}

status run_audit(const settings& wanted) {
  const progress shown{"verifying"};
  const audit_question trail{.files = wanted.arguments, .key = wanted.key, .head = wanted.head};
  if (wanted.command == command::audit_report) {
    print(report(trail));
    return yes;
  }
  const audit_answer found = verify(trail, wanted.json);
  print(found.text);
  return found.intact ? yes : no;
}

status run_check(const settings& wanted) {
  if (wanted.file) {
    return run_with(wanted, FileFetcher{read_robots(wanted, *wanted.file)});
  }
  if (!wanted.store) {
    return run_with(wanted, CurlFetcher{wanted.curl});
  }
  return with_store<status>(*wanted.store, [&](auto store) {
    return run_with(wanted, CurlFetcher{wanted.curl},
                    TieredStorage<LruStorage<4096>, decltype(store)>{std::move(store)},
                    SiteRulings{{.ledger = open_ledger(*wanted.store),
                                 .maker = wanted.maker,
                                 .poll = std::chrono::milliseconds{0}}});
  });
}

status run(const settings& wanted) {
  switch (wanted.command) {
    case command::check:
      break;
    case command::fetch:
      return run_fetch(wanted, [](std::string_view text) { print(text); });
    case command::parse:
      print(robots::to_json(read_document(wanted, wanted.arguments[0])) + '\n');
      return yes;
    case command::lint:
      return run_lint(wanted);
    case command::diff:
      return run_diff(wanted);
    case command::audit_verify:
    case command::audit_report:
      return run_audit(wanted);
    case command::store_list:
    case command::store_erase:
      return run_store(wanted);
    case command::rulings_list:
    case command::rulings_halt:
    case command::rulings_resume:
    case command::rulings_override:
    case command::rulings_sign_off:
    case command::rulings_import:
      return run_rulings(wanted);
  }
  return run_check(wanted);
}

}  // namespace
}  // namespace robots::check

int main(int argc, char** argv) {
  using namespace robots::check;
  // A libcurl before 7.87 can raise SIGPIPE while it writes TLS.
  std::signal(SIGPIPE, SIG_IGN);
#ifdef ROBOTS_CHECK_IDN
  robots::use_idn();
#endif
  try {
    if (!open_standard_streams()) {
      throw std::runtime_error("standard output is closed: redirect it to a file or /dev/null");
    }
    const auto wanted = read_command_line(argc, argv);
    const auto* const end = std::get_if<status>(&wanted);
    return end != nullptr ? *end : run(std::get<settings>(wanted));
  } catch (const std::exception& error) {
    std::cerr << "robots-check: " << for_terminal(error.what()) << '\n';
    return failed;
  }
}
