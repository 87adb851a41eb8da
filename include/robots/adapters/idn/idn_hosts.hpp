#pragma once

#include <robots/http/international_host.hpp>

#include <idn2.h>

#include <optional>
#include <string>
#include <string_view>

namespace robots {

/// Returns the ASCII form of a host name in UTF-8, such as `xn--bcher-kva.example`, by libidn2:
/// IDNA 2008 after the mapping of Unicode TR46, as browsers do. So upper case and full-width
/// letters are accepted, too. Returns an empty optional if the name has no ASCII form, for example
/// because of a symbol. Any thread may call this function.
[[nodiscard]] inline std::optional<std::string> idn_to_ascii(std::string_view host) {
  if (host.find('\0') != std::string_view::npos) {
    return std::nullopt;
  }
  char* found = nullptr;
  const int result =
      idn2_to_ascii_8z(std::string{host}.c_str(), &found, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
  if (result != IDN2_OK || found == nullptr) {
    return std::nullopt;
  }
  std::optional<std::string> ascii{found};
  idn2_free(found);
  return ascii;
}

/// Makes this process accept international host names in URLs, in the `Location` of redirects, and
/// in lists of hosts. Call this function once, before you make caches and gates.
inline void use_idn() noexcept { set_host_to_ascii(&idn_to_ascii); }

}  // namespace robots
