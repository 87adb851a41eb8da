#pragma once

#include <robots/policy/order_reference.hpp>
#include <robots/rep/read/diagnostic.hpp>
#include <robots/rep/read/request_rate.hpp>
#include <robots/rep/read/visit_time.hpp>
#include <robots/rep/rules/rule_set.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

class policy;
struct usage_lines;

namespace policy_detail {

/// The parts of a robots.txt that few policies keep.
struct kept_file {
  std::shared_ptr<const std::string> text{};   // null unless `cache_options::keep_text` is set
  std::shared_ptr<const usage_lines> usage{};  // null if the file says nothing about use
};

/// The members of a policy that most policies do not need.
struct policy_extras {
  std::vector<diagnostic> diagnostics{};
  std::optional<std::chrono::milliseconds> file_delay{};
  std::vector<request_rate> request_rates{};
  std::vector<visit_time> visit_times{};
  std::string host{};
  std::string leads_to{};
  std::shared_ptr<const kept_file> file{};
  std::shared_ptr<const policy> last_good{};
  std::shared_ptr<const policy> last_known_rules{};
  std::shared_ptr<const order_reference> order{};  // null unless an order made the policy
  std::vector<std::shared_ptr<const policy>> others{};
};

/// A text of at most 4 GiB. This object has about a quarter of the size of a `std::string`.
class packed_octets {
 public:
  explicit packed_octets(std::string_view octets) {
    const auto size = static_cast<std::uint32_t>(octets.size());
    block_ = std::make_unique_for_overwrite<char[]>(sizeof(size) + size);
    std::memcpy(block_.get(), &size, sizeof(size));
    std::copy(octets.begin(), octets.end(), block_.get() + sizeof(size));
  }
  packed_octets(const packed_octets& other) : packed_octets(other.view()) {}
  packed_octets(packed_octets&&) noexcept = default;
  packed_octets& operator=(packed_octets other) noexcept {
    block_ = std::move(other.block_);
    return *this;
  }
  ~packed_octets() = default;

  [[nodiscard]] std::string_view view() const noexcept {
    std::uint32_t size = 0;
    std::memcpy(&size, block_.get(), sizeof(size));
    return {block_.get() + sizeof(size), size};
  }

 private:
  std::unique_ptr<char[]> block_;
};

/// The extras of a policy, or nothing. A copy copies the extras, which few policies have.
class optional_extras {
 public:
  optional_extras() = default;
  explicit optional_extras(policy_extras&& extras)
      : extras_(std::make_unique<const policy_extras>(std::move(extras))) {}
  optional_extras(const optional_extras& other)
      : extras_(other.extras_ ? std::make_unique<const policy_extras>(*other.extras_) : nullptr) {}
  optional_extras(optional_extras&&) noexcept = default;
  optional_extras& operator=(optional_extras other) noexcept {
    extras_ = std::move(other.extras_);
    return *this;
  }
  ~optional_extras() = default;

  [[nodiscard]] const policy_extras* get() const noexcept { return extras_.get(); }

 private:
  std::unique_ptr<const policy_extras> extras_;
};

}  // namespace policy_detail

}  // namespace robots
