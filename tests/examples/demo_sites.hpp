// The sites of the demo: servers on this machine with the names of the sites.
#pragma once

#include "support/certificate_authority.hpp"
#include "support/loopback_server.hpp"
#include "support/raw_server.hpp"

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace robots::demo {

/// One HTTPS and one HTTP server that answer for a few hosts. They start with this object and end
/// with it.
class demo_sites {
 public:
  demo_sites();

  /// Returns the PEM file of the certificates that a client must trust.
  [[nodiscard]] const std::string& ca_file() const noexcept { return authority_.ca_file(); }

  /// Returns the map from the names to the servers, as for `--connect-to`.
  [[nodiscard]] std::vector<std::string> connect_to() const;

  /// Returns the number of requests for a host.
  [[nodiscard]] std::size_t requests(const std::string& host) const;

 private:
  [[nodiscard]] test::loopback_reply answer(const test::loopback_request& request);

  test::certificate_authority authority_;
  mutable std::mutex mutex_;
  std::map<std::string, std::size_t> requests_;
  test::closed_port closed_;
  test::loopback_server http_;
  test::loopback_server https_;
  test::gate& never_;
};

}  // namespace robots::demo
