#include <robots/base/url_head.hpp>

using robots::base::is_scheme;
using robots::base::scheme_prefix;

static_assert(is_scheme("h") && is_scheme("HTTP") && is_scheme("a1+-."));
static_assert(!is_scheme("") && !is_scheme("1a") && !is_scheme("+a") && !is_scheme("a b"));

static_assert(scheme_prefix("https://example.com/a") == 8);
static_assert(scheme_prefix("x://") == 4);
static_assert(scheme_prefix("http:///") == 7);
static_assert(scheme_prefix("") == 0 && scheme_prefix("/") == 0 && scheme_prefix("://") == 0);
static_assert(scheme_prefix("http:/a") == 0 && scheme_prefix("localhost:80") == 0);
static_assert(scheme_prefix("1a://b") == 0 && scheme_prefix("a_b://c") == 0);
static_assert(scheme_prefix("example.com/x://y") == 0 && scheme_prefix("h?x://y") == 0);
static_assert(noexcept(scheme_prefix({})));
