#include <robots/base/hash.hpp>

#include <robots/base/random_sequence.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace {

using robots::base::combined;
using robots::base::fingerprint;

// These numbers must never change, since users store them. A Python program computed them.
static_assert(combined(0, 0) == 0xC435'5E77'0A9D'FD2CU);
static_assert(combined(1, 2) == 0x8095'EB78'EFD9'8983U);
static_assert(fingerprint("") == 0xC435'5E77'0A9D'FD2CU);
static_assert(fingerprint("a") == 0x4816'B4CB'5415'B6ACU);
static_assert(fingerprint("robots.txt") == 0xF898'8E8E'074A'F954U);
static_assert(fingerprint("User-agent: *\nDisallow: /private\n") == 0x836C'9879'0ECB'F1D7U);

}  // namespace

TEST_CASE("A fingerprint is the same at compile time and at run time") {
  std::string every_octet;
  for (int octet = 0; octet < 256; ++octet) {
    every_octet += static_cast<char>(octet);
  }
  CHECK(fingerprint(every_octet) == 0xFC58'20C7'29FF'AA15U);
  const std::string text = "-User-agent: *\nDisallow: /private\n";  // read from an odd address
  CHECK(fingerprint(std::string_view{text}.substr(1)) == 0x836C'9879'0ECB'F1D7U);
}

TEST_CASE("Texts that differ in one octet, in two octets or only in length have different hashes") {
  std::set<std::uint64_t> seen;
  std::size_t texts = 0;
  const auto add = [&](std::string_view text) {
    ++texts;
    seen.insert(fingerprint(text));
  };
  for (std::size_t length = 0; length < 100; ++length) {
    const std::string zeros(length, '\0');
    add(zeros);
    for (std::size_t position = 0; position < length; ++position) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string changed = zeros;
        changed[position] = static_cast<char>(1U << static_cast<unsigned>(bit));
        add(changed);
        if (position + 8 < length) {
          changed[position + 8] = changed[position];  // the same change, eight octets later
          add(changed);
        }
      }
    }
  }
  CHECK(seen.size() == texts);
}

TEST_CASE("Combining numbers depends on their order") {
  robots::base::random_sequence random{7};
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1'000; ++i) {
    const std::uint64_t a = random();
    const std::uint64_t b = random();
    seen.insert({combined(a, b), combined(b, a), combined(a, 0), combined(0, a)});
  }
  CHECK(seen.size() == 4'000);
}
