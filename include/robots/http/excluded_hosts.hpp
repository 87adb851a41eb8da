#pragma once

#include <robots/base/text_hash.hpp>
#include <robots/http/detail/host_name.hpp>
#include <robots/http/tld.hpp>

#include <boost/unordered/unordered_flat_set.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
      lengths_ |= length_bit(*name);
    }
  }

  /// Whether `host`, in lower case as in `site::host`, or one of its parent domains is excluded.
  /// Linear in the host, whatever the number of entries; never allocates.
  [[nodiscard]] bool contains(std::string_view host) const noexcept {
    if (names_.empty()) {
      return false;
    }
    for (;;) {
      if ((lengths_ & length_bit(host)) != 0 && names_.find(host) != names_.end()) {
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
  /// Names of 63 octets and more share a bit.
  [[nodiscard]] static constexpr std::uint64_t length_bit(std::string_view name) noexcept {
    return std::uint64_t{1} << std::min<std::size_t>(name.size(), 63);
  }

  std::uint64_t lengths_ = 0;  // of the names, so that few of a host's suffixes are looked up
  boost::unordered_flat_set<std::string, detail::text_hash, std::equal_to<>> names_;
};

}  // namespace robots
