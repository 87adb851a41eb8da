// `allowed(url)` of a whole cache: hits, misses that throw out another site, by hosts and threads.
// Beside them the plain LRU, which decides nothing, and threads that share nothing at all.
#pragma once

namespace bench {

/// Fills the caches and registers their rows; in a trial, to be run once and shortly.
void register_cache_rows(bool trial);

}  // namespace bench
