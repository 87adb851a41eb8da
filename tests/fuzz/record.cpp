#include "fuzz/bodies.hpp"
#include "fuzz/input.hpp"
#include <robots/base/hash.hpp>
#include <robots/policy/codec.hpp>
#include <robots/policy/judge.hpp>
#include <robots/time/clock.hpp>

#include <chrono>
#include <cstdint>
#include <string>

void fuzz::fuzz_record(octets input) {
  reader in{input};
  const bool has_checksum = in.octet() % 2 == 0;
  std::string text = in.rest();
  if (!has_checksum) {
    std::uint64_t sum = robots::base::fingerprint(text);
    for (int octet = 0; octet < 8; ++octet, sum >>= 8U) {
      text += static_cast<char>(sum & 0xFFU);
    }
  }
  const robots::detail::decoded<robots::record> read = robots::detail::decode(text);
  require(read.value.has_value() == (read.error.empty()),
          "decode returns either a record or an error");
  if (!read.value) {
    return;
  }
  require(robots::detail::encode(*read.value) == text, "a record has only one encoding");
  require(read.value->body.size() <= text.size() && read.value->exchanges.size() <= text.size(),
          "a record is no larger than its encoding");
  const robots::wall_anchor now{.steady = robots::time_point{std::chrono::hours{1}},
                                .wall = std::chrono::sys_days{std::chrono::year{2026} / 11 / 22}};
  const robots::detail::judge_options options{.fallback = robots::fallback_policy::strict()};
  const auto decided = robots::detail::judge(*read.value, "FooBot", options, {}, now);
  const robots::policy& result = *decided;
  require(result.fetched_at() <= now.steady, "a policy is not younger than now");
  require(result.last_retrieval().lifetime <= options.max_ttl,
          "a policy lives no longer than max_ttl");
  require(read.value->outcome == robots::outcome::success ||
              read.value->outcome == robots::outcome::malformed ||
              result.allows("/") ==
                  (read.value->outcome == robots::outcome::not_found && !read.value->not_modified),
          "without a robots.txt, only 'not found' allows");
}
