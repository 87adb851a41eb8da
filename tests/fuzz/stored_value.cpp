#include <robots/adapters/detail/stored_value.hpp>

#include "fuzz/bodies.hpp"
#include "fuzz/input.hpp"
#include <robots/policy/codec.hpp>

#include <algorithm>
#include <cstddef>
#include <string>

void fuzz::fuzz_stored_value(octets input) {
  using robots::adapters_detail::original_value;
  using robots::adapters_detail::stored_value;
  constexpr std::size_t limit = 100'000;
  reader in{input};
  const bool compresses = in.octet() % 2 == 0;
  const std::string text = in.rest();
  const std::string stored = stored_value(text, compresses);
  require(original_value(stored, text.size()) == text, "a value is loaded as it was published");
  require(stored.size() < text.size() || stored == text || text.starts_with('\x83'),
          "a value takes no more room than its octets");

  const std::string value = original_value(text, limit);
  require(value.size() <= std::max(limit, text.size()), "no value is above the limit");
  require(value == text || text.starts_with('\x83'), "a value without a head is as it is stored");
  if (value == text && text.starts_with('\x83')) {
    require(!robots::detail::decode_site(value).value, "what cannot be decoded is no record");
  }
}
