#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/decimal.hpp>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace robots::adapters_detail {

/// The address of a server: a host and a port, or the path of a socket and port 0.
struct redis_address {
  std::string host;
  std::uint16_t port = 0;

  friend auto operator<=>(const redis_address&, const redis_address&) = default;
};

[[nodiscard]] inline std::string to_string(const redis_address& address) {
  return address.port == 0 ? address.host : address.host + ':' + std::to_string(address.port);
}

enum class redis_topology : std::uint8_t { single, cluster, sentinel };

struct redis_endpoint {
  redis_topology topology = redis_topology::single;
  bool tls = false;
  std::vector<redis_address> servers;  ///< one server, some nodes, or the Sentinels; at least one
  std::string user;
  std::optional<std::string> password;
  std::uint64_t database = 0;
  std::string master;  ///< the name of the master, for Sentinels
};

/// Throws `std::invalid_argument`. The message gives advice, but does not repeat the URL, which can
/// contain a password.
[[noreturn]] inline void refuse_redis_url(const std::string& why) {
  throw std::invalid_argument{"redis_options: url is not valid: " + why +
                              "; write redis://[user[:password]@]host[:port][/database], and other "
                              "octets than letters and digits of user and password as %XX"};
}

[[nodiscard]] inline std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const int octet = base::percent_octet(text.substr(i));
    if (octet < 0) {
      refuse_redis_url("two hexadecimal digits must follow each %");
    }
    decoded += static_cast<char>(octet);
    i += 2;
  }
  return decoded;
}

[[nodiscard]] inline std::uint64_t redis_database(std::string_view text) {
  const auto number = base::parse_decimal(text.empty() ? "0" : text);
  if (!number) {
    refuse_redis_url("the database must be a number");
  }
  return *number;
}

/// Decodes a host or the path of a socket. Refuses an empty text, and a text with a NUL, since the
/// system would ignore the text after the NUL.
[[nodiscard]] inline std::string redis_host(std::string_view text) {
  std::string host = percent_decoded(text);
  if (host.empty() || host.find('\0') != std::string::npos) {
    refuse_redis_url("a host or path is missing, or has a NUL");
  }
  return host;
}

/// Reads a port from 1 to 65535. Returns an empty optional for any other text.
[[nodiscard]] inline std::optional<std::uint16_t> redis_port(std::string_view text) {
  constexpr std::uint64_t past_last = 65'536;
  const std::uint64_t port = base::parse_decimal(text, past_last).value_or(0);
  return port == 0 || port == past_last ? std::nullopt
                                        : std::optional{static_cast<std::uint16_t>(port)};
}

/// Reads `host[:port]`; without a port, the result has `usual_port`. An IPv6 address has brackets.
[[nodiscard]] inline redis_address parse_redis_address(std::string_view text,
                                                       std::uint16_t usual_port) {
  const bool bracketed = text.starts_with('[') && text.find(']') != std::string_view::npos;
  const std::size_t end = bracketed ? text.find(']') + 1 : (std::min)(text.find(':'), text.size());
  const std::string_view host = bracketed ? text.substr(1, end - 2) : text.substr(0, end);
  const std::string_view rest = text.substr(end);
  const auto port = rest.empty()            ? std::optional{usual_port}
                    : rest.starts_with(':') ? redis_port(rest.substr(1))
                                            : std::nullopt;
  if (!port) {
    refuse_redis_url("a port must be a number from 1 to 65535");
  }
  return {redis_host(host), *port};
}

/// Removes from `text` everything up to the first `separator`, or everything if there is none.
/// Returns the removed text without the separator.
[[nodiscard]] inline std::string_view take_until(std::string_view& text, char separator) {
  const std::string_view taken = text.substr(0, text.find(separator));
  text.remove_prefix(taken.size() == text.size() ? taken.size() : taken.size() + 1);
  return taken;
}

/// Reads the scheme, the text before `://`.
inline void read_redis_scheme(redis_endpoint& endpoint, std::string_view scheme) {
  if (scheme == "redis+cluster" || scheme == "rediss+cluster") {
    endpoint.topology = redis_topology::cluster;
  } else if (scheme == "redis+sentinel" || scheme == "rediss+sentinel") {
    endpoint.topology = redis_topology::sentinel;
  } else if (scheme != "redis" && scheme != "rediss" && scheme != "unix") {
    refuse_redis_url("it must begin with redis://, unix://, redis+cluster:// or redis+sentinel://");
  }
  endpoint.tls = scheme.starts_with("rediss");
}

/// Reads `host[:port][,host[:port]...][/database]`.
inline void read_redis_place(redis_endpoint& endpoint, std::string_view place) {
  const std::uint16_t usual_port = endpoint.topology == redis_topology::sentinel ? 26'379 : 6'379;
  std::string_view hosts = take_until(place, '/');
  do {
    endpoint.servers.push_back(parse_redis_address(take_until(hosts, ','), usual_port));
  } while (!hosts.empty());
  endpoint.database = redis_database(place);
  if (endpoint.servers.size() > 1 && endpoint.topology == redis_topology::single) {
    refuse_redis_url("several hosts are for redis+cluster:// and redis+sentinel://");
  }
}

/// Reads `db=database` and `master=name`, separated by `&`.
inline void read_redis_query(redis_endpoint& endpoint, std::string_view query) {
  while (!query.empty()) {
    std::string_view value = take_until(query, '&');
    const std::string_view name = take_until(value, '=');
    if (name == "db") {
      endpoint.database = redis_database(value);
    } else if (name == "master" && endpoint.topology == redis_topology::sentinel) {
      endpoint.master = percent_decoded(value);
    } else {
      refuse_redis_url("after ? it may have db=NUMBER, and master=NAME for Sentinels");
    }
  }
  if (endpoint.topology == redis_topology::sentinel && endpoint.master.empty()) {
    refuse_redis_url("?master=NAME must name the master that the Sentinels watch");
  }
}

/// Reads the URL in `redis_options::url`. Throws `std::invalid_argument` if the text is not such a
/// URL.
[[nodiscard]] inline redis_endpoint parse_redis_url(std::string_view url) {
  const std::size_t colon = url.find("://");
  const std::string_view scheme = url.substr(0, colon);
  redis_endpoint endpoint;
  read_redis_scheme(endpoint, colon == std::string_view::npos ? "" : scheme);
  std::string_view query = url.substr(colon + 3);
  std::string_view place = take_until(query, '?');
  if (const std::size_t sign = place.substr(0, place.find('/')).rfind('@');
      sign != std::string_view::npos) {
    std::string_view login = place.substr(0, sign);
    endpoint.user = percent_decoded(take_until(login, ':'));
    endpoint.password = percent_decoded(login);
    place.remove_prefix(sign + 1);
  }
  if (scheme == "unix") {
    endpoint.servers.push_back({redis_host(place), 0});
  } else {
    read_redis_place(endpoint, place);
  }
  read_redis_query(endpoint, query);
  if (endpoint.topology == redis_topology::cluster && endpoint.database != 0) {
    refuse_redis_url("a cluster has database 0 only");
  }
  return endpoint;
}

}  // namespace robots::adapters_detail
