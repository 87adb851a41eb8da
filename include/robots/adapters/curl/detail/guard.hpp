#pragma once

#include <robots/adapters/curl/detail/settings.hpp>
#include <robots/base/ascii.hpp>
#include <robots/http/address_guard.hpp>
#include <robots/http/ip_address.hpp>
#include <robots/http/message.hpp>

#include <curl/curl.h>
#ifndef _WIN32
#include <netinet/in.h>
#include <sys/socket.h>
#endif

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace robots::adapters_detail {

/// Returns the IP address in `socket`, or an empty optional for another family of addresses.
[[nodiscard]] inline std::optional<detail::ip_address> address_in(const sockaddr& socket) noexcept {
  const auto octets_of = [](auto octets, const void* address) {
    std::memcpy(octets.data(), address, octets.size());
    return detail::ip_address(octets);
  };
  if (socket.sa_family == AF_INET) {
    return octets_of(std::array<std::uint8_t, 4>{},
                     &reinterpret_cast<const sockaddr_in*>(&socket)->sin_addr);
  }
  if (socket.sa_family == AF_INET6) {
    return octets_of(std::array<std::uint8_t, 16>{},
                     &reinterpret_cast<const sockaddr_in6*>(&socket)->sin6_addr);
  }
  return std::nullopt;
}

/// Returns the reason why a request to `host` must not go through a proxy, or an empty optional if
/// it may. If `host` is an address or `localhost` (RFC 6761, section 6.3), `guard` decides. Refuses
/// any other host whose last label is a number, since a proxy can read such a host as an address.
/// Refuses a host with characters outside ASCII, since this library does not convert it to ASCII.
[[nodiscard]] inline std::optional<std::string> why_not_by_proxy(const address_guard& guard,
                                                                 std::string_view host) {
  while (host.ends_with('.')) {
    host.remove_suffix(1);
  }
  std::string name;
  for (const char c : host) {
    name += base::to_lower(c);
  }
  const bool local = name == "localhost" || name.ends_with(".localhost");
  if (const auto address = detail::parse_ip_address(local ? std::string_view{"127.0.0.1"} : name)) {
    return guard.permits(*address) ? std::nullopt
                                   : std::optional((local ? name : to_string(*address)) + " (" +
                                                   std::string(detail::kind_of(*address)) + ')');
  }
  const bool ascii =
      std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return !ascii || (!name.empty() && detail::ends_in_number(name))
             ? std::optional(name + ", which may stand for any address,")
             : std::nullopt;
}

inline constexpr std::string_view not_allowed = " is not in curl_options::allowed_addresses";

/// Returns the error if a request for `url` must not go through a proxy, or else an empty optional.
[[nodiscard]] inline std::optional<fetch_response> refusal_by_proxy(const std::string& url,
                                                                    const curl_settings& settings) {
  if (settings.guard().permits_all() || settings.next_proxy() == proxy_use::never) {
    return std::nullopt;
  }
  const auto reason = why_not_by_proxy(settings.guard(), host_of(url, CURLU_DISALLOW_USER));
  return reason ? std::optional(
                      failed(fetch_error::refused_address, *reason + std::string(not_allowed)))
                : std::nullopt;
}

/// Checks each address before libcurl opens a socket for an exchange. This object must outlive the
/// transfer and must not move.
class curl_guard {
 public:
  curl_guard(CURL* easy, const curl_settings& settings)
      : settings_(&settings), proxy_(settings.next_proxy()) {
    set_option(
        easy, CURLOPT_PREREQFUNCTION, +[](void* self, char* peer, char*, int, int) noexcept {
          const bool permitted = static_cast<curl_guard*>(self)->may_use_connection_to(peer);
          return permitted ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
        });
    set_option(easy, CURLOPT_PREREQDATA, static_cast<void*>(this));
    set_option(
        easy, CURLOPT_OPENSOCKETFUNCTION,
        +[](void* self, curlsocktype, curl_sockaddr* address) noexcept {
          return static_cast<curl_guard*>(self)->open(*address);
        });
    set_option(easy, CURLOPT_OPENSOCKETDATA, static_cast<void*>(this));
  }
  curl_guard(const curl_guard&) = delete;
  curl_guard& operator=(const curl_guard&) = delete;

  [[nodiscard]] proxy_use proxy() const noexcept { return proxy_; }

  /// Returns `fetch_error::refused_address` if the guard refused all addresses, or refused to reuse
  /// a connection. Otherwise returns `failure`. The message also names the first refused address,
  /// if there is one.
  [[nodiscard]] fetch_response judge(fetch_response failure) const {
    if (refused_ == 0 || (failure.error == fetch_error::cancelled && !on_other_connection_)) {
      return failure;
    }
    std::string why = "an address outside IP";
    if (first_refused_) {
      why = to_string(*first_refused_) + " (" + std::string(detail::kind_of(*first_refused_)) + ')';
    }
    why += not_allowed;
    if (opened_ == 0 || on_other_connection_) {
      return failed(fetch_error::refused_address, std::move(why));
    }
    failure.error_text += "; " + why;
    return failure;
  }

 private:
  [[nodiscard]] curl_socket_t open(const curl_sockaddr& address) noexcept {
    if (!permits(address_in(address.addr))) {
      return CURL_SOCKET_BAD;
    }
    ++opened_;
    int type = address.socktype;
#ifdef SOCK_CLOEXEC
    type |= SOCK_CLOEXEC;
#endif
    return ::socket(address.family, type, address.protocol);
  }

  /// Returns true if the exchange may use an open connection to the address `peer`. Sessions of cpr
  /// can share connections, so other code can have opened this connection without a guard.
  [[nodiscard]] bool may_use_connection_to(const char* peer) noexcept {
    const bool permitted = permits(detail::parse_ip_address(peer == nullptr ? "" : peer));
    on_other_connection_ = !permitted;
    return permitted;
  }

  [[nodiscard]] bool permits(const std::optional<detail::ip_address>& address) noexcept {
    // libcurl does not say whether an address belongs to a proxy. So the address of a proxy from
    // the environment or a cpr session must be permitted.
    if (proxy_ == proxy_use::always || settings_->guard().permits_all() ||
        (address && settings_->guard().permits(*address))) {
      return true;
    }
    if (refused_++ == 0) {
      first_refused_ = address;
    }
    return false;
  }

  const curl_settings* settings_;
  proxy_use proxy_;
  bool on_other_connection_ = false;
  unsigned opened_ = 0;
  unsigned refused_ = 0;
  std::optional<detail::ip_address> first_refused_;
};

}  // namespace robots::adapters_detail
