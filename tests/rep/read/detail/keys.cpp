#include <robots/rep/read/detail/keys.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string_view>

namespace {

using robots::directive_kind;
using robots::rep_detail::recognise_key;

constexpr directive_kind lenient(std::string_view key) {
  return recognise_key(key, false, false).kind;
}
constexpr directive_kind strict(std::string_view key) {
  return recognise_key(key, false, true).kind;
}
constexpr directive_kind google(std::string_view key) {
  return recognise_key(key, true, false).kind;
}

static_assert(lenient("User-agent") == directive_kind::user_agent);
static_assert(lenient("USER-AGENT") == directive_kind::user_agent);
static_assert(lenient("allow") == directive_kind::allow);
static_assert(lenient("Crawl-delay") == directive_kind::crawl_delay);
static_assert(lenient("Content-Signal") == directive_kind::content_signal);
static_assert(!recognise_key("Disallow", false, false).misspelled);

// A misspelled key is recognised only as a whole word.
static_assert(lenient("Useragent") == directive_kind::user_agent);
static_assert(lenient("User agent") == directive_kind::user_agent);
static_assert(lenient("Dissallow") == directive_kind::disallow);
static_assert(lenient("disallows") == directive_kind::disallow);
static_assert(lenient("site-map") == directive_kind::sitemap);
static_assert(lenient("Disallowed") == directive_kind::unknown);
static_assert(lenient("") == directive_kind::unknown);
static_assert(recognise_key("Dissallow", false, false).misspelled);

// google/robotstxt accepts every key that begins with a spelling in its own list.
static_assert(google("Disallowed") == directive_kind::disallow);
static_assert(google("Allow-ish") == directive_kind::allow);
static_assert(google("dissallowx") == directive_kind::disallow);
static_assert(google("desallow") == directive_kind::unknown);
static_assert(google("crawl-delay") == directive_kind::crawl_delay);

// Strict reading accepts no misspelled key.
static_assert(strict("disallow") == directive_kind::disallow);
static_assert(strict("dissallow") == directive_kind::unknown);

// Most words end here, by their first two letters.
static_assert(robots::rep_detail::may_be_key("Disallow"));
static_assert(robots::rep_detail::may_be_key("sitting"));
static_assert(!robots::rep_detail::may_be_key("the"));
static_assert(!robots::rep_detail::may_be_key("d-isallow"));
static_assert(!robots::rep_detail::may_be_key("d"));
static_assert(!robots::rep_detail::may_be_key(""));

TEST_CASE("Every spelling in the tables is in lower case and has the listed meaning") {
  for (const auto& [text, kind, is_right, is_prefix] : robots::rep_detail::spellings) {
    CHECK(lenient(text) == kind);
    CHECK(strict(text) == (is_right ? kind : directive_kind::unknown));
    if (is_right || is_prefix) {
      CHECK(google(text) == kind);
    }
  }
}

}  // namespace
