// Compiled with -mavx2 where the machine compiled for is x86-64.
#include <robots/rep/text/detail/octet_block.hpp>

#include <cstddef>

namespace robots::test {

extern const std::size_t block_size_with_avx2;
extern const std::size_t block_alignment_with_avx2;

const std::size_t block_size_with_avx2 = sizeof(rep_detail::octet_block);
const std::size_t block_alignment_with_avx2 = alignof(rep_detail::octet_block);

}  // namespace robots::test
