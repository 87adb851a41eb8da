#include <robots/base/sampler.hpp>

#include <doctest/doctest.h>

using robots::base::sampler;

TEST_CASE("A sampler picks about the given share") {
  const auto taken = [](double share) {
    const sampler some{share};
    int count = 0;
    for (int i = 0; i < 100'000; ++i) {
      count += some.takes() ? 1 : 0;
    }
    return count;
  };
  CHECK(taken(0) == 0);
  CHECK(taken(1) == 100'000);
  CHECK(taken(0.01) > 800);
  CHECK(taken(0.01) < 1'200);
}
