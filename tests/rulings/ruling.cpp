#include <robots/rulings/ruling.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

using robots::ruling_kind;
using robots::url_scheme;
using robots::rulings_detail::decode_rulings;
using robots::rulings_detail::encode;
using robots::rulings_detail::ruling;
using robots::rulings_detail::ruling_record;

TEST_CASE("Decoding a record of rulings gives what was encoded") {
  const ruling_record written{
      .site = "example.com:8080",
      .rulings = {{.kind = ruling_kind::halt, .value = 4, .stamp = 1'700'000'000'000},
                  {ruling_kind::site_override, url_scheme::https, 2, 17},
                  {ruling_kind::quarantine, url_scheme::http, 1, 18},
                  {.kind = ruling_kind::sign_off, .stamp = 19}}};
  const std::string text = encode(written);
  CHECK(text == "ruling 1 example.com:8080 1 0 4 1700000000000 0 2 2 17 3 1 1 18 2 0 0 19");
  const auto read = decode_rulings(text);
  REQUIRE(read);
  CHECK(read->site == written.site);
  CHECK(encode(*read) == text);
}

TEST_CASE("A text that is not a record of rulings is refused") {
  for (const std::string text : {"",
                                 "ruling",
                                 "ruling 1 ",
                                 "ruling 2 example.com",
                                 "ruling 1 https://example.com",
                                 "ruling 1 Example.com 1 0 1 5",
                                 "ruling 1 example.com 1",
                                 "ruling 1 example.com 1 0 1",
                                 "ruling 1 example.com 4 0 1 5",
                                 "ruling 1 example.com 1 3 1 5",
                                 "ruling 1 example.com 1 2 1 5",
                                 "ruling 1 example.com 2 1 1 5",
                                 "ruling 1 example.com 1 0 5 5",
                                 "ruling 1 example.com 0 0 3 5",
                                 "ruling 1 example.com 1 0 -1 5",
                                 "ruling 1 example.com 1 0 1 99999999999999999999",
                                 "ruling 1 example.com 1 0 1 5 1 0 0 6",
                                 "ruling 1 example.com 1 0 1 5 ",
                                 "ruling 1 example.com  1 0 1 5",
                                 "ruling 1 example.com 1 0 1 5x"}) {
    CAPTURE(text);
    CHECK_FALSE(decode_rulings(text));
  }
  CHECK_FALSE(decode_rulings("ruling 1 example.com" + std::string(2'000, ' ')));
}
