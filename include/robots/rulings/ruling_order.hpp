#pragma once

#include <robots/base/decimal.hpp>
#include <robots/base/enum_text.hpp>
#include <robots/http/site.hpp>
#include <robots/policy/order_reference.hpp>
#include <robots/policy/site_override.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace robots {

/// The kinds of rulings. A site has at most one ruling of each kind.
enum class ruling_kind : std::uint8_t {
  site_override,  ///< allows or denies the site, or gives it a fixed robots.txt
  halt,           ///< denies the site, and ends all requests to it, until somebody resumes it
  sign_off,       ///< permits to crawl a high-risk site
  quarantine,     ///< denies a site whose files are malformed again and again
};

/// The name of a kind, as its enumerator is spelled.
[[nodiscard]] constexpr std::string_view to_string(ruling_kind kind) noexcept {
  return base::enum_text<ruling_kind::quarantine>(
      kind, {"site_override", "halt", "sign_off", "quarantine"});
}

/// One change of a ruling. The last order for a site and a kind is the ruling. An order without a
/// value ends the ruling, and is kept as long as all other orders: without it, an old copy of the
/// ended ruling could come back.
struct ruling_order {
  /// The place that the ruling covers: a host with all its ports (`example.com`), a port of a host
  /// (`example.com:8080`) or an origin (`https://example.com`). It has the form of `site::key`.
  std::string site{};
  ruling_kind kind{};  ///< the kind of the ruling
  /// `allow`, `deny` or `text` for an override; the name of a `halt_reason` for a halt; `given` for
  /// a sign-off; `malformed` for a quarantine. Empty if the order ends the ruling.
  std::string value{};
  /// The robots.txt of an override with the value `text`. For the end of a halt, the fingerprint of
  /// the rules that the operator accepts. Otherwise, a remark or nothing.
  std::string detail{};
  std::string maker{};     ///< who or what made the order; without control characters
  std::string id{};        ///< distinguishes this order from all others; made by its process
  std::int64_t time = 0;   ///< when it was made, for people, in seconds since the epoch
  ruling_number number{};  ///< the place among all orders, which the ledger gives

  /// Returns false if the order ends the ruling.
  [[nodiscard]] bool is_in_force() const noexcept { return !value.empty(); }

  [[nodiscard]] friend bool operator==(const ruling_order&, const ruling_order&) = default;
};

/// Returns how events, decisions and audit trails name the order.
[[nodiscard]] inline order_reference reference_to(const ruling_order& order) {
  return {.number = order.number, .id = order.id, .maker = order.maker};
}

namespace rulings_detail {

/// The version of the text below. Each version has keys and tables with names of its own, so that a
/// process never reads or changes the orders of another version.
inline constexpr int order_format = 1;

/// The maximum size of `ruling_order::detail` in octets.
inline constexpr std::size_t most_detail = 65'536;

/// Returns the kind with this name.
[[nodiscard]] inline std::optional<ruling_kind> parse_ruling_kind(std::string_view name) noexcept {
  for (const ruling_kind kind : {ruling_kind::site_override, ruling_kind::halt,
                                 ruling_kind::sign_off, ruling_kind::quarantine}) {
    if (to_string(kind) == name) {
      return kind;
    }
  }
  return std::nullopt;
}

/// Returns the name of the ruling in a ledger, such as `halt example.com`. Each order with this
/// name replaces the one before.
[[nodiscard]] inline std::string name_of(const ruling_order& order) {
  return std::string{to_string(order.kind)}.append(" ").append(order.site);
}

/// Returns the octets of an order without its number, its id and its name, which a ledger stores
/// beside them: `TIME VALUE`, the maker and the detail, with a line end after each of the first
/// two.
[[nodiscard]] inline std::string encode(const ruling_order& order) {
  return std::to_string(order.time) + ' ' + order.value + '\n' + order.maker + '\n' + order.detail;
}

/// Removes and returns the part of `text` before the first `separator`. Also removes `separator`.
[[nodiscard]] inline std::string_view take_until(std::string_view& text, char separator) {
  const std::string_view taken = text.substr(0, text.find(separator));
  text.remove_prefix(taken.size() < text.size() ? taken.size() + 1 : text.size());
  return taken;
}

/// The end of the year 9999, in seconds since 1970. No order is later.
inline constexpr std::uint64_t latest_time = 253'402'300'799;

/// Makes an order of the parts that a ledger stores. Returns an empty optional if a part is not as
/// `name_of` and `encode` write it. Other programs can change what a ledger stores.
[[nodiscard]] inline std::optional<ruling_order> decode_order(std::string_view name,
                                                              std::string_view id,
                                                              std::string_view octets,
                                                              const ruling_number& number) {
  ruling_order order{.number = number};
  const auto kind = parse_ruling_kind(take_until(name, ' '));
  const auto site = parse_site(name);
  if (!kind || !site || site->key() != name || id.empty()) {
    return std::nullopt;
  }
  order.kind = *kind;
  order.site = name;
  order.id = id;
  std::string_view head = take_until(octets, '\n');
  const auto time = base::parse_decimal(take_until(head, ' '));
  if (!time || *time > latest_time || octets.size() > most_detail + 1'024) {
    return std::nullopt;
  }
  order.time = static_cast<std::int64_t>(*time);
  order.value = head;
  order.maker = take_until(octets, '\n');
  order.detail = octets;
  return order;
}

/// Returns true if a ledger can store the order and read it again.
[[nodiscard]] inline bool is_readable(const ruling_order& order) {
  return decode_order(name_of(order), order.id, encode(order), order.number).has_value();
}

}  // namespace rulings_detail

}  // namespace robots
