// A cache over `LruStorage`. Must include neither the rulings of `SiteRulings` nor its alarms,
// `diff`, `Metrics`, `prefetch`, the gate and the statements of pages. Only a test reads this file,
// by the compiler's list of its headers.
#include <robots/cache.hpp>
