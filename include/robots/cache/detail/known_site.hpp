#pragma once

#include <robots/cache/detail/guarded_store.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>

#include <memory>
#include <optional>

namespace robots::cache_detail {

/// What is known of a site that is about to be asked, and what the other processes wait for.
struct known_site {
  std::shared_ptr<const robots::policy> last{};  ///< what held, by this process or the shared store
  bool shared = false;           ///< the shared store was read, and this says what it has
  std::optional<record> good{};  ///< that of `policy::good(last)`, if the shared store has it
  held_lease lease{};            ///< the right to ask, if the shared store has given it
  bool announces = false;        ///< what comes of it makes that of the others out of date
};

}  // namespace robots::cache_detail
