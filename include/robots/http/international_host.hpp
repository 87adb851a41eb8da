#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/utf8.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// A host name outside ASCII, in UTF-8 or percent-encoded, has an ASCII form (RFC 5890). The rules
// for it need large tables, so the core does not have them. `parse_site` asks the function that
// `set_host_to_ascii` has set. All names of sites come from `parse_site`: URLs, the targets of
// redirects, excluded hosts, rulings.
//
//     "http://b%C3%BCcher.example/"  --decoded-->  host in UTF-8  --host_to_ascii-->
//     "xn--bcher-kva.example"  --checked like any host-->  site::host

namespace robots {

/// A function that returns the ASCII form of a host name, such as `xn--bcher-kva.example`, or an
/// empty optional if there is none. `host` is UTF-8, with at least one octet outside ASCII. Any
/// thread may call the function at any time.
using host_to_ascii = std::optional<std::string> (*)(std::string_view host);

namespace http_detail {

inline std::atomic<host_to_ascii> host_to_ascii_in_use{nullptr};

[[nodiscard]] constexpr bool is_outside_ascii(char c) noexcept {
  return static_cast<unsigned char>(c) >= 0x80;
}

/// Returns true if `host` has an octet outside ASCII, also if the octet is percent-encoded.
[[nodiscard]] constexpr bool is_international(std::string_view host) noexcept {
  for (std::size_t i = 0; i < host.size(); ++i) {
    if (is_outside_ascii(host[i]) || base::percent_octet(host.substr(i)) >= 0x80) {
      return true;
    }
  }
  return false;
}

/// Returns the ASCII form of a host outside ASCII. Returns an empty optional if no function is set,
/// or the name has no such form. The result is not checked, except that it is ASCII and no IP
/// address in brackets, and has no `%`.
[[nodiscard]] inline std::optional<std::string> ascii_form(std::string_view host) {
  const host_to_ascii convert = host_to_ascii_in_use.load(std::memory_order_acquire);
  constexpr std::size_t most = 3'036;  // 253 characters of four octets, each as `%XX`
  if (convert == nullptr || host.size() > most) {
    return std::nullopt;
  }
  std::string decoded;
  for (std::size_t i = 0; i < host.size(); ++i) {
    if (host[i] != '%') {
      decoded += host[i];
      continue;
    }
    const int octet = base::percent_octet(host.substr(i));
    if (octet < 0) {
      return std::nullopt;
    }
    decoded += static_cast<char>(octet);
    i += 2;
  }
  std::optional<std::string> ascii = base::is_utf8(decoded) ? convert(decoded) : std::nullopt;
  const bool is_usable =
      ascii && std::none_of(ascii->begin(), ascii->end(), [](char c) {
        return is_outside_ascii(c) || std::string_view{"%[]:"}.find(c) != std::string_view::npos;
      });
  return is_usable ? std::move(ascii) : std::nullopt;
}

}  // namespace http_detail

/// Makes all functions that read a site accept host names outside ASCII, in this process. `convert`
/// makes their ASCII form; null refuses such names again, as at the start of the program. Call this
/// function before you make caches and gates. The adapter `robots::idn` has such a function.
inline void set_host_to_ascii(host_to_ascii convert) noexcept {
  http_detail::host_to_ascii_in_use.store(convert, std::memory_order_release);
}

}  // namespace robots
