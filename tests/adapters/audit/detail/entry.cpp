#include <robots/adapters/audit/detail/entry.hpp>

#include <robots/base/json_writer.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

using robots::adapters_detail::audit_chain;
using robots::adapters_detail::audit_entry;
using robots::adapters_detail::json_object;
using robots::base::json_writer;

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

TEST_CASE("The reader returns what the JSON writer wrote, octet by octet") {
  std::string octets;
  for (int i = 0; i < 256; ++i) {
    octets += static_cast<char>(i);
  }
  octets += "\\x41\\\\ \xF0\x9F\xA4\x96 \xED\xA0\x80 \xC3";
  json_writer json;
  json.text("octets", octets).number("number", 42).flag("yes", true).flag("no", false);
  json.open_list("list").open().text("a", "]},{\"").close().open().number("b", 2).close();
  json.close_list().open_list("empty").close_list();
  const std::string text = std::move(json).finish();
  const auto read = json_object::read(text);
  REQUIRE(read);
  CHECK(read->text("octets") == octets);
  CHECK(read->number("number") == 42);
  CHECK(read->flag("yes"));
  CHECK(!read->flag("no"));
  REQUIRE(read->list("list").size() == 2);
  CHECK(read->list("list")[0].text("a") == "]},{\"");
  CHECK(read->list("list")[1].number("b") == 2);
  CHECK(read->list("empty").empty());
  CHECK(read->text("missing").empty());
}

TEST_CASE("A text that is not exactly one JSON object is not read") {
  const std::string whole = R"({"a":"b\"","c":[{"d":1},{"e":"]"}],"f":true})";
  CHECK(json_object::read(whole));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CHECK(!json_object::read(std::string_view{whole}.substr(0, size)));
  }
  for (const std::string_view text : {"{}x", "{,}", R"({"a"})", R"({"a":})", R"({"a":1,})",
                                      R"({a:1})", R"({"a":1 "b":2})", "[]", R"("a")"}) {
    CHECK_MESSAGE(!json_object::read(text), text);
  }
}
