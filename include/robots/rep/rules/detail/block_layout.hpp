#pragma once

#include <robots/base/config.hpp>
#include <robots/rep/read/detail/dialect_traits.hpp>
#include <robots/rep/read/parse_options.hpp>
#include <robots/rep/rules/detail/match.hpp>
#include <robots/rep/rules/verdict.hpp>
#include <robots/rep/text/detail/octet_word.hpp>

#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace robots::rep_detail {

/// A rule of a `rule_set`, in twelve octets. The `rule_set` stores the written pattern in another
/// part of its memory.
///
/// For most rules, the compiled pattern is the written pattern without `*` and `$` at the end. If
/// the two patterns differ in any other way, the written pattern is called a source. The source is
/// compiled each time the rule is compared with a target. The rule's specificity and the length of
/// the written pattern are stored before a source, in two octets each.
class packed_rule {
 public:
  static constexpr unsigned tag_bits = 14;        ///< bits of the tag, a part of a hash
  static constexpr std::size_t numbers_size = 4;  ///< octets of the two numbers before a source
  static constexpr std::size_t stored_size = 12;
  /// An upper bound for the size of a compiled pattern, since a line has at most 16,663 octets.
  static constexpr std::size_t most_compiled = 50'000;

  packed_rule() = default;

  /// `size` is the number of octets of the written pattern. `size` is below 2^16, since a line has
  /// at most 16,663 octets. `line` is below 2^28, since a text has at most 2^28 octets.
  constexpr packed_rule(rule_kind kind, std::uint32_t line, std::size_t size) noexcept
      : offset_(0),
        line_and_flags_((line & line_mask) | flag(kind == rule_kind::allow, allow_bit)),
        size_tag_and_tail_(static_cast<std::uint32_t>(size)) {}

  constexpr packed_rule(std::string_view octets, std::size_t place) noexcept
      : offset_(static_cast<std::uint32_t>(part_of_word<4>(octets, place))),
        line_and_flags_(static_cast<std::uint32_t>(part_of_word<4>(octets, place + 4))),
        size_tag_and_tail_(static_cast<std::uint32_t>(part_of_word<4>(octets, place + 8))) {}

  constexpr void store(char* to, std::size_t offset, std::uint32_t tag) const noexcept {
    store_word<4>(to, offset);
    store_word<4>(to + 4, line_and_flags_);
    store_word<4>(to + 8, size_tag_and_tail_ | tag << size_bits);
  }

  /// Sets the size and the tail. The compiled pattern must be `source.body` without a final `*`.
  constexpr void set_compiled(const pattern_source& source) noexcept {
    const bool open = source.body.ends_with('*');
    set_pattern(source.body.size() - (open ? 1 : 0),
                (open ? open_tail : 0) | (source.anchored ? anchor_tail : 0));
  }

  constexpr void set_source(const pattern_source& source) noexcept {
    set_pattern(source.body.size(), source.anchored ? anchor_tail : 0);
    line_and_flags_ |= flag(true, source_bit) | flag(source.leading_slash, slash_bit);
  }

  constexpr void set_star(bool star) noexcept { line_and_flags_ |= flag(star, star_bit); }

  [[nodiscard]] constexpr std::uint32_t line() const noexcept {
    return line_and_flags_ & line_mask;
  }

  [[nodiscard]] constexpr rule_kind kind() const noexcept {
    return has(allow_bit) ? rule_kind::allow : rule_kind::disallow;
  }

  [[nodiscard]] constexpr bool star() const noexcept { return has(star_bit); }

  [[nodiscard]] constexpr bool is_source() const noexcept { return has(source_bit); }

  /// Returns the compiled pattern. `is_source()` must be false.
  [[nodiscard]] constexpr compiled_pattern pattern(std::string_view text) const noexcept {
    return {.text = {text.data() + offset_, size()}, .anchored = anchored()};
  }

  [[nodiscard]] constexpr pattern_source source(std::string_view text) const noexcept {
    return {.body = text.substr(offset_, size()),
            .anchored = anchored(),
            .leading_slash = has(slash_bit)};
  }

  [[nodiscard]] constexpr std::string_view written(std::string_view text) const noexcept {
    return text.substr(offset_, is_source() ? number(text, offset_ - 2) : written_size());
  }

  [[nodiscard]] constexpr std::uint32_t specificity(std::string_view text) const noexcept {
    return static_cast<std::uint32_t>(is_source() ? number(text, offset_ - 4) : written_size());
  }

  [[nodiscard]] constexpr rule_rank rank(std::string_view text, tie_break tie) const noexcept {
    return rank_of(specificity(text), kind(), line(), tie);
  }

  template <class Use>
  constexpr auto with_pattern(std::string_view text, const normal_form& form, Use use) const {
    return is_source() ? with_compiled(source(text), form, use) : use(pattern(text));
  }

  [[nodiscard]] static constexpr std::uint32_t tag_at(std::string_view octets,
                                                      std::size_t place) noexcept {
    return static_cast<std::uint32_t>(part_of_word<4>(octets, place + 8)) >> size_bits & tag_mask;
  }

 private:
  // Not inlined, since few rules need this large buffer.
  template <class Use>
  ROBOTS_NOINLINE static constexpr auto with_compiled(const pattern_source& source,
                                                      const normal_form& form, Use use) {
    std::array<char, most_compiled> octets;  // NOLINT(*-member-init): filled below
    std::size_t size = 0;
    write_compiled(source, form, [&](char c) { octets[size++] = c; });
    return use(finish({octets.data(), size}, source.anchored));
  }

  static constexpr unsigned allow_bit = 28;
  static constexpr unsigned star_bit = 29;
  static constexpr unsigned source_bit = 30;
  static constexpr unsigned slash_bit = 31;
  static constexpr std::uint32_t line_mask = (1U << allow_bit) - 1;
  static constexpr unsigned size_bits = 16;
  static constexpr unsigned tail_at = size_bits + tag_bits;
  static constexpr std::uint32_t tag_mask = (1U << tag_bits) - 1;

  // If the written pattern ends with `*`, `$` or `*$`, the compiled pattern lacks this end. These
  // bits say which end it was.
  static constexpr unsigned anchor_tail = 1;
  static constexpr unsigned open_tail = 2;

  constexpr void set_pattern(std::size_t size, unsigned tail) noexcept {
    size_tag_and_tail_ = static_cast<std::uint32_t>(size) | tail << tail_at;
  }

  [[nodiscard]] static constexpr std::uint32_t flag(bool value, unsigned bit) noexcept {
    return std::uint32_t{value} << bit;
  }

  [[nodiscard]] constexpr bool has(unsigned bit) const noexcept {
    return (line_and_flags_ >> bit & 1U) != 0;
  }

  [[nodiscard]] constexpr std::size_t size() const noexcept {
    return size_tag_and_tail_ & ((1U << size_bits) - 1);
  }

  [[nodiscard]] constexpr unsigned tail() const noexcept { return size_tag_and_tail_ >> tail_at; }

  [[nodiscard]] constexpr bool anchored() const noexcept { return tail() == anchor_tail; }

  [[nodiscard]] constexpr std::size_t written_size() const noexcept {
    return size() + (tail() & anchor_tail) + tail() / open_tail;
  }

  [[nodiscard]] static constexpr std::size_t number(std::string_view text,
                                                    std::size_t place) noexcept {
    return static_cast<std::size_t>(part_of_word<2>(text, place));
  }

  std::uint32_t offset_;
  std::uint32_t line_and_flags_;
  std::uint32_t size_tag_and_tail_;
};

inline constexpr std::uint64_t hash_start = 0x2545'F491'4F6C'DD1DU;
inline constexpr std::uint64_t hash_factor = 0x9E37'79B9'7F4A'7C15U;

/// Returns the hash of a text. `state` is the state of the hash after all whole words (of 8 octets)
/// of the text. The first `count` octets of `word` are the rest of the text. `count` is 0 to 7. The
/// highest bits of the hash are the most random.
///
/// An attacker can find texts with equal hashes. Such texts cost time, but no answer is wrong.
[[nodiscard]] constexpr std::uint64_t finish_hash(std::uint64_t state, octet_word word,
                                                  std::size_t count) noexcept {
  return (state ^ (word & octet_mask(count))) * hash_factor;
}

/// The size of a gram in octets. A gram is a piece of a pattern, and contains no wildcard. A rule
/// without a useful prefix, such as `/*.html`, is found by the hash of a gram.
inline constexpr std::size_t gram_size = 4;

template <class Use>
constexpr void for_each_gram(std::string_view text, Use use) {
  for (std::size_t offset = 0; offset + gram_size <= text.size(); ++offset) {
    use(finish_hash(hash_start, part_of_word<gram_size>(text, offset), gram_size));
  }
}

/// Computes hashes of prefixes of one text, shorter prefixes first.
class prefix_hasher {
 public:
  constexpr explicit prefix_hasher(std::string_view text) noexcept
      : text_(text), word_(word_at(text, 0)) {}

  /// Returns the hash of the first `size` octets. `size` must not be less than the `size` of the
  /// previous call.
  [[nodiscard]] constexpr std::uint64_t of(std::size_t size) noexcept {
    while (size - at_ >= sizeof word_) {
      state_ = (state_ ^ word_) * hash_factor;
      state_ ^= state_ >> 32U;
      at_ += sizeof word_;
      word_ = word_at(text_, at_);
    }
    return finish_hash(state_, word_, size - at_);
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  octet_word word_;
  std::uint64_t state_ = hash_start;
};

[[nodiscard]] constexpr std::uint64_t hash_of(std::string_view text) noexcept {
  return prefix_hasher{text}.of(text.size());
}

/// The maximum size of a prefix by which a rule is found, in octets.
inline constexpr std::size_t max_key_size = 63;

/// The lengths of the hashed prefixes, as a set of bits for each of four classes. Bit n of a class
/// is set if a prefix of this class has n octets. The second octet of a text selects its class. A
/// prefix without a second octet is in all classes. A target can begin only with prefixes of its
/// class.
struct prefix_lengths {
  std::array<octet_word, 4> of_class{};

  constexpr void add(std::string_view prefix) noexcept {
    for (std::size_t i = 0; i < of_class.size(); ++i) {
      const bool fits = prefix.size() < 2 || class_of(prefix) == i;
      of_class[i] |= octet_word{fits} << prefix.size();
    }
  }

  /// Returns the prefix lengths for the class of `target`. Omits lengths above the size of
  /// `target`. `octets` begins with the stored `prefix_lengths`.
  [[nodiscard]] static constexpr octet_word load_for(std::string_view target,
                                                     std::string_view octets) noexcept {
    const std::size_t index = target.size() > 1 ? class_of(target) : 0;
    const octet_word lengths = whole_word(octets, index * sizeof(octet_word));
    return target.size() < max_key_size ? lengths & ((octet_word{2} << target.size()) - 1)
                                        : lengths;
  }

  [[nodiscard]] static constexpr std::size_t class_of(std::string_view text) noexcept {
    return static_cast<unsigned char>(text[1]) % 4U;
  }
};

/// All facts of a `rule_table`, except its block of octets. The block contains, in this order:
/// - if rules are found by hash: the `prefix_lengths`, the index of the first rule of each bucket,
///   and the end index of the last bucket (four octets per index);
/// - a `packed_rule` for each rule: first the rules tried one by one, by descending `rule_rank`,
///   then the rules found by prefix, then the rules found by gram;
/// - the texts of the rules, and the token of the crawler.
struct rule_set_facts {
  const dialect_traits* traits = &rfc9309_traits;  ///< the dialect of rules and targets
  std::chrono::milliseconds delay{-1};             ///< Crawl-delay; negative if there is none
  std::uint32_t token_size = 0;                    ///< octets of the crawler's token
  std::uint32_t rules = 0;
  std::uint32_t tried = 0;  ///< rules that are tried one by one
  /// The number of buckets for rules found by the hash of a prefix. The prefix is the text before
  /// the first wildcard, but at most `max_key_size` octets.
  std::uint32_t prefix_buckets = 0;
  std::uint32_t gram_buckets = 0;  ///< buckets for rules found by a hash of a gram
  group_choice group = group_choice::none;
  tie_break tie = tie_break::allow;

  [[nodiscard]] constexpr std::optional<std::chrono::milliseconds> crawl_delay() const noexcept {
    return delay < delay.zero() ? std::nullopt : std::optional{delay};
  }

  [[nodiscard]] friend constexpr bool operator==(const rule_set_facts&,
                                                 const rule_set_facts&) = default;

  [[nodiscard]] constexpr std::size_t rules_at() const noexcept {
    const std::size_t buckets = std::size_t{prefix_buckets} + gram_buckets;
    return buckets == 0 ? 0 : sizeof(prefix_lengths) + (buckets + 1) * sizeof(std::uint32_t);
  }
  [[nodiscard]] constexpr std::size_t texts_at() const noexcept {
    return rules_at() + rules * packed_rule::stored_size;
  }
};

/// Returns 0 or a power of two above 1. On average, a bucket has at most three rules.
[[nodiscard]] constexpr std::uint32_t buckets_for(std::uint32_t rules) noexcept {
  return rules == 0 ? 0 : std::bit_ceil(rules / 3 + 2);
}

/// Returns where the block stores the bucket of `hash`. The buckets have the indexes from `first`
/// to `first + buckets - 1`.
[[nodiscard]] constexpr std::size_t bucket_at(std::uint64_t hash, std::size_t first,
                                              std::size_t buckets) noexcept {
  const auto index = first + static_cast<std::size_t>(hash >> (64 - std::countr_zero(buckets)));
  return sizeof(prefix_lengths) + index * sizeof(std::uint32_t);
}

/// Returns the tag of a hash. In a bucket, a query tries only the rules whose tag equals the tag of
/// the query's hash.
[[nodiscard]] constexpr std::uint32_t tag_of(std::uint64_t hash) noexcept {
  return static_cast<std::uint32_t>((hash ^ hash >> 32U) & ((1U << packed_rule::tag_bits) - 1));
}

}  // namespace robots::rep_detail
