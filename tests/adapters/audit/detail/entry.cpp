#include <robots/adapters/audit/detail/entry.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>

using robots::adapters_detail::audit_chain;
using robots::adapters_detail::audit_entry;

TEST_CASE("An entry has its own hash and the hash of the previous entry") {
  audit_chain chain;
  const std::string first = chain.add("2026-01-01T12:00:00.000Z", "trail", "{}");
  const std::string second = chain.add("2026-01-01T12:00:01.000Z", "decision", R"({"a":"b"})");
  CHECK(first.ends_with("\"}\n"));
  const auto one = audit_entry::read(std::string_view{first}.substr(0, first.size() - 1));
  const auto two = audit_entry::read(std::string_view{second}.substr(0, second.size() - 1));
  REQUIRE(one);
  REQUIRE(two);
  CHECK(one->n() == 1);
  CHECK(one->type() == "trail");
  CHECK(one->is_whole());
  CHECK(two->n() == 2);
  CHECK(two->text("a") == "b");
  CHECK(two->text("prev") == one->hash());
  CHECK(two->hash() == chain.last);
  std::string changed = second.substr(0, second.size() - 1);
  changed[changed.find("decision")] = 'D';
  CHECK(!audit_entry::read(changed)->is_whole());
  CHECK(!audit_entry::read(second));  // with its line end
}
