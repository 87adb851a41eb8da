#include <robots/adapters/detail/lmdb_entry.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

using namespace std::chrono_literals;
using robots::adapters_detail::lmdb_entry;
using robots::adapters_detail::lmdb_number;
using robots::adapters_detail::lmdb_text;
using robots::adapters_detail::lmdb_time;
using robots::adapters_detail::stored_key;
using std::chrono::milliseconds;

namespace {

constexpr std::int64_t now = 1'800'000'000'000;
constexpr std::int64_t end_of_time = std::numeric_limits<std::int64_t>::max();

static_assert(lmdb_time::from(now, 1h).left(now) == 1h);
static_assert(lmdb_time::from(now, 1h).left(now + 3'599'999) == 1ms);
static_assert(lmdb_time::from(now, 1h).left(now + 3'600'000) == 0ms);
static_assert(lmdb_time::from(now, 1h).left(end_of_time) == 0ms);
static_assert(lmdb_time::from(now, milliseconds::max()).until == end_of_time);
static_assert(lmdb_time::from(now, milliseconds::max()).left(now) > milliseconds{24h} * 365'000);

// A clock that is set back by less than a minute lengthens a lifetime by no more than that; one
// that is set back further ends it.
static_assert(lmdb_time::from(now, 1h).left(now - 60'000) == 61min);
static_assert(lmdb_time::from(now, 1h).left(now - 60'001) == 0ms);
static_assert(lmdb_time::from(now, milliseconds::max()).left(now - 60'001) == 0ms);
static_assert(lmdb_time::from(now, 1h).left(0) == 0ms);

}  // namespace

TEST_CASE("times are read as they were written, and any octets can be read") {
  for (const lmdb_time each : {lmdb_time{}, lmdb_time{now, now + 1}, lmdb_time{1, end_of_time}}) {
    const lmdb_time read = lmdb_time::read(each.text() + "more");
    CHECK(read.since == each.since);
    CHECK(read.until == each.until);
  }
  CHECK(lmdb_time::read("").left(now) == 0ms);
  CHECK(lmdb_time::read(std::string(15, '\xFF')).left(now) == 0ms);
  CHECK(lmdb_time::read(std::string(16, '\xFF')).left(now) == 0ms);  // from the future
}

TEST_CASE("entries are read as they were written; what is none has no key") {
  const std::string text = lmdb_entry{{now, now + 5}, "key", "octets"}.text();
  CHECK(lmdb_entry::read(text).key == "key");
  CHECK(lmdb_entry::read(text).octets == "octets");
  CHECK(lmdb_entry::read(text).time.left(now) == 5ms);
  for (std::size_t size = 0; size < 27; ++size) {
    CHECK(lmdb_entry::read(std::string_view{text}.substr(0, size)).key.empty());
  }
  CHECK(lmdb_entry::read(std::string(100, '\xFF')).key.empty());
}

TEST_CASE("numbers are texts in their order") {
  CHECK(lmdb_text(0) < lmdb_text(1));
  CHECK(lmdb_text(255) < lmdb_text(256));
  CHECK(lmdb_text(std::numeric_limits<std::uint64_t>::max() - 1) <
        lmdb_text(std::numeric_limits<std::uint64_t>::max()));
  CHECK(lmdb_number(lmdb_text(now)) == now);
}

TEST_CASE("LMDB can have every key, and no long one is stored as a short one is") {
  CHECK(stored_key("https://example.com") == "https://example.com");
  for (const std::size_t size : {502U, 503U, 504U, 510U, 511U, 512U, 10'000U}) {
    const std::string key(size, 'x');
    CHECK(stored_key(key).size() <= 511);
    CHECK((stored_key(key) == key) == (size < 503));
    CHECK(stored_key(key) != stored_key(key + 'x'));
  }
}
