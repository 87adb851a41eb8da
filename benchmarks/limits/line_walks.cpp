// The least cost of reading: passes over the same files without parsing.
#include "limits/limits.hpp"
#include "peers/in_process.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace bench {
namespace {

/// The base of limits, which read files or targets and give no answers.
template <operation Only>
struct limit {
  using prepared = question;
  using asked = char;

  bool does(operation wanted, const input& in) const {
    return wanted == Only && std::ranges::find(in.operations, wanted) != in.operations.end();
  }
  prepared prepare(const question& q) const { return q; }
  asked read(const std::string&, const prepared&) const { return 0; }
  std::size_t parse(const std::string&) const { return 0; }
  bool compile(const std::string&, const prepared&) const { return true; }
  bool match(asked, const prepared&) const { return true; }
};

struct memchr_lines : limit<operation::parse> {
  static constexpr std::string_view name = "memchr-lines";
  static constexpr std::string_view note = "limit: from line end to line end with memchr";

  std::size_t parse(const std::string& text) const {
    std::size_t lines = 0;
    const char* position = text.data();
    const char* const end = position + text.size();
    while (position != end) {
      const void* const found =
          std::memchr(position, '\n', static_cast<std::size_t>(end - position));
      position = found == nullptr ? end : static_cast<const char*>(found) + 1;
      ++lines;
    }
    return lines;
  }
};

struct vector_pass : limit<operation::parse> {
  static constexpr std::string_view name = "vector-pass";
  static constexpr std::string_view note = "limit: one pass that marks line ends in a bit map";

  std::uint64_t parse(const std::string& text) const {
    std::uint64_t mixed = 0;
    std::size_t position = 0;
    for (; position + 64 <= text.size(); position += 64) {
      mixed += static_cast<std::uint64_t>(std::popcount(mark(text.data() + position)));
    }
    std::array<char, 64> rest{};
    std::memcpy(rest.data(), text.data() + position, text.size() - position);
    return mixed + static_cast<std::uint64_t>(std::popcount(mark(rest.data())));
  }

 private:
  static std::uint64_t mark(const char* block);
};

#if defined(__SSE2__)
std::uint64_t vector_pass::mark(const char* block) {
  const __m128i wanted = _mm_set1_epi8('\n');
  std::uint64_t bits = 0;
  for (int i = 0; i < 4; ++i) {
    __m128i octets;
    std::memcpy(&octets, block + 16 * i, sizeof octets);
    const auto found = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(octets, wanted)));
    bits |= std::uint64_t{found} << (16 * i);
  }
  return bits;
}
#else
std::uint64_t vector_pass::mark(const char* block) {
  std::uint64_t bits = 0;
  for (int i = 0; i < 64; ++i) {
    bits |= std::uint64_t{block[i] == '\n'} << i;
  }
  return bits;
}
#endif

struct copy : limit<operation::parse> {
  static constexpr std::string_view name = "memcpy";
  static constexpr std::string_view note = "limit: a copy into allocated memory";

  char parse(const std::string& text) const {
    static std::array<char, 512'000> into;
    std::memcpy(into.data(), text.data(), text.size());
    benchmark::ClobberMemory();
    return into[0];
  }
};

struct read_target : limit<operation::match> {
  static constexpr std::string_view name = "read-target";
  static constexpr std::string_view note = "limit: the target read once with memchr";

  bool match(asked, const prepared& q) const {
    return std::memchr(q.path.data(), '\0', q.path.size()) == nullptr;
  }
};

}  // namespace

std::vector<candidate> line_walks() {
  return {
      {"memchr-lines", std::make_unique<in_process<memchr_lines>>, {}},
      {"vector-pass", std::make_unique<in_process<vector_pass>>, {}},
      {"memcpy", std::make_unique<in_process<copy>>, {}},
      {"read-target", std::make_unique<in_process<read_target>>, {}},
  };
}

}  // namespace bench
