// Counts what makes comments, documents, messages, test names and code hard to read: fragments,
// long sentences, misused words, local names that do not say what they hold, and names that use a
// word of the glossary for something else. Each count must be 0. Also checks that the message of
// each exception has a value or advice.
#include "support/text_of.hpp"

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

/// The folders whose code and comments are checked.
constexpr std::array<std::string_view, 3> folders{"include", "tests", "benchmarks"};

/// A sentence with one of these has no subject or no verb, or has a pronoun instead of a noun.
constexpr std::array<std::string_view, 29> fragments{
    "None where ",     "None of which",  "Nothing for ",  "Nothing where",  "nothing where",
    "The same, ",      "The same for",   "The same with", "The same where", "Of these, ",
    "of these, those", "What holds for", " but for ",     "so many ",       " of its own",
    " whoever ",       "Whoever ",       " that is none", "that are none",  " told of",
    "is told",         "are told",       " anew",         " for ever ",     " for ever.",
    " nought",         "let out",        "given back",    "What came of "};

/// A sentence that begins with one of these has a clause instead of a noun.
constexpr std::array<std::string_view, 5> openings{"Whether ", "What ", "Whose ", "Who ", "Whom "};

/// Names that do not say what they hold.
constexpr std::array<std::string_view, 10> vague{"told", "at",    "where", "made", "each",
                                                 "what", "which", "kept",  "by",   "how"};

/// Words that the glossary of CONTRIBUTING replaces, or that say less than the field's term: a site
/// is not told, a process does not hear, and nothing is brought.
constexpr std::array<std::string_view, 22> misused{
    "told",  "tells",  "tell",    "hear",   "hears", "heard", "bear",      "bears",
    "borne", "whom",   "brought", "brings", "bring", "maybe", "everybody", "anybody",
    "anew",  "nought", "bare",    "mend",   "mends", "upon"};

/// A word of the glossary in CONTRIBUTING, and the rooms whose names may have it.
struct glossary_word {
  std::string_view word;
  std::string_view rooms;  ///< paths below include/robots, with a space before and after each
};

constexpr std::array<glossary_word, 10> glossary{{
    {"admission", " polite observe client adapters "},
    {"flight", " cache policy "},
    {"guard", " http fetch adapters/curl "},
    {"halt", " rulings cache policy observe adapters "},
    {"leader", " cache "},
    {"lease", " store cache testing adapters/redis adapters/sqlite "},
    {"quarantine", " rulings cache policy observe adapters "},
    {"reservation", " polite client "},
    {"turn", " polite adapters/redis "},
    {"verdict", " rep usage policy cache observe polite adapters "},
}};

/// Names that have a word of the glossary and mean something else: names of other libraries, and
/// "in flight", the usual term for requests that have no response yet.
constexpr std::array<std::string_view, 7> other_meanings{
    "lock_guard",    "executor_work_guard", "sigpipe_guard",        "in_flight",
    "max_in_flight", "tdm_reservation",     "parse_tdm_reservation"};

constexpr std::size_t longest_sentence = 30;  // words

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The code of a line, without the text of literals, and its comment.
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

/// The texts of the literals in a line that have at least three words.
std::vector<std::string> messages_in(std::string_view line) {
  std::vector<std::string> messages;
  for (std::size_t i = 0; i < line.size() && !line.substr(i).starts_with("//"); ++i) {
    if (line[i] != '"') {
      continue;
    }
    std::string text;
    for (++i; i < line.size() && line[i] != '"'; ++i) {
      text += line[i];
      i += line[i] == '\\' ? 1U : 0U;
    }
    if (std::ranges::count(text, ' ') >= 2) {
      messages.push_back(text);
    }
  }
  return messages;
}

/// The message of an exception in the code.
struct thrown_message {
  std::string text;        ///< all literals, joined
  bool has_value = false;  ///< true if the message has other parts, too
};

/// The messages of the `throw` expressions in a file.
std::vector<thrown_message> thrown_in(std::string_view code) {
  std::vector<thrown_message> found;
  constexpr std::string_view mark = "throw ";
  for (std::size_t i = code.find(mark); i != std::string_view::npos; i = code.find(mark, i + 1)) {
    std::size_t end = i + mark.size();
    while (end < code.size() && (is_word(code[end]) || code[end] == ':')) {
      ++end;
    }
    if (end == i + mark.size() || end == code.size() || (code[end] != '{' && code[end] != '(')) {
      continue;  // `throw;`, or a comment
    }
    thrown_message message;
    int depth = 0;
    bool is_quoted = false;
    do {
      const char c = code[end];
      if (is_quoted) {
        message.text += c == '"' ? "" : std::string{c};
        end += c == '\\' ? 1U : 0U;
      }
      is_quoted = is_quoted != (c == '"');
      if (!is_quoted) {
        message.has_value = message.has_value || c == '+';
        depth += c == '{' || c == '(' ? 1 : c == '}' || c == ')' ? -1 : 0;
      }
      ++end;
    } while (depth > 0 && end < code.size());
    found.push_back(std::move(message));
  }
  return found;
}

/// Returns true if a message has a value, or says in at least seven words what is wrong and what to
/// do. A `throw` without literals is not judged: its message comes from elsewhere.
bool is_helpful(const thrown_message& message) {
  constexpr std::array<std::string_view, 4> marks{": ", "; ", " must ", " cannot be "};
  const auto is_in_text = [&message](std::string_view mark) {
    return message.text.find(mark) != std::string::npos;
  };
  return message.text.empty() || message.has_value ||
         (std::ranges::count(message.text, ' ') >= 6 && std::ranges::any_of(marks, is_in_text));
}

/// Returns true if the name that begins at `start` is declared there: the word before it is a type,
/// and not a member access or a call.
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

/// Calls `use(start, end)` for each word of a text.
template <class Use>
void for_each_word(std::string_view text, Use use) {
  for (std::size_t start = 0; start < text.size();) {
    if (!is_word(text[start])) {
      ++start;
      continue;
    }
    std::size_t end = start;
    while (end < text.size() && is_word(text[end])) {
      ++end;
    }
    use(start, end);
    start = end;
  }
}

std::size_t vague_names_in(std::string_view code) {
  std::size_t count = 0;
  for_each_word(code, [&](std::size_t start, std::size_t end) {
    const std::string_view word = code.substr(start, end - start);
    count +=
        std::ranges::find(vague, word) != vague.end() && is_declared(code, start, end) ? 1U : 0U;
  });
  return count;
}

/// Returns true if one of the words in a name such as `lease_key` is `word`.
bool has_word(std::string_view name, std::string_view word) {
  for (std::size_t i = name.find(word); i != std::string_view::npos; i = name.find(word, i + 1)) {
    const std::size_t end = i + word.size();
    if ((i == 0 || name[i - 1] == '_') && (end == name.size() || name[end] == '_')) {
      return true;
    }
  }
  return false;
}

/// Returns true if a path such as `adapters/redis/detail/client.hpp` is in one of the rooms. A file
/// outside all rooms, such as fwd.hpp, may name everything.
bool is_in_rooms(std::string_view path, std::string_view rooms) {
  if (path.find('/') == std::string_view::npos) {
    return true;
  }
  for (std::size_t end = path.find('/'); end != std::string_view::npos;
       end = path.find('/', end + 1)) {
    const std::string folder = " " + std::string{path.substr(0, end)} + " ";
    if (rooms.find(folder) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

/// The number of names in a line that have a word of the glossary outside the rooms of that word.
/// `path` is relative to include/robots.
std::size_t misnamed_in(std::string_view code, std::string_view path) {
  std::size_t count = 0;
  for_each_word(code, [&](std::size_t start, std::size_t end) {
    const std::string_view name = code.substr(start, end - start);
    if (std::ranges::find(other_meanings, name) != other_meanings.end()) {
      return;
    }
    for (const glossary_word& own : glossary) {
      count += has_word(name, own.word) && !is_in_rooms(path, own.rooms) ? 1U : 0U;
    }
  });
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
  for_each_word(text, [&](std::size_t start, std::size_t end) {
    const bool is_quoted = std::ranges::count(text.substr(0, start), '`') % 2 != 0;
    const std::string_view word = text.substr(start, end - start);
    count += !is_quoted && std::ranges::find(misused, word) != misused.end() ? 1U : 0U;
  });
  return count;
}

/// The sentences of a doc comment or a paragraph that have too many words.
std::vector<std::string> long_sentences_in(const std::string& text) {
  std::vector<std::string> found;
  std::string sentence;
  std::size_t words = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool ends = i == text.size() || ((text[i] == '.' || text[i] == ':' || text[i] == ';') &&
                                           (i + 1 == text.size() || text[i + 1] == ' '));
    if (i < text.size()) {
      words += text[i] != ' ' && (sentence.empty() || sentence.back() == ' ') ? 1U : 0U;
      sentence += text[i];
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
  std::size_t misnamed = 0;
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
  bool is_behind_code = false;  // true if the line before has code
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
    const bool is_member = parts.comment.starts_with("///<");  // the doc of the type says more
    if (const std::size_t found = vague_names_in(parts.code); found > 0 && !is_member) {
      counts.vague_names += found;
      counts.add(path, number, line);
    }
    const bool is_code = parts.code.find_first_not_of(' ') != std::string::npos;
    const bool starts_doc = is_behind_code && parts.comment.starts_with("/// ");
    if (parts.comment.empty() || is_code || starts_doc) {
      end_block();
    }
    is_behind_code = is_code;
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

/// Returns a text with an X for each character of code in backticks.
std::string without_code(std::string_view text) {
  std::string prose;
  bool is_quoted = false;
  for (const char c : text) {
    is_quoted = is_quoted != (c == '`');
    prose += is_quoted ? 'X' : c;
  }
  return prose;
}

void count_in_text(const fs::path& path, std::size_t line, std::string_view text,
                   findings& counts) {
  const std::string prose = without_code(text);
  // "What throws?" is a question, not a fragment.
  const std::size_t fragments_found = prose.ends_with('?') ? 0 : fragments_in(prose);
  const std::size_t misused_found = misused_words_in(prose);
  const std::size_t long_found = long_sentences_in(prose).size();
  if (fragments_found + misused_found + long_found > 0) {
    counts.add(path, line, text);
  }
  counts.fragments += fragments_found;
  counts.misused_words += misused_found;
  counts.long_sentences += long_found;
}

/// Counts in each paragraph, list item and table cell of a page, and skips code blocks, headings
/// and lists of links.
void count_in_page(const fs::path& path, findings& counts) {
  std::ifstream stream{path, std::ios::binary};
  std::string paragraph;
  std::size_t number = 0;
  bool is_code = false;
  const auto end_paragraph = [&] {
    if (paragraph.find("](") == std::string::npos || paragraph.find(" |") == std::string::npos) {
      count_in_text(path, number, paragraph, counts);
    }
    paragraph.clear();
  };
  for (std::string line; std::getline(stream, line);) {
    ++number;
    const std::size_t first = line.find_first_not_of(' ');
    const std::string_view text =
        std::string_view{line}.substr(first == std::string::npos ? line.size() : first);
    if (text.starts_with("```")) {
      end_paragraph();
      is_code = !is_code;
    } else if (is_code) {
      continue;
    } else if (text.starts_with("| ")) {
      end_paragraph();
      for (std::size_t cell = 1; cell < text.size();) {
        const std::size_t end = std::min(text.find(" |", cell), text.size());
        count_in_text(path, number, text.substr(cell + 1, end - std::min(end, cell + 1)), counts);
        cell = end + 2;
      }
    } else if (text.empty() || text.starts_with('#')) {
      end_paragraph();
    } else {
      const bool is_item = text.starts_with("- ");
      if (is_item) {
        end_paragraph();
      }
      paragraph += (paragraph.empty() ? "" : " ") + std::string{text.substr(is_item ? 2 : 0)};
    }
  }
  end_paragraph();
}

std::vector<std::string> test_names_in(std::string_view code) {
  std::vector<std::string> names;
  constexpr std::string_view mark = "TEST_CASE(";
  for (std::size_t i = code.find(mark); i != std::string_view::npos; i = code.find(mark, i + 1)) {
    std::size_t at_literal = code.find_first_not_of(" \n", i + mark.size());
    std::string name;
    while (at_literal < code.size() && code[at_literal] == '"') {
      const std::size_t end = code.find('"', at_literal + 1);
      name += code.substr(at_literal + 1, end - at_literal - 1);
      at_literal = code.find_first_not_of(" \n", end + 1);
    }
    names.push_back(name);
  }
  return names;
}

bool is_source(const fs::path& path) {
  return path.extension() == ".hpp" || path.extension() == ".ipp" || path.extension() == ".cpp";
}

/// Returns true for this file. It is not counted, since it has samples of bad text.
bool is_this(const fs::path& path) { return path.filename() == "plain_words.cpp"; }

}  // namespace

TEST_CASE("Comments and names are plain") {
  for (const std::string_view folder : folders) {
    findings counts;
    std::size_t files = 0;
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator{fs::path{ROBOTS_SOURCE_DIR} / folder}) {
      if (is_source(entry.path()) && !is_this(entry.path())) {
        count_in(entry.path(), counts);
        ++files;
      }
    }
    INFO(folder << ":\n" << counts.examples);
    CHECK(files > 20);
    CHECK(counts.fragments == 0);
    CHECK(counts.long_sentences == 0);
    CHECK(counts.vague_names == 0);
    CHECK(counts.misused_words == 0);
  }
}

TEST_CASE("Documents are plain") {
  const fs::path root{ROBOTS_SOURCE_DIR};
  std::size_t pages = 0;
  for (const std::string_view folder : {"", "tests", "benchmarks"}) {
    const auto count_if_page = [&pages](const fs::path& path) {
      if (path.extension() == ".md") {
        findings counts;
        count_in_page(path, counts);
        INFO(counts.examples);
        CHECK(counts.fragments + counts.misused_words + counts.long_sentences == 0);
        ++pages;
      }
    };
    if (folder.empty()) {
      for (const fs::directory_entry& entry : fs::directory_iterator{root}) {
        count_if_page(entry.path());
      }
    } else {
      for (const fs::directory_entry& entry : fs::recursive_directory_iterator{root / folder}) {
        count_if_page(entry.path());
      }
    }
  }
  CHECK(pages > 20);
}

TEST_CASE("Names of test cases are plain") {
  const fs::path root{ROBOTS_SOURCE_DIR};
  std::size_t names = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator{root / "tests"}) {
    if (is_source(entry.path()) && !is_this(entry.path())) {
      for (const std::string& name : test_names_in(robots::test::text_of(entry.path()))) {
        findings counts;
        count_in_text(entry.path(), 0, name, counts);
        INFO(counts.examples);
        CHECK(counts.fragments + counts.misused_words + counts.long_sentences == 0);
        ++names;
      }
    }
  }
  CHECK(names > 1'000);
}

TEST_CASE("Messages are plain") {
  std::size_t messages = 0;
  for (const std::string_view folder : {"include", "tests/tools", "tests/examples"}) {
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator{fs::path{ROBOTS_SOURCE_DIR} / folder}) {
      if (!is_source(entry.path())) {
        continue;
      }
      std::ifstream stream{entry.path(), std::ios::binary};
      std::size_t number = 0;
      for (std::string line; std::getline(stream, line);) {
        ++number;
        for (const std::string& message : messages_in(line)) {
          findings counts;
          count_in_text(entry.path(), number, message, counts);
          INFO(counts.examples);
          CHECK(counts.fragments + counts.misused_words == 0);
          ++messages;
        }
      }
    }
  }
  CHECK(messages > 500);
}

TEST_CASE("An exception of the library names a value, or says what to do") {
  std::size_t messages = 0;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator{fs::path{ROBOTS_SOURCE_DIR} / "include"}) {
    if (is_source(entry.path())) {
      for (const thrown_message& message : thrown_in(robots::test::text_of(entry.path()))) {
        INFO(entry.path().filename().string() << ": " << message.text);
        CHECK(is_helpful(message));
        ++messages;
      }
    }
  }
  CHECK(messages > 50);
}

TEST_CASE(
    "A name has a word of the glossary only in the folders that the glossary gives for the word") {
  const fs::path root = fs::path{ROBOTS_SOURCE_DIR} / "include/robots";
  findings counts;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator{root}) {
    if (!is_source(entry.path())) {
      continue;
    }
    std::ifstream stream{entry.path(), std::ios::binary};
    const std::string path = fs::relative(entry.path(), root).generic_string();
    std::size_t number = 0;
    for (std::string line; std::getline(stream, line);) {
      ++number;
      const bool is_include = line.starts_with("#include");
      if (const std::size_t found = is_include ? 0 : misnamed_in(split(line).code, path);
          found > 0) {
        counts.misnamed += found;
        counts.add(entry.path(), number, line);
      }
    }
  }
  INFO(counts.examples);
  CHECK(counts.misnamed == 0);
}

TEST_CASE("Each check of the wording finds an example of what it looks for") {
  for (const std::string_view fragment : fragments) {
    CAPTURE(fragment);
    CHECK(fragments_in("It is " + std::string{fragment} + " it.") > 0);
  }
  for (const std::string_view opening : openings) {
    CAPTURE(opening);
    CHECK(fragments_in(std::string{opening} + "it is.") == 1);
    CHECK(fragments_in("It is. " + std::string{opening} + "it is.") == 1);
  }
  for (const std::string_view word : misused) {
    CAPTURE(word);
    CHECK(misused_words_in("a " + std::string{word} + " b") == 1);
    CHECK(misused_words_in("a `" + std::string{word} + "` b") == 0);
  }
  for (const std::string_view name : vague) {
    CAPTURE(name);
    CHECK(vague_names_in("  const int " + std::string{name} + " = 1;") == 1);
    CHECK(vague_names_in("  return " + std::string{name} + ";") == 0);
  }
  for (const glossary_word& own : glossary) {
    CAPTURE(own.word);
    const std::string line = "  int last_" + std::string{own.word} + " = 0;";
    CHECK(misnamed_in(line, "base/text.hpp") == 1);
    const std::size_t end = own.rooms.find(' ', 1);
    CHECK(misnamed_in(line, std::string{own.rooms.substr(1, end - 1)} + "/a.hpp") == 0);
  }
  std::string sentence = "It";
  for (std::size_t words = 1; words < longest_sentence; ++words) {
    sentence += " is";
  }
  CHECK(long_sentences_in("It is. " + sentence + ".").empty());
  CHECK(long_sentences_in("It is. " + sentence + " so.").size() == 1);
  CHECK(test_names_in("TEST_CASE(\n    \"a \"\n    \"b\") {") == std::vector<std::string>{"a b"});
  CHECK(messages_in(R"(  throw error{"it is \"bad\"", 'a', "two words"};  // "in a comment")") ==
        std::vector<std::string>{R"(it is \bad\)"});
  const auto is_helpful_throw = [](std::string_view code) {
    const auto found = thrown_in(code);
    CHECK(found.size() == 1);
    return is_helpful(found.front());
  };
  CHECK(is_helpful_throw(R"(throw std::bad_alloc{};)"));
  CHECK(is_helpful_throw(R"(throw error{"the option is " + value};)"));
  CHECK(is_helpful_throw("throw error{\"the option \"\n  \"is bad: set it to a number\"};"));
  CHECK(!is_helpful_throw(R"(throw error{"the option is bad"};)"));
  CHECK(!is_helpful_throw(R"(throw error{"the option is bad, as bad as it can be"};)"));
  CHECK(thrown_in("// does not throw. throw;").empty());
}

TEST_CASE("The checks of the wording find a planted sentence in a header and in a document") {
  const fs::path folder = fs::temp_directory_path() / "robots_plain_words";
  fs::create_directories(folder);
  std::ofstream{folder / "a.hpp"} << "/// Whether a site\n/// is told anew.\nint made = 1;\n";
  std::ofstream{folder / "a.md"} << "# A\n\n- Nothing for\n  a site.\n\n| a | nobody hears |\n";
  findings in_file;
  count_in(folder / "a.hpp", in_file);
  CHECK(in_file.fragments == 3);
  CHECK(in_file.misused_words == 2);
  CHECK(in_file.vague_names == 1);
  findings in_page;
  count_in_page(folder / "a.md", in_page);
  CHECK(in_page.fragments == 1);
  CHECK(in_page.misused_words == 1);
  fs::remove_all(folder);
}
