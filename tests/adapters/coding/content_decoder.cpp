#include <robots/adapters/coding/content_decoder.hpp>

#include <doctest/doctest.h>
#include <support/brotli.hpp>
#include <support/gzip.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace {

using robots::adapters_detail::accepted_codings;
using robots::adapters_detail::content_decoder;
using robots::test::gzip;
using robots::test::zlib_format;
using std::literals::operator""s;
using std::literals::operator""sv;

constexpr std::string_view file = "User-agent: *\nAllow: /open\nDisallow: /private\n";

/// Decodes `octets` in pieces of `size`.
content_decoder decoded(std::string_view codings, std::string_view octets, std::size_t size) {
  content_decoder decoder{0};
  decoder.set_codings(codings);
  while (!octets.empty() && decoder.take(octets.substr(0, size))) {
    octets.remove_prefix((std::min)(size, octets.size()));
  }
  decoder.finish();
  return decoder;
}

/// Returns the decoded body, or the problem, for pieces of any size.
std::string result(std::string_view codings, std::string_view octets) {
  content_decoder whole = decoded(codings, octets, octets.size());
  const std::string text = whole.problem().empty() ? whole.body() : "problem: " + whole.problem();
  for (const std::size_t size : {1U, 2U, 3U, 7U}) {
    content_decoder pieces = decoded(codings, octets, size);
    CHECK(pieces.problem() == whole.problem());
    CHECK(pieces.is_proven() == whole.is_proven());
    CHECK(pieces.is_one_stream() == whole.is_one_stream());
    CHECK(pieces.remark() == whole.remark());
    if (whole.problem().empty()) {
      CHECK(pieces.body() == text);
    }
  }
  return text;
}

/// Returns `part` as often as it fits into `size` octets.
std::string repeated(std::string_view part, std::size_t size) {
  std::string octets;
  while (octets.size() + part.size() <= size) {
    octets += part;
  }
  return octets;
}

constexpr std::string_view cut =
    "problem: the compressed body of the response ends before its own end mark";

// printf 'User-agent: *\nAllow: /open\nDisallow: /private\n' | zstd
const std::string in_zstd =
    "\x28\xB5\x2F\xFD\x04\x68\x71\x01"s + '\0' + std::string{file} + "\xAF\xCD\xCC\x43";

}  // namespace

TEST_CASE("The size of the pieces of a body does not matter") {
  CHECK(result("", file) == file);
  CHECK(result("gzip", gzip(file)) == file);
  CHECK(result("gzip", gzip(file) + gzip(file)) == std::string{file} + std::string{file});
  CHECK(result("deflate", zlib_format(file)) == file);
  CHECK(result("deflate", zlib_format(file) + zlib_format(file)) ==
        std::string{file} + std::string{file});
  CHECK(result("gzip", gzip(file) + "\n<!-- comment -->") == file);
  CHECK(result("gzip", gzip(file) + std::string(100, '\0')) == file);
  CHECK(result("gzip", gzip(file) + "\x1F") == cut);
  CHECK(result("gzip", gzip(file) + "\x1F\x8B") == cut);
  CHECK(result("gzip, gzip", gzip(gzip(file))) == file);
  CHECK(result("aws-chunked,gzip", gzip(file)) == file);
  CHECK(result("utf8", file) == file);
  CHECK(result("identity", "\1\2\3\4\5\6\7") == "\1\2\3\4\5\6\7");
}

TEST_CASE("The end of a compressed stream proves that the body is whole") {
  CHECK(decoded("gzip", gzip(file), 5).is_proven());
  CHECK(decoded("gzip", gzip(file), 5).is_one_stream());
  CHECK(decoded("gzip", gzip(file) + gzip(file), 5).is_proven());
  CHECK(!decoded("gzip", gzip(file) + gzip(file), 5).is_one_stream());
  CHECK(decoded("gzip", gzip(file) + "\n", 5).is_proven());
  CHECK(!decoded("gzip", gzip(file) + "\n", 5).is_one_stream());
  CHECK(!decoded("gzip", gzip(file).substr(0, 30), 5).is_proven());
  CHECK(!decoded("deflate", robots::test::raw_deflate(file), 5).is_proven());
  CHECK(!decoded("gzip", file, 5).is_proven());
  CHECK(!decoded("", file, 5).is_proven());
}

TEST_CASE("Brotli is decoded to its end if its library is there") {
  if (accepted_codings.find("br") == std::string_view::npos || !robots::test::has_brotli()) {
    return;
  }
  const std::string whole = robots::test::brotli(file);
  CHECK(result("br", whole) == file);
  for (std::size_t octets_left = 1; octets_left < whole.size(); ++octets_left) {
    CAPTURE(octets_left);
    CHECK(result("br", std::string_view{whole}.substr(0, octets_left)).starts_with("problem: "));
  }
  CHECK(result("br", whole + "\n") ==
        "problem: octets follow the end of the compressed body of the response");
}

TEST_CASE("Zstd is decoded to its end if its library is there") {
  if (accepted_codings.find("zstd") == std::string_view::npos) {
    return;
  }
  CHECK(result("zstd", in_zstd) == file);
  CHECK(result("zstd", in_zstd + in_zstd) == std::string{file} + std::string{file});
  for (std::size_t octets_left = 1; octets_left < in_zstd.size(); ++octets_left) {
    CAPTURE(octets_left);
    CHECK(
        result("zstd", std::string_view{in_zstd}.substr(0, octets_left)).starts_with("problem: "));
  }
  CHECK(result("zstd", in_zstd + in_zstd.substr(0, 20)) == cut);
  std::string changed = in_zstd;
  changed.back() = 'x';
  CHECK(result("zstd", changed).starts_with("problem: "));
}

TEST_CASE("The problem of a body quotes its Content-Encoding as it came") {
  // The caller escapes the message when it is printed.
  CHECK(result("b\\\xC3", std::string(20, '\x07')).ends_with("Content-Encoding is b\\\xC3"));
}

TEST_CASE("Fifty thousand members are decoded one after another") {
  CHECK(decoded("gzip", repeated(gzip(""), 1'000'000) + gzip(file), 16'384).body() == file);
}

TEST_CASE("Coded octets that decode to nothing are a fault of the body above 1 MiB") {
  constexpr std::size_t too_many = 1'100'000;
  constexpr std::string_view empty_block = "\0\0\0\xFF\xFF"sv;  // RFC 1951, section 3.2.4
  const std::string start = robots::test::raw_deflate(file);
  for (const auto& [coding, octets] : {
           std::pair{"gzip"s, repeated(gzip(""), too_many)},
           std::pair{"gzip, gzip"s, repeated(gzip(""), too_many)},
           std::pair{"gzip"s, gzip(file) + std::string(too_many, '\0')},
           std::pair{"gzip"s, repeated(gzip("#"), 2 * too_many)},
           std::pair{"deflate"s, repeated(empty_block, too_many) + start},
       }) {
    CAPTURE(coding);
    content_decoder decoder{512'000};
    decoder.set_codings(coding);
    std::string_view rest = octets;
    while (!rest.empty() && decoder.take(rest.substr(0, 16'384))) {
      rest.remove_prefix((std::min)(rest.size(), std::size_t{16'384}));
    }
    CHECK_FALSE(rest.empty());
    CHECK(decoder.problem() ==
          "the compressed body of the response has more than 1,048,576 octets that decode to "
          "nothing");
    CHECK_FALSE(decoder.is_proven());
  }
  CHECK(decoded("gzip", gzip(std::string(3'000'000, '#')), 16'384).problem().empty());
  CHECK(decoded("", std::string(3'000'000, '#'), 16'384).problem().empty());
}

TEST_CASE("A short text is a mistake of the server only behind a whole stream") {
  CHECK(result("gzip, gzip", gzip("User-agent: *")) == "User-agent: *");
  CHECK(result("gzip, utf-8, gzip", gzip("User-agent: *")) == "User-agent: *");
  for (const char* codings : {"gzip", "gzip, aws-chunked", "gzip, utf-8", "gzip, gzip",
                              "deflate, aws-chunked", "deflate, identity"}) {
    CAPTURE(codings);
    CHECK(result(codings, "sJLI").starts_with("problem: "));  // a raw stream without its end
  }
}
