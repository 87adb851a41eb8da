// The functions that the page calls in WebAssembly. The page writes its texts, one after the other,
// into the octets that `try_room` returns, and calls a function with their sizes. The answer is
// JSON, which ends with a NUL and is valid until the next call.
#include "try_answers.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace {

using robots::try_page::page_facts;
using robots::try_page::tried_file;

std::string given;         // NOLINT(*-avoid-non-const-global-variables)
std::string answer;        // NOLINT(*-avoid-non-const-global-variables)
tried_file tried{{}, {}};  // NOLINT(*-avoid-non-const-global-variables)

const char* answered(std::string&& json) {
  answer = std::move(json);
  return answer.c_str();
}

}  // namespace

extern "C" {

char* try_room(std::size_t octets) {
  given.resize(octets);
  return given.data();
}

const char* try_read(std::size_t robots_octets, std::size_t crawler_octets) {
  const std::string_view texts{given};
  tried = tried_file{texts.substr(0, robots_octets), texts.substr(robots_octets, crawler_octets)};
  return answered(tried.summary());
}

const char* try_verdicts(std::size_t url_octets) {
  return answered(tried.verdicts(std::string_view{given}.substr(0, url_octets)));
}

/// `read_places` is the sum of 1 for the headers, 2 for the meta elements, 4 for the tdmrep.json.
const char* try_details(std::size_t url_octets, std::size_t header_octets,
                        std::uint32_t read_places, double now) {
  const std::string_view texts{given};
  const std::chrono::milliseconds since_1970{static_cast<std::int64_t>(now)};
  return answered(
      tried.details(texts.substr(0, url_octets),
                    page_facts{.headers = texts.substr(url_octets, header_octets),
                               .headers_are_read = (read_places & 1U) != 0,
                               .meta_is_read = (read_places & 2U) != 0,
                               .tdmrep_is_read = (read_places & 4U) != 0,
                               .now = std::chrono::system_clock::time_point{since_1970}}));
}

}  // extern "C"
