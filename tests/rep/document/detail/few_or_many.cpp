#include <robots/rep/document/detail/few_or_many.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <utility>

namespace {

struct twice {
  [[nodiscard]] constexpr long operator()(const int& item) const noexcept { return 2L * item; }
};
struct same {
  [[nodiscard]] constexpr int operator()(const int& item) const noexcept { return item; }
};

template <class Make>
constexpr bool keeps(int count, std::size_t promised) {
  robots::detail::few_or_many<int, Make, 4> items;
  int asked = 0;
  for (int i = 0; i < count; ++i) {
    items.add([&](int& place) { place = i; },
              [&] {
                ++asked;
                return promised;
              });
  }
  const auto taken = std::move(items).take();
  bool right = taken.size() == static_cast<std::size_t>(count) && asked == (count > 4 ? 1 : 0);
  for (int i = 0; i < count; ++i) {
    right = right && taken[static_cast<std::size_t>(i)] == Make{}(i);
  }
  return right;
}

TEST_CASE("items keep their order, however many there are and whatever was expected") {
  for (const int count : {0, 1, 3, 4, 5, 6, 9, 1'000}) {
    for (const std::size_t promised : {0U, 1U, 5U, 1'000U, 100'000'000U}) {
      CAPTURE(count);
      CAPTURE(promised);
      CHECK(keeps<same>(count, promised));
      CHECK(keeps<twice>(count, promised));
    }
  }
}

TEST_CASE("a few items take just the memory that they need") {
  robots::detail::few_or_many<int, same, 4> items;
  for (int i = 0; i < 3; ++i) {
    items.add([&](int& place) { place = i; }, [] { return std::size_t{100}; });
  }
  CHECK(std::move(items).take().capacity() == 3);
}

}  // namespace
