#include "fuzz/bodies.hpp"

#include <cstddef>
#include <cstdint>

// The entry point that libFuzzer calls. ROBOTS_FUZZ_BODY names the body.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::ROBOTS_FUZZ_BODY({data, size});
  return 0;
}
