#pragma once

#include <robots/http/site.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/fwd.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace robots::rulings_detail {

enum class ruling_kind : std::uint8_t { site_override, halt, sign_off, quarantine };

/// A decision on a site, by a person or by the cache. A lifted ruling is kept with its stamp, so
/// that an older ruling that arrives later from another process is ignored.
struct ruling {
  ruling_kind kind{};                  ///< the kind of decision
  std::optional<url_scheme> scheme{};  ///< the scheme of the site; empty if the ruling applies to
                                       ///< both schemes
  /// The value of an override is its `site_override`. The value of a halt is 1 more than its
  /// `halt_reason`. A sign-off or a quarantine has the value 1. A lifted ruling has the value 0.
  std::uint8_t value = 0;
  /// The time of the ruling, in milliseconds since the epoch. The later of two rulings applies.
  std::int64_t stamp = 0;
  bool is_own = false;  ///< this process made the ruling
  /// The policy of a site in quarantine. It does not leave the process.
  std::shared_ptr<const robots::policy> policy{};

  /// Returns true if both rulings have the same kind and scheme, so that only one of them is kept.
  [[nodiscard]] bool replaces(const ruling& other) const noexcept {
    return kind == other.kind && scheme == other.scheme;
  }
};

/// Returns the key of the site of `added`. `bare` is the key without a scheme. Does not parse
/// `bare`, since `parse_site` reads the port of `host:443` as the scheme https.
[[nodiscard]] inline std::string key_of(const std::string& bare, const ruling& added) {
  return added.scheme ? std::string{to_string(*added.scheme)}.append("://").append(bare) : bare;
}

/// Returns true for a halt and a quarantine. The number of sites with such a ruling is limited. A
/// second such ruling on a site has no effect.
[[nodiscard]] constexpr bool stops_requests(ruling_kind kind) noexcept {
  return kind == ruling_kind::halt || kind == ruling_kind::quarantine;
}

/// The rulings on a host and port in this process.
struct ruled_site {
  std::vector<ruling> rulings{};  ///< at most one ruling for each kind and scheme
  bool awaits_sign_off = false;

  /// Returns the ruling of this kind and scheme, or null. The ruling may have been lifted.
  [[nodiscard]] const ruling* find(ruling_kind kind, std::optional<url_scheme> scheme = {}) const {
    const ruling wanted{.kind = kind, .scheme = scheme};
    const auto found = std::find_if(rulings.begin(), rulings.end(),
                                    [&](const ruling& own) { return own.replaces(wanted); });
    return found == rulings.end() ? nullptr : &*found;
  }

  /// Returns the value of the ruling of this kind and scheme, or 0 if there is none.
  [[nodiscard]] std::uint8_t value(ruling_kind kind, std::optional<url_scheme> scheme = {}) const {
    const ruling* const found = find(kind, scheme);
    return found == nullptr ? std::uint8_t{0} : found->value;
  }

  /// Returns true if a halt, an override or a quarantine is in force.
  [[nodiscard]] bool decides() const {
    return std::any_of(rulings.begin(), rulings.end(), [](const ruling& own) {
      return own.value > 0 && own.kind != ruling_kind::sign_off;
    });
  }
};

/// The rulings on a host and port, in the form in which processes share them.
struct ruling_record {
  std::string site{};             ///< `site::key` without a scheme
  std::vector<ruling> rulings{};  ///< at most one ruling for each kind and scheme
};

/// Returns the stamp of a ruling that is made at `when`.
[[nodiscard]] inline std::int64_t stamp_of(wall_time when) noexcept {
  return std::chrono::floor<std::chrono::milliseconds>(when).time_since_epoch().count();
}

/// Returns the key under which a shared store has the rulings on a site.
[[nodiscard]] inline std::string ruling_key(std::string_view bare_site) {
  return std::string{"ruling://"}.append(bare_site);
}

/// Returns true if a text begins like an encoded record. No key of a site begins like this.
[[nodiscard]] constexpr bool is_ruling_text(std::string_view text) noexcept {
  return text.starts_with("ruling 1 ");
}

// The text is "ruling 1 HOST", then " KIND SCHEME VALUE STAMP" for each ruling. These four words
// are numbers. The scheme is 0 for both schemes, 1 for http and 2 for https.

[[nodiscard]] inline std::string encode(const ruling_record& record) {
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

/// Reads the output of `encode`. Returns an empty optional for every other text. No text causes an
/// exception.
[[nodiscard]] inline std::optional<ruling_record> decode_rulings(std::string_view text) {
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
