// robots-check: tells on the command line whether a crawler may fetch URLs, and why.
#include "check_answer.hpp"
#include "check_audit.hpp"
#include "check_json.hpp"
#include "check_options.hpp"
#include "check_report.hpp"
#include "check_store.hpp"
#include "check_text.hpp"
#include "file_fetcher.hpp"
#include "read_file.hpp"
#include "read_line.hpp"
#include "standard_streams.hpp"
#include <robots/adapters/curl/curl_fetcher.hpp>
#include <robots/base/printable.hpp>
#include <robots/robots.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
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

/// A pipe that nobody reads any more is an error like any other, since SIGPIPE is ignored.
void print(std::string_view text) {
  if (!(std::cout << text << std::flush)) {
    throw std::runtime_error("cannot write the output");
  }
}

text_style style_for(const settings& wanted) {
  constexpr std::size_t widest = 60;
  text_style style{.fallback = wanted.cache.fallback.name(),
                   .crawler = product_token(wanted.cache.user_agent)};
  std::size_t width = 0;
  for (const std::string& url : wanted.urls) {
    width = std::max(width, url == "-" ? style.url_width : base::printable(url).size());
  }
  style.url_width = std::min(width, widest);
  style.colour = ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
  return style;
}

/// What messages call a file.
std::string_view name_of(std::string_view file) { return file == "-" ? "standard input" : file; }

/// Asks one cache about all URLs and prints what it says.
template <class Cache>
class session {
 public:
  session(const settings& wanted, Cache& cache)
      : wanted_(wanted), cache_(cache), style_(style_for(wanted)) {}

  /// Returns the exit status.
  [[nodiscard]] status run() {
    begin_round(1);
    for (const std::string& url : wanted_.urls) {
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
    constexpr std::size_t longest = 65'536;  // rules deny longer targets anyway
    line_reader lines{std::cin, longest};
    std::size_t number = 0;
    while (const auto line = lines.next()) {
      ++number;
      if (line->is_too_long) {
        worst_ = failed;
        std::cerr << "robots-check: line " << number
                  << " of standard input is skipped: a URL has at most " << longest << " octets\n";
      } else if (!line->text.empty()) {
        ask_first(line->text);
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
    // The rules of a file hold for any site, so a path needs none; the cache does.
    const bool path = wanted_.file && url.starts_with('/');
    const std::string full = path ? "https://file.invalid" + url : url;
    const auto began = stopwatch::now();
    const decision what = cache_.check(full);
    const auto elapsed = stopwatch::now() - began;
    note(what);
    if (wanted_.file) {
      warn_of_host(full);
    }
    answer about{.url = url, .what = what, .file = file_name(), .round = round_};
    if (wanted_.timing) {
      about.elapsed = elapsed;
    }
    if (wanted_.explain) {
      about.why = what.policy->rules().explain(target_for(*what.policy, full));
    }
    if (wanted_.json) {
      print(to_json(about) + '\n');
    } else if (what.reason == decision_reason::invalid_url) {
      complain(url);
    } else {
      print(to_text(about, style_) + '\n' + (about.why ? explanation_text(about, style_) : ""));
    }
  }

  [[nodiscard]] std::string_view file_name() const {
    return wanted_.file ? name_of(*wanted_.file) : std::string_view{};
  }

  void note(const decision& what) {
    if (what.reason == decision_reason::invalid_url) {
      worst_ = failed;
    } else if (!what.allowed) {
      worst_ = std::max(worst_, some_not_allowed);
    }
  }

  /// A document reads `admin/users` as a path, but the cache reads it as a host with a path.
  void warn_of_host(const std::string& url) {
    const auto where = parse_site(url);
    if (warned_of_host_ || !where || where->scheme || url.starts_with('[')) {
      return;
    }
    warned_of_host_ = true;
    const std::string shown = base::printable(url);
    const std::string path = base::printable(target_of(url));
    std::cerr << "robots-check: warning: \"" << shown << "\" is read as the host " << where->host
              << " and the path " << (path.starts_with('/') ? "" : "/") << path
              << ": write https://" << shown << " for a URL or /" << shown << " for a path\n";
  }

  void complain(const std::string& url) const {
    std::cerr << "robots-check: not an http or https URL"
              << (wanted_.file ? " nor a path that begins with /" : "") << ": \""
              << base::printable(url) << "\"\n";
  }

  const settings& wanted_;
  Cache& cache_;
  text_style style_;
  std::vector<std::string> asked_;
  unsigned round_ = 0;
  bool warned_of_host_ = false;
  status worst_ = all_allowed;
};

template <Fetcher F, Storage S = LruStorage<4096>>
status run_with(const settings& wanted, F fetcher, S storage = {}) {
  basic_robots_cache<F, SteadyClock, S> cache{
      wanted.cache, std::move(fetcher), {}, std::move(storage)};
  return session{wanted, cache}.run();
}

/// One octet more than is parsed tells that there are more.
std::string read_robots(const settings& wanted, const std::string& file) {
  return read_file(file, wanted.cache.parse.max_bytes + 1);
}

/// Calls `use` with what a file says, in whatever charset it says it, and with how to read that.
template <class Use>
auto with_text(const settings& wanted, const std::string& file, const Use& use) {
  const std::string octets = read_robots(wanted, file);
  const utf8_text text = to_utf8(octets);
  parse_options options = wanted.cache.parse;
  if (text.converted()) {
    options.max_bytes = std::max(options.max_bytes, text.text().size());
  }
  return use(text.text(), options);
}

document read_document(const settings& wanted, const std::string& file) {
  return with_text(wanted, file, [](std::string_view text, const parse_options& options) {
    return parse(text, options);
  });
}

status run_diff(const settings& wanted) {
  parse_options reading = wanted.cache.parse;
  const auto read = [&](const std::string& file) {
    return with_text(wanted, file, [&](std::string_view text, const parse_options& options) {
      reading.max_bytes = std::max(reading.max_bytes, options.max_bytes);
      return std::string{text};
    });
  };
  const std::string before = read(wanted.diff[0]);
  const std::string after = read(wanted.diff[1]);
  const change_report found = diff(before, after, wanted.cache.user_agent, reading);
  print(wanted.json ? to_json(found) + '\n' : to_text(found));
  return found.same() ? same_meaning : different;
}

status run_lint(const settings& wanted) {
  const document file = read_document(wanted, *wanted.lint);
  finding_counts counts;
  for (const diagnostic& finding : lint(file, wanted.cache.malformed)) {
    const std::string_view name = name_of(*wanted.lint);
    print((wanted.json ? to_json(finding, name) : to_text(finding, name)) + '\n');
    switch (finding.severity) {
      case severity::error:
        ++counts.errors;
        break;
      case severity::warning:
        ++counts.warnings;
        break;
      case severity::note:
        ++counts.notes;
        break;
    }
  }
  if (!wanted.json) {
    print(to_text(counts) + '\n');
  }
  return counts.errors + counts.warnings == 0 ? well_formed : ill_formed;
}

/// Prints what a store has, some sites at a time, since a listing may be long.
void list_store(const settings& wanted, chosen_store& store) {
  constexpr std::size_t at_once = 256;
  std::vector<std::string> keys;
  std::vector<std::chrono::milliseconds> left;
  const auto print_all = [&] {
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    const auto values = store.load_all(keys);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (!values[i]) {
        continue;  // it is gone since
      }
      const stored_site site{
          .key = keys[i], .content = decode_site(*values[i]), .left = left[i], .now = now};
      print((wanted.json ? to_json(site) : to_text(site)) + '\n');
    }
    keys.clear();
    left.clear();
  };
  store.for_each([&](std::string_view key, std::chrono::milliseconds kept) {
    keys.emplace_back(key);
    left.push_back(kept);
    if (keys.size() == at_once) {
      print_all();
    }
  });
  print_all();
}

status run_store(const settings& wanted) {
  chosen_store store{*wanted.store};
  for (const std::string& name : wanted.store_erase) {
    const auto wanted_site = parse_site(name);
    if (!wanted_site) {
      throw std::invalid_argument("--store-erase: no host or http or https URL: \"" + name + '"');
    }
    const std::string key = wanted_site->key();
    const bool was_there = store.load(key).has_value();
    store.erase(key);
    if (!wanted.json) {
      print(base::printable(key) + (was_there ? " is erased\n" : " was not there\n"));
    }
  }
  if (wanted.store_list) {
    list_store(wanted, store);
  }
  return all_allowed;
}

status run_audit(const settings& wanted) {
  if (wanted.audit_report) {
    print(report(*wanted.audit));
    return all_allowed;
  }
  const audit_answer found = verify(*wanted.audit, wanted.json);
  print(found.text);
  return found.intact ? intact : broken;
}

status run(const settings& wanted) {
  if (wanted.audit) {
    return run_audit(wanted);
  }
  if (wanted.store_list || !wanted.store_erase.empty()) {
    return run_store(wanted);
  }
  if (wanted.lint) {
    return run_lint(wanted);
  }
  if (!wanted.diff.empty()) {
    return run_diff(wanted);
  }
  if (wanted.store) {
    return run_with(wanted, CurlFetcher{wanted.curl},
                    TieredStorage<LruStorage<4096>, chosen_store>{chosen_store{*wanted.store}});
  }
  if (!wanted.file) {
    return run_with(wanted, CurlFetcher{wanted.curl});
  }
  if (wanted.urls.empty()) {
    print(robots::to_json(read_document(wanted, *wanted.file)) + '\n');
    return all_allowed;
  }
  return run_with(wanted, FileFetcher{read_robots(wanted, *wanted.file)});
}

}  // namespace
}  // namespace robots::check

int main(int argc, char** argv) {
  using namespace robots::check;
  // A libcurl before 7.87 may raise it while it writes TLS.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    if (!open_standard_streams()) {
      throw std::runtime_error("standard output is closed: redirect it to a file or /dev/null");
    }
    const auto wanted = read_command_line(argc, argv);
    const auto* const ended = std::get_if<status>(&wanted);
    return ended != nullptr ? *ended : run(std::get<settings>(wanted));
  } catch (const std::exception& error) {
    std::cerr << "robots-check: " << robots::base::printable(error.what()) << '\n';
    return failed;
  }
}
