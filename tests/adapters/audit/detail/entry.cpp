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

TEST_CASE("A text that no AuditTrail writes is not read") {
  CHECK(json_object::read(R"({"a":[1,2],"b":{}})"));
  for (const std::string_view text :
       {R"({"a": 1})", R"( {"a":1})", R"({"a":1} )", R"({"a":[1, 2]})", "{\"a\":\"\n\"}",
        R"({"a":"\x"})", R"({"a":"\ud800"})", "{\"a\":\"\xFF\"}", R"({"a":01})", R"({"a":yes})"}) {
    CHECK_MESSAGE(!json_object::read(text), text);
  }
}

TEST_CASE("A hostile entry cannot exhaust the stack or the memory") {
  const auto nested = [](std::size_t levels) {
    return "{\"a\":" + std::string(levels, '[') + std::string(levels, ']') + '}';
  };
  CHECK(json_object::read(nested(8)));
  CHECK(!json_object::read(nested(1'000'000)));
  std::string zeros = "{\"a\":[0";
  for (int i = 0; i < 1'000'000; ++i) {
    zeros += ",0";
  }
  CHECK(!json_object::read(zeros + "]}"));
  json_writer json;
  json.open_list("lines");
  for (int i = 0; i < 10'000; ++i) {
    json.open().text("allow", "/").close();
  }
  json.close_list();
  CHECK(json_object::read(std::move(json).finish())->list("lines").size() == 10'000);
}

TEST_CASE("A member is found only with its type, and the first one of several") {
  const std::string text =
      R"({"n":"1","t":2,"f":"true","o":[],"l":{},"x":1,"x":2,"list":[{"a":1},2,{"a":3}],"z":null})";
  const auto read = json_object::read(text);
  REQUIRE(read);
  CHECK(read->number("n") == 0);
  CHECK(read->digits("n").empty());
  CHECK(read->text("t").empty());
  CHECK(!read->flag("f"));
  CHECK(!read->object("o"));
  CHECK(read->object("l"));
  CHECK(read->list("l").empty());
  CHECK(read->list("list").size() == 1);
  CHECK(read->number("x") == 1);
  CHECK(read->repeats_a_name());
  CHECK(!json_object::read(R"({"a":{"b":1},"b":2})")->repeats_a_name());
  CHECK(read->has("z"));
  CHECK(!read->has("missing"));
}

TEST_CASE("Two entries have the same member only if every JSON reader sees the same value") {
  const auto one = json_object::read(R"({"a":[{"b":"c"}],"t":"1","n":1,"x":"\\x41"})");
  const auto two = json_object::read(R"({"a":[{"b":"d"}],"t":1,"n":1,"x":"A"})");
  REQUIRE(one);
  REQUIRE(two);
  CHECK(one->has_same("n", *two));
  CHECK(one->has_same("missing", *two));
  CHECK(one->has_same("a", *one));
  for (const std::string_view name : {"a", "t", "x"}) {
    CHECK_MESSAGE(!one->has_same(name, *two), name);
  }
  CHECK(!one->has_same("n", *json_object::read("{}")));
  CHECK(one->shown("a") == R"([{"b":"c"}])");
  CHECK(one->shown("t") == "1");
  CHECK(one->shown("x") == "A");
  CHECK(one->json("t") == "\"1\"");
  CHECK(one->shown("missing").empty());
}
