#include <robots/store/storage.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace {

using robots::cache_entry;
using robots::Storage;
using robots::time_point;

/// Keeps nothing, which the concept permits.
struct Nothing {
  std::optional<cache_entry> find(std::string_view, time_point) { return std::nullopt; }
  void store(std::string_view, const cache_entry&, time_point) {}
  void erase(std::string_view) {}
  void clear() {}
  std::size_t size() const { return 0; }
};
static_assert(Storage<Nothing>);

struct FindsPointers : Nothing {
  const cache_entry* find(std::string_view, time_point) { return nullptr; }
};
struct FindsWithoutTime : Nothing {
  std::optional<cache_entry> find(std::string_view) { return std::nullopt; }
};
struct StoresByMutableReference : Nothing {
  void store(std::string_view, cache_entry&, time_point) {}
};
struct CannotErase : Nothing {
  void erase(std::string_view) = delete;
};
struct CannotClear : Nothing {
  void clear() = delete;
};
struct HasNoSize : Nothing {
  std::string size() const { return "many"; }
};
struct ChangesToTellItsSize : Nothing {
  std::size_t size() { return 0; }
};
struct CannotMove : Nothing {
  CannotMove() = default;
  CannotMove(CannotMove&&) = delete;
};

static_assert(!Storage<FindsPointers>);
static_assert(!Storage<FindsWithoutTime>);
static_assert(!Storage<StoresByMutableReference>);
static_assert(!Storage<CannotErase>);
static_assert(!Storage<CannotClear>);
static_assert(!Storage<HasNoSize>);
static_assert(!Storage<ChangesToTellItsSize>);
static_assert(!Storage<CannotMove>);
static_assert(!Storage<int>);
static_assert(!Storage<const Nothing>);
static_assert(!Storage<Nothing&>);

}  // namespace

TEST_CASE("An entry is empty until it has a policy") {
  const cache_entry entry;
  CHECK(entry.policy == nullptr);
  CHECK(entry.fresh_until == time_point{});
  CHECK(entry.keep_until == time_point{});
}
