// Policies of a text, for FooBot.
#pragma once

#include <robots/fetch/outcome.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/record.hpp>
#include <robots/rep/rules/crawler_directives.hpp>

#include <chrono>
#include <memory>
#include <string_view>

namespace robots::test {

[[nodiscard]] inline std::shared_ptr<const policy> policy_of(std::string_view text,
                                                             time_point fetched_at = time_point{
                                                                 std::chrono::hours{1}}) {
  return std::make_shared<const policy>(directives_for(text, "FooBot/1.0"),
                                        record_head{{.outcome = outcome::success, .status = 200}},
                                        fetched_at);
}

}  // namespace robots::test
