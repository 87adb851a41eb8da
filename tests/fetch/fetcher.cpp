#include <robots/fetch/fetcher.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <mutex>
#include <string>

namespace {

struct nowhere {
  robots::fetch_response fetch(const robots::fetch_request&) { return {}; }
};
struct owning {
  std::unique_ptr<int> owned;
  robots::fetch_response fetch(const robots::fetch_request&) { return {}; }
};
struct immovable {
  std::mutex mutex;
  robots::fetch_response fetch(const robots::fetch_request&) { return {}; }
};
struct wrong_answer {
  std::string fetch(const robots::fetch_request&) { return {}; }
};

static_assert(robots::Fetcher<nowhere>);
static_assert(robots::Fetcher<owning>);
static_assert(!robots::Fetcher<immovable>);
static_assert(!robots::Fetcher<wrong_answer>);
static_assert(!robots::Fetcher<int>);

}  // namespace

TEST_CASE("Any movable type that answers a request is a fetcher") {
  CHECK(nowhere{}.fetch({}).error == robots::fetch_error::none);
}
