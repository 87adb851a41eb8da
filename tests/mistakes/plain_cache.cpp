// A cache without rulings. Must include neither the rulings of `SiteRulings` nor its alarms, `diff`
// and `Metrics`. Only a test reads this file, by the compiler's list of its headers.
#include <robots/cache.hpp>
#include <robots/store/lru_storage.hpp>
