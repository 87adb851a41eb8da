#pragma once

#include <robots/http/address_kind.hpp>
#include <robots/http/ip_address.hpp>
#include <robots/http/ip_prefix.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace robots {

/// Decides to which addresses a fetcher may connect, so that a site cannot send the crawler to
/// addresses inside your network (server-side request forgery). Permits addresses of the internet,
/// and addresses on your list. The guard does not know your network, so it permits this machine's
/// global addresses, and every address with the global prefix of your own NAT64.
///
/// Check the address of each connection after the name is resolved, since a name can resolve to
/// another address later.
class address_guard {
 public:
  /// Permits only global addresses.
  address_guard() = default;

  /// Also permits the entries of `allowed`, which are addresses (`127.0.0.1`, `::1`) and prefixes
  /// (`10.0.0.0/8`, `fd00::/8`). An IPv4 entry also permits its IPv4-mapped IPv6 form. An IPv6
  /// prefix of fewer than 96 bits, such as `::/0`, permits no IPv4 address. Throws
  /// `std::invalid_argument` for any other text, and if bits after a prefix are set (`10.1.2.3/8`).
  explicit address_guard(std::span<const std::string> allowed) {
    for (const std::string& text : allowed) {
      const std::optional<detail::ip_prefix> prefix = detail::parse_ip_prefix(text);
      if (!prefix) {
        throw std::invalid_argument("\"" + text +
                                    "\" is neither an IP address nor an address prefix; write "
                                    "\"127.0.0.1\", \"::1\", \"10.0.0.0/8\" or \"fd00::/8\"");
      }
      const detail::ip_address& first = prefix->first();
      if (detail::parse_ip_address(std::string_view(text).substr(0, text.find('/'))) != first) {
        throw std::invalid_argument(
            "\"" + text + "\" is not the first address of its prefix; write \"" + to_string(first) +
            '/' + std::to_string(prefix->length()) + "\", or the address alone");
      }
      allowed_.push_back(*prefix);
    }
  }

  /// Permits every address.
  [[nodiscard]] static address_guard none() noexcept {
    address_guard open;
    open.open_ = true;
    return open;
  }

  /// Returns true if every address is permitted.
  [[nodiscard]] bool permits_all() const noexcept { return open_; }

  /// Returns true if an address such as `192.0.2.1` or `2001:db8::1`, with or without brackets, is
  /// permitted. For any other text, returns `permits_all()`. Any thread may call this function.
  [[nodiscard]] bool permits(std::string_view address) const noexcept {
    const std::optional<detail::ip_address> parsed = detail::parse_ip_address(address);
    return parsed ? permits(*parsed) : open_;
  }

  /// Does the same for a parsed address.
  [[nodiscard]] bool permits(const detail::ip_address& address) const noexcept {
    return open_ || detail::kind_of(address) == "global" ||
           std::any_of(allowed_.begin(), allowed_.end(),
                       [&](const detail::ip_prefix& prefix) { return prefix.contains(address); });
  }

 private:
  std::vector<detail::ip_prefix> allowed_;
  bool open_ = false;
};

}  // namespace robots
