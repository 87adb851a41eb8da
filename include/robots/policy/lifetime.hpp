#pragma once

#include <robots/base/inline.hpp>
#include <robots/time/clock.hpp>

#include <chrono>

namespace robots {

class policy;
struct judge_options;
struct record_head;

/// How long a failure is remembered that is the `failures`th in a row: doubled with each, up to a
/// limit, and a little less by chance (`random`, from 0 to 1), so that sites which failed together
/// are not asked together.
[[nodiscard]] ROBOTS_CONSTEXPR std::chrono::seconds failure_lifetime(const judge_options& options,
                                                                     int failures, double random);

/// For how long a record holds. What the server said counts within the limits that the options set;
/// `unchanged`, the file that a 304 speaks of, keeps its lifetime when that says nothing (RFC 9111,
/// section 4.3.4). Null for any other record.
[[nodiscard]] std::chrono::seconds lifetime_of(const record_head& head,
                                               const record_head* unchanged,
                                               const judge_options& options, double random);

/// Until when a policy answers.
struct validity {
  time_point fresh_until{};  ///< without asking again
  time_point stale_until{};  ///< while it is renewed; not before `fresh_until`
  time_point keep_until{};   ///< to be gone by, as last good copy or as what the next one follows
};

/// Until when a policy answers: for the lifetime of its record, and a last good copy for no longer
/// than it counts. It is kept for as long as a last good copy counts, since until then the next
/// policy goes by it: by its rules, its failures in a row, its version.
[[nodiscard]] validity validity_of(const policy& kept, const judge_options& options);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/policy/lifetime.ipp>
#endif
