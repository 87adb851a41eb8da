// Compares the reader of `redis_options::url` with another URL reader, Boost.URL, over URLs that
// are right, nearly right, or neither. Boost.URL reads no list of hosts, so it gets one host at a
// time. The adapter does not use Boost.URL itself, since it is a compiled library. Some versions of
// Boost have a header with its sources.
#include <robots/adapters/redis/detail/connector.hpp>

#if __has_include(<boost/url/src.hpp>)
#include <boost/url/parse.hpp>
#include <boost/url/src.hpp>
#include <boost/url/url_view.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using robots::adapters_detail::parse_redis_url;
using robots::adapters_detail::redis_address;
using robots::adapters_detail::redis_endpoint;
using robots::adapters_detail::redis_topology;

std::optional<redis_endpoint> read_own(const std::string& url) {
  try {
    return parse_redis_url(url);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

/// Returns the URLs that have one of the hosts of `url` each. A comma after the last host ends the
/// list.
std::vector<std::string> urls_of_hosts(const std::string& url) {
  const std::size_t begin = url.find("://") + 3;
  const std::size_t end = std::min(url.find_first_of("/?", begin), url.size());
  const std::size_t sign = url.substr(0, end).rfind('@');
  const std::size_t first = sign == std::string::npos || sign < begin ? begin : sign + 1;
  std::string_view hosts = std::string_view(url).substr(first, end - first);
  std::vector<std::string> urls;
  do {
    const std::string_view host = hosts.substr(0, hosts.find(','));
    urls.push_back(url.substr(0, first) + std::string(host) + url.substr(end));
    hosts.remove_prefix(std::min(host.size() + 1, hosts.size()));
  } while (!hosts.empty());
  return urls;
}

/// Checks that Boost.URL reads the same as `own` from `text`, which has the host `server`.
void compare(const redis_endpoint& own, const redis_address& server, const std::string& text) {
  CAPTURE(text);
  const auto read = boost::urls::parse_uri(text);
  REQUIRE(read.has_value());
  const boost::urls::url_view& other = read.value();
  CHECK(other.user() == own.user);
  CHECK(other.password() == own.password.value_or(""));
  CHECK(other.has_userinfo() == own.password.has_value());
  CHECK(other.host_address() == server.host);
  std::uint16_t port = own.topology == redis_topology::sentinel ? 26'379 : 6'379;
  if (other.has_port()) {
    port = other.port_number();
  }
  CHECK(port == server.port);
  std::string database = other.path().empty() ? "" : other.path().substr(1);
  std::string master;
  for (const auto& parameter : other.params()) {
    (parameter.key == "db" ? database : master) = parameter.value;
  }
  CHECK((database.empty() ? 0 : std::stoull(database)) == own.database);
  CHECK(master == own.master);
}

std::string one_of(std::mt19937& random, std::initializer_list<std::string_view> choices) {
  return std::string(*(choices.begin() + random() % choices.size()));
}

}  // namespace

TEST_CASE("Two URL readers read the same from the URL of a Redis") {
  std::mt19937 random{7};
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for (int round = 0; round < 100'000; ++round) {
    std::string url = one_of(random, {"redis", "rediss", "redis+cluster", "rediss+cluster",
                                      "redis+sentinel", "rediss+sentinel"}) +
                      "://";
    url +=
        one_of(random, {"", "", "user@", "user:pass@", ":pass@", "us%40er:p%2Fa%3As%25s@", "u:p:w@",
                        ":@", "%41:%zz@", "u:%4@", "user:p%00w@", "u!$&'()*+;=:-._~@"});
    const std::size_t hosts = url.starts_with("redis:") || random() % 2 == 0 ? 1 : 1 + random() % 3;
    for (std::size_t i = 0; i < hosts; ++i) {
      url += i == 0 ? "" : ",";
      url += one_of(random, {"a", "a.example", "127.0.0.1", "[::1]", "[2001:db8::7]", "a%2Db", "",
                             "[::1", "a]", "%"});
      url += one_of(random,
                    {"", "", ":6380", ":1", ":65535", ":65536", ":0", ":", ":x", ":-1", ":01"});
    }
    url += one_of(random, {"", "", "/", "/0", "/3", "/x", "/-1", "/1/2", "/%33", "//"});
    url +=
        one_of(random, {"", "", "?", "?db=2", "?master=m", "?master=my%20master", "?master=m&db=0",
                        "?db=", "?other=1", "?db", "?&", "?master=%", "?db=1&master=a=b"});
    const auto own = read_own(url);
    if (!own) {
      ++refused;
      continue;
    }
    ++accepted;
    const std::vector<std::string> urls = urls_of_hosts(url);
    CAPTURE(url);
    REQUIRE(urls.size() == own->servers.size());
    for (std::size_t i = 0; i < urls.size(); ++i) {
      compare(*own, own->servers[i], urls[i]);
    }
  }
  CHECK(accepted > 3'000);
  CHECK(refused > 4'000);
}
#endif
