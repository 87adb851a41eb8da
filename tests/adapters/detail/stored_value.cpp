#include <robots/adapters/detail/stored_value.hpp>

#include <robots/fetch/outcome.hpp>
#include <robots/policy/codec.hpp>
#include <robots/policy/site_records.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using robots::adapters_detail::may_decode_to;
using robots::adapters_detail::original_value;
using robots::adapters_detail::stored_head_size;
using robots::adapters_detail::stored_value;

namespace {

constexpr std::size_t no_limit = std::size_t{1} << 30U;

/// Returns the lines of a robots.txt, with `rules` rules.
std::string rules_text(std::size_t rules) {
  std::string text = "User-agent: *\n";
  for (std::size_t rule = 0; rule < rules; ++rule) {
    text += "Disallow: /folder/" + std::to_string(rule * 7'919) + '\n';
  }
  return text;
}

std::string random_octets(std::size_t size, std::uint32_t seed) {
  std::mt19937 random{seed};
  std::string octets;
  while (octets.size() < size) {
    octets += static_cast<char>(random() & 0xFFU);
  }
  return octets;
}

/// Returns values of all kinds: empty, short, text, octets that do not become smaller, and values
/// that begin like a compressed one.
std::vector<std::string> sample_values() {
  std::vector<std::string> values{"",
                                  "\x83",
                                  std::string("\x83\0\0\0\0", 5),
                                  "\x83 and a text",
                                  std::string(255, 'x'),
                                  std::string(256, 'x'),
                                  std::string(1'000'000, 'x'),
                                  stored_value(rules_text(100), true)};
  for (std::size_t i = 0; i < 60; ++i) {
    values.push_back(rules_text(i * i));
    values.push_back(random_octets(i * i, static_cast<std::uint32_t>(i)));
    values.push_back('\x83' + values.back());
  }
  return values;
}

/// Returns the octets that a store would keep for the zlib stream of a value, if the value had
/// `size` octets.
std::string with_size(std::string stored, std::size_t size) {
  for (std::size_t octet = 1; octet < 5; ++octet, size >>= 8U) {
    stored[octet] = static_cast<char>(size & 0xFFU);
  }
  return stored;
}

}  // namespace

TEST_CASE("Every value is loaded as it was published, with and without compression") {
  for (const std::string& value : sample_values()) {
    for (const bool compresses : {false, true}) {
      CHECK(original_value(stored_value(value, compresses), no_limit) == value);
    }
  }
}

TEST_CASE("Without compression, a value that is not like a compressed one is stored as it is") {
  for (const std::string& value : sample_values()) {
    if (!value.starts_with('\x83')) {
      CHECK(stored_value(value, false) == value);
    }
  }
}

TEST_CASE("A compressed value is smaller than the value, or the value is stored as it is") {
  for (const std::string& value : sample_values()) {
    const std::string stored = stored_value(value, true);
    if (!value.starts_with('\x83')) {
      CHECK((stored.size() < value.size() || stored == value));
    }
  }
  CHECK(stored_value(std::string(255, 'x'), true).size() == 255);
  CHECK(stored_value(std::string(256, 'x'), true).size() < 30);
  CHECK(stored_value(random_octets(4'000, 1), true).size() == 4'000);
  CHECK(stored_value(rules_text(200), true).size() < rules_text(200).size() / 4);
}

TEST_CASE("A compressed value that is cut, longer, damaged or of another size stays as it is") {
  const std::string value = rules_text(40);
  const std::string stored = stored_value(value, true);
  REQUIRE(stored.size() < value.size() / 2);
  for (std::size_t size = 1; size < stored.size(); ++size) {
    const std::string cut = stored.substr(0, size);
    CHECK((original_value(cut, no_limit) == cut || cut.size() == 5));
  }
  for (const char octet : {'\0', 'x', '\x83'}) {
    CHECK(original_value(stored + octet, no_limit) == stored + octet);
  }
  for (std::size_t place = 5; place < stored.size(); ++place) {
    for (unsigned bit = 1; bit < 0x100; bit *= 2) {
      std::string damaged = stored;
      damaged[place] = static_cast<char>(static_cast<unsigned char>(damaged[place]) ^ bit);
      const std::string read = original_value(damaged, no_limit);
      CHECK((read == damaged || read == value));  // some bits of a stream have no meaning
    }
  }
  for (const std::size_t size : {std::size_t{1}, value.size() - 1, value.size() + 1,
                                 2 * value.size(), std::size_t{0xFFFF'FFFF}}) {
    CHECK(original_value(with_size(stored, size), no_limit) == with_size(stored, size));
  }
}

TEST_CASE("A value above the limit is not decoded, whatever size it states") {
  const std::string value(1'000'000, '\0');
  const std::string bomb = stored_value(value, true);
  REQUIRE(bomb.size() < 1'100);
  CHECK(original_value(bomb, value.size()) == value);
  CHECK(original_value(bomb, value.size() - 1) == bomb);
  for (const std::size_t size : {std::size_t{1}, std::size_t{999'999}, std::size_t{0xFFFF'FFFF}}) {
    CHECK(original_value(with_size(bomb, size), value.size() - 1) == with_size(bomb, size));
  }
}

TEST_CASE("A size that no stream of this length can have is refused before memory is taken") {
  static_assert(may_decode_to(0, 0));
  static_assert(may_decode_to(1'032'000, 1'000));
  static_assert(!may_decode_to(1'100'000, 1'000));
  static_assert(!may_decode_to(0xFFFF'FFFF, 4'000'000));
  const std::string zeros(1'000'000, '\0');  // the best ratio that zlib reaches
  CHECK(may_decode_to(zeros.size(), stored_value(zeros, true).size() - stored_head_size));
  const std::string lie = with_size(stored_value(rules_text(40), true), 0xFFFF'FFFF);
  CHECK(original_value(lie, SIZE_MAX) == lie);
}

TEST_CASE(
    "The records of a site that a store could not decode are damaged, not of another version") {
  robots::record answer;
  answer.outcome = robots::outcome::success;
  answer.url = answer.final_url = "https://example.com/robots.txt";
  answer.status = 200;
  answer.body = rules_text(40);
  const std::string value = encode(robots::detail::site_records{.latest = answer});
  const std::string stored = stored_value(value, true);
  CHECK(robots::detail::decode_site(original_value(stored, no_limit)).value->latest == answer);
  CHECK(robots::detail::decode_site(stored).error == "damaged");
  CHECK(robots::detail::decode_site(stored.substr(0, 1)).error == "damaged");
}
