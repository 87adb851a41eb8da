#pragma once

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

namespace policy_detail {

/// The parts that most policies do not need.
struct policy_extras {
  std::vector<diagnostic> diagnostics{};
  std::optional<std::chrono::milliseconds> file_delay{};
  std::vector<request_rate> request_rates{};
  std::vector<visit_time> visit_times{};
  std::string host{};
  std::string leads_to{};
  std::shared_ptr<const std::string> text{};
  std::shared_ptr<const policy> last_good{};
  std::shared_ptr<const policy> last_answer{};
  std::vector<std::shared_ptr<const policy>> others{};
};

/// A block of at most 4 GiB of octets, which begins with their number. A policy keeps its record in
/// a `packed_octets`, since that object has a quarter of the size of a `std::string`.
class packed_octets {
 public:
  explicit packed_octets(std::string_view octets) {
    const auto size = static_cast<std::uint32_t>(octets.size());
    block_ = std::make_unique_for_overwrite<char[]>(sizeof(size) + size);
    std::memcpy(block_.get(), &size, sizeof(size));
    std::copy(octets.begin(), octets.end(), block_.get() + sizeof(size));
  }
  packed_octets(const packed_octets& other) : packed_octets(other.view()) {}
  packed_octets& operator=(const packed_octets& other) {
    return *this = packed_octets{other.view()};
  }
  packed_octets(packed_octets&&) noexcept = default;
  packed_octets& operator=(packed_octets&&) noexcept = default;
  ~packed_octets() = default;

  [[nodiscard]] std::string_view view() const noexcept {
    std::uint32_t size = 0;
    std::memcpy(&size, block_.get(), sizeof(size));
    return {block_.get() + sizeof(size), size};
  }

 private:
  std::unique_ptr<char[]> block_;
};

/// The parts that a policy shares with its copies. Policies that have neither rules nor extras can
/// also share their parts, if one thread makes them.
struct policy_parts {
  rule_set rules{};
  std::unique_ptr<const policy_extras> extras{};  ///< null if there are no extras
};

}  // namespace policy_detail

}  // namespace robots
