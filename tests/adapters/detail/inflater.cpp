#include <robots/adapters/detail/inflater.hpp>

#include <doctest/doctest.h>
#include <support/gzip.hpp>
#include <support/site_rules.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

using robots::adapters_detail::inflated;
using robots::adapters_detail::inflater;
using robots::adapters_detail::packing;
using namespace robots::test;

namespace {

static_assert(!std::is_copy_constructible_v<inflater> && !std::is_move_constructible_v<inflater>);

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

struct outcome {
  inflated result = inflated::good;
  bool whole = false;
  std::string text;
};

/// What comes of `content` in pieces: the first of `first` octets, then `step` at a time.
outcome inflate_in(packing format, std::string_view content, std::size_t first, std::size_t step,
                   std::size_t most = no_limit) {
  inflater decoder(format, content.front());
  outcome made;
  std::size_t size = first;
  while (!content.empty() && made.result == inflated::good) {
    const std::string_view piece = content.substr(0, size);
    content.remove_prefix(piece.size());
    made.result = decoder.feed(piece, made.text, most);
    size = step;
  }
  made.whole = decoder.whole();
  return made;
}

outcome inflate_all(packing format, std::string_view content, std::size_t most = no_limit) {
  return inflate_in(format, content, content.size(), 1, most);
}

void check_whole(const outcome& made, std::string_view text) {
  CHECK(made.result == inflated::good);
  CHECK(made.whole);
  CHECK(made.text == text);
}

/// One octet behind the end may still be the first of a member that breaks off.
void check_refused(const outcome& made) { CHECK((made.result == inflated::broken || !made.whole)); }

/// A text that its packed form does not shorten much.
std::string noise(std::size_t size) {
  std::string text;
  unsigned state = 1;
  while (text.size() < size) {
    state = state * 1'664'525U + 1'013'904'223U;
    text += static_cast<char>(state >> 24U);
  }
  return text;
}

/// Each form that content may come in.
struct form {
  packing format;
  std::string (*pack)(std::string_view, std::size_t);
};
constexpr form forms[] = {
    {packing::gzip, &gzip}, {packing::deflate, &zlib_format}, {packing::deflate, &raw_deflate}};

}  // namespace

TEST_CASE("content comes out whole, however it is cut into pieces") {
  for (const form& each : forms) {
    const std::string content = each.pack(rules, 1);
    for (std::size_t first = 1; first <= content.size(); ++first) {
      check_whole(inflate_in(each.format, content, first, content.size()), rules);
      check_whole(inflate_in(each.format, content, first, first), rules);
    }
  }
}

TEST_CASE("content larger than any buffer comes out whole") {
  const std::string text = noise(100'000);
  for (const form& each : forms) {
    const std::string content = each.pack(text, 3);
    check_whole(inflate_all(each.format, content), text + text + text);
    check_whole(inflate_in(each.format, content, 1, 1'000), text + text + text);
  }
}

TEST_CASE("an empty text comes out of its few octets") {
  for (const form& each : forms) {
    check_whole(inflate_all(each.format, each.pack("", 1)), "");
  }
}

TEST_CASE("content that breaks off anywhere is not whole, and what there is of it is no error") {
  for (const form& each : forms) {
    const std::string content = each.pack(rules, 1);
    for (std::size_t size = 1; size < content.size(); ++size) {
      CAPTURE(size);
      const outcome made = inflate_all(each.format, content.substr(0, size));
      CHECK(made.result == inflated::good);
      CHECK_FALSE(made.whole);
      CHECK(rules.starts_with(made.text));
    }
  }
}

TEST_CASE("a gzip with any bit changed is never taken for whole and different") {
  const std::string content = gzip(rules);
  std::size_t broken = 0;
  for (std::size_t i = 0; i < 8 * content.size(); ++i) {
    std::string changed = content;
    changed[i / 8] = static_cast<char>(static_cast<unsigned char>(changed[i / 8]) ^ (1U << i % 8));
    const outcome made = inflate_all(packing::gzip, changed);
    // Time, system and the like stand in the header and change nothing.
    CHECK((made.result != inflated::good || !made.whole || made.text == rules));
    broken += made.result == inflated::broken ? 1U : 0U;
  }
  CHECK(broken > 4 * content.size());
}

TEST_CASE("a wrong checksum or length is an error") {
  const auto with_change_at_end = [](std::string content, std::size_t behind) {
    content[content.size() - behind] = static_cast<char>(content[content.size() - behind] ^ 1);
    return content;
  };
  constexpr std::size_t length = 4;
  constexpr std::size_t checksum = 8;
  CHECK(inflate_all(packing::gzip, with_change_at_end(gzip(rules), length)).result ==
        inflated::broken);
  CHECK(inflate_all(packing::gzip, with_change_at_end(gzip(rules), checksum)).result ==
        inflated::broken);
  CHECK(inflate_all(packing::deflate, with_change_at_end(zlib_format(rules), length)).result ==
        inflated::broken);
}

TEST_CASE("members of gzip come out one behind another") {
  const std::string content = gzip("one\n") + gzip("") + gzip("two\n") + gzip("three\n");
  for (std::size_t first = 1; first <= content.size(); ++first) {
    check_whole(inflate_in(packing::gzip, content, first, content.size()), "one\ntwo\nthree\n");
  }
  check_whole(inflate_in(packing::gzip, content, 1, 1), "one\ntwo\nthree\n");
}

TEST_CASE("a member of gzip that breaks off leaves the content unfinished") {
  const std::string first = gzip("one\n");
  const std::string second = gzip("two\n");
  for (std::size_t size = 1; size < second.size(); ++size) {
    CAPTURE(size);
    const outcome made = inflate_all(packing::gzip, first + second.substr(0, size));
    CHECK(made.result == inflated::good);
    CHECK_FALSE(made.whole);
  }
}

TEST_CASE("behind the end there may be zeros and nothing else") {
  for (const form& each : forms) {
    const std::string content = each.pack(rules, 1);
    const std::string padded = content + std::string(600, '\0');
    for (const std::string& other : {content + "x", padded + "x", padded + content,
                                     content + std::string(1, '\0') + content}) {
      check_refused(inflate_all(each.format, other));
      check_refused(inflate_in(each.format, other, 1, 1));
    }
    check_whole(inflate_all(each.format, padded), rules);
    check_whole(inflate_in(each.format, padded, 1, 1), rules);
  }
  const std::string zlib_twice = zlib_format(rules) + zlib_format(rules);
  CHECK(inflate_all(packing::deflate, zlib_twice).result == inflated::broken);
}

TEST_CASE("what is in no such format is an error") {
  CHECK(inflate_all(packing::gzip, rules).result == inflated::broken);
  CHECK(inflate_all(packing::gzip, zlib_format(rules)).result == inflated::broken);
  CHECK(inflate_all(packing::gzip, raw_deflate(rules)).result == inflated::broken);
  CHECK(inflate_all(packing::deflate, gzip(rules)).result == inflated::broken);
  CHECK(inflate_all(packing::deflate, std::string("\x78\x9c\xff\xff", 4)).result ==
        inflated::broken);
  // A zlib format that wants a dictionary: nobody can have agreed on one.
  CHECK(inflate_all(packing::deflate, std::string("\x78\xbb\x01\x02\x03\x04\x03\x00", 8)).result ==
        inflated::broken);
}

TEST_CASE("a limit on the text is kept to the octet") {
  for (const form& each : forms) {
    const std::string content = each.pack(rules, 1);
    const outcome fits = inflate_all(each.format, content, rules.size());
    check_whole(fits, rules);
    for (const std::size_t step : {std::size_t{1}, content.size()}) {
      for (std::size_t most = 0; most < rules.size(); ++most) {
        const outcome made = inflate_in(each.format, content, step, step, most);
        CHECK(made.result == inflated::full);
        CHECK(made.text == rules.substr(0, most));
      }
    }
  }
}

TEST_CASE("a thousand times as much text as content takes no more memory than its limit") {
  constexpr std::size_t limit = 512'000;
  for (const form& each : forms) {
    const std::string bomb = each.pack(std::string(1'000'000, '\0'), 20);
    CHECK(bomb.size() < 20'100);
    const outcome made = inflate_all(each.format, bomb, limit);
    CHECK(made.result == inflated::full);
    CHECK(made.text.size() == limit);
    CHECK(made.text.capacity() <= 2 * limit);
    CHECK_FALSE(made.whole);
  }
}
