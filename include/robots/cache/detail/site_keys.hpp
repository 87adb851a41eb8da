#pragma once

#include <robots/http/site.hpp>
#include <robots/policy/site_names.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::cache_detail {

/// A site with the keys of its entries and of its flight. A look-up makes the keys once for each
/// site that it asks; they travel with it through the flight to the storage and the shared store.
///
///     https://a.com   names: https://a.com, a.com                   flight: a.com
///     a.com           names: a.com, https://a.com, http://a.com     flight: a.com
///     http://a.com    names: http://a.com, a.com                    flight: http://a.com
class site_keys {
 public:
  /// One of the names under which the rules of a site can be stored.
  struct name {
    robots::site site;
    std::string key;
  };

  explicit site_keys(const site& asked) {
    std::vector<site> all = policy_detail::names_of(asked);
    names_.reserve(all.size());
    for (site& named : all) {
      std::string key = named.key();
      names_.push_back({std::move(named), std::move(key)});
    }
  }

  [[nodiscard]] const site& named_site() const noexcept { return names_[0].site; }
  [[nodiscard]] const std::string& key() const noexcept { return names_[0].key; }

  /// The host if the site is an origin, or the https origin if the site is a host.
  [[nodiscard]] const name& counterpart() const noexcept { return names_[1]; }

  /// All names: first the site itself, then its counterpart.
  [[nodiscard]] const std::vector<name>& names() const noexcept { return names_; }

  /// The same as `policy_detail::flight_key`.
  [[nodiscard]] std::string_view flight_key() const noexcept {
    return named_site().scheme == url_scheme::https ? counterpart().key : key();
  }

 private:
  std::vector<name> names_;  // two or three
};

/// Parses a URL, a host or `host:port`. Returns null if the text names no site.
[[nodiscard]] inline std::shared_ptr<const site_keys> keys_of(std::string_view host_or_url) {
  const std::optional<site> asked = parse_site(host_or_url);
  return asked ? std::make_shared<const site_keys>(*asked) : nullptr;
}

}  // namespace robots::cache_detail
