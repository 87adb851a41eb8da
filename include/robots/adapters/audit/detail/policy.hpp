#pragma once

#include <robots/adapters/audit/detail/crypto.hpp>
#include <robots/adapters/audit/detail/entry.hpp>
#include <robots/base/json_writer.hpp>
#include <robots/cache/cache_options.hpp>
#include <robots/http/excluded_hosts.hpp>
#include <robots/observe/event_text.hpp>
#include <robots/policy/fallback.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/policy_change.hpp>
#include <robots/rep/diff/change_report.hpp>
#include <robots/rep/rules/explanation.hpp>
#include <robots/time/wall_time.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::adapters_detail {

/// The maximum size, in octets, of a text from the web, such as a URL, in an entry.
inline constexpr std::size_t longest_text = std::size_t{1} << 20U;

/// An entry without its place in the chain.
struct audit_part {
  std::string_view type;
  std::string members;  ///< the members of the entry, as a JSON object
  std::string id{};     ///< the id by which other entries refer to this entry; can be empty
  bool once = false;    ///< true if the trail needs only one entry with this id
};

/// Returns the directives of a site for one crawler as JSON. Equal directives give equal texts.
[[nodiscard]] inline std::string directives_text(const policy& from) {
  base::json_writer json;
  json.text("user_agent", from.rules().user_agent()).open_list("lines");
  std::vector<listed_rule> rules = from.rules().list();
  std::ranges::sort(rules, {}, &listed_rule::line);
  for (const listed_rule& rule : rules) {
    json.open().text(to_string(rule.kind), rule.pattern).number("line", rule.line).close();
  }
  for (const detail::stated_line& line : policy_detail::stated_lines(from)) {
    json.open().text(to_string(line.kind), line.value).close();
  }
  json.close_list();
  return std::move(json).finish();
}

/// Returns the entries about a policy. If the policy obeys a robots.txt, the first entry has the
/// directives. The last entry has the given `type`, the members of `about`, the id of the policy,
/// and the members that describe the policy. The id is the SHA-256 of these last members.
[[nodiscard]] inline std::vector<audit_part> parts_of(std::string_view type, const policy& from,
                                                      base::json_writer about = {}) {
  std::vector<audit_part> parts;
  const record_head source = from.source();
  base::json_writer json{longest_text};
  json.text("basis", to_string(from.basis()));
  if (const auto given = from.given_reason()) {
    json.text("reason", to_string(*given));
  }
  if (from.basis() == policy_basis::rules || from.basis() == policy_basis::last_good) {
    const std::string text = directives_text(from);
    const std::string id = sha256(text);
    parts.push_back(
        {"directives", "{\"id\":\"" + id + "\",\"directives\":" + text + '}', id, true});
    json.text("directives", id).text("rules_fetched_at", date_text(from.rules_source().fetched_at));
  }
  json.text("outcome", to_string(source.outcome)).number("status", source.status);
  if (source.error != fetch_error::none) {
    json.text("error", to_string(source.error)).long_text("error_text", source.error_text);
  }
  json.long_text("url", source.url).long_text("final_url", source.final_url);
  json.text("fetched_at", date_text(source.fetched_at))
      .seconds("lifetime_seconds", source.lifetime);
  json.number("attempts", source.attempts).number("failures", source.failures);
  json.text("charset", to_string(source.charset)).flag("truncated", source.truncated);
  json.flag("not_modified", source.not_modified);
  const std::string members = std::move(json).finish();
  std::string id = sha256(members);
  about.text("policy", id);
  std::string text = std::move(about).finish();
  text.back() = ',';
  parts.push_back({type, text.append(members, 1), std::move(id), type == "policy"});
  return parts;
}

inline constexpr std::array<std::pair<std::string_view, bool parse_options::*>, 4> parse_flags{
    {{"strict", &parse_options::strict},
     {"truncated", &parse_options::truncated},
     {"delay_closes_group", &parse_options::delay_closes_group},
     {"prepend_slash", &parse_options::prepend_slash}}};

/// Returns, as JSON, the options on which the decisions of a crawler depend.
[[nodiscard]] inline std::string crawler_text(const cache_options& options) {
  const parse_options& parse = options.parse;
  base::json_writer json;
  json.text("user_agent", options.user_agent);
  json.text("dialect", to_string(parse.dialect)).number("max_bytes", parse.max_bytes);
  for (const auto& [name, option] : parse_flags) {
    json.flag(name, parse.*option);
  }
  json.flag("tie_disallows", parse.tie == tie_break::disallow)
      .flag("names_united", parse.names == several_names::union_of_groups)
      .text("fallback", options.fallback.name())
      .open_list("actions");
  for (std::size_t i = 0; i < outcome_count; ++i) {
    const auto kind = static_cast<outcome>(i);
    json.open()
        .text(to_string(kind), to_string(options.fallback.action(record_head{{.outcome = kind}})))
        .close();
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
  std::string text;  ///< a hash of the output of `crawler_text`
  std::string user_agent;
  parse_options parse{};
  std::vector<detail::excluded_hosts> excluded{};  ///< all lists that the trail has had so far
  detail::excluded_hosts high_risk{};              ///< hosts that need a sign-off
  bool has_own_risk = false;  ///< true if a function of the user can name further such hosts
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
    return detail::excluded_hosts{};  // no `AuditTrail` writes a name that is not valid
  }
}

/// Reads the output of `crawler_text`.
[[nodiscard]] inline audited_crawler read_crawler(const audit_entry& from) {
  const std::string_view said = from.before_hash();
  audited_crawler result{
      .text = sha256(said.substr((std::min)(said.find(",\"user_agent\":"), said.size()))),
      .user_agent = from.text("user_agent")};
  parse_options& parse = result.parse;
  parse.dialect =
      from.text("dialect") == to_string(dialect::google) ? dialect::google : dialect::rfc9309;
  parse.max_bytes = from.number("max_bytes");
  for (const auto& [name, option] : parse_flags) {
    parse.*option = from.flag(name);
  }
  parse.tie = from.flag("tie_disallows") ? tie_break::disallow : tie_break::allow;
  parse.names =
      from.flag("names_united") ? several_names::union_of_groups : several_names::first_with_group;
  result.excluded.push_back(hosts_in(from, "excluded"));
  result.high_risk = hosts_in(from, "sign_off");
  result.has_own_risk = from.flag("is_high_risk");
  return result;
}

}  // namespace robots::adapters_detail
