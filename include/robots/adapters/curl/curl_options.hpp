#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace robots {

/// Settings of `CurlFetcher` and `CprFetcher`, in curl's own words where curl has them.
///
/// There is no switch for redirects, cookies, other schemes than http and https, or the check of
/// certificates: a `Fetcher` has fixed rules for these.
struct curl_options {
  /// For name, TCP and TLS together; when it runs out the error is `fetch_error::connect`. Above 0.
  std::chrono::milliseconds connect_timeout{10'000};

  /// PEM file of the certificates to trust. With this or `ca_path` set, nothing else is trusted;
  /// with neither, libcurl's own file of certificates is, or its folder if it has no file.
  std::string ca_file{};

  /// Folder of certificates to trust, prepared with `openssl rehash`.
  std::string ca_path{};

  /// Proxy as `[scheme://]host[:port]` for every request; empty means none. Without a value the
  /// environment decides (`http_proxy`, `https_proxy`, `no_proxy`), as for all programs on libcurl.
  std::optional<std::string> proxy{};

  /// Other targets for connections: `HOST1:PORT1:HOST2:PORT2` redirects connections for the first
  /// pair to the second, under the first one's name. Made for tests and intranets.
  std::vector<std::string> connect_to{};

  /// Addresses (`127.0.0.1`, `::1`) and prefixes (`10.0.0.0/8`) that may be reached beside those of
  /// the internet, for tests and intranets; see `address_guard`.
  ///
  /// The guard checks the address that a connection is opened to, each time and after all names
  /// were resolved and `connect_to` was followed; any other is `fetch_error::refused_address`. When
  /// a name has several addresses, those that are permitted are tried; if none of these can be
  /// reached, that is the error.
  ///
  /// The address of `proxy` need not be permitted. That of a proxy from the environment has to be,
  /// since libcurl does not tell which connections go to it. Behind a proxy no connection to the
  /// site is opened here, so the addresses of a name are not guarded; an address in a URL is, and
  /// so is `localhost`. Where the environment names a proxy, an address in a URL has to be
  /// permitted even if `connect_to` leads elsewhere.
  std::vector<std::string> allowed_addresses{};

  /// Off, every address may be reached.
  bool guard_addresses = true;

  /// Keeps connections and addresses of hosts for later requests. Set it to fetch many pages of few
  /// hosts. One robots.txt of each of many sites gains nothing from it, while each request costs
  /// more the more of them libcurl keeps.
  bool keep_connections = false;

  /// Handles, each with the connections that it keeps open, that are kept while no call uses them.
  std::size_t max_idle_handles = 64;

  /// Most octets of header section in one exchange; more is `fetch_error::protocol`. Above 0.
  std::size_t max_header_bytes = std::size_t{64} * 1024;
};

/// Settings of `curl_multi_fetcher` and `AsioCurlFetcher`.
struct curl_multi_options {
  /// The settings of every exchange. `max_idle_handles` is the number of handles that are kept for
  /// later exchanges.
  curl_options curl{};

  /// Most connections open at once, those kept for later included; 0 means no limit. This is also
  /// the limit of exchanges at once: a further one waits in order, and its timeout starts when it
  /// begins.
  std::size_t max_connections = 256;

  /// Most exchanges at once with the host and port of a URL; 0 means no limit. A further one waits,
  /// and lets those of other hosts begin before it. Its timeout starts when it begins.
  std::size_t max_host_connections = 0;
};

}  // namespace robots
