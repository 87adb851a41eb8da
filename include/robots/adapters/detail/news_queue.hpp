// Tells one thread of news for its look-ups, which others bring.
#pragma once

#include <robots/cache/look_up.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace robots::adapters_detail {

/// Collects what `look_up::call_on_news` reports, from any thread, for the one thread that asks.
/// May end before the look-ups do.
template <class T>
class news_queue {
 public:
  /// `wake` is called, from any thread, when there is something to take; it must not throw.
  explicit news_queue(std::function<void()> wake) : box_(std::make_shared<box>(std::move(wake))) {}
  news_queue(const news_queue&) = delete;
  news_queue& operator=(const news_queue&) = delete;
  ~news_queue() {
    const std::scoped_lock lock{box_->mutex};
    box_->wake = nullptr;
  }

  /// Has `item` reported when there is news for `at`. `item` stays until it was taken.
  void expect(look_up& at, T& item) {
    {
      const std::scoped_lock lock{box_->mutex};
      ++box_->expected;
      box_->reported.reserve(box_->expected);  // so that a report allocates nothing
    }
    at.call_on_news([box = box_, which = &item] {
      const std::scoped_lock lock{box->mutex};
      if (box->wake) {
        box->reported.push_back(which);
        box->wake();
      }
    });
  }

  /// Those reported since.
  [[nodiscard]] std::vector<T*> take() {
    const std::scoped_lock lock{box_->mutex};
    std::vector<T*> taken(box_->reported);
    box_->expected -= taken.size();
    box_->reported.clear();
    return taken;
  }

 private:
  struct box {
    explicit box(std::function<void()> how) : wake(std::move(how)) {}
    std::mutex mutex;
    std::function<void()> wake;  // none once nobody asks any more
    std::vector<T*> reported;
    std::size_t expected = 0;
  };

  std::shared_ptr<box> box_;
};

}  // namespace robots::adapters_detail
