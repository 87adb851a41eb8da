#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace robots {

/// Settings of all fetchers over libcurl, with curl's names if curl has them.
///
/// Redirects, cookies, other schemes than http and https, and the check of certificates cannot be
/// set: a `Fetcher` has fixed rules for them.
struct curl_options {
  /// The time for name lookup, TCP and TLS together. After it, the error is `fetch_error::connect`.
  /// Above 0.
  std::chrono::milliseconds connect_timeout{10'000};

  /// A PEM file of trusted certificates. If this or `ca_path` is set, nothing else is trusted. If
  /// neither is set, libcurl's own file of certificates is trusted, or its folder if it has no
  /// file.
  std::string ca_file{};

  /// A folder of trusted certificates, prepared with `openssl rehash`.
  std::string ca_path{};

  /// The proxy for every request, as `[scheme://]host[:port]`; an empty text means no proxy.
  /// Without a value, the environment decides (`http_proxy`, `https_proxy`, `no_proxy`), as for all
  /// programs with libcurl.
  std::optional<std::string> proxy{};

  /// Other servers for some hosts. With `HOST1:PORT1:HOST2:PORT2`, connections to `HOST1:PORT1` go
  /// to `HOST2:PORT2`, and the Host header and the certificate keep the name `HOST1`. For tests and
  /// intranets.
  std::vector<std::string> connect_to{};

  /// Addresses (`127.0.0.1`, `::1`) and prefixes (`10.0.0.0/8`) that may be reached besides those
  /// of the internet, for tests and intranets; see `address_guard`.
  ///
  /// The guard checks the address of each connection, after names were resolved and `connect_to`
  /// was applied. Any other address is `fetch_error::refused_address`. If a name has several
  /// addresses, the permitted ones are tried. If none of these can be reached, that is the error.
  ///
  /// The address of `proxy` need not be permitted. The address of a proxy from the environment must
  /// be, since libcurl does not say which connections go to it. Behind a proxy, no connection to
  /// the site is opened here, so the addresses of a name are not checked. An address in a URL is
  /// checked, and so is `localhost`. If the environment names a proxy, an address in a URL must be
  /// permitted even if `connect_to` leads elsewhere.
  std::vector<std::string> allowed_addresses{};

  /// If false, the fetcher may connect to every address.
  bool guard_addresses = true;

  /// Keeps connections and addresses of hosts for later requests. Set it to fetch many pages of few
  /// hosts. For one robots.txt from each of many sites, it has no advantage, and every connection
  /// that libcurl keeps makes requests slower.
  bool keep_connections = false;

  /// The most idle handles to keep for later exchanges, each with its open connections.
  std::size_t max_idle_handles = 64;

  /// The most open connections of a `curl_multi_fetcher` or `AsioCurlFetcher`, including idle ones;
  /// 0 means no limit. It also limits the exchanges at once. Further exchanges wait in order, and
  /// their timeout starts when they begin. The other fetchers make one exchange at a time for each
  /// thread that calls them.
  std::size_t max_connections = 256;

  /// The most octets of headers in one exchange; more is `fetch_error::protocol`. Above 0.
  std::size_t max_header_bytes = std::size_t{64} * 1024;
};

}  // namespace robots
