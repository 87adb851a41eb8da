// Generates files with the shapes of real robots.txt files: the same octets on every machine.
//
// To add a shape, write a generator here and add a line to generated_inputs() in inputs.cpp.
#pragma once

#include "inputs/input.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace bench {

/// Pseudo-random numbers that are the same on every machine (a linear congruential generator).
class dice {
 public:
  explicit dice(std::uint64_t seed) : state_{seed * 2'862'933'555'777'941'757U + 3'037'000'493U} {}

  /// Returns a number below `bound`.
  std::size_t below(std::size_t bound) {
    state_ = state_ * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    return static_cast<std::size_t>(state_ >> 33U) % bound;
  }

 private:
  std::uint64_t state_;
};

inline constexpr std::array<std::string_view, 16> words{
    "admin",   "search", "cart",  "account", "api",   "images", "tmp",  "private",
    "reports", "print",  "login", "tag",     "feeds", "static", "user", "archive"};

/// Returns a path such as `/cart/print-217`.
inline std::string path_of(dice& random) {
  std::string path = "/";
  path += words[random.below(words.size())];
  path += '/';
  path += words[random.below(words.size())];
  path += '-' + std::to_string(random.below(1000));
  return path;
}

/// Returns a rule line like those of real files, without a line end.
inline std::string rule_of(dice& random) {
  std::string line = random.below(5) == 0 ? "Allow: " : "Disallow: ";
  line += path_of(random);
  switch (random.below(8)) {
    case 0:
      return line + "/*.html$";
    case 1:
      return line + "*?sort=";
    case 2:
      return line;
    default:
      return line + '/';
  }
}

/// Returns the number of files of `octets` octets that take long enough to time.
constexpr std::size_t copies_of(std::size_t octets) {
  return std::max<std::size_t>(1, 64 * 1024 / std::max<std::size_t>(octets, 1));
}

/// Asks `count` questions about each file in turn, for a crawler that no group names.
inline void ask_about_each(input& in, std::size_t count, dice& random) {
  for (std::size_t file = 0; file < in.files.size(); ++file) {
    for (std::size_t i = 0; i < count; ++i) {
      in.questions.push_back({file, i % 2 == 0 ? "FooBot" : "Googlebot", path_of(random) + "/x"});
    }
  }
}

/// Returns the usual file of a site: one group and at most one rule.
inline input tiny() {
  input in{.name = "tiny", .files = {}, .questions = {}};
  dice random{1};
  for (std::size_t i = 0; i < 1024; ++i) {
    in.files.push_back(i % 4 == 0 ? "User-agent: *\nDisallow:\n"
                                  : "User-agent: *\n" + rule_of(random) + '\n');
  }
  ask_about_each(in, 2, random);
  return in;
}

/// Returns a file of `octets` octets with groups, rules and comments, and some Sitemap and
/// Crawl-delay lines.
inline std::string mixed_file(std::size_t octets, dice& random, std::string_view end = "\n") {
  std::string text = "# robots.txt";
  text += end;
  const auto add = [&](std::string_view line) { text.append(line).append(end); };
  add("User-agent: *");
  while (text.size() < octets) {
    switch (random.below(24)) {
      case 0:
        add("");
        add(random.below(3) == 0
                ? "User-agent: *"
                : "User-agent: " + std::string{words[random.below(words.size())]} + "bot");
        break;
      case 1:
        add("# " + path_of(random) + path_of(random));
        break;
      case 2:
        add("Sitemap: https://www.example.com" + path_of(random) + ".xml");
        break;
      case 3:
        add("Crawl-delay: " + std::to_string(random.below(10)));
        break;
      default:
        add(rule_of(random));
    }
  }
  text.resize(octets);
  return text;
}

/// Returns `count` files of many sizes, from 100 octets to 12 KiB, most of them short, like the
/// files of well-known sites. Asks eight questions about each file. Half of them are about paths
/// that a rule of the file names.
inline input sites(std::size_t count) {
  input in{.name = "sites", .files = {}, .questions = {}};
  dice random{9};
  for (std::size_t file = 0; file < count; ++file) {
    const std::size_t most = std::size_t{200} << random.below(7);
    const std::string text = mixed_file(100 + random.below(most), random);
    std::size_t next = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      std::string path = path_of(random) + "/page.html";
      const std::size_t rule = i % 2 == 0 ? text.find(": /", next) : std::string::npos;
      if (rule != std::string::npos) {
        next = rule + 2 + random.below(64);
        path = text.substr(rule + 2, text.find_first_of("*$\n", rule) - rule - 2) + "page.html";
      }
      in.questions.push_back({file, i % 4 == 3 ? "Googlebot" : "FooBot", std::move(path)});
    }
    in.files.push_back(text);
  }
  return in;
}

/// Returns files of one size, which show how the time for parsing grows.
inline input sized(std::size_t octets) {
  input in{.name = "size/" + std::to_string(octets),
           .files = {},
           .questions = {},
           .operations = {operation::parse, operation::compile}};
  dice random{octets};
  for (std::size_t i = 0; i < copies_of(octets); ++i) {
    in.files.push_back(mixed_file(octets, random));
  }
  ask_about_each(in, 1, random);
  return in;
}

/// Returns files with many groups, most of them for other crawlers.
inline input groups(std::size_t count) {
  input in{.name = "groups/" + std::to_string(count), .files = {}, .questions = {}};
  dice random{2};
  for (std::size_t file = 0; file < 8; ++file) {
    std::string text;
    for (std::size_t group = 0; group < count; ++group) {
      text += "User-agent: crawler-" + std::string(1, static_cast<char>('a' + group % 26)) +
              std::string(1 + group / 26, 'x') + '\n';
      if (group == count / 2) {
        text += "User-agent: Googlebot\n";
      }
      for (std::size_t rules = 2 + random.below(8); rules > 0; --rules) {
        text += rule_of(random) + '\n';
      }
      text += '\n';
    }
    in.files.push_back(text + "User-agent: *\n" + rule_of(random) + '\n' + rule_of(random) + '\n');
  }
  ask_about_each(in, 128, random);
  return in;
}

/// The positions of wildcards in a rule.
enum class stars_at : std::uint8_t {
  nowhere,  ///< `/section-7/`
  inner,    ///< `/section-7/*/print$`
  leading,  ///< `/*/section-7/*.html$`
};

/// Returns files with one group of `count` rules, every tenth with wildcards unless `place` is
/// `nowhere`. 20,000 rules fill 500 KiB.
inline input rules(std::size_t count, stars_at place) {
  constexpr std::array<std::string_view, 3> names{"rules-literal/", "rules-inner/",
                                                  "rules-leading/"};
  input in{.name = std::string{names[static_cast<std::size_t>(place)]} + std::to_string(count),
           .files = {},
           .questions = {}};
  std::string text = "User-agent: *\n";
  for (std::size_t i = 0; i < count; ++i) {
    const std::string section = "/section-" + std::to_string(i) + '/';
    text += i % 3 == 0 ? "Allow: " : "Disallow: ";
    if (i % 10 != 7 || place == stars_at::nowhere) {
      text += section;
    } else if (place == stars_at::inner) {
      text += section + "*/print$";
    } else {
      text += "/*" + section + "*.html$";
    }
    text += '\n';
  }
  in.files.assign(copies_of(text.size()), text);
  dice random{count};
  for (std::size_t file = 0; file < in.files.size(); ++file) {
    for (std::size_t i = 0; i < std::max<std::size_t>(1, 1024 / in.files.size()); ++i) {
      const std::string section = "/section-" + std::to_string(random.below(2 * count));
      constexpr std::array<std::string_view, 4> ends{"/list/page.html", "/list/print", "/",
                                                     "/x.html?query=1"};
      const std::string prefix = random.below(4) == 0 ? "/news" : "";
      in.questions.push_back(
          {file, "FooBot", prefix + section + std::string{ends[random.below(ends.size())]}});
    }
  }
  return in;
}

/// Returns files with mostly comments, on separate lines and after rules.
inline input comments() {
  input in{.name = "comments", .files = {}, .questions = {}};
  dice random{3};
  for (std::size_t file = 0; file < 16; ++file) {
    std::string text = "User-agent: *\n";
    while (text.size() < 8 * 1024) {
      for (std::size_t lines = 1 + random.below(4); lines > 0; --lines) {
        text += "# " + path_of(random) + ": why this is not to be crawled, and whom to ask\n";
      }
      text += rule_of(random) + (random.below(2) == 0 ? "  # since 2019\n" : "\n");
    }
    in.files.push_back(text);
  }
  ask_about_each(in, 64, random);
  return in;
}

/// Returns files whose lines end in CR LF.
inline input crlf() {
  input in{.name = "crlf", .files = {}, .questions = {}};
  dice random{4};
  for (std::size_t file = 0; file < 32; ++file) {
    in.files.push_back(mixed_file(2 * 1024, random, "\r\n"));
  }
  ask_about_each(in, 32, random);
  return in;
}

/// Returns files with lines of up to 8 KiB, as generators of rules for faceted search write them.
inline input long_lines() {
  input in{.name = "long-lines", .files = {}, .questions = {}};
  dice random{5};
  for (std::size_t file = 0; file < 4; ++file) {
    std::string text = "User-agent: *\n";
    for (std::size_t line = 0; line < 8; ++line) {
      std::string pattern = path_of(random) + '?';
      const std::size_t size = 1024 + random.below(7 * 1024);
      while (pattern.size() < size) {
        pattern += words[random.below(words.size())];
        pattern += '=' + std::to_string(random.below(100'000)) + '&';
      }
      text += (line % 4 == 0 ? "# " : "Disallow: ") + pattern + '\n';
      text += rule_of(random) + '\n';
    }
    in.files.push_back(text);
  }
  ask_about_each(in, 128, random);
  return in;
}

/// Returns a pattern of `count` stars, `/*a*a*b`, and targets of `octets` octets that it does not
/// match. A matcher that backtracks takes practically forever.
inline input stars(std::size_t count, std::size_t octets, std::string name) {
  std::string pattern = "/";
  for (std::size_t i = 1; i < count; ++i) {
    pattern += "*a";
  }
  input in{.name = std::move(name),
           .files = {"User-agent: *\nDisallow: " + pattern + "*b\n"},
           .questions = {},
           .operations = {operation::match}};
  for (std::size_t i = 0; i < 32; ++i) {
    in.questions.push_back({0, "FooBot", '/' + std::string(octets - 1, 'a')});
  }
  return in;
}

/// A file that is slow to compare with a path, and that path.
struct attack {
  std::string file;
  std::string path;
};

/// Returns `octets` octets of repeated `unit`.
inline std::string repeated(std::string_view unit, std::size_t octets) {
  std::string text;
  while (text.size() < octets) {
    text += unit;
  }
  text.resize(octets);
  return text;
}

inline constexpr std::string_view digits =
    "zyxwvutsrqponmlkjihgfedcbaZYXWVUTSRQPONMLKJIHGFEDCBA9876543210";

/// Returns a path with all letters and digits before repeated `unit`, so that no pattern can be
/// skipped because the path lacks one of its octets.
inline std::string monotonous_path(std::string_view unit, std::size_t octets) {
  return '/' + std::string{digits} + repeated(unit, octets - 1 - digits.size());
}

/// Returns a file of 512,000 octets with the patterns `pattern(i)`.
template <class Pattern>
std::string full_of(Pattern pattern) {
  std::string text = "User-agent:*\n";
  for (std::size_t i = 0;; ++i) {
    const std::string line = "Allow:" + pattern(i) + '\n';
    if (text.size() + line.size() > 512'000) {
      return text;
    }
    text += line;
  }
}

/// Returns three characters that distinguish rules.
inline std::string number_of(std::size_t i) {
  return {digits[i % digits.size()], digits[i / digits.size() % digits.size()],
          digits[i / digits.size() / digits.size() % digits.size()]};
}

/// Returns a path without repeated groups of four octets.
inline std::string varied_path(std::size_t octets) {
  dice random{8};
  std::string path = "/";
  while (path.size() < octets) {
    path += number_of(random.below(238'328));
  }
  path.resize(octets);
  return path;
}

/// Returns rules that share four octets with the path, but do not match it.
inline attack many_nearly(std::size_t octets) {
  const std::string path = varied_path(octets);
  const auto pattern = [&](std::size_t i) {
    return '*' + path.substr(1 + i * 9973 % (path.size() - 8), 4) + '~';
  };
  return {full_of(pattern), path};
}

/// Returns rules that begin like the path, and continue with a text that is not in the path.
inline attack many_begin(std::size_t octets) {
  return {full_of([](std::size_t i) { return "/aaa*" + number_of(i); }),
          '/' + repeated("a", octets - 1)};
}

/// Returns rules with short literals that match at every second octet, except in their last octet.
inline attack one_octet_off(std::size_t octets) {
  const auto pattern = [](std::size_t i) {
    return '*' + number_of(i).substr(1) + "*ab" + number_of(i).substr(0, 1);
  };
  return {full_of(pattern), monotonous_path("ab", octets)};
}

/// Returns rules with long literals that match except in their last octets. One rule is a candidate
/// so often that all rules are tried.
inline attack long_literals(std::size_t octets) {
  const auto pattern = [](std::size_t i) {
    return i == 0 ? "*aaab*~" : '*' + repeated("aaaaaaab", 20) + number_of(i);
  };
  return {full_of(pattern), monotonous_path("aaaaaaab", octets)};
}

/// Returns rules with many stars before a literal that matches except in its first octet.
inline attack many_stars(std::size_t octets) {
  const auto pattern = [](std::size_t i) {
    return repeated("*aab", 40) + '*' + number_of(i).substr(0, 1) + "aabZ";
  };
  return {full_of(pattern), monotonous_path("aab", octets)};
}

/// Returns rules with patterns that are not in normal form.
inline attack escaped(std::size_t octets) {
  const auto pattern = [](std::size_t i) {
    return i == 0 ? "*%61aab*~" : "*%61aaaaaaab" + number_of(i).substr(0, 2);
  };
  return {full_of(pattern), monotonous_path("aaaaaaab", octets)};
}

}  // namespace bench
