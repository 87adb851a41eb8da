// The expected result of each fault, and a robots.txt that reveals wrong results.
#pragma once

#include "fetcher_helpers.hpp"
#include "support/brotli.hpp"
#include <robots/http/message.hpp>

#include <support/fault.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace robots::test {

/// Returns a robots.txt that forbids everything, but only in its last line. A crawler that obeys
/// only a part of the file requests forbidden pages.
inline std::string denies_in_the_end() {
  std::string text = "User-agent: *\nDisallow: /never\n";
  for (int i = 0; i < 20; ++i) {
    text += "Disallow: /never/" + std::string(1, static_cast<char>('a' + i)) + "\n";
  }
  return text + "Disallow: /\n";
}

/// The required result of an exchange with a fault.
struct fault_case {
  fault kind = fault::none;
  fetch_error error = fetch_error::none;
  int status = 0;            ///< if 200, the body is whole; otherwise it is empty
  bool truncated = false;    ///< true if the body is longer than the request permits
  std::size_t requests = 1;  ///< the requests of one retrieval by a cache
};

/// Returns the cases of all faults except `stalled`, which ends only when the client ends it.
inline std::vector<fault_case> fault_cases() {
  const bool brotli = has_brotli() && decodes_brotli();
  using enum fetch_error;
  return {
      {.kind = fault::none, .status = 200},
      {.kind = fault::reset_before_response, .error = protocol},
      {.kind = fault::close_before_response, .error = protocol},
      {.kind = fault::reset_in_headers, .error = protocol},
      {.kind = fault::close_in_headers, .error = protocol},
      {.kind = fault::reset_in_body, .error = protocol},
      {.kind = fault::reset_in_unsized_body, .error = protocol},
      {.kind = fault::unsized_body, .status = 200},
      {.kind = fault::close_in_body, .error = protocol},
      {.kind = fault::more_than_length, .status = 200},
      {.kind = fault::two_lengths, .error = protocol},
      {.kind = fault::negative_length, .error = protocol},
      {.kind = fault::overflowing_length, .error = protocol},
      {.kind = fault::bad_chunk_size, .error = protocol},
      {.kind = fault::no_last_chunk, .error = protocol},
      {.kind = fault::slow_drip, .status = 200},
      {.kind = fault::huge_headers, .error = protocol},
      {.kind = fault::endless_headers, .error = protocol},
      {.kind = fault::endless_trailers, .error = protocol},
      {.kind = fault::interim_flood, .error = protocol},
      {.kind = fault::redirect_loop, .status = 302, .requests = 2},
      {.kind = fault::redirect_chain, .status = 302, .requests = 6},
      {.kind = fault::redirect_to_file, .status = 302},
      {.kind = fault::redirect_to_ftp, .status = 302},
      {.kind = fault::endless_redirect, .status = 302, .requests = 2},
      {.kind = fault::cut_redirect, .status = 302, .requests = 2},
      {.kind = fault::redirect_to_nowhere, .status = 302},
      {.kind = fault::gzip_bomb, .status = 200, .truncated = true},
      {.kind = fault::brotli_bomb,
       .error = brotli ? none : protocol,
       .status = brotli ? 200 : 0,
       .truncated = brotli},
      {.kind = fault::layered_bomb, .status = 200, .truncated = true},
      {.kind = fault::broken_gzip, .status = 200},
      {.kind = fault::unsized_gzip, .status = 200},
      {.kind = fault::cut_gzip, .error = protocol},
      {.kind = fault::cut_brotli, .error = protocol},
      {.kind = fault::not_modified, .status = 304},
      {.kind = fault::no_http, .error = protocol},
      {.kind = fault::garbage, .error = protocol},
  };
}

}  // namespace robots::test
