#include <robots/rep/text/detail/octet_word.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace {

using namespace robots::rep_detail;

static_assert(word_at("abcdefgh", 0) == 0x6867'6665'6463'6261U);
static_assert(word_at("abc", 0) == 0x63'6261U);
static_assert(word_at("abcdefghij", 8) == 0x6A69U);
static_assert(last_word("abcdefgh", 8) == 0);
static_assert(has_octet(word_at("abcdefgh", 0), 'h'));
static_assert(!has_octet(word_at("abcdefgh", 0), 'i'));
static_assert(find_octet("", 'a') == 0);
static_assert(find_octet("abc", '\0') == 3);
static_assert(find_octet("abcdefgh*j*", '*') == 8);
static_assert(begins_with("abcdefghij", "abcdefghi"));
static_assert(!begins_with("abcdefghij", "abcdefghj"));
static_assert(!begins_with("ab", "abc"));
static_assert(begins_with("", ""));

TEST_CASE("find_octet finds the first match, near or far") {
  for (std::size_t size = 0; size < 150; ++size) {
    for (std::size_t place = 0; place <= size; ++place) {
      std::string text(size, 'b');
      if (place < size) {
        text[place] = 'a';
        text.back() = 'a';
      }
      CHECK(robots::rep_detail::find_octet(text, 'a') == place);
      CHECK(robots::rep_detail::find_octet(text, '\0') == size);
    }
  }
}

}  // namespace

TEST_CASE("Word operations agree with octet operations at every position and length") {
  for (std::size_t size = 0; size < 137; size += size == 40 ? 85 : 1) {
    for (std::size_t offset = 0; offset <= size; ++offset) {
      for (int octet = 0; octet < 256; ++octet) {
        std::string text(size, 'a');
        if (offset < size) {
          text[offset] = static_cast<char>(octet);
        }
        // `text` has exactly this size, so that a sanitizer notices a read after its end.
        const std::string_view view{text};
        const bool graphic = octet > 0x20 && octet < 0x7F && octet != '%' && octet != '*';
        const bool same_octet = octet == 'a';
        REQUIRE(is_graphic_without<'%', '*'>(view) == (offset == size || graphic));
        REQUIRE(find_octet(view, static_cast<char>(octet)) == (same_octet ? 0 : offset));
        REQUIRE(begins_with(view, std::string(offset, 'a')));
      }
    }
  }
}

TEST_CASE("find_at_most finds the first octet that is not above a limit") {
  for (int first = 0; first < 256; ++first) {
    std::string text;
    for (int i = 0; i < 19; ++i) {
      text += static_cast<char>(first + i * 37);
    }
    for (int most = 0; most < 128; ++most) {
      std::size_t place = 0;
      while (place < text.size() && static_cast<unsigned char>(text[place]) > most) {
        ++place;
      }
      const char* const end = text.data() + text.size();
      REQUIRE(find_at_most(text.data(), end, static_cast<char>(most)) == text.data() + place);
    }
  }
}

TEST_CASE("find_at_most finds an octet at any place of a text of any size, in blocks of any size") {
  for (std::size_t size = 0; size < 150; ++size) {
    for (std::size_t place = 0; place <= size; ++place) {
      std::string text(size, place % 2 == 0 ? '$' : '\xFF');
      if (place < size) {
        text[place] = '#';
        text.back() = '#';
      }
      const char* const end = text.data() + text.size();
      REQUIRE(find_at_most(text.data(), end, '#') == text.data() + place);
      REQUIRE(find_at_most(text.data(), end, '#', 16) == text.data() + place);
      REQUIRE(find_at_most(text.data(), end, '#', 64) == text.data() + place);
    }
  }
}

TEST_CASE("A long text is read as a short one, whatever octet stands at whatever place") {
  for (std::size_t size = 250; size < 700; size += size < 258 ? 1 : 61) {
    for (std::size_t place = 0; place < size; ++place) {
      // The size is exact, so that a sanitizer notices a read after the end.
      std::string text(size, 'a');
      const std::string_view view{text};
      for (const char c : std::string_view{"\0 !\"#$%&'()*+~\x7F\x80\xA3\xAA\xFF", 19}) {
        INFO("octet " << int{static_cast<unsigned char>(c)} << " at " << place << " of " << size);
        text[place] = c;
        const bool is_graphic = c > ' ' && c < '\x7F';
        REQUIRE(is_graphic_without<>(view) == is_graphic);
        REQUIRE(is_graphic_without<'%', '$'>(view) == (is_graphic && c != '%' && c != '$'));
        REQUIRE(is_graphic_without<'%', '$', '*', '#'>(view) ==
                (is_graphic && c != '%' && c != '$' && c != '*' && c != '#'));
        const char* const end = text.data() + size;
        const bool is_found = static_cast<unsigned char>(c) <= '#';
        const char* const found = find_at_most(text.data(), end, '#');
        REQUIRE(found == (is_found ? text.data() + place : end));
        REQUIRE(find_at_most(text.data(), end, '#', 64) == found);
      }
    }
  }
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(_WIN32) && !defined(__CYGWIN__)
TEST_CASE("Blocks are passed over alike with and without AVX2") {
  const bool has_avx2 = __builtin_cpu_supports("avx2");
  for (std::size_t place = 0; place < 400; ++place) {
    std::string text(400, 'a');
    const char* const begin = text.data();
    const char* const end = begin + text.size();
    const char* const block = begin + (place < 384 ? place / 128 * 128 : 384);
    text[place] = '#';
    CHECK(blocks_above(begin, end, '#') == block);
    CHECK(blocks_above(begin, end, '"') == begin + 384);
    CHECK(graphic_blocks(begin, end, '*') == block);
    if (has_avx2) {
      CHECK(blocks_above_with_avx2(begin, end, '#') == block);
      CHECK(graphic_blocks_with_avx2(begin, end, '*') == block);
    }
    text[place] = '*';
    CHECK(graphic_blocks(begin, end, '*') == block);
    CHECK(graphic_blocks(begin, end, '\0') == begin + 384);
    if (has_avx2) {
      CHECK(graphic_blocks_with_avx2(begin, end, '*') == block);
      CHECK(graphic_blocks_with_avx2(begin, end, '\0') == begin + 384);
    }
  }
}
#endif

static_assert([] {
  constexpr std::string_view text = "/a/value/of/more/than/thirty-two/octets/#/";
  return *find_at_most(text.data(), text.data() + text.size(), '#') == '#';
}());

TEST_CASE("last_word reads the remaining octets of texts of any length") {
  for (std::size_t size = 0; size < 24; ++size) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) {
      text += static_cast<char>('A' + i);
    }
    for (std::size_t offset = size - size % 8; offset <= size; ++offset) {
      octet_word expected = 0;
      for (std::size_t i = offset; i < size; ++i) {
        expected |= octet_word{static_cast<unsigned char>(text[i])} << (8 * (i - offset));
      }
      CHECK(last_word(text, offset) == expected);
    }
  }
}
