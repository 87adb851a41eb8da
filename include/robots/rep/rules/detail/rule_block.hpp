#pragma once

#include <robots/base/owner_count.hpp>
#include <robots/rep/rules/detail/block_layout.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

namespace robots::rep_detail {

/// The memory of a rule set, in one allocation. The octets follow the members:
///
///     owners | size | octets | facts | o c t e t s
struct rule_block {
  mutable base::owner_count owners{};
  std::uint32_t size = 0;  ///< the number of octets
  char* octets = nullptr;  ///< null only in `no_rules`
  rule_set_facts facts{};

  /// Returns false for `no_rules`. The address does not tell: each DLL, and each shared library
  /// that hides its symbols, has its own `no_rules`, and can pass its rule sets to others.
  [[nodiscard]] constexpr bool is_allocated() const noexcept { return octets != nullptr; }
};

/// The block of a default-constructed rule set. It has no owners, and is never freed.
inline constexpr rule_block no_rules{};

/// An owner of a block. Copies share the block, since nobody changes it after `rule_packer` has
/// written it. In a constant expression, each copy has its own block, in two allocations.
class shared_block {
 public:
  constexpr shared_block() = default;

  /// Makes a block with `size` octets. The octets have no values yet.
  constexpr shared_block(const rule_set_facts& facts, std::size_t size)
      : block_(make(facts, size)) {}

  constexpr shared_block(const shared_block& other) : block_(other.share()) {}
  constexpr shared_block(shared_block&& other) noexcept
      : block_(std::exchange(other.block_, &no_rules)) {}
  constexpr shared_block& operator=(shared_block other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  constexpr ~shared_block() {
    if (!block_->is_allocated()) {
      return;
    }
    if (std::is_constant_evaluated()) {
      delete[] block_->octets;
      delete block_;
    } else if (block_->owners.remove_last()) {
      ::operator delete(const_cast<rule_block*>(block_));
    }
  }

  [[nodiscard]] constexpr const rule_block* operator->() const noexcept { return block_; }

  /// Returns the number of octets that this block has allocated.
  [[nodiscard]] constexpr std::size_t memory_bytes() const noexcept {
    return block_->is_allocated() ? sizeof(rule_block) + block_->size : 0;
  }

  [[nodiscard]] friend constexpr bool operator==(const shared_block& a,
                                                 const shared_block& b) noexcept {
    return a.block_ == b.block_ || (a->facts == b->facts && a->size == b->size &&
                                    std::equal(a->octets, a->octets + a->size, b->octets));
  }

 private:
  [[nodiscard]] static constexpr const rule_block* make(const rule_set_facts& facts,
                                                        std::size_t size) {
    const auto octets = static_cast<std::uint32_t>(size);
    if (std::is_constant_evaluated()) {
      // NOLINTNEXTLINE(*-owning-memory): the caller owns it
      return new rule_block{.size = octets, .octets = new char[size]{}, .facts = facts};
    }
    void* const room = ::operator new(sizeof(rule_block) + size);
    char* const behind = static_cast<char*>(room) + sizeof(rule_block);
    return new (room) rule_block{.size = octets, .octets = behind, .facts = facts};
  }

  [[nodiscard]] constexpr const rule_block* share() const {
    if (!block_->is_allocated()) {
      return block_;
    }
    if (std::is_constant_evaluated()) {
      const rule_block* const copied = make(block_->facts, block_->size);
      std::copy_n(block_->octets, block_->size, copied->octets);
      return copied;
    }
    block_->owners.add();
    return block_;
  }

  const rule_block* block_ = &no_rules;
};

}  // namespace robots::rep_detail
