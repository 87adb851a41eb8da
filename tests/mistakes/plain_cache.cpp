// A cache over `LruStorage`. Must include neither the rulings of `SiteRulings` nor its alarms,
// `diff`, `Metrics`, `prefetch`, the gate, the statements of pages, and what belongs to a shared
// store. Only a test reads this file, by the compiler's list of its headers.
#include <robots/cache.hpp>
