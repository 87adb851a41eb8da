// Tells one thread that look-ups of others have landed.
#pragma once

#include <robots/cache/look_up.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace robots::adapters_detail {

/// Collects what `look_up::on_landed` reports, from any thread, for the one thread that asks. May
/// end before the look-ups do.
template <class T>
class landings {
 public:
  /// `wake` is called, from any thread, when there is something to take; it must not throw.
  explicit landings(std::function<void()> wake) : box_(std::make_shared<box>(std::move(wake))) {}
  landings(const landings&) = delete;
  landings& operator=(const landings&) = delete;
  ~landings() {
    const std::scoped_lock lock{box_->mutex};
    box_->wake = nullptr;
  }

  /// Has `item` reported when `at` has landed. `item` stays until it was taken.
  void expect(look_up& at, T& item) {
    {
      const std::scoped_lock lock{box_->mutex};
      ++box_->expected;
      box_->landed.reserve(box_->expected);  // so that a landing allocates nothing
    }
    at.on_landed([box = box_, which = &item] {
      const std::scoped_lock lock{box->mutex};
      if (box->wake) {
        box->landed.push_back(which);
        box->wake();
      }
    });
  }

  /// Those that have landed since.
  [[nodiscard]] std::vector<T*> take() {
    const std::scoped_lock lock{box_->mutex};
    if (box_->landed.empty()) {
      return {};
    }
    std::vector<T*> taken(box_->landed);
    box_->expected -= taken.size();
    box_->landed.clear();
    return taken;
  }

 private:
  struct box {
    explicit box(std::function<void()> how) : wake(std::move(how)) {}
    std::mutex mutex;
    std::function<void()> wake;  // none once nobody asks any more
    std::vector<T*> landed;
    std::size_t expected = 0;
  };

  std::shared_ptr<box> box_;
};

}  // namespace robots::adapters_detail
