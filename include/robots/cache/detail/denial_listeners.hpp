#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

namespace robots::cache_detail {

/// Functions to call when a ruling begins to deny a site.
class denial_listeners {
 public:
  using listener = std::function<void(std::string_view bare_site)>;

  [[nodiscard]] std::shared_ptr<const void> add(listener on_denied) {
    std::unique_lock lock{shared_->mutex};
    const auto place = shared_->all.insert(shared_->all.end(), std::move(on_denied));
    lock.unlock();  // if memory runs out, `shared_ptr` calls the deleter, which locks
    return {shared_.get(), [shared = shared_, place](const void* /*nothing*/) {
              const std::scoped_lock held{shared->mutex};
              shared->all.erase(place);
            }};
  }

  void call(std::string_view bare_site) const {
    const std::scoped_lock lock{shared_->mutex};
    for (const listener& on_denied : shared_->all) {
      try {
        on_denied(bare_site);
      } catch (...) {
        continue;  // the ruling applies anyway
      }
    }
  }

 private:
  struct shared_list {
    std::mutex mutex;
    std::list<listener> all;
  };

  const std::shared_ptr<shared_list> shared_ = std::make_shared<shared_list>();
};

}  // namespace robots::cache_detail
