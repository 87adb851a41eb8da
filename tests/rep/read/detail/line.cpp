#include <robots/rep/read/detail/line.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace {

using robots::directive_kind;
using robots::rep_detail::common_line;
using robots::rep_detail::find_line_end;
using places = std::vector<std::size_t>;

/// Reads the first line of `text`.
common_line read(std::string_view text) {
  return robots::rep_detail::read_common_line(text.data(), text.data() + text.size());
}

/// Returns the places of all line ends in `text`, and the size of `text` at the end.
places line_ends(std::string_view text) {
  const char* const text_end = text.data() + text.size();
  places found;
  for (const char* next = text.data(); next != text_end + 1;) {
    const char* const end = find_line_end(next, text_end);
    found.push_back(static_cast<std::size_t>(end - text.data()));
    next = end + 1;
  }
  return found;
}

TEST_CASE("Only CR, LF and CR LF end a line") {
  CHECK(line_ends("a\nb\rc\r\nd") == places{1, 3, 5, 6, 8});
  CHECK(line_ends("a\fb\vc\td\xC2\x85") == places{9});
  CHECK(line_ends("a\xE2\x80\xA8"
                  "b") == places{5});
}

TEST_CASE("A line end is found at any place, in texts of any length") {
  for (std::size_t size = 1; size < 140; ++size) {
    for (std::size_t place = 0; place < size; ++place) {
      for (const char end : {'\n', '\r'}) {
        std::string text(size, place % 2 == 0 ? 'x' : '\t');
        text[place] = end;
        CHECK(line_ends(text) == places{place, size});
      }
    }
  }
}

TEST_CASE("An indent of any length ends at the first octet that is not white space") {
  for (std::size_t size = 0; size < 40; ++size) {
    for (std::size_t tab = 0; tab <= size; ++tab) {
      std::string text(size, ' ');
      if (tab < size) {
        text[tab] = '\t';
      }
      for (const std::string_view rest : {"", "x", "\n   ", "x       "}) {
        const std::string line = text + std::string{rest};
        const char* const end = line.data() + line.size();
        CHECK(robots::rep_detail::skip_indent(line.data(), end) == line.data() + size);
      }
    }
  }
}

TEST_CASE("A value of any length is read completely") {
  for (std::size_t size = 0; size < 140; ++size) {
    for (const std::string_view end : {"", "\n", "\r\nAllow: /", " # c\n", "\t\n"}) {
      const std::string value(size, 'x');
      const std::string text = "Disallow: " + value + std::string{end};
      CHECK(read(text).kind == directive_kind::disallow);
      CHECK(read(text).value == value);
      CHECK(read(text).end == text.data() + std::min(text.find_first_of("\r\n"), text.size()));
    }
  }
}

constexpr std::string_view next = "\nUser-agent: *\nDisallow: /\n";

TEST_CASE("A frequent key, a colon and a value without white space are a common line") {
  const std::string text = "disALLOW:/x?y=%20*$" + std::string{next};
  const common_line line = read(text);
  CHECK(line.kind == directive_kind::disallow);
  CHECK(line.key == "disALLOW");
  CHECK(line.value == "/x?y=%20*$");
  for (const std::string_view key : {"Allow", "User-agent", "SITEMAP", "Crawl-delay"}) {
    CAPTURE(key);
    const std::string other = std::string{key} + ": v" + std::string{next};
    CHECK(read(other).key == key);
    CHECK(read(other).value == "v");
  }
}

TEST_CASE("A common line can end in white space and a comment, or have no value") {
  for (const std::string_view rest : {"", " ", " \t", "#c", " # c : d", "\r"}) {
    CAPTURE(rest);
    const std::string text = "Allow: /x" + std::string{rest} + std::string{next};
    CHECK(read(text).kind == directive_kind::allow);
    CHECK(read(text).value == "/x");
    CHECK(read("Allow: /" + std::string(20, 'x')).value.size() == 21);
  }
  const std::string empty = "Disallow: " + std::string{next};
  CHECK(read(empty).value.data() == empty.data() + 9);
  CHECK(read(empty).value.empty());
}

TEST_CASE("A common line has the value that any line would have, whatever follows the colon") {
  for (unsigned octet = 0; octet < 256; ++octet) {
    CAPTURE(octet);
    const char behind_colon = static_cast<char>(octet);
    for (const std::string_view value : {"", "/x", " ", " /x", "x y"}) {
      const std::string line = std::string{"Allow:"} + behind_colon + std::string{value};
      const std::string text = line + std::string{next};
      const common_line found = read(text);
      if (behind_colon == '\n' || behind_colon == '\r' || behind_colon == '#') {
        CHECK(found.value.empty());
      } else if (found.kind != directive_kind::unknown) {
        CHECK(found.value == robots::rep_detail::split_line(line).value);
      }
    }
  }
}

TEST_CASE("read_common_line rejects lines of any other form") {
  using namespace std::string_literals;
  for (const std::string& line :
       {"Disallow : /x"s, " Disallow: /x"s, "Disallow: /x y"s, "Disallow: /\0"s, "Disallow /x"s,
        "Disallowed: /x"s, "user\ragent: x"s, "Disallow\x1A /x"s, "Host: x"s, "Disallow: \"x"s,
        "Disallow:\v/x"s}) {
    CAPTURE(line);
    CHECK(read(line + std::string{next}).kind == directive_kind::unknown);
  }
}

TEST_CASE("read_common_line does not read a key beyond the end of the text") {
  constexpr std::string_view longer = "Crawl-delay: 5\nAllow: /\n";
  CHECK(read(longer.substr(0, 11)).kind == directive_kind::unknown);
  CHECK(read(longer.substr(0, 14)).value == "5");
}

using robots::rep_detail::split_line;

constexpr bool splits(std::string_view line, std::string_view key, std::string_view value) {
  const auto parts = split_line(line);
  return parts.found && parts.key == key && parts.value == value;
}

static_assert(splits("Disallow: /x", "Disallow", "/x"));
static_assert(splits("Disallow:/x", "Disallow", "/x"));
static_assert(splits("Disallow \t: \t /x y", "Disallow", "/x y"));
static_assert(splits("Disallow:", "Disallow", ""));
static_assert(splits("Sitemap: https://a:80/", "Sitemap", "https://a:80/"));
static_assert(splits("Disallow /x", "Disallow", "/x"));
static_assert(splits("Disallow\t/x", "Disallow", "/x"));
static_assert(!split_line("Disallow /x y").found);
static_assert(!split_line("Disallow").found);
static_assert(!split_line(": /x").found);
static_assert(split_line("a: b").colon);
static_assert(!split_line("a b").colon);

TEST_CASE("White space and NUL octets around key and value are trimmed") {
  constexpr std::string_view line{"Disallow:\0 /x", 13};
  CHECK(splits(line, "Disallow", "/x"));
}

}  // namespace
