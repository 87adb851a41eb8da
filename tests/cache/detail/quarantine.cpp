#include <robots/cache/detail/quarantine.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>

using robots::policy;
using robots::detail::quarantine;

namespace {

std::shared_ptr<const policy> denial() {
  return std::make_shared<const policy>(robots::fallback_action::deny_all, "FooBot",
                                        robots::provenance{});
}

}  // namespace

TEST_CASE("so many malformed files in a row lead into quarantine, and a release out of it") {
  quarantine held{2};
  held.note_malformed("a", denial);
  CHECK(held.find("a") == nullptr);
  held.note_malformed("a", denial);
  const auto found = held.find("a");
  REQUIRE(found);
  CHECK(found->basis() == robots::policy_basis::deny_all);
  CHECK(held.find("b") == nullptr);
  CHECK(held.sites().size() == 1);
  held.note_malformed("a", denial);
  CHECK(held.find("a") == found);

  held.release("a");
  held.release("never there");
  CHECK(held.find("a") == nullptr);
  CHECK(held.sites().empty());
  held.note_malformed("a", denial);
  CHECK(held.find("a") == nullptr);
}

TEST_CASE("where the number is nought, there is no quarantine") {
  quarantine none{0};
  for (int i = 0; i < 100; ++i) {
    none.note_malformed("a", denial);
  }
  CHECK(none.find("a") == nullptr);
}

TEST_CASE("memory is bounded, however many sites are malformed") {
  quarantine held{1};
  for (int i = 0; i < 70'000; ++i) {
    held.note_malformed(std::to_string(i), [] { return std::shared_ptr<const policy>{}; });
  }
  int calls = 0;
  held.note_malformed("one more", [&calls] {
    ++calls;
    return denial();
  });
  CHECK(calls == 0);
  CHECK(held.find("one more") == nullptr);
}
