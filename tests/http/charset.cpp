#include <robots/http/charset.hpp>

#include <robots/rep/document/document.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace std::string_view_literals;
using robots::charset;
using robots::charset_of;
using robots::charset_of_label;
using robots::to_utf8;
using robots::utf8_text;
using robots::base::is_utf8;
using robots::http_detail::charset_parameter;

namespace {

constexpr std::string_view rules = "User-agent: *\nDisallow: /x\n";
constexpr std::string_view latin_1 = "text/plain; charset=ISO-8859-1";

// The labels.
static_assert(charset_of_label("UTF-8") == charset::utf_8);
static_assert(charset_of_label("utf8") == charset::utf_8);
static_assert(charset_of_label("ISO-8859-1") == charset::windows_1252);
static_assert(charset_of_label("Latin1") == charset::windows_1252);
static_assert(charset_of_label("US-ASCII") == charset::windows_1252);
static_assert(charset_of_label("Windows-1252") == charset::windows_1252);
static_assert(charset_of_label("cp1252") == charset::windows_1252);
static_assert(charset_of_label("utf-16") == charset::utf_16le);
static_assert(charset_of_label("UTF-16LE") == charset::utf_16le);
static_assert(charset_of_label("utf-16be") == charset::utf_16be);
static_assert(!charset_of_label(""));
static_assert(!charset_of_label("utf-32"));
static_assert(!charset_of_label("iso-8859-15"));
static_assert(!charset_of_label("utf-8 "));
static_assert(charset_of_label(to_string(charset::utf_8)) == charset::utf_8);
static_assert(charset_of_label(to_string(charset::windows_1252)) == charset::windows_1252);
static_assert(charset_of_label(to_string(charset::utf_16le)) == charset::utf_16le);
static_assert(charset_of_label(to_string(charset::utf_16be)) == charset::utf_16be);

// The parameter of a Content-Type.
static_assert(charset_parameter("text/plain;charset=utf-8") == "utf-8");
static_assert(charset_parameter("text/plain ; CharSet=\"UTF-8\" ; x=y") == "UTF-8");
static_assert(charset_parameter("text/plain;\tcharset = \" utf-8 \"") == "utf-8");
static_assert(charset_parameter("text/plain; a=\"; charset=x\"; charset=y") == "y");
static_assert(charset_parameter("text/plain; a=\"\\\"; charset=x\"; charset=y") == "y");
static_assert(charset_parameter("text/plain; charset=a; charset=b") == "a");
static_assert(charset_parameter("text/plain;;; charset;charset=") == "");
static_assert(charset_parameter("; charset=a") == "a");
static_assert(!charset_parameter(""));
static_assert(!charset_parameter(";"));
static_assert(!charset_parameter("charset=utf-8"));
static_assert(!charset_parameter("text/plain; xcharset=a; charsets=b"));
static_assert(!charset_parameter("text/plain; a=\"; charset=x"));
static_assert(!charset_parameter("text/plain; a=\"\\"));

// The order of decision: the mark, the shape, the label.
static_assert(charset_of("\xEF\xBB\xBFx", latin_1) == charset::utf_8);
static_assert(charset_of("\xEF\xBB\xBFx\0y\0"sv) == charset::utf_8);
static_assert(charset_of("\xFF\xFEx\0"sv, "text/plain; charset=utf-16be") == charset::utf_16le);
static_assert(charset_of("\xFE\xFF\0x"sv, "text/plain; charset=utf-16le") == charset::utf_16be);
static_assert(charset_of("*\0:\0 \0/\0"sv) == charset::utf_16le);
static_assert(charset_of("\0*\0:\0 \0/"sv, latin_1) == charset::utf_16be);
static_assert(charset_of("\0*\0:\0 \0/"sv, "a/b; charset=utf-16") == charset::utf_16be);
static_assert(charset_of("*\0:\0\x2D\x4E\x87\x65"sv) == charset::utf_16le);
static_assert(charset_of("*\0:\x4E\x2D\x4E\x87\x65"sv) == charset::utf_8);
static_assert(charset_of("*\0:\x4E\x2D\x4E\x87\x65"sv, "a/b; charset=utf-16") == charset::utf_16le);
static_assert(charset_of("*\0\0\0:\0\0\0"sv) == charset::utf_8);
static_assert(charset_of("\0"sv) == charset::utf_8);
static_assert(charset_of("\0\0\0\0"sv) == charset::utf_8);
static_assert(charset_of("") == charset::utf_8);
static_assert(charset_of("", latin_1) == charset::windows_1252);
static_assert(charset_of("User-agent: *\0\nDisallow: /\0\n"sv) == charset::utf_8);
static_assert(charset_of(rules, "a/b; charset=utf-16") == charset::utf_8);
static_assert(charset_of("User-agent: *\nDisallow: /\n\0"sv, "a/b; charset=utf-16") ==
              charset::utf_8);
static_assert(charset_of(rules, "a/b; charset=utf-16be") == charset::utf_8);
static_assert(charset_of(rules, "a/b; charset=koi8-r") == charset::utf_8);
static_assert(charset_of(rules, "a/b; charset='utf-16'") == charset::utf_8);

// UTF-8 itself.
static_assert(is_utf8("\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80"));
static_assert(is_utf8("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"));
static_assert(!is_utf8("\xF4\x90\x80\x80"));
static_assert(!is_utf8("\xED\xA0\x80"));
static_assert(!is_utf8("\xE2\x82\xAC"sv.substr(0, 2)));

constexpr bool same(const std::vector<char>& octets, std::string_view text) {
  return std::ranges::equal(octets, text);
}

constexpr std::vector<char> utf16(std::string_view octets, std::endian order) {
  return robots::http_detail::from_utf16<std::vector<char>>(octets, order);
}

constexpr std::vector<char> windows_1252(std::string_view octets) {
  return robots::http_detail::from_windows_1252<std::vector<char>>(octets);
}

static_assert(same(utf16("A\0\xE9\0\xAC\x20\x3D\xD8\x00\xDE"sv, std::endian::little),
                   "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"));
static_assert(same(utf16("\0A\0\xE9\x20\xAC\xD8\x3D\xDE\x00"sv, std::endian::big),
                   "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"));
static_assert(same(utf16("\0A\0"sv, std::endian::big), "A"));
static_assert(same(utf16("\0"sv, std::endian::big), ""));
static_assert(same(utf16("\xD8\x00\0A"sv, std::endian::big),
                   "\xEF\xBF\xBD"
                   "A"));
static_assert(same(utf16("\xDC\x00\xD8\x00"sv, std::endian::big), "\xEF\xBF\xBD\xEF\xBF\xBD"));
static_assert(same(utf16("\xD8\x00\xD8\x00\xDC\x00"sv, std::endian::big),
                   "\xEF\xBF\xBD\xF0\x90\x80\x80"));
static_assert(same(windows_1252("\x80\x81\xA0\xFF"), "\xE2\x82\xAC\xC2\x81\xC2\xA0\xC3\xBF"));
static_assert(same(windows_1252("\xC3\xA9\r\xE9\n\xC3\xA9"), "\xC3\xA9\r\xC3\xA9\n\xC3\xA9"));

std::string text_of(std::string_view body, std::string_view content_type = {}) {
  return std::string{to_utf8(body, content_type).text()};
}

std::string in_utf16(std::string_view ascii, bool big) {
  std::string result;
  for (const char c : ascii) {
    result += big ? '\0' : c;
    result += big ? c : '\0';
  }
  return result;
}

// The reference: whole characters first, then octets, with nothing in common with the library.
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

std::string reference_windows_1252(const std::string& octets) {
  const auto is_end = [](char c) { return c == '\r' || c == '\n'; };
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> special{
      {0x80, 0x20AC}, {0x82, 0x201A}, {0x83, 0x192},  {0x84, 0x201E}, {0x85, 0x2026},
      {0x86, 0x2020}, {0x87, 0x2021}, {0x88, 0x2C6},  {0x89, 0x2030}, {0x8A, 0x160},
      {0x8B, 0x2039}, {0x8C, 0x152},  {0x8E, 0x17D},  {0x91, 0x2018}, {0x92, 0x2019},
      {0x93, 0x201C}, {0x94, 0x201D}, {0x95, 0x2022}, {0x96, 0x2013}, {0x97, 0x2014},
      {0x98, 0x2DC},  {0x99, 0x2122}, {0x9A, 0x161},  {0x9B, 0x203A}, {0x9C, 0x153},
      {0x9E, 0x17E},  {0x9F, 0x178}};
  std::string result;
  std::string line;
  const auto finish = [&] {
    for (const char octet : reference_is_utf8(line) ? std::string{} : line) {
      std::uint32_t c = static_cast<unsigned char>(octet);
      for (const auto& [from, to] : special) {
        c = c == from ? to : c;
      }
      result += encode(c);
    }
    result += reference_is_utf8(line) ? line : std::string{};
    line.clear();
  };
  for (const char octet : octets) {
    if (is_end(octet)) {
      finish();
      result += octet;
    } else {
      line += octet;
    }
  }
  finish();
  return result;
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

/// Returns true if `to_utf8` does with `body`, marked and unmarked, under every label what the
/// reference does.
bool agrees(const std::string& body) {
  const std::string little = "\xFF\xFE" + body;
  const std::string big = "\xFE\xFF" + body;
  bool good = text_of(little, latin_1) == reference_utf16(body, false) &&
              text_of(big, latin_1) == reference_utf16(body, true);
  for (const std::string_view label :
       {"", "a/b;charset=utf-8", "a/b;charset=latin1", "a/b;charset=utf-16", "a/b;charset=utf-16be",
        "a/b;charset=?"}) {
    std::string expected = body;
    switch (charset_of(body, label)) {
      case charset::windows_1252:
        expected = reference_windows_1252(body);
        break;
      case charset::utf_16le:
        expected = reference_utf16(body.starts_with("\xFF\xFE") ? body.substr(2) : body, false);
        break;
      case charset::utf_16be:
        expected = reference_utf16(body.starts_with("\xFE\xFF") ? body.substr(2) : body, true);
        break;
      case charset::utf_8:
        break;
    }
    const utf8_text result = to_utf8(body, label);
    const bool viewed = result.text().data() == body.data();
    good = good && result.text() == expected && result.text().size() <= 3 * body.size() &&
           viewed != result.converted() && (result.converted() || expected == body);
  }
  return good;
}

TEST_CASE("UTF-16 without a mark is recognised, even if its last octet is half a unit") {
  std::string big;
  for (const char c : std::string{"User-agent: *"}) {
    big += '\0';
    big += c;
  }
  CHECK(robots::charset_of(big) == robots::charset::utf_16be);
  CHECK(robots::charset_of(big + '\0') == robots::charset::utf_16be);
  CHECK(robots::charset_of(big.substr(1)) == robots::charset::utf_16le);
}

}  // namespace

TEST_CASE("A text that is UTF-8 is not copied") {
  const std::string body = "\xEF\xBB\xBFUser-agent: *\nDisallow: /caf\xC3\xA9\n";
  for (const std::string_view type : {"", "text/plain", "text/plain; charset=utf-8"}) {
    const utf8_text result = to_utf8(body, type);
    CHECK_FALSE(result.converted());
    CHECK(result.text().data() == body.data());
    CHECK(result.text().size() == body.size());
  }
  CHECK_FALSE(to_utf8(rules, latin_1).converted());
  CHECK(to_utf8("").text().empty());
}

TEST_CASE("Octets that are not UTF-8 do not change, and neither does the text around them") {
  for (const std::string_view type :
       {"", "text/plain", "text/plain; charset=utf-8", "text/plain; charset=koi8-r"}) {
    const std::string_view body = "Disallow: /\xE9\xC3\xA9\xF0\x9F\xFF\n";
    CHECK(to_utf8(body, type).text().data() == body.data());
    CHECK(to_utf8(body, type).text().size() == body.size());
  }
}

TEST_CASE("A line of Latin-1 is transcoded, and a line of UTF-8 with the same label is not") {
  const std::string_view mixed = "Disallow: /caf\xC3\xA9\r\nDisallow: /caf\xE9\r\n# \x80\n";
  CHECK(text_of(mixed, latin_1) ==
        "Disallow: /caf\xC3\xA9\r\nDisallow: /caf\xC3\xA9\r\n# \xE2\x82\xAC\n");
  CHECK_FALSE(to_utf8("Disallow: /caf\xC3\xA9\n", latin_1).converted());
}

TEST_CASE("A sequence that a size limit has cut affects only its own line") {
  const std::string_view cut = "Disallow: /caf\xC3\xA9\nDisallow: /caf\xC3";
  CHECK(text_of(cut, latin_1).starts_with("Disallow: /caf\xC3\xA9\n"));
}

TEST_CASE("UTF-16 is read with and without its mark, whatever the label") {
  for (const bool big : {false, true}) {
    const std::string body = in_utf16(rules, big);
    const std::string marked = (big ? "\xFE\xFF" : "\xFF\xFE") + body;
    for (const std::string_view type :
         {"", "a/b; charset=utf-8", "a/b; charset=latin1", "a/b; charset=utf-16",
          "a/b; charset=utf-16le", "a/b; charset=utf-16be", "a/b; charset=?"}) {
      CHECK(text_of(body, type) == rules);
      CHECK(text_of(marked, type) == rules);
      CHECK(text_of(marked + "x", type) == rules);
    }
  }
}

TEST_CASE("The headers of a response state the charset, and the first Content-Type counts") {
  const std::vector<robots::http_header> headers{{"Server", "x"},
                                                 {"content-TYPE", "text/plain; charset=\"Latin1\""},
                                                 {"Content-Type", "text/plain; charset=utf-8"}};
  CHECK(to_utf8("\xE9", headers).text() == "\xC3\xA9");
  CHECK(to_utf8("\xE9", std::vector<robots::http_header>{}).text() == "\xE9");
}

TEST_CASE("The rules of a file apply in any charset") {
  const auto blocks = [](std::string_view body, std::string_view type) {
    const robots::document file = robots::parse(to_utf8(body, type).text());
    return !file.allows("/caf%C3%A9") && file.allows("/other");
  };
  const std::string wide = "\xFF\xFE" + in_utf16("User-agent: *\nDisallow: /caf", false) +
                           std::string("\xE9\0", 2) + in_utf16("\n", false);
  CHECK(blocks(wide, ""));
  CHECK(blocks(std::string_view{wide}.substr(2), "text/plain"));
  CHECK(blocks("User-agent: *\nDisallow: /caf\xE9\n", latin_1));
  CHECK(blocks("User-agent: *\nDisallow: /caf\xC3\xA9\n", latin_1));
  CHECK(blocks("\xEF\xBB\xBFUser-agent: *\nDisallow: /caf\xC3\xA9\n", latin_1));
}

TEST_CASE("A converted text can be copied and moved") {
  utf8_text first = to_utf8("\xE9", latin_1);
  const utf8_text copy = first;
  const utf8_text moved = std::move(first);
  CHECK(copy.text() == "\xC3\xA9");
  CHECK(moved.text() == "\xC3\xA9");
  CHECK(moved.text().data() != copy.text().data());
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
  // Leads, tails, surrogates, marks, line ends and the neighbours of every limit.
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

TEST_CASE("A text grows to three times its size at most") {
  const std::string euros(1000, '\x80');
  CHECK(text_of(euros, latin_1).size() == 3000);
  std::string wide = "\xFE\xFF";
  for (int i = 0; i < 1000; ++i) {
    wide += "\x4E\x2D";
  }
  CHECK(text_of(wide).size() == 3000);
}
