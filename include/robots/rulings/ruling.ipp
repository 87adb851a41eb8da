#pragma once

#include <robots/base/config.hpp>
#include <robots/http/site.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/rulings/ruling.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <utility>

namespace robots::rulings_detail {

// The text is "ruling 1 HOST", then " KIND SCHEME VALUE STAMP" for each ruling. These four words
// are numbers. The scheme is 0 for both schemes, 1 for http and 2 for https.

ROBOTS_INLINE std::string encode(const ruling_record& record) {
  std::string text = "ruling 1 " + record.site;
  for (const ruling& listed : record.rulings) {
    const int scheme = !listed.scheme ? 0 : *listed.scheme == url_scheme::http ? 1 : 2;
    for (const std::int64_t number :
         {std::int64_t{static_cast<int>(listed.kind)}, std::int64_t{scheme},
          std::int64_t{listed.value}, listed.stamp}) {
      text.append(" ").append(std::to_string(number));
    }
  }
  return text;
}

ROBOTS_INLINE std::optional<ruling_record> decode_rulings(std::string_view text) {
  constexpr std::size_t most_text = 1'024;
  if (!is_ruling_text(text) || text.size() > most_text) {
    return std::nullopt;
  }
  text.remove_prefix(std::string_view{"ruling 1 "}.size());
  ruling_record result;
  result.site = text.substr(0, text.find(' '));
  text.remove_prefix(result.site.size());
  const auto parsed = parse_site(result.site);
  if (!parsed || parsed->scheme || parsed->key() != result.site) {
    return std::nullopt;
  }
  constexpr std::array most_values{static_cast<int>(site_override::deny),
                                   1 + static_cast<int>(halt_reason::unreachable), 1, 1};
  while (!text.empty()) {
    std::array<std::int64_t, 4> numbers{};
    for (std::int64_t& number : numbers) {
      const char* const end = text.data() + text.size();
      if (text.empty() || text.front() != ' ') {
        return std::nullopt;
      }
      const auto read = std::from_chars(text.data() + 1, end, number);
      if (read.ec != std::errc{} || number < 0) {
        return std::nullopt;
      }
      text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    }
    const auto [kind, scheme, value, stamp] = numbers;
    if (kind >= std::ssize(most_values) || scheme > 2 ||
        value > most_values.at(static_cast<std::size_t>(kind))) {
      return std::nullopt;
    }
    ruling added{.kind = static_cast<ruling_kind>(kind),
                 .value = static_cast<std::uint8_t>(value),
                 .stamp = stamp};
    if (scheme > 0) {
      added.scheme = scheme == 1 ? url_scheme::http : url_scheme::https;
    }
    const auto is_same = [&](const ruling& other) { return other.replaces(added); };
    if (std::any_of(result.rulings.begin(), result.rulings.end(), is_same)) {
      return std::nullopt;
    }
    result.rulings.push_back(added);
  }
  return result;
}

}  // namespace robots::rulings_detail
