#pragma once

#include <robots/base/site_table.hpp>
#include <robots/http/site.hpp>
#include <robots/policy/fallback.hpp>
#include <robots/policy/policy.hpp>
#include <robots/rep/read/crawler_names.hpp>
#include <robots/rulings/ruling_order.hpp>
#include <robots/time/clock.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace robots::rulings_detail {

/// The options of a cache that `site_rulings` reads.
struct ruling_options {
  const crawler_names& crawler;
  std::span<const std::string> excluded;
  std::span<const std::string> sign_off;
  const std::function<bool(std::string_view host)>& is_high_risk;
  int quarantine_after;
  const detail::any_fallback_policy& fallback;
};

/// A decision on a site, by a person or by the cache. A lifted ruling is kept with its time. If
/// another process then sends an older ruling, the older ruling has no effect.
struct ruling {
  ruling_kind kind{};
  std::optional<url_scheme> scheme{};  ///< empty if the ruling applies to both schemes
  /// The value of an override is its `site_override`. The value of a halt is 1 more than its
  /// `halt_reason`. A sign-off or a quarantine has the value 1. A lifted ruling has the value 0.
  std::uint8_t value = 0;
  /// The time of the ruling, in milliseconds since the epoch. The later of two rulings applies.
  std::int64_t stamp = 0;
  bool is_own = false;  ///< this process made the ruling
  /// The policy of a site in quarantine. Other processes do not get this policy.
  std::shared_ptr<const robots::policy> policy{};
};

/// Finds the ruling of this kind and scheme, even a lifted ruling. Returns null if there is none.
[[nodiscard]] inline const ruling* find_ruling(const std::vector<ruling>& in, ruling_kind kind,
                                               std::optional<url_scheme> scheme = {}) {
  const auto found = std::find_if(in.begin(), in.end(), [&](const ruling& listed) {
    return listed.kind == kind && listed.scheme == scheme;
  });
  return found == in.end() ? nullptr : &*found;
}

/// The rulings on a host and port in this process.
struct ruled_site {
  std::vector<ruling> rulings{};  // at most one ruling for each kind and scheme
  bool awaits_sign_off = false;

  /// Returns the value of the ruling of this kind and scheme, or 0 if there is none.
  [[nodiscard]] std::uint8_t value(ruling_kind kind, std::optional<url_scheme> scheme = {}) const {
    const ruling* const found = find_ruling(rulings, kind, scheme);
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

/// Returns true for a halt and a quarantine. Each of the two kinds has a maximum number of sites.
/// Halting a halted site has no effect. Quarantining a site in quarantine has no effect.
[[nodiscard]] constexpr bool stops_requests(ruling_kind kind) noexcept {
  return kind == ruling_kind::halt || kind == ruling_kind::quarantine;
}

[[nodiscard]] inline std::int64_t stamp_of(wall_time when) noexcept {
  return std::chrono::floor<std::chrono::milliseconds>(when).time_since_epoch().count();
}

/// Returns the key under which a shared store has the rulings on a site.
[[nodiscard]] inline std::string ruling_key(std::string_view bare_site) {
  return std::string{"ruling://"}.append(bare_site);
}

/// Returns the key of the site of `added`. `bare` is the key without a scheme. Does not call
/// `parse_site`, which would turn `host:443` into `https://host`.
[[nodiscard]] inline std::string key_of(const std::string& bare, const ruling& added) {
  return added.scheme ? std::string{to_string(*added.scheme)}.append("://").append(bare) : bare;
}

/// Returns true if a text begins like an encoded record. The key of a site never has this
/// beginning.
[[nodiscard]] constexpr bool is_ruling_text(std::string_view text) noexcept {
  return text.starts_with("ruling 1 ");
}

/// Returns "ruling 1 HOST", then " KIND SCHEME VALUE STAMP" for each ruling. These four words are
/// numbers. The scheme is 0 for both schemes, 1 for http and 2 for https.
[[nodiscard]] inline std::string encode(const ruling_record& record) {
  std::string text = "ruling 1 " + record.site;
  for (const ruling& listed : record.rulings) {
    const int scheme = !listed.scheme ? 0 : *listed.scheme == url_scheme::http ? 1 : 2;
    text += ' ' + std::to_string(static_cast<int>(listed.kind)) + ' ' + std::to_string(scheme);
    text += ' ' + std::to_string(listed.value) + ' ' + std::to_string(listed.stamp);
  }
  return text;
}

/// Reads the output of `encode`. Returns an empty optional for every other text.
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
    const ruling added{.kind = static_cast<ruling_kind>(kind),
                       .scheme = schemes.at(static_cast<std::size_t>(scheme)),
                       .value = static_cast<std::uint8_t>(value),
                       .stamp = stamp};
    if (find_ruling(result.rulings, added.kind, added.scheme) != nullptr) {
      return std::nullopt;
    }
    result.rulings.push_back(added);
  }
  return result;
}

/// Functions to call when a ruling begins to deny a site.
class denial_listeners {
 public:
  using listener = std::function<void(std::string_view bare_site)>;

  [[nodiscard]] std::shared_ptr<const void> add(listener on_denied) {
    std::unique_lock lock{shared_->mutex};
    const auto place = shared_->all.insert(shared_->all.end(), std::move(on_denied));
    lock.unlock();  // if memory runs out, `shared_ptr` calls the deleter, which locks
    return {shared_.get(), [shared = shared_, place](const void* /*nothing*/) {
              const std::scoped_lock held{shared->mutex};
              shared->all.erase(place);
            }};
  }

  void call(std::string_view bare_site) const {
    const std::scoped_lock lock{shared_->mutex};
    for (const listener& on_denied : shared_->all) {
      try {
        on_denied(bare_site);
      } catch (...) {
        continue;  // the ruling applies anyway
      }
    }
  }

 private:
  struct shared_list {
    std::mutex mutex;
    std::list<listener> all;
  };

  const std::shared_ptr<shared_list> shared_ = std::make_shared<shared_list>();
};

/// Counts the malformed files of each site. If there are too many sites, the site that has had no
/// malformed file for the longest time loses its count.
class malformed_counts {
 public:
  explicit malformed_counts(std::size_t most_sites) : sites_{most_sites} {}

  [[nodiscard]] int add(std::string_view key) {
    // A full table forgets the site for which `needed_until` returns the latest time: the site with
    // the smallest `note`. The times have no other meaning.
    const auto needed_until = [](const malformed_files& noted) {
      return (time_point::max)() - time_point::duration{1 + noted.note};
    };
    malformed_files* const noted = sites_.find_or_add(key, {}, needed_until, time_point{});
    if (noted == nullptr) {
      return 0;
    }
    noted->note = ++notes_;
    sites_.forget_after(*noted, needed_until(*noted));
    return ++noted->count;
  }

  void erase(std::string_view key) { sites_.erase(key); }

 private:
  struct malformed_files {
    int count = 0;
    std::int64_t note = 0;  // the number of the last malformed file, counted over all sites
  };

  base::site_table<malformed_files> sites_;
  std::int64_t notes_ = 0;
};

}  // namespace robots::rulings_detail
