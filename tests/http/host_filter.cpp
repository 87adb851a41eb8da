#include <robots/http/host_filter.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <string>

namespace {

std::string numbered_host(std::size_t i) {
  return "www.site" + std::to_string(i * 7'919) + ".example";
}

}  // namespace

TEST_CASE("A filter has each host that was added, whatever its length is") {
  const auto hosts = std::make_unique<robots::detail::host_filter>();
  std::string text = "a";
  for (int size = 1; size < 80; ++size) {
    CAPTURE(text);
    CHECK_FALSE(hosts->may_have(text));
    hosts->add(text);
    CHECK(hosts->may_have(text));
    text += static_cast<char>('a' + size % 26);
  }
}

TEST_CASE("With 10,000 hosts in a filter, it excludes nearly all others") {
  const auto hosts = std::make_unique<robots::detail::host_filter>();
  constexpr std::size_t count = 10'000;
  for (std::size_t i = 0; i < count; ++i) {
    hosts->add(numbered_host(i));
  }
  std::size_t found = 0;
  std::size_t perhaps = 0;
  for (std::size_t i = 0; i < count; ++i) {
    found += hosts->may_have(numbered_host(i)) ? 1U : 0U;
    perhaps += hosts->may_have(numbered_host(count + i)) ? 1U : 0U;
  }
  CHECK(found == count);
  CHECK(perhaps < count / 100);
}

TEST_CASE("A filter that includes all hosts excludes none, until it includes only its own") {
  const auto hosts = std::make_unique<robots::detail::host_filter>();
  hosts->add("example.com");
  hosts->include_all(true);
  CHECK(hosts->may_have("other.example"));
  hosts->include_all(false);
  CHECK_FALSE(hosts->may_have("other.example"));
  CHECK(hosts->may_have("example.com"));
}
