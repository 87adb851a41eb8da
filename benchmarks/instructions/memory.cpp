#include "instructions/meter.hpp"
#include "instructions/rows.hpp"
#include "instructions/web.hpp"
#include "library/small_sites.hpp"
#include <robots/cache/basic_robots_cache.hpp>
#include <robots/store/lru_storage.hpp>

#include <malloc.h>

#include <cstddef>
#include <cstdio>
#include <string>

namespace bench {
namespace {

constexpr std::size_t small_site_count = 16'384;

/// Returns the octets that the heap has handed out, with the octets that it needs itself.
std::size_t heap_octets() {
  const struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

std::size_t octets_of(const small_site& site) {
  using storage = robots::LruStorage<small_site_count>;
  const std::size_t before = heap_octets();
  robots::basic_robots_cache<small_site, robots::ManualClock, storage> cache{fixed_options(), site};
  for (std::size_t i = 0; i < small_site_count; ++i) {
    keep(cache.allowed("https://site" + std::to_string(i) + ".example.com/page"));
  }
  return heap_octets() - before;
}

}  // namespace

void print_memory() {
  for (const small_site& site : small_sites) {
    std::printf("memory/%s\t%zu\t%zu\n", site.name, small_site_count, octets_of(site));
  }
}

}  // namespace bench
