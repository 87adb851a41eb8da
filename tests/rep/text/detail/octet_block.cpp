#include <robots/rep/text/detail/octet_block.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>

namespace {

using robots::rep_detail::octet_block;
using robots::rep_detail::octet_set;

TEST_CASE("A block finds octets that equal a limit or are not above it") {
  std::array<char, octet_block::size> octets{};
  for (int first = 0; first < 256; ++first) {
    for (std::size_t i = 0; i < octets.size(); ++i) {
      octets[i] = static_cast<char>(first + static_cast<int>(i) * 37);
    }
    const octet_block block = octet_block::load(octets.data());
    for (int wanted = 0; wanted < 128; ++wanted) {
      octet_set equal = 0;
      octet_set at_most = 0;
      for (std::size_t i = 0; i < octets.size(); ++i) {
        const int octet = static_cast<unsigned char>(octets[i]);
        equal |= octet_set{octet == wanted} << i;
        at_most |= octet_set{octet <= wanted} << i;
      }
      REQUIRE(block.equal(static_cast<char>(wanted)) == equal);
      REQUIRE(block.at_most(static_cast<char>(wanted)) == at_most);
    }
  }
}

}  // namespace
