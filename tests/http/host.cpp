#include <robots/http/host.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string_view>

using robots::host_of;

namespace {

static_assert(host_of("example.com") == "example.com");
static_assert(host_of("example.com:8080") == "example.com");
static_assert(host_of("example.com/x:y@z") == "example.com");
static_assert(host_of("https://user:pw@Example.COM:1/x") == "Example.COM");
static_assert(host_of("ftp://h") == "h");
static_assert(host_of("[::1]:80") == "[::1]");
static_assert(host_of("http://[::1]") == "[::1]");
static_assert(host_of("") == "");
static_assert(host_of("http://") == "");
static_assert(host_of("/x") == "");
static_assert(host_of("localhost:80") == "localhost");
static_assert(noexcept(host_of({})));

}  // namespace

TEST_CASE("The host of any text is a part of the text") {
  const std::string_view text{"\0\xFF@[:::]]//\\", 11};
  for (std::size_t length = 0; length <= text.size(); ++length) {
    const std::string_view host = host_of(text.substr(0, length));
    CHECK(host.size() <= length);
  }
}
