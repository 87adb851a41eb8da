#include "support/allocations.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <new>
#include <utility>

namespace {

/// Allocates without operator new, since operator new calls the tally.
template <class T>
struct uncounted {
  using value_type = T;

  uncounted() = default;
  template <class U>
  explicit(false) uncounted(const uncounted<U>&) noexcept {}

  T* allocate(std::size_t count) {
    void* const taken = std::malloc(count * sizeof(T));
    if (taken == nullptr) {
      throw std::bad_alloc{};
    }
    return static_cast<T*>(taken);
  }
  void deallocate(T* given, std::size_t) noexcept { std::free(given); }
  friend bool operator==(const uncounted&, const uncounted&) { return true; }
};

struct tally {
  bench::heap_use use;
  boost::unordered_flat_map<void*, std::size_t, std::hash<void*>, std::equal_to<void*>,
                            uncounted<std::pair<void* const, std::size_t>>>
      sizes{};
};

constinit thread_local tally* current = nullptr;

void* count(void* taken, std::size_t size) {
  if (taken == nullptr) {
    throw std::bad_alloc{};
  }
  if (current != nullptr) {
    ++current->use.allocations;
    current->use.live += size;
    current->sizes[taken] = size;
  }
  return taken;
}

void* take(std::size_t size) { return count(std::malloc(size == 0 ? 1 : size), size); }

void* take(std::size_t size, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  const std::size_t whole = (std::max<std::size_t>(size, 1) + step - 1) / step * step;
  return count(std::aligned_alloc(step, whole), size);
}

void give_back(void* given) noexcept {
  if (current != nullptr) {
    if (const auto setup = current->sizes.find(given); setup != current->sizes.end()) {
      current->use.live -= setup->second;
      current->sizes.erase(setup);
    }
  }
  std::free(given);
}

}  // namespace

void* operator new(std::size_t size) { return take(size); }
void* operator new[](std::size_t size) { return take(size); }
void* operator new(std::size_t size, std::align_val_t alignment) { return take(size, alignment); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return take(size, alignment); }
void operator delete(void* given) noexcept { give_back(given); }
void operator delete[](void* given) noexcept { give_back(given); }
void operator delete(void* given, std::size_t) noexcept { give_back(given); }
void operator delete[](void* given, std::size_t) noexcept { give_back(given); }
void operator delete(void* given, std::align_val_t) noexcept { give_back(given); }
void operator delete[](void* given, std::align_val_t) noexcept { give_back(given); }
void operator delete(void* given, std::size_t, std::align_val_t) noexcept { give_back(given); }
void operator delete[](void* given, std::size_t, std::align_val_t) noexcept { give_back(given); }

namespace bench {

allocation_scope::allocation_scope() {
  void* const place = std::malloc(sizeof(tally));
  if (place == nullptr) {
    throw std::bad_alloc{};
  }
  current = new (place) tally{};
}

allocation_scope::~allocation_scope() {
  tally* const ended = std::exchange(current, nullptr);
  ended->~tally();
  std::free(ended);
}

heap_use allocation_scope::used() const { return current->use; }

}  // namespace bench
