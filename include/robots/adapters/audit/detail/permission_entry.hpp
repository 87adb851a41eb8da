#pragma once

#include <robots/adapters/audit/detail/entry.hpp>
#include <robots/adapters/audit/detail/policy_evidence.hpp>
#include <robots/base/json_writer.hpp>
#include <robots/rep/read/purpose.hpp>
#include <robots/usage/page_statements.hpp>
#include <robots/usage/permission.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

/// The entry of a permission, and the way back:
///
///     policy entry (robots.txt) --+
///     fields (headers, meta) -----+--> page_statements --> permission   (page_in, answer_in)
///     tdmrep entry ---------------+
///
/// The entry has the answer and all that the answer depends on, so that an audit computes the
/// answer again.
namespace robots::adapters_detail {

inline constexpr std::array statement_places{statement_place::robots_txt, statement_place::headers,
                                             statement_place::meta, statement_place::tdmrep};

/// The members of an entry that an audit computes again.
inline constexpr std::array permission_members{"answer", "reason", "licenses", "unread"};

/// Adds the answer and its reason. The text of a robots.txt rule is in the entries of the policy.
inline void add_permission(base::json_writer& json, const permission& answer) {
  json.text("answer", to_string(answer.answer)).open_list("reason");
  if (answer.reason) {
    const page_statement& said = *answer.reason;
    json.open().text("kind", to_string(said.kind)).text("place", to_string(said.place));
    json.text("name", said.name).text("addressee", said.addressee);
    json.text("text", said.kind == statement_kind::robots_rule ? "" : said.text);
    json.number(said.place == statement_place::robots_txt ? "line" : "number", said.position);
    json.close();
  }
  json.close_list().open_list("licenses");
  for (const std::string& license : answer.licenses) {
    json.open().text("url", license).close();
  }
  json.close_list().open_list("unread");
  for (const statement_place place : answer.unread) {
    json.open().text("place", to_string(place)).close();
  }
  json.close_list();
}

/// Adds what a page said, without its robots.txt and its tdmrep.json.
inline void add_page(base::json_writer& json, const page_statements& page) {
  json.open_list("read");
  for (const statement_place place : statement_places) {
    if (page.is_read(place)) {
      json.open().text("place", to_string(place)).close();
    }
  }
  json.close_list().flag("vendor_meanings", page.honours_vendor_meanings()).open_list("fields");
  for (const page_field& field : page.fields()) {
    json.open().text("place", to_string(field.place)).number("number", field.number);
    json.text("name", field.name).text("value", field.value).close();
  }
  json.close_list();
}

/// Adds what an entry says about a page to `page`, which has the statements of the robots.txt. Only
/// the recorded policy says if the robots.txt was read.
/// `tdmrep` is the text of the tdmrep.json that the entry names, or null. Throws
/// `std::invalid_argument` if no `add_page` wrote the fields.
inline void add_recorded(page_statements& page, const json_object& entry,
                         const std::string* tdmrep) {
  constexpr std::uint64_t most = 0xFFFF'FFFF;
  for (const json_object& field : entry.list("fields")) {
    page.add({.place = enum_named(field.text("place"), statement_place::tdmrep),
              .number = static_cast<std::uint32_t>((std::min)(field.number("number"), most)),
              .name = field.text("name"),
              .value = field.text("value")});
  }
  if (tdmrep != nullptr) {
    page.tdmrep(*tdmrep);
  }
  for (const statement_place place : statement_places) {
    if (place != statement_place::robots_txt) {
      page.mark_unread(place);
    }
  }
  for (const json_object& read : entry.list("read")) {
    const statement_place place = enum_named(read.text("place"), statement_place::tdmrep);
    if (place != statement_place::robots_txt) {
      page.mark_read(place);
    }
  }
  page.honour_vendor_meanings(entry.flag("vendor_meanings"));
}

/// Returns the members of a permission that an audit computes again, for people.
[[nodiscard]] inline std::string permission_text(const json_object& entry) {
  std::string all;
  for (const std::string_view name : permission_members) {
    all.append(all.empty() ? "" : ", ").append(name).append(": ").append(entry.json(name));
  }
  return all;
}

}  // namespace robots::adapters_detail
