// The options of a crawler, as an audit trail writes them.
#pragma once

#include <robots/adapters/audit/detail/crypto.hpp>
#include <robots/adapters/audit/detail/entry.hpp>
#include <robots/adapters/audit/detail/json_object.hpp>
#include <robots/base/json_writer.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/http/excluded_hosts.hpp>
#include <robots/observe/event_text.hpp>
#include <robots/policy/fallback.hpp>
#include <robots/rep/read/parse_options.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace robots::adapters_detail {

[[nodiscard]] inline std::string number_text(double number) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

/// Writes the options that affect how the crawler reads a robots.txt, and which hosts need a
/// sign-off.
[[nodiscard]] inline std::string crawler_text(const cache_options& options) {
  const parse_options& parse = options.parse;
  base::json_writer json;
  json.text("user_agent", options.user_agent)
      .text("dialect", to_string(parse.dialect))
      .number("max_bytes", parse.max_bytes)
      .flag("strict", parse.strict)
      .flag("truncated", parse.truncated)
      .flag("delay_closes_group", parse.delay_closes_group)
      .flag("prepend_slash", parse.prepend_slash)
      .flag("tie_disallows", parse.tie == tie_break::disallow)
      .flag("names_united", parse.names == several_names::union_of_groups)
      .text("fallback", options.fallback.name())
      .open_list("actions");
  for (std::size_t i = 0; i < outcome_count; ++i) {
    const auto kind = static_cast<outcome>(i);
    json.open().text(to_string(kind), to_string(options.fallback.action(kind))).close();
  }
  json.close_list();
  detail::add_hosts(json, "excluded", options.excluded);
  detail::add_hosts(json, "sign_off", options.sign_off);
  json.flag("is_high_risk", static_cast<bool>(options.is_high_risk));
  return std::move(json).finish();
}

/// The description of a crawler in a trail: everything that its decisions depend on, except the
/// text of a robots.txt.
struct audited_crawler {
  std::string id;  ///< identifies the description
  std::string user_agent;
  parse_options parse{};
  std::vector<detail::excluded_hosts> excluded{};  ///< each list until now
  detail::excluded_hosts high_risk{};              ///< hosts that need a sign-off
  bool has_own_risk = false;                       ///< a function of the user may name more of them
};

/// Reads a list of hosts from an entry.
[[nodiscard]] inline detail::excluded_hosts hosts_in(const audit_entry& from,
                                                     std::string_view name) {
  std::vector<std::string> listed;
  for (const json_object& host : from.list(name)) {
    listed.push_back(host.text("host"));
  }
  try {
    return detail::excluded_hosts{listed};
  } catch (const std::invalid_argument&) {
    return detail::excluded_hosts{};  // no trail has such a name
  }
}

/// Reads the output of `crawler_text`.
[[nodiscard]] inline audited_crawler read_crawler(const audit_entry& from) {
  const std::string_view said = from.before_hash();
  const std::size_t start = (std::min)(said.find(",\"user_agent\":"), said.size());
  audited_crawler result{.id = sha256(said.substr(start)), .user_agent = from.text("user_agent")};
  parse_options& parse = result.parse;
  parse.dialect =
      from.text("dialect") == to_string(dialect::google) ? dialect::google : dialect::rfc9309;
  parse.max_bytes = from.number("max_bytes");
  parse.strict = from.flag("strict");
  parse.truncated = from.flag("truncated");
  parse.delay_closes_group = from.flag("delay_closes_group");
  parse.prepend_slash = from.flag("prepend_slash");
  parse.tie = from.flag("tie_disallows") ? tie_break::disallow : tie_break::allow;
  parse.names =
      from.flag("names_united") ? several_names::union_of_groups : several_names::first_with_group;
  result.excluded.push_back(hosts_in(from, "excluded"));
  result.high_risk = hosts_in(from, "sign_off");
  result.has_own_risk = from.flag("is_high_risk");
  return result;
}

}  // namespace robots::adapters_detail
