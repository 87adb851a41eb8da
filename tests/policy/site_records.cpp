#include <robots/policy/site_records.hpp>

#include "policy/record_samples.hpp"
#include <robots/base/random.hpp>
#include <robots/policy/codec.hpp>
#include <robots/policy/judge.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace {

using robots::outcome;
using robots::record;
using robots::detail::decode_site;
using robots::detail::encode;
using robots::detail::site_records;
using robots::test::every_record;
using robots::test::record_of_outcome;
using robots::test::sample_body;

record redirect() {
  record sample = record_of_outcome(outcome::redirected);
  sample.status = 301;
  sample.final_url = "https://www.example.com/robots.txt";
  return sample;
}

/// Returns records of each form, for each outcome.
std::vector<site_records> samples() {
  std::vector<site_records> all{
      {.latest = redirect()},
      {.latest = record_of_outcome(outcome::success, sample_body), .turned_hostile = true}};
  for (const record& latest : every_record(sample_body)) {
    all.push_back({.latest = latest});
    all.push_back(
        {.latest = latest, .last_good = record_of_outcome(outcome::success, sample_body)});
  }
  return all;
}

}  // namespace

TEST_CASE("Decoding the encoded records of a site gives the same records") {
  for (const site_records& written : samples()) {
    const robots::detail::decoded<site_records> read = decode_site(encode(written));
    REQUIRE(read.value.has_value());
    CHECK(read.error.empty());
    CHECK(*read.value == written);
  }
}

TEST_CASE("The records of a site with only one record take three octets more than the record") {
  const record none = record_of_outcome(outcome::not_found);
  CHECK(encode(site_records{.latest = none}).size() == encode(none).size() + 3);
}

TEST_CASE("An incomplete text or a single record is not the records of a site") {
  CHECK(decode_site("").error == "too_short");
  CHECK(decode_site(encode(record_of_outcome(outcome::success, sample_body))).error ==
        "unknown_version");
  for (const site_records& written : samples()) {
    const std::string text = encode(written);
    for (std::size_t length = 0; length < text.size(); ++length) {
      const robots::detail::decoded<site_records> read = decode_site(text.substr(0, length));
      CHECK(!read.error.empty());
      CHECK_FALSE(read.value.has_value());
    }
    CHECK(decode_site(text + '\0').error == "malformed");
    CHECK(decode_site(encode(written.latest)).error == "unknown_version");
  }
}

TEST_CASE("Every changed octet in the records of a site is noticed") {
  const record good = record_of_outcome(outcome::success, sample_body);
  for (const site_records& written :
       {site_records{.latest = good},
        site_records{.latest = record_of_outcome(outcome::server_error), .last_good = good}}) {
    const std::string text = encode(written);
    for (std::size_t position = 0; position < text.size(); ++position) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        std::string changed = text;
        changed[position] =
            static_cast<char>(static_cast<unsigned char>(changed[position]) ^ (1U << bit));
        CHECK(!decode_site(changed).error.empty());
      }
    }
  }
}

TEST_CASE("A redirect to another site denies everything, and has the URL of the rules") {
  for (const auto preset : {robots::fallback_policy::rfc9309(), robots::fallback_policy::strict(),
                            robots::fallback_policy::permissive()}) {
    const auto result = robots::detail::judge(redirect(), "FooBot", {.fallback = preset}, {},
                                              robots::test::record_anchor);
    CHECK(result->basis() == robots::policy_basis::redirected);
    CHECK(result->leads_to() == "https://www.example.com/robots.txt");
    CHECK_FALSE(result->allows("/"));
    CHECK(result->allows("/robots.txt"));
  }
}

TEST_CASE("Only files and error statuses are answers of the site") {
  using enum outcome;
  for (const outcome own :
       {success, not_found, client_error, too_many_requests, malformed, redirected}) {
    CHECK(robots::detail::is_answer_of_site(record_of_outcome(own)));
  }
  for (const outcome other : {unreachable, too_many_redirects, refused, cancelled, circuit_open,
                              quarantined, challenged}) {
    CHECK_FALSE(robots::detail::is_answer_of_site(record_of_outcome(other)));
  }
  record failed = record_of_outcome(server_error);
  failed.status = 503;
  CHECK(robots::detail::is_answer_of_site(failed));
  failed.status = 301;
  CHECK_FALSE(robots::detail::is_answer_of_site(failed));
}

TEST_CASE("A cut file is used only if the limit is not above its size") {
  record file = record_of_outcome(outcome::success, sample_body);
  CHECK(robots::detail::reaches(file, sample_body.size() + 1));
  file.truncated = true;
  CHECK(robots::detail::reaches(file, sample_body.size()));
  CHECK_FALSE(robots::detail::reaches(file, sample_body.size() + 1));
}
