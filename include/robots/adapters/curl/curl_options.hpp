#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace robots {

/// Settings of all fetchers over libcurl.
///
/// No option changes the treatment of redirects, cookies and schemes, or turns off the check of
/// certificates, since a `Fetcher` has fixed rules.
struct curl_options {
  /// The maximum time for name lookup, TCP and TLS together. After that time, the error is
  /// `fetch_error::connect`. The time must be above 0.
  std::chrono::milliseconds connect_timeout{10'000};

  /// A PEM file of trusted certificates. If this or `ca_path` is set, no other certificates are
  /// trusted. If neither is set, the certificates in libcurl's own file are trusted, or those in
  /// libcurl's own folder if there is no such file.
  std::string ca_file{};

  /// A folder of trusted certificates, prepared with `openssl rehash`.
  std::string ca_path{};

  /// The proxy for every request, as `[scheme://]host[:port]`; an empty text means no proxy. If
  /// this option has no value, the environment decides (`http_proxy`, `https_proxy`, `no_proxy`),
  /// as for all programs with libcurl.
  std::optional<std::string> proxy{};

  /// Servers that replace other servers. With `HOST1:PORT1:HOST2:PORT2`, connections to
  /// `HOST1:PORT1` go to `HOST2:PORT2`, and the Host header and the certificate keep the name
  /// `HOST1`. This option is for tests and intranets.
  std::vector<std::string> connect_to{};

  /// Addresses (`127.0.0.1`, `::1`) and prefixes (`10.0.0.0/8`) that the fetcher may connect to,
  /// besides the addresses of the public internet. For tests and intranets; see `address_guard`.
  ///
  /// The guard checks the address of each connection, after names were resolved and `connect_to`
  /// was applied. For an address that is not permitted, the error is
  /// `fetch_error::refused_address`. If a name has several addresses, the fetcher tries only the
  /// permitted ones. If no connection to a permitted address succeeds, the response has the error
  /// of the connection.
  ///
  /// The server in `proxy` may have any address. A proxy from the environment needs a permitted
  /// address, since libcurl does not say which connections go to that proxy. Through a proxy, the
  /// fetcher cannot check the addresses of a host name, since the proxy connects to the site.
  /// Behind a proxy, the fetcher still checks hosts that are an address or `localhost`. This check
  /// uses the host of the URL, even if `connect_to` names another host.
  std::vector<std::string> allowed_addresses{};

  /// If false, the fetcher may connect to every address.
  bool guard_addresses = true;

  /// If true, keeps connections and addresses of hosts for later requests. Set this option to fetch
  /// many pages of few hosts. If each host gets only one request, kept connections have no use and
  /// make requests slower.
  bool keep_connections = false;

  /// The maximum number of idle handles to keep, each with its open connections.
  std::size_t max_idle_handles = 64;

  /// The maximum number of open connections of a `curl_multi_fetcher` or `AsioCurlFetcher`,
  /// including idle connections; 0 means no limit. At most this number of exchanges run at once.
  /// Further exchanges wait in order, and the timeout of an exchange starts when the exchange
  /// begins. The other fetchers make one exchange at a time for each thread that calls them.
  std::size_t max_connections = 256;

  /// The maximum size of the headers in one exchange, in octets. For larger headers, the error is
  /// `fetch_error::protocol`. The limit must be above 0.
  std::size_t max_header_bytes = std::size_t{64} * 1024;
};

}  // namespace robots
