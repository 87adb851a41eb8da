#include <robots/rulings/ruling_order.hpp>

#include <robots/policy/site_override.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace robots;
using rulings_detail::decode_order;
using rulings_detail::encode;
using rulings_detail::name_of;

static_assert(ruling_number{1, 9} < ruling_number{2, 1});
static_assert(ruling_number{1, 8} < ruling_number{1, 9});

TEST_CASE("An order is read as it was written, whatever octets its detail has") {
  using namespace std::string_literals;
  const ruling_order order{.site = "http://example.com:443",
                           .kind = ruling_kind::site_override,
                           .value = "text",
                           .detail = "a\nb\r\n\0\xff"s,
                           .maker = "ann",
                           .id = "7",
                           .time = 1'764'000'000,
                           .number = {2, 41}};
  CHECK(name_of(order) == "site_override http://example.com:443");
  CHECK(decode_order(name_of(order), order.id, encode(order), order.number) == order);
  CHECK(to_string(order.number) == "2-41");
}

TEST_CASE("An order that the library cannot have written is refused") {
  CHECK(decode_order("halt example.com", "1", "0 by_hand\nann\n", {1, 1}));
  CHECK(!decode_order("", "1", "0 by_hand\nann\n", {1, 1}));
  CHECK(!decode_order("ban example.com", "1", "0 by_hand\nann\n", {1, 1}));
  CHECK(!decode_order("halt no site", "1", "0 by_hand\nann\n", {1, 1}));
  CHECK(!decode_order("halt EXAMPLE.com", "1", "0 by_hand\nann\n", {1, 1}));
  CHECK(!decode_order("halt example.com", "", "0 by_hand\nann\n", {1, 1}));
  CHECK(!decode_order("halt example.com", "1", "soon by_hand\nann\n", {1, 1}));
  CHECK(!decode_order("halt example.com", "1", "999999999999999 by_hand\nann\n", {1, 1}));
  CHECK(
      !decode_order("halt example.com", "1", "0 text\nann\n" + std::string(100'000, 'x'), {1, 1}));
}
