// Counts what makes comments and code hard to read: fragments, long sentences, misused words, and
// local names that do not say what they hold. The ceilings only fall.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace fs = std::filesystem;

namespace {

/// The limits of one folder.
struct ceilings {
  std::string_view folder;
  std::size_t fragments;
  std::size_t long_sentences;
  std::size_t vague_names;
  std::size_t misused_words;
};

constexpr std::array<ceilings, 15> allowed{{
    {"include/robots/adapters", 0, 0, 0, 0},
    {"include/robots/base", 0, 0, 0, 0},
    {"include/robots/cache", 0, 0, 0, 0},
    {"include/robots/fetch", 0, 0, 0, 0},
    {"include/robots/http", 0, 0, 0, 0},
    {"include/robots/observe", 0, 0, 0, 0},
    {"include/robots/policy", 0, 0, 0, 0},
    {"include/robots/polite", 0, 0, 0, 0},
    {"include/robots/rep", 0, 0, 0, 0},
    {"include/robots/rulings", 0, 0, 0, 0},
    {"include/robots/store", 0, 0, 0, 0},
    {"include/robots/testing", 0, 0, 0, 0},
    {"include/robots/time", 0, 0, 0, 0},
    {"tests", 0, 0, 0, 0},
    {"benchmarks", 0, 0, 0, 0},
}};

/// Sentences with these have no subject, no verb, or a pronoun for a noun.
constexpr std::array<std::string_view, 30> fragments{
    "/// Whether ",  "None where ",     "None of which",  "Nothing for ",  "Nothing where",
    "nothing where", "The same, ",      "The same for",   "The same with", "The same where",
    "Of these, ",    "of these, those", "What holds for", " but for ",     "so many ",
    " of its own",   " whoever ",       "Whoever ",       " that is none", "that are none",
    " told of",      "is told",         "are told",       " anew",         " for ever ",
    " for ever.",    " nought",         "let out",        "given back",    "What came of "};

/// A sentence that begins with one of these uses a clause for a noun.
constexpr std::array<std::string_view, 5> openings{"Whether ", "What ", "Whose ", "Who ", "Whom "};

/// Names that say nothing of what they hold.
constexpr std::array<std::string_view, 10> vague{"told", "at",    "where", "made", "each",
                                                 "what", "which", "kept",  "by",   "how"};

/// Words that the glossary of CONTRIBUTING replaces, or that say less than the field's term: a site
/// is not told, a process does not hear, and nothing is brought.
constexpr std::array<std::string_view, 22> misused{
    "told",  "tells",  "tell",    "hear",   "hears", "heard", "bear",      "bears",
    "borne", "whom",   "brought", "brings", "bring", "maybe", "everybody", "anybody",
    "anew",  "nought", "bare",    "mend",   "mends", "upon"};

constexpr std::size_t longest_sentence = 30;  // words

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// A line in two: code, without the text of literals, and comment.
struct split_line {
  std::string code;
  std::string comment;
};

split_line split(std::string_view line) {
  split_line parts;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      i += c == '\\' ? 1U : 0U;
      quote = c == quote ? '\0' : quote;
    } else if (c == '"' || (c == '\'' && (i == 0 || !is_word(line[i - 1])))) {
      quote = c;
    } else if (line.substr(i).starts_with("//")) {
      parts.comment = line.substr(i);
      break;
    } else {
      parts.code += c;
    }
  }
  return parts;
}

/// Returns true if the name that begins at `start` is declared there: a type stands before it, and
/// neither a member access nor a call.
bool is_declared(std::string_view code, std::size_t start, std::size_t end) {
  std::string_view before = code.substr(0, start);
  while (before.ends_with(' ')) {
    before.remove_suffix(1);
  }
  std::string_view behind = code.substr(end);
  while (behind.starts_with(' ')) {
    behind.remove_prefix(1);
  }
  if (before.empty() || before.size() == start ? !before.ends_with('&') && !before.ends_with('*')
                                               : false) {
    return false;
  }
  const std::string_view follows{"=;{,:)[]"};
  if (behind.empty() || follows.find(behind.front()) == std::string_view::npos ||
      behind.starts_with("==") || behind.starts_with("::")) {
    return false;
  }
  if (before.ends_with('&') || before.ends_with('*') || before.ends_with('>')) {
    // In an expression, a space stands before the operator.
    return !before.ends_with("->") && !before.ends_with("&&") && before.size() > 1 &&
           before[before.size() - 2] != ' ';
  }
  if (!is_word(before.back())) {
    return false;
  }
  const std::size_t word =
      before.find_last_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  const std::string_view type = before.substr(word == std::string_view::npos ? 0 : word + 1);
  constexpr std::array<std::string_view, 8> no_types{"return", "case",  "throw",    "else",
                                                     "delete", "using", "operator", "co_return"};
  return std::ranges::find(no_types, type) == no_types.end();
}

std::size_t vague_names_in(std::string_view code) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < code.size();) {
    if (!is_word(code[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < code.size() && is_word(code[end])) {
      ++end;
    }
    const std::string_view word = code.substr(i, end - i);
    count += std::ranges::find(vague, word) != vague.end() && is_declared(code, i, end) ? 1U : 0U;
    i = end;
  }
  return count;
}

std::size_t fragments_in(std::string_view text) {
  std::size_t count = 0;
  for (const std::string_view fragment : fragments) {
    for (std::size_t i = text.find(fragment); i != std::string_view::npos;
         i = text.find(fragment, i + 1)) {
      ++count;
    }
  }
  for (const std::string_view opening : openings) {
    count += text.starts_with(opening) ? 1U : 0U;
    const std::string later = ". " + std::string{opening};
    for (std::size_t i = text.find(later); i != std::string_view::npos;
         i = text.find(later, i + 1)) {
      ++count;
    }
  }
  return count;
}

/// The words of `misused` in a comment, without code in backticks.
std::size_t misused_words_in(std::string_view text) {
  std::size_t count = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size();) {
    is_quoted = is_quoted != (text[i] == '`');
    if (!is_word(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) {
      ++end;
    }
    const std::string_view word = text.substr(i, end - i);
    count += !is_quoted && std::ranges::find(misused, word) != misused.end() ? 1U : 0U;
    i = end;
  }
  return count;
}

/// The sentences of a doc comment that have too many words.
std::vector<std::string> long_sentences_in(const std::string& text) {
  std::vector<std::string> found;
  std::string sentence;
  std::size_t words = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool ends = i == text.size() || ((text[i] == '.' || text[i] == ':' || text[i] == ';') &&
                                           (i + 1 == text.size() || text[i + 1] == ' '));
    if (i < text.size()) {
      sentence += text[i];
      words += text[i] == ' ' ? 1U : 0U;
    }
    if (ends) {
      if (words > longest_sentence) {
        found.push_back(sentence);
      }
      sentence.clear();
      words = 0;
    }
  }
  return found;
}

struct findings {
  std::size_t fragments = 0;
  std::size_t long_sentences = 0;
  std::size_t vague_names = 0;
  std::size_t misused_words = 0;
  std::string examples;

  void add(const fs::path& file, std::size_t line, std::string_view text) {
    examples +=
        file.filename().string() + ":" + std::to_string(line) + ": " + std::string{text} + "\n";
  }
};

void count_in(const fs::path& path, findings& counts) {
  std::ifstream stream{path, std::ios::binary};
  std::string comment;  // a whole block of comment lines
  std::string doc;      // its text, if it is a doc comment
  std::size_t number = 0;
  const auto end_block = [&] {
    if (const std::size_t found = fragments_in(comment); found > 0) {
      counts.fragments += found;
      counts.add(path, number, comment);
    }
    if (const std::size_t found = misused_words_in(comment); found > 0) {
      counts.misused_words += found;
      counts.add(path, number, comment);
    }
    for (const std::string& sentence : long_sentences_in(doc)) {
      ++counts.long_sentences;
      counts.add(path, number, sentence);
    }
    comment.clear();
    doc.clear();
  };
  for (std::string line; std::getline(stream, line);) {
    ++number;
    const split_line parts = split(line);
    const bool is_member = parts.comment.starts_with("///<");  // its type's doc says more
    if (const std::size_t found = vague_names_in(parts.code); found > 0 && !is_member) {
      counts.vague_names += found;
      counts.add(path, number, line);
    }
    const bool is_code = parts.code.find_first_not_of(' ') != std::string::npos;
    if (parts.comment.empty() || is_code) {
      end_block();
    }
    std::string_view text = parts.comment;
    const bool is_doc = text.starts_with("///");
    text.remove_prefix(std::min(text.size(), text.find_first_not_of("/< ")));
    const bool is_block = parts.comment.starts_with("///     ") || text.starts_with("|");
    if (text.empty() || is_block) {
      end_block();
      continue;
    }
    comment += (comment.empty() ? "" : " ") + std::string{text};
    if (is_doc) {
      doc += (doc.empty() ? "" : " ") + std::string{text};
    }
  }
  end_block();
}

}  // namespace

TEST_CASE("Comments and names are plain, folder by folder, up to a ceiling") {
  const fs::path root{ROBOTS_SOURCE_DIR};
  for (const ceilings& ceiling : allowed) {
    findings counts;
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator{root / ceiling.folder}) {
      const fs::path& path = entry.path();
      if (path.extension() == ".hpp" || path.extension() == ".ipp" || path.extension() == ".cpp") {
        if (path.filename() != "plain_words.cpp") {
          count_in(path, counts);
        }
      }
    }
    INFO(ceiling.folder << ":\n" << counts.examples);
    MESSAGE(ceiling.folder << ": " << counts.fragments << " fragments, " << counts.long_sentences
                           << " long sentences, " << counts.vague_names << " vague names, "
                           << counts.misused_words << " misused words");
    CHECK(counts.fragments <= ceiling.fragments);
    CHECK(counts.long_sentences <= ceiling.long_sentences);
    CHECK(counts.vague_names <= ceiling.vague_names);
    CHECK(counts.misused_words <= ceiling.misused_words);
  }
}
