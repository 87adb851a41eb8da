#include <robots/policy/codec.hpp>

#include "policy/record_samples.hpp"
#include <robots/base/hash.hpp>
#include <robots/base/random_sequence.hpp>

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#ifndef ROBOTS_RECORD_MUTATIONS
#define ROBOTS_RECORD_MUTATIONS 100'000
#endif

using namespace std::chrono_literals;

namespace {

using robots::outcome;
using robots::record;
using robots::detail::decode;
using robots::detail::encode;
using robots::detail::record_limits;
using robots::test::every_record;
using robots::test::full_record;
using robots::test::record_of_outcome;
using robots::test::sample_body;

/// Returns `content` with its checksum.
std::string sealed(std::string content) {
  std::uint64_t sum = robots::base::fingerprint(content);
  for (int octet = 0; octet < 8; ++octet, sum >>= 8U) {
    content += static_cast<char>(sum & 0xFFU);
  }
  return content;
}

std::string without_checksum(std::string_view text) {
  return std::string{text.substr(0, text.size() - 8)};
}

std::string_view error_of(std::string_view text) {
  const robots::detail::decoded<robots::record> read = decode(text);
  CHECK(read.value.has_value() == (read.error.empty()));
  return read.error;
}

record read_back(const record& written) {
  const robots::detail::decoded<robots::record> read = decode(encode(written));
  REQUIRE(read.error.empty());
  return *read.value;
}

/// Returns a text with some octets changed, removed, inserted, doubled or cut off, or from `other`.
std::string mutated(std::string text, const std::string& other, robots::base::random_sequence& r) {
  for (std::uint64_t left = 1 + r() % 4; left > 0; --left) {
    const auto setup = static_cast<std::size_t>(r() % (text.size() + 1));
    const auto octet = static_cast<char>(r() & 0xFFU);
    switch (r() % 7) {
      case 0:
        text.insert(setup, 1, octet);
        break;
      case 1:
        text.erase(setup, 1);
        break;
      case 2:
        text.resize(setup);
        break;
      case 3:
        text.insert(setup, text.substr(0, setup));
        break;
      case 4:
        text = other.substr(0, setup) + text.substr(setup);
        break;
      case 5:
        if (setup < text.size()) {
          text[setup] =
              static_cast<char>(static_cast<unsigned char>(text[setup]) ^ (1U << (r() % 8)));
        }
        break;
      default:
        if (setup < text.size()) {
          text[setup] = octet;
        }
    }
  }
  return text;
}

}  // namespace

TEST_CASE("Decoding an encoded record of any outcome gives the same record") {
  for (const record& written : every_record(sample_body)) {
    CHECK(read_back(written) == written);
  }
}

TEST_CASE("A missing robots.txt takes 20 octets plus the name of the host") {
  const record none = record_of_outcome(outcome::not_found);
  CHECK(encode(none).size() == 20 + std::string_view{"example.com"}.size());
}

TEST_CASE("The format is the same on every machine and in every version of the library") {
  using namespace std::string_view_literals;
  CHECK(encode(record_of_outcome(outcome::not_found)) ==
        "\x02\x01\x00\xB0\xB5\x89\xD8\x06\x80\xA3\x05\x2E"
        "example.com"
        "\xD3\x83\xBD\x78\xF8\x31\x74\x99"sv);
}

TEST_CASE("A record that was written before records had failing_for can be read") {
  using namespace std::string_view_literals;
  const record failed = record_of_outcome(outcome::server_error);
  CHECK_FALSE(failed.failing_for);
  const std::string_view older =
      "\x02\x04\x82\x02\xB0\xB5\x89\xD8\x06\x80\xA3\x05\x2E"
      "example.com"
      "\xEE\x07\x01"sv;
  CHECK(without_checksum(encode(failed)) == older);
  CHECK(decode(sealed(std::string{older})).value == failed);
  record written = failed;
  written.failing_for = 0s;
  CHECK(read_back(written) == written);
  written.failing_for = std::chrono::seconds::max();
  CHECK(read_back(written).failing_for == std::chrono::seconds{(std::int64_t{1} << 33) - 1});
}

TEST_CASE("A decoded record has the same URLs, whatever their form") {
  for (const char* const url :
       {"", "/robots.txt", "http:///robots.txt", "https:///robots.txt", "https://robots.txt",
        "http://robots.txt", "https://a/robots.txt", "http://a:8080/robots.txt",
        "ftp://a/robots.txt", "https://a/robots.txt?", "https://a/b/robots.txt"}) {
    record written = record_of_outcome(outcome::success, sample_body);
    written.url = url;
    written.exchanges.push_back({url, 200});
    CAPTURE(url);
    CHECK(read_back(written) == written);
  }
}

TEST_CASE("A decoded record has the same numbers, even at their limits") {
  record written = full_record(outcome::server_error);
  written.status = std::numeric_limits<int>::min();
  written.failures = written.redirects = written.attempts = std::numeric_limits<int>::max();
  CHECK(read_back(written) == written);
  written.status = std::numeric_limits<int>::max();
  written.attempts = 0;
  written.exchanges.clear();
  CHECK(read_back(written) == written);
}

TEST_CASE("Text that is too long for a record is cut, and impossible values are dropped") {
  record written = full_record(outcome::success, sample_body);
  written.error_text.assign(2 * record_limits::error_text, 'e');
  written.final_url.assign(2 * record_limits::url, 'u');
  written.validators.etag.assign(2 * record_limits::validator, 'v');
  written.exchanges.assign(2 * record_limits::exchanges, {"x", 200});
  written.fetched_at = std::chrono::sys_seconds::max();
  written.lifetime = std::chrono::seconds{-1};
  written.redirects = -1;
  const record read = read_back(written);
  CHECK(read.error_text.size() == record_limits::error_text);
  CHECK(read.final_url.size() == record_limits::url);
  CHECK(read.validators.etag.size() == record_limits::validator);
  CHECK(read.exchanges.size() == record_limits::exchanges);
  CHECK(read.fetched_at < written.fetched_at);
  CHECK(read.lifetime == std::chrono::seconds{0});
  CHECK(read.redirects == 0);
  CHECK(read.body == sample_body);
  CHECK(read_back(read) == read);
}

TEST_CASE("URLs that differ only after the size limit are equal in the encoded record") {
  record long_url = full_record(outcome::not_found, "");
  long_url.url = "https://h.example/" + std::string(record_limits::url, 'a');
  long_url.final_url = long_url.url + 'b';
  long_url.exchanges = {{long_url.final_url, long_url.status, long_url.error}};
  const robots::detail::decoded<robots::record> read = decode(encode(long_url));
  REQUIRE(read.value);
  CHECK(read.value->final_url == read.value->url);
}

TEST_CASE("A text that is not a record is refused, with the reason") {
  const std::string text = encode(full_record(outcome::success, sample_body));
  for (std::size_t size = 0; size < text.size(); ++size) {
    CHECK(error_of(std::string_view{text}.substr(0, size)) ==
          (size <= 8 ? "too_short" : "damaged"));
  }
  std::string other = text;
  other.front() = 1;
  CHECK(error_of(other) == "unknown_version");
  CHECK(error_of(sealed(without_checksum(other))) == "unknown_version");
  for (std::size_t position = 1; position < text.size(); ++position) {
    other = text;
    other[position] = static_cast<char>(other[position] ^ 0x40);
    CHECK(error_of(other) == "damaged");
  }
  CHECK(error_of(text + '\0') == "damaged");
  CHECK(error_of(sealed(without_checksum(text) + '\0')) == "malformed");
}

TEST_CASE("A truncated encoding is refused even if its checksum is right") {
  for (const record& written : every_record(sample_body)) {
    const std::string content = without_checksum(encode(written));
    for (std::size_t size = 1; size < content.size(); ++size) {
      CHECK(error_of(sealed(content.substr(0, size))) == "malformed");
    }
  }
}

TEST_CASE("Each record has only one encoding, and other encodings are refused") {
  using namespace std::string_literals;
  const std::string head = "\x02\x01"s;
  const std::string times = "\xF0\x9B\x85\xD0\x06\x80\xA3\x05"s;
  const std::string url =
      "\x06"
      "a"s;
  REQUIRE(error_of(sealed(head + '\0' + times + url)).empty());
  const std::vector<std::string> others{
      "\x02\x81\x00\x00"s + times + url,           // the outcome as a longer number
      head + "\x80\x00"s + times + url,            // the parts as a longer number
      head + "\x01"s + times + url + url,          // the same URL twice
      head + "\x02"s + times + url + "\xA8\x06"s,  // the usual status
      head + "\x04"s + times + url + '\0',         // no error
      head + "\x04"s + times + url + '\x0C',       // no such error
      head + "\x08"s + times + url + '\0',         // no text
      head + "\x20"s + times + url + '\x01',       // one attempt
      head + "\x40"s + times + url +
          "\x01\x06"
          "a"
          "\xA8\x06\x00"s,                        // the one exchange
      head + "\x80\x08"s + times + url + '\0',    // UTF-8
      head + "\x80\x08"s + times + url + '\x04',  // no such charset
      head + "\x80\x40"s + times + url + '\0',    // an empty body
      head + "\x80\x80\x01"s + times + url,       // no such part
      "\x02\x0F\x00"s + times + url,              // no such outcome
      head + '\0' + times +
          "\x07"
          "a"s,  // no such form of URL
      head + '\0' + times +
          "\x80\x01"
          "https://example.com/robots.txtx"s,  // too short
      head + '\0' + times +
          "\x78"
          "https://example.com/robots.txt"s,                                // a URL written in full
      head + '\0' + "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01\x00"s + url,  // too late
      head + '\0' + "\x00\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02"s + url,  // no number
  };
  for (std::size_t i = 0; i < others.size(); ++i) {
    CAPTURE(i);
    CHECK(error_of(sealed(others[i])) == "malformed");
  }
}

TEST_CASE("A length without its octets allocates no memory") {
  using namespace std::string_literals;
  const std::string times = "\xF0\x9B\x85\xD0\x06\x80\xA3\x05"s;
  // The first text claims a body of 256 MiB, and the second one claims 256 exchanges.
  CHECK(error_of(sealed("\x02\x00\x80\x40"s + times +
                        "\x06"
                        "a"
                        "\x80\x80\x80\x80\x01"s)) == "malformed");
  CHECK(error_of(sealed("\x02\x00\x40"s + times +
                        "\x06"
                        "a"
                        "\x80\x02"s)) == "malformed");
}

TEST_CASE("A mutated encoding is refused, or is the encoding of the record that is read") {
  std::vector<std::string> texts;
  for (const record& written : every_record(sample_body)) {
    texts.push_back(encode(written));
  }
  robots::base::random_sequence random{20'261'122};
  constexpr std::uint64_t rounds = ROBOTS_RECORD_MUTATIONS;
  std::uint64_t read = 0;
  std::uint64_t wrong = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const std::string& from = texts[random() % texts.size()];
    const std::string& other = texts[random() % texts.size()];
    const bool forged = random() % 2 == 0;
    const std::string text = forged ? sealed(mutated(without_checksum(from), other, random))
                                    : mutated(from, other, random);
    const robots::detail::decoded<robots::record> result = decode(text);
    if (result.value) {
      ++read;
      wrong += encode(*result.value) != text ? 1 : 0;
      wrong += !forged && text != from && text != other ? 1 : 0;
    }
  }
  CHECK(wrong == 0);
  MESSAGE(rounds << " mutated encodings, " << read << " of which are records still");
}
