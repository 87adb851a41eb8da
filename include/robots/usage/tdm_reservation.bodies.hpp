#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/config.hpp>
#include <robots/base/json_reader.hpp>
#include <robots/rep/rules/pattern.hpp>
#include <robots/usage/tdm_reservation.hpp>

namespace robots {

ROBOTS_INLINE std::optional<bool> parse_tdm_reservation(std::string_view value) noexcept {
  std::string_view text = base::trim(value, base::is_space);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
  }
  if (text == "1" || base::equal_ignoring_case(text, "true")) {
    return true;
  }
  if (text == "0" || base::equal_ignoring_case(text, "false")) {
    return false;
  }
  return std::nullopt;
}

ROBOTS_INLINE tdm_reservation read_tdmrep(std::string_view tdmrep, std::string_view target) {
  if (tdmrep.size() > max_tdmrep_bytes) {
    return {.reserved = true};
  }
  const std::optional<base::json_value> file = base::read_json(tdmrep);
  if (!file || file->type != base::json_type::array) {
    return {};
  }
  std::size_t compared = 0;
  for (std::size_t i = 0; i < file->items.size(); ++i) {
    const base::json_value& entry = file->items[i];
    const base::json_value* const location = entry.find("location");
    if (location == nullptr || location->type != base::json_type::string) {
      continue;
    }
    compared += 1 + location->text.size() + target.size();
    if (compared > max_compared_octets) {
      return {.reserved = true};
    }
    if (!pattern{location->text}.matches(target)) {
      continue;
    }
    tdm_reservation found{.entry = i + 1};
    const base::json_value* const reserved = entry.find("tdm-reservation");
    if (reserved != nullptr && reserved->type != base::json_type::array &&
        reserved->type != base::json_type::object) {
      found.reserved = parse_tdm_reservation(reserved->text);
    }
    const base::json_value* const policy = entry.find("tdm-policy");
    if (policy != nullptr && policy->type == base::json_type::string && !policy->text.empty()) {
      found.policy = policy->text;
    }
    return found;
  }
  return {};
}

}  // namespace robots
