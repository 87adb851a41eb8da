#pragma once

#include <cstddef>
#include <cstdint>

/// Declarations of the types of `store/`. `store/storage.hpp` has the concept `Storage`.
/// `cache/tiered_storage.hpp` has `TieredStorage`, which needs that concept.
namespace robots {

struct cache_entry;
enum class lease_wish : std::uint8_t;
template <std::size_t Capacity>
class LruStorage;
class SharedStore;
class store_error;
struct store_lease;
class store_part_error;
class store_refusal;
struct store_question;
struct store_reply;
struct tiered_options;
struct watch_state;

}  // namespace robots
