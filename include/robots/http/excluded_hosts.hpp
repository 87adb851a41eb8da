#pragma once

#include <robots/http/detail/host_name.hpp>
#include <robots/http/detail/text_hash.hpp>
#include <robots/http/tld.hpp>

#include <boost/unordered/unordered_flat_set.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace robots {

/// A set of hosts that must not be fetched: top-level domains, suffixes and hosts, as
/// `should_skip_by_tld` reads them, made for lists of any length.
class excluded_hosts {
 public:
  /// Excludes nothing.
  excluded_hosts() = default;

  /// Throws `std::invalid_argument` for an entry that could never exclude anything, such as one
  /// with a blank in it: an exclusion that is silently ignored is worse than none.
  explicit excluded_hosts(std::span<const std::string> entries) {
    for (const std::string& entry : entries) {
      const std::optional<std::string> name = detail::normal_host(detail::excluded_name(entry));
      if (!name || std::ranges::any_of(*name, detail::is_sub_delim)) {
        throw std::invalid_argument{"excluded: \"" + entry +
                                    "\" is no host name; write \"gov\", \"gov.uk\" or "
                                    "\"example.com\", outside ASCII in its xn-- form"};
      }
      names_.insert(*name);
    }
  }

  /// Whether `host`, in lower case as in `site::host`, or one of its parent domains is excluded.
  /// Linear in the host, whatever the number of entries; never allocates.
  [[nodiscard]] bool contains(std::string_view host) const noexcept {
    if (names_.empty()) {
      return false;
    }
    for (;;) {
      if (names_.find(host) != names_.end()) {
        return true;
      }
      const auto dot = host.find('.');
      if (dot == std::string_view::npos || host.starts_with('[')) {
        return false;
      }
      host.remove_prefix(dot + 1);
    }
  }

  /// Whether nothing is excluded.
  [[nodiscard]] bool empty() const noexcept { return names_.empty(); }

 private:
  boost::unordered_flat_set<std::string, detail::text_hash, std::equal_to<>> names_;
};

}  // namespace robots
