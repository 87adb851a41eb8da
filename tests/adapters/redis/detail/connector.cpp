#include <robots/adapters/redis/detail/connector.hpp>

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

using namespace robots::adapters_detail;

namespace {

struct accepted_url {
  std::string url;
  std::string servers;
  std::string user{};
  std::string password{"none"};
  unsigned database = 0;
  redis_topology topology = redis_topology::single;
};

std::string joined(const std::vector<redis_address>& servers) {
  std::string text;
  for (const redis_address& server : servers) {
    text += (text.empty() ? "" : ",") + to_string(server);
  }
  return text;
}

}  // namespace

TEST_CASE("A Redis URL names the server, the user and the database") {
  using enum redis_topology;
  const std::vector<accepted_url> table{
      {"redis://127.0.0.1:6379/0", "127.0.0.1:6379"},
      {"redis://example.com", "example.com:6379"},
      {"redis://example.com/", "example.com:6379"},
      {"redis://example.com:7000/15", "example.com:7000", "", "none", 15},
      {"redis://example.com?db=15", "example.com:6379", "", "none", 15},
      {"redis://[::1]", "::1:6379"},
      {"redis://[::1]:7000/1", "::1:7000", "", "none", 1},
      {"redis://me@example.com", "example.com:6379", "me", ""},
      {"redis://:secret@example.com", "example.com:6379", "", "secret"},
      {"redis://me:secret@example.com:1/2", "example.com:1", "me", "secret", 2},
      {"redis://m%40e:a%3Ab%2f%25%00@h", "h:6379", "m@e", std::string("a:b/%\0", 6)},
      {"redis://me:a:b@c@h", "h:6379", "me", "a:b@c"},
      {"unix:///run/redis.sock", "/run/redis.sock"},
      {"unix:///run/redis%20server.sock?db=3", "/run/redis server.sock", "", "none", 3},
      {"unix://me:secret@/run/a@b", "/run/a@b", "me", "secret"},
      {"redis+cluster://a,b:7001,[::1]:7002", "a:6379,b:7001,::1:7002", "", "none", 0, cluster},
      {"redis+cluster://me:secret@a,b/0", "a:6379,b:6379", "me", "secret", 0, cluster},
      {"redis+sentinel://a,b:7001/4?master=mymaster", "a:26379,b:7001", "", "none", 4, sentinel},
  };
  for (const accepted_url& row : table) {
    CAPTURE(row.url);
    const redis_endpoint target = parse_redis_url(row.url);
    CHECK(joined(target.servers) == row.servers);
    CHECK(target.user == row.user);
    CHECK(target.password.value_or("none") == row.password);
    CHECK(target.database == row.database);
    CHECK(target.topology == row.topology);
  }
  CHECK(parse_redis_url("redis+sentinel://a?db=2&master=my%20master").master == "my master");
  CHECK(!parse_redis_url("redis://a").tls);
  CHECK(parse_redis_url("rediss://a").tls);
  CHECK(parse_redis_url("rediss+cluster://a").topology == cluster);
}

TEST_CASE("A wrong Redis URL is refused with a message that says how to correct it") {
  struct refused_url {
    std::string url;
    std::string why;
  };
  const std::vector<refused_url> table{
      {"", "begin with redis://"},
      {"127.0.0.1:6379", "begin with redis://"},
      {"http://127.0.0.1", "begin with redis://"},
      {"redis:/127.0.0.1", "begin with redis://"},
      {"rediss+other://127.0.0.1", "begin with redis://"},
      {"redisss://127.0.0.1", "begin with redis://"},
      {"redis://", "host or path is missing"},
      {"redis:///0", "host or path is missing"},
      {"redis://:6379", "host or path is missing"},
      {"redis://user:secret@", "host or path is missing"},
      {"redis://a%00b", "host or path is missing"},
      {"unix://", "host or path is missing"},
      {"redis://h:0", "from 1 to 65535"},
      {"redis://h:65536", "from 1 to 65535"},
      {"redis://h:", "from 1 to 65535"},
      {"redis://h:-1", "from 1 to 65535"},
      {"redis://::1", "from 1 to 65535"},
      {"redis://[::1", "from 1 to 65535"},
      {"redis://[::1]7000", "from 1 to 65535"},
      {"redis://a]:7000", "only an IPv6 address has brackets"},
      {"redis://[[::1]]", "from 1 to 65535"},
      {"redis://[a[b]", "only an IPv6 address has brackets"},
      {"redis://h/x", "database must be a number"},
      {"redis://h/-1", "database must be a number"},
      {"redis://h/1/2", "database must be a number"},
      {"redis://h?db=x", "database must be a number"},
      {"redis://h?timeout=3", "after ? it may have"},
      {"redis://h?master=m", "after ? it may have"},
      {"redis://user:%@h", "hexadecimal"},
      {"redis://user:%4@h", "hexadecimal"},
      {"redis://user:%4x@h", "hexadecimal"},
      {"redis://a,b", "several hosts"},
      {"redis+cluster://a,,b", "host or path is missing"},
      {"redis+cluster://a/1", "database 0"},
      {"redis+sentinel://a", "?master=NAME"},
      {"redis+sentinel://a?master=", "?master=NAME"},
  };
  for (const refused_url& row : table) {
    CAPTURE(row.url);
    CHECK_THROWS_WITH_AS(static_cast<void>(parse_redis_url(row.url)),
                         doctest::Contains(row.why.c_str()), std::invalid_argument);
  }
}

TEST_CASE("An error about a Redis URL does not repeat its password") {
  for (const std::string url : {"http://me:secret@h", "redis://me:secret@h:x"}) {
    try {
      static_cast<void>(parse_redis_url(url));
      FAIL("accepted");
    } catch (const std::invalid_argument& error) {
      CHECK(std::string{error.what()}.find("secret") == std::string::npos);
    }
  }
}
