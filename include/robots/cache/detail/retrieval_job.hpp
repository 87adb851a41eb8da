#pragma once

#include <robots/cache/detail/single_flight.hpp>
#include <robots/fetch/retrieval.hpp>
#include <robots/fetch/retrieval_result.hpp>
#include <robots/policy/policy.hpp>
#include <robots/time/clock.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <variant>

namespace robots::cache_detail {

/// The work that brings the policy of a site. Dropped, it is given up: those who wait begin anew.
struct retrieval_job {
  single_flight::leader lead;
  retrieval work;        ///< goes first, so that those who wait find the breaker's probe free
  std::stop_token stop;  ///< requested when nobody waits for the policy any more
  time_point began;

  [[nodiscard]] bool is_done() const noexcept {
    return std::holds_alternative<retrieval_result>(work.next());
  }
};

/// What comes after the shared store was asked for a site.
enum class after_store : std::uint8_t {
  done,        ///< nothing: there was an answer, or nobody wants one any more
  ask_site,    ///< the site is to be asked itself
  look_again,  ///< another process asks it: the store is to be asked again
};

/// A site that the shared store is to be asked for, before the site itself is. Dropped, it is given
/// up.
struct store_job {
  single_flight::leader lead;
  time_point began;      ///< when it was first asked for
  time_point next_look;  ///< when it is to be asked for again
  bool refreshes;        ///< what the store has is no answer
  bool renews;           ///< what is served stale meanwhile: nobody waits for it
  after_store next = after_store::look_again;  ///< by what the store said last
};

/// What is to be told of a site before its flight ends. Dropped, the flight is given up.
struct publication {
  single_flight::leader lead;
  std::shared_ptr<const policy> made;    ///< what the flight ends with
  std::string value;                     ///< for the shared store; empty for nothing
  std::chrono::milliseconds lifetime{};  ///< of `value`
};

/// What a look-up leaves to others, since it may block, or since nobody waits for it.
struct errands {
  std::shared_ptr<retrieval_job> renewal{};  ///< of what is served stale meanwhile
  std::unique_ptr<store_job> question{};     ///< to the shared store
  std::shared_ptr<publication> news{};       ///< for the shared store
};

}  // namespace robots::cache_detail
