// Times `allowed(url)` of a whole cache by hosts and threads: hits, and misses that evict another
// site. For comparison, times a plain LRU, which decides nothing, and threads that share nothing.
#pragma once

namespace bench {

/// Fills the caches and registers their rows. In a trial, each row runs once and briefly.
void register_cache_rows(bool trial);

}  // namespace bench
