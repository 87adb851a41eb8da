#include <robots/http/charset.hpp>

#include <robots/rep/document/document.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace std::string_view_literals;
using robots::to_utf8;
using robots::base::is_utf8;
using robots::detail::charset;
using robots::detail::charset_of;

namespace {

constexpr std::string_view rules = "User-agent: *\nDisallow: /x\n";

static_assert(to_string(charset::utf_8) == "utf-8");
static_assert(to_string(charset::utf_16le) == "utf-16le");
static_assert(to_string(charset::utf_16be) == "utf-16be");

// Only the byte order mark decides.
static_assert(charset_of("\xEF\xBB\xBFx\0y\0"sv) == charset::utf_8);
static_assert(charset_of("\xFF\xFEx\0"sv) == charset::utf_16le);
static_assert(charset_of("\xFE\xFF\0x"sv) == charset::utf_16be);
static_assert(charset_of("\xFF\xFE"sv) == charset::utf_16le);
static_assert(charset_of("\xFF\xFE\0"sv) == charset::utf_16le);
static_assert(charset_of("\xFF\xFE\0\0"sv) == charset::utf_8);  // the mark of UTF-32
static_assert(charset_of("\xFF") == charset::utf_8);
static_assert(charset_of("*\0:\0 \0/\0"sv) == charset::utf_8);
static_assert(charset_of("") == charset::utf_8);
static_assert(charset_of(rules) == charset::utf_8);

// Without a mark, the header decides, unless the text shows that it is wrong.
constexpr charset labelled(std::string_view text, std::string_view content_type,
                           bool truncated = false) {
  return charset_of(text, content_type, truncated);
}
static_assert(to_string(charset::windows_1252) == "windows-1252");
static_assert(labelled("*\0:\0 \0/\0"sv, "text/plain; charset=utf-16le") == charset::utf_16le);
static_assert(labelled("*\0:\0 \0/\0"sv, "text/plain; Charset=\"UTF-16\"") == charset::utf_16le);
static_assert(labelled("\0*\0:\0 \0/"sv, "text/plain;charset=utf-16le") == charset::utf_16be);
static_assert(labelled(rules, "text/plain; charset=utf-16") == charset::utf_8);
static_assert(labelled("", "text/plain; charset=utf-16") == charset::utf_8);
static_assert(labelled("\xEF\xBB\xBFx\xE9", "text/plain; charset=latin1") == charset::utf_8);
static_assert(labelled("\xEF\0*\0:\0 \0/\0"sv, "text/plain; charset=utf-16le") ==
              charset::utf_16le);
static_assert(labelled("\xEF\xBBx", "text/plain; charset=latin1") == charset::utf_8);
static_assert(labelled("\xEFx", "text/plain; charset=latin1") == charset::utf_8);
static_assert(labelled("\xEF\xBB\xE9", "text/plain; charset=latin1") == charset::windows_1252);
static_assert(labelled("\xFE\xFF\0x"sv, "text/plain; charset=utf-8") == charset::utf_16be);
static_assert(labelled("/caf\xE9", "text/plain; charset=ISO-8859-1") == charset::windows_1252);
static_assert(labelled("/caf\xE9", "text/plain; charset = x; charset='cp1252' ; q=1") ==
              charset::windows_1252);
static_assert(labelled("/caf\xE9", "text/plain") == charset::utf_8);
static_assert(labelled("/caf\xE9", "text/plain; charset=koi8-r") == charset::utf_8);
static_assert(labelled("/caf\xC3\xA9", "text/plain; charset=iso-8859-1") == charset::utf_8);
static_assert(labelled("/\xC3\xA9\n/x\xC3", "text/plain; charset=iso-8859-1", true) ==
              charset::utf_8);

static_assert(is_utf8("\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80"));
static_assert(is_utf8("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"));
static_assert(!is_utf8("\xF4\x90\x80\x80"));
static_assert(!is_utf8("\xED\xA0\x80"));
static_assert(!is_utf8("\xE2\x82\xAC"sv.substr(0, 2)));

TEST_CASE("A text without a mark is converted from the charset that its header names") {
  CHECK(to_utf8("\x2F\0\xE9\0"sv, charset::utf_16le) == "/\xC3\xA9");
  CHECK(to_utf8("\0\x2F\0\xE9"sv, charset::utf_16be) == "/\xC3\xA9");
  CHECK(to_utf8("\xFF\xFE\x2F\0"sv, charset::utf_16le) == "/");
  CHECK(to_utf8("/caf\xE9 \x80\x81\x9F\xA0\xFF", charset::windows_1252) ==
        "/caf\xC3\xA9 \xE2\x82\xAC\xC2\x81\xC5\xB8\xC2\xA0\xC3\xBF");
  CHECK_FALSE(to_utf8("/caf\xE9", charset::utf_8));
}

/// Returns the text that a parser gets.
std::string text_of(std::string_view body) {
  const std::optional<std::string> changed = to_utf8(body);
  return changed ? *changed : std::string{body};
}

std::string utf16(std::string_view octets, bool big) {
  return text_of((big ? "\xFE\xFF" : "\xFF\xFE") + std::string{octets});
}

std::string in_utf16(std::string_view ascii, bool big) {
  std::string result;
  for (const char c : ascii) {
    result += big ? '\0' : c;
    result += big ? c : '\0';
  }
  return result;
}

/// Returns `ascii` in UTF-16, behind a comment of `size` Chinese characters.
std::string behind_comment(std::string_view ascii, std::size_t size, bool big) {
  std::string result = in_utf16("# ", big);
  for (std::size_t i = 0; i < size; ++i) {
    const auto high = static_cast<char>(0x4E + i % 0x50);
    const auto low = static_cast<char>(i * 37);  // also NUL and LF
    result += big ? high : low;
    result += big ? low : high;
  }
  return result + in_utf16("\n" + std::string{ascii}, big);
}

// A reference that shares no code with the library: it decodes characters, and then encodes them.
std::string encode(std::uint32_t c) {
  if (c < 0x80) {
    return {static_cast<char>(c)};
  }
  const std::size_t tails = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  std::string result;
  for (std::size_t i = 0; i < tails; ++i) {
    result.insert(result.begin(), static_cast<char>(0x80 + c % 0x40));
    c /= 0x40;
  }
  constexpr std::array<std::uint32_t, 4> mark{0, 0xC0, 0xE0, 0xF0};
  return static_cast<char>(mark[tails] + c) + result;
}

bool reference_is_utf8(const std::string& text) {
  for (std::size_t position = 0; position < text.size();) {
    bool found = false;
    for (std::size_t length = 1; length <= 4 && position + length <= text.size() && !found;
         ++length) {
      constexpr std::array<std::uint32_t, 5> lead_room{0, 0x80, 0x20, 0x10, 0x08};
      const auto lead = static_cast<unsigned char>(text[position]);
      std::uint32_t c = lead % lead_room[length];
      for (std::size_t i = 1; i < length; ++i) {
        c = c * 0x40 + static_cast<unsigned char>(text[position + i]) % 0x40;
      }
      const bool scalar = c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF);
      if (scalar && encode(c) == text.substr(position, length)) {
        position += length;
        found = true;
      }
    }
    if (!found) {
      return false;
    }
  }
  return true;
}

std::string reference_utf16(std::string_view octets, bool big) {
  std::vector<std::uint32_t> units;
  for (std::size_t i = 0; i + 1 < octets.size(); i += 2) {
    const std::uint32_t a = static_cast<unsigned char>(octets[i]);
    const std::uint32_t b = static_cast<unsigned char>(octets[i + 1]);
    units.push_back(big ? a * 256 + b : b * 256 + a);
  }
  std::string result;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const bool surrogate = units[i] / 0x800 == 0x1B;
    const bool pair =
        units[i] / 0x400 == 0x36 && i + 1 < units.size() && units[i + 1] / 0x400 == 0x37;
    if (pair) {
      result += encode(0x10000 + units[i] % 0x400 * 0x400 + units[i + 1] % 0x400);
      ++i;
    } else {
      result += encode(surrogate ? 0xFFFD : units[i]);
    }
  }
  return result;
}

/// Returns true if `to_utf8` and the reference agree on `body`, with and without a mark.
bool agrees(const std::string& body) {
  const std::string little = "\xFF\xFE" + body;
  const std::string big = "\xFE\xFF" + body;
  std::string expected = body;
  switch (charset_of(body)) {
    case charset::utf_16le:
      expected = reference_utf16(body.substr(2), false);
      break;
    case charset::utf_16be:
      expected = reference_utf16(body.substr(2), true);
      break;
    case charset::utf_8:
    case charset::windows_1252:  // only a header names it
      break;
  }
  return text_of(body) == expected && text_of(big) == reference_utf16(body, true) &&
         (charset_of(little) == charset::utf_8 || text_of(little) == reference_utf16(body, false));
}

}  // namespace

TEST_CASE("UTF-16 without a mark is found by its rules, however long a comment before them is") {
  for (const std::size_t size : {10U, 300U, 600U, 3'000U, 20'000U}) {
    for (const bool big : {false, true}) {
      CAPTURE(size);
      CAPTURE(big);
      const std::string text = behind_comment(rules, size, big);
      const charset found = labelled(text, "text/plain; charset=utf-16");
      CHECK(found == (big ? charset::utf_16be : charset::utf_16le));
      CHECK_FALSE(robots::parse(to_utf8(text, found).value_or(text)).allows("/x"));
      // A wrong label changes no text in ISO-8859-1, even with NUL octets at its end.
      const std::string western = "# caf\xE9\n" + std::string{rules} + std::string(size, '\0');
      CHECK(labelled(western, "text/plain; charset=utf-16") == charset::utf_8);
    }
  }
}

TEST_CASE("A text without the mark of UTF-16 does not change, whatever its octets") {
  for (const std::string_view body : {"\xEF\xBB\xBFUser-agent: *\nDisallow: /caf\xC3\xA9\n"sv,
                                      "Disallow: /\xE9\xC3\xA9\xF0\x9F\xFF\n"sv, "*\0:\0 \0/\0"sv,
                                      "\xFF\xFE\0\0*\0\0\0"sv, ""sv}) {
    CHECK_FALSE(to_utf8(body));
  }
}

TEST_CASE("Single units, surrogates and incomplete ends of UTF-16 are read") {
  CHECK(utf16("A\0\xE9\0\xAC\x20\x3D\xD8\x00\xDE"sv, false) ==
        "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  CHECK(utf16("\0A\0\xE9\x20\xAC\xD8\x3D\xDE\x00"sv, true) ==
        "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  CHECK(utf16("\0A\0"sv, true) == "A");
  CHECK(utf16("\0"sv, true).empty());
  CHECK(utf16("\xD8\x00\0A"sv, true) ==
        "\xEF\xBF\xBD"
        "A");
  CHECK(utf16("\xDC\x00\xD8\x00"sv, true) == "\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(utf16("\xD8\x00\xD8\x00\xDC\x00"sv, true) == "\xEF\xBF\xBD\xF0\x90\x80\x80");
}

TEST_CASE("UTF-16 is read by its mark") {
  for (const bool big : {false, true}) {
    const std::string marked = (big ? "\xFE\xFF" : "\xFF\xFE") + in_utf16(rules, big);
    CHECK(to_utf8(marked) == rules);
    CHECK(to_utf8(marked + "x") == rules);
  }
}

TEST_CASE("The rules of a file apply in UTF-8 and in UTF-16") {
  const auto blocks = [](std::string_view body) {
    const std::string text = text_of(body);
    const robots::document file = robots::parse(text);
    return !file.allows("/caf%C3%A9") && file.allows("/other");
  };
  CHECK(blocks("\xFF\xFE" + in_utf16("User-agent: *\nDisallow: /caf", false) +
               std::string("\xE9\0", 2) + in_utf16("\n", false)));
  CHECK(blocks("\xEF\xBB\xBFUser-agent: *\nDisallow: /caf\xC3\xA9\n"));
}

TEST_CASE("Every octet and every pair of octets is read as the reference reads it") {
  int wrong = agrees("") ? 0 : 1;
  for (unsigned a = 0; a < 256; ++a) {
    const std::string one(1, static_cast<char>(a));
    wrong += agrees(one) ? 0 : 1;
    for (unsigned b = 0; b < 256; ++b) {
      wrong += agrees(one + static_cast<char>(b)) ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("UTF-8 is recognised around every limit of its grammar") {
  constexpr std::string_view limits =
      "\0\x7F\x80\x8F\x90\x9F\xA0\xBF\xC0\xC1\xC2\xDF\xE0"
      "\xE1\xEC\xED\xEE\xEF\xF0\xF1\xF3\xF4\xF5\xFF"sv;
  int wrong = 0;
  for (std::size_t i = 0; i < limits.size() * limits.size() * limits.size() * limits.size(); ++i) {
    std::string text(4, '\0');
    std::size_t rest = i;
    for (char& octet : text) {
      octet = limits[rest % limits.size()];
      rest /= limits.size();
    }
    wrong += is_utf8(text) == reference_is_utf8(text) ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("Every character of UTF-16 has the encoding of the reference") {
  int wrong = 0;
  for (std::uint32_t c = 1; c <= 0x10FFFF; c += c < 0x3000 ? 1 : 61) {
    if (c >= 0xD800 && c < 0xE000) {
      continue;
    }
    std::u16string units;
    if (c >= 0x10000) {
      units = {static_cast<char16_t>(0xD800 + (c - 0x10000) / 0x400),
               static_cast<char16_t>(0xDC00 + (c - 0x10000) % 0x400)};
    } else {
      units = {static_cast<char16_t>(c)};
    }
    std::string body = "\xFE\xFF";
    for (const char16_t unit : units) {
      body += static_cast<char>(unit / 256);
      body += static_cast<char>(unit % 256);
    }
    const std::string text = text_of(body);
    wrong += text == encode(c) && reference_is_utf8(text) ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("Hostile octets are read as the reference reads them") {
  // Lead and tail octets, surrogates, marks, line ends and the neighbours of every limit.
  constexpr std::string_view alphabet =
      "\0\0\0\n\rA*/\x7F\x80\x8F\x90\x9F\xA0\xA9\xBB\xBF\xC0\xC1\xC2\xC3\xD7\xD8\xDB\xDC\xDF\xE0"
      "\xE1\xEC\xED\xEE\xEF\xF0\xF1\xF3\xF4\xF5\xFE\xFF"sv;
  std::minstd_rand random{9309};
  int wrong = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string body(random() % 24, '\0');
    for (char& octet : body) {
      octet = alphabet[random() % alphabet.size()];
    }
    wrong += agrees(body) ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("Two octets of UTF-16 become at most three octets of UTF-8") {
  std::string wide = "\xFE\xFF";
  for (int i = 0; i < 1000; ++i) {
    wide += "\x4E\x2D";
  }
  CHECK(text_of(wide).size() == 3000);
}
