// AuditTrail in a process that forks.
#include "support/forked_child.hpp"
#include "support/temporary_folder.hpp"
#include <robots/adapters/audit/audit_trail.hpp>
#include <robots/observe/events.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>

using namespace robots::test;

TEST_CASE(
    "An AuditTrail of the parent records nothing in a child, and is destroyed without a wait") {
  const temporary_folder folder;
  auto trail = std::make_unique<robots::AuditTrail>(
      robots::audit_options{.path = (folder.path() / "audit").string()},
      robots::cache_options{.user_agent = "FooBot",
                            .fallback = robots::fallback_policy::rfc9309()});
  CHECK(trail->flush());
  CHECK(in_forked_child([&] {
          std::string said = refusal_of([&] { trail->on(robots::lost_invalidation_event{{}}); });
          expect(!trail->flush());
          trail.reset();
          return said;
        }) == made_before_fork("AuditTrail"));
  CHECK(trail->flush());
}
