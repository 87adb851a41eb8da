#pragma once

#include <robots/rep/rules/detail/prefix_hash.hpp>
#include <robots/rep/text/detail/octet_word.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace robots::rep_detail {

/// Octets of a literal by which rules that begin with a wildcard are found.
inline constexpr std::size_t gram_size = 4;

/// Calls `use` with the hash of each stretch of `gram_size` octets of `text`.
template <class Use>
constexpr void for_each_gram(std::string_view text, Use use) {
  for (std::size_t at = 0; at + gram_size <= text.size(); ++at) {
    use(hash_state::start().finish(part_of_word<gram_size>(text, at), gram_size));
  }
}

}  // namespace robots::rep_detail
