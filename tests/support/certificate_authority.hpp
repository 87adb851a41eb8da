// Makes certificates for test servers.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace robots::test {

/// The files of a TLS server: paths of PEM files.
struct certificate {
  std::string certificate_file;
  std::string key_file;
};

/// The validity of a certificate, in seconds from now.
struct validity {
  long from = -3600;
  long until = 24 * 3600;
};

/// Ended yesterday.
inline constexpr validity expired{.from = -48 * 3600, .until = -24 * 3600};

/// Starts tomorrow.
inline constexpr validity not_yet_valid{.from = 24 * 3600, .until = 48 * 3600};

/// A certificate authority that no client trusts by default, with EC P-256 keys. Its files are in a
/// temporary folder, which the destructor removes.
class certificate_authority {
 public:
  certificate_authority();
  certificate_authority(certificate_authority&&) noexcept;
  certificate_authority& operator=(certificate_authority&&) noexcept;
  ~certificate_authority();

  /// PEM file of the authority's certificate, which a client must trust.
  [[nodiscard]] const std::string& ca_file() const noexcept;

  /// Makes a certificate of a server or client. `names` has IP addresses and host names, which can
  /// begin with `*.`. Only one thread at a time may call it.
  [[nodiscard]] certificate issue(const std::vector<std::string>& names, validity when = {});

  /// Makes a self-signed certificate of a server. Only one thread at a time may call it.
  [[nodiscard]] certificate self_signed(const std::vector<std::string>& names);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace robots::test
