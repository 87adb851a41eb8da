#pragma once

#include <robots/base/config.hpp>
#include <robots/base/text_set.hpp>
#include <robots/http/origin.hpp>
#include <robots/http/site.hpp>
#include <robots/policy/halt_reason.hpp>
#include <robots/policy/site_override.hpp>
#include <robots/rulings/old_records.hpp>
#include <robots/rulings/ruling_ledger.hpp>
#include <robots/rulings/ruling_order.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <system_error>
#include <tuple>

namespace robots::rulings_detail {

inline constexpr std::string_view old_record_start = "ruling 1 ";

ROBOTS_INLINE std::optional<site> site_of_bare_key(std::string_view bare) {
  for (const std::string_view start : {"", "http://", "https://"}) {
    const std::string key = std::string{start}.append(bare);
    auto named = parse_site(key);
    if (named && named->key() == key && named->scheme.has_value() != start.empty()) {
      return named;
    }
  }
  return std::nullopt;
}

ROBOTS_INLINE std::string key_of(const std::string& bare, const old_ruling& old) {
  const auto named =
      old.scheme ? parse_site(std::string{to_string(*old.scheme)}.append("://").append(bare))
                 : site_of_bare_key(bare);
  return named ? named->key() : bare;
}

ROBOTS_INLINE std::optional<old_record> decode_old_record(std::string_view text) {
  constexpr std::size_t most_text = 1'024;
  if (!text.starts_with(old_record_start) || text.size() > most_text) {
    return std::nullopt;
  }
  text.remove_prefix(old_record_start.size());
  old_record result;
  result.site = text.substr(0, text.find(' '));
  text.remove_prefix(result.site.size());
  if (!site_of_bare_key(result.site)) {
    return std::nullopt;
  }
  constexpr std::array most_values{static_cast<int>(site_override::deny),
                                   1 + static_cast<int>(halt_reason::unreachable), 1, 1};
  while (!text.empty()) {
    std::array<std::int64_t, 4> numbers{};
    for (std::int64_t& number : numbers) {
      const bool is_separate = text.starts_with(' ');
      const auto read =
          std::from_chars(text.data() + (is_separate ? 1 : 0), text.data() + text.size(), number);
      if (!is_separate || read.ec != std::errc{} || number < 0) {
        return std::nullopt;
      }
      text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    }
    const auto [kind, scheme, value, stamp] = numbers;
    const bool is_for_both_schemes = kind == static_cast<int>(ruling_kind::halt) ||
                                     kind == static_cast<int>(ruling_kind::sign_off);
    if (kind >= std::ssize(most_values) || scheme > (is_for_both_schemes ? 0 : 2) ||
        value > most_values.at(static_cast<std::size_t>(kind))) {
      return std::nullopt;
    }
    constexpr std::array<std::optional<url_scheme>, 3> schemes{std::nullopt, url_scheme::http,
                                                               url_scheme::https};
    const old_ruling added{.kind = static_cast<ruling_kind>(kind),
                           .scheme = schemes.at(static_cast<std::size_t>(scheme)),
                           .value = static_cast<std::uint8_t>(value),
                           .stamp = stamp};
    const bool is_repeated =
        std::any_of(result.rulings.begin(), result.rulings.end(), [&](const old_ruling& listed) {
          return listed.kind == added.kind && listed.scheme == added.scheme;
        });
    if (is_repeated) {
      return std::nullopt;
    }
    result.rulings.push_back(added);
  }
  return result;
}

ROBOTS_INLINE ruling_order order_of(const std::string& bare_site, const old_ruling& old) {
  constexpr std::int64_t in_a_second = 1'000;  // the unit of `old_ruling::stamp` is a millisecond
  ruling_order order{
      .site = key_of(bare_site, old),
      .maker = "a record of an older version",
      .time = (std::min)(old.stamp / in_a_second, static_cast<std::int64_t>(latest_time))};
  switch (old.kind) {
    case ruling_kind::site_override:
      order.kind = ruling_kind::site_override;
      order.value = to_string(static_cast<site_override>(old.value));
      break;
    case ruling_kind::halt:
      order.kind = ruling_kind::halt;
      order.value = to_string(static_cast<halt_reason>(old.value == 0 ? 0 : old.value - 1));
      break;
    case ruling_kind::sign_off:
      order.kind = ruling_kind::sign_off;
      order.value = "given";
      break;
    case ruling_kind::quarantine:
      order.kind = ruling_kind::quarantine;
      order.value = "malformed";
      break;
  }
  if (old.value == 0) {
    order.value.clear();
  }
  order.id = "old-" + std::to_string(static_cast<int>(old.kind)) + '-' + order.site + '-' +
             std::to_string(old.stamp);
  return order;
}

ROBOTS_INLINE bool denies(const ruling_order& order) {
  return order.kind == ruling_kind::halt || order.kind == ruling_kind::quarantine
             ? order.is_in_force()
             : order.kind == ruling_kind::site_override && order.value == "deny";
}

}  // namespace robots::rulings_detail

namespace robots {

ROBOTS_INLINE std::vector<std::string> unreadable_rulings(std::span<const std::string> records) {
  std::vector<std::string> texts;
  std::copy_if(
      records.begin(), records.end(), std::back_inserter(texts),
      [](const std::string& text) { return !rulings_detail::decode_old_record(text).has_value(); });
  return texts;
}

ROBOTS_INLINE std::vector<ruling_order> import_rulings(RulingLedger& ledger,
                                                       std::span<const std::string> records,
                                                       bool is_dry_run) {
  std::vector<ruling_order> orders;
  for (const std::string& text : records) {
    if (const auto record = rulings_detail::decode_old_record(text)) {
      for (const rulings_detail::old_ruling& old : record->rulings) {
        orders.push_back(rulings_detail::order_of(record->site, old));
      }
    }
  }
  std::sort(orders.begin(), orders.end(), [](const ruling_order& a, const ruling_order& b) {
    return std::tie(a.time, a.id) < std::tie(b.time, b.id);
  });
  base::text_set earlier;
  ledger_news news = ledger.read({});
  const bool is_empty = news.head.last.generation == 0;
  for (const ruling_order& order : news.orders) {
    earlier.insert(order.id);
  }
  std::erase_if(orders, [&](const ruling_order& order) {
    return earlier.contains(order.id) || (!is_empty && !rulings_detail::denies(order));
  });
  if (!is_dry_run) {
    for (ruling_order& order : orders) {
      order.number = ledger.append(order, {}).value_or(ruling_number{});
    }
    // An order that the ledger took before, and that a later order has replaced, keeps its number.
    std::erase_if(orders, [&](const ruling_order& order) {
      return order.number.generation != 0 && order.number <= news.head.last;
    });
  }
  return orders;
}

}  // namespace robots
