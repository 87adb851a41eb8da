// Certificates for test servers, made on the spot.
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

/// When a certificate is good, in seconds from now.
struct validity {
  long from = -3600;
  long until = 24 * 3600;
};

/// A day that is over.
inline constexpr validity expired{.from = -48 * 3600, .until = -24 * 3600};

/// A day that is to come.
inline constexpr validity not_yet_valid{.from = 24 * 3600, .until = 48 * 3600};

/// A certificate authority that nobody knows, with EC P-256 keys. Its files live in a temporary
/// folder that goes with it.
class certificate_authority {
 public:
  certificate_authority();
  certificate_authority(certificate_authority&&) noexcept;
  certificate_authority& operator=(certificate_authority&&) noexcept;
  ~certificate_authority();

  /// PEM file of the authority's certificate, which a client must trust.
  [[nodiscard]] const std::string& ca_file() const noexcept;

  /// A certificate for a server, or a client, of `names`: host names, with `*.` in front if wanted,
  /// and IP addresses. Not from several threads at once.
  [[nodiscard]] certificate issue(const std::vector<std::string>& names, validity when = {});

  /// A server's certificate for which nobody vouches but itself. Not from several threads at once.
  [[nodiscard]] certificate self_signed(const std::vector<std::string>& names);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace robots::test
