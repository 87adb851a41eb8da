// What a fetcher has to make of each fault, and a robots.txt that shows if it does not.
#pragma once

#include "fetcher_helpers.hpp"
#include "support/brotli.hpp"
#include <robots/http/message.hpp>

#include <support/fault.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace robots::test {

/// Forbids everything, but only in its last line: a crawler that takes a part of it for the whole
/// is allowed what he is not.
inline std::string denies_in_the_end() {
  std::string text = "User-agent: *\nDisallow: /never\n";
  for (int i = 0; i < 20; ++i) {
    text += "Disallow: /never/" + std::string(1, static_cast<char>('a' + i)) + "\n";
  }
  return text + "Disallow: /\n";
}

/// How an exchange with a fault in it has to end.
struct fault_case {
  fault what = fault::none;
  fetch_error error = fetch_error::none;
  int status = 0;            ///< 200: with the whole body; else with none
  bool truncated = false;    ///< the body and more of it than the request has room for
  std::size_t requests = 1;  ///< for one retrieval through a cache
};

/// All faults but `stalled`, which ends when the client says so.
inline std::vector<fault_case> fault_cases() {
  const bool brotli = has_brotli() && decodes_brotli();
  using enum fetch_error;
  return {
      {.what = fault::none, .status = 200},
      {.what = fault::reset_before_response, .error = protocol},
      {.what = fault::close_before_response, .error = protocol},
      {.what = fault::reset_in_headers, .error = protocol},
      {.what = fault::close_in_headers, .error = protocol},
      {.what = fault::reset_in_body, .error = protocol},
      {.what = fault::reset_in_unsized_body, .error = protocol},
      {.what = fault::unsized_body, .status = 200},
      {.what = fault::close_in_body, .error = protocol},
      {.what = fault::more_than_length, .status = 200},
      {.what = fault::two_lengths, .error = protocol},
      {.what = fault::negative_length, .error = protocol},
      {.what = fault::overflowing_length, .error = protocol},
      {.what = fault::bad_chunk_size, .error = protocol},
      {.what = fault::no_last_chunk, .error = protocol},
      {.what = fault::slow_drip, .status = 200},
      {.what = fault::huge_headers, .error = protocol},
      {.what = fault::endless_headers, .error = protocol},
      {.what = fault::endless_trailers, .error = protocol},
      {.what = fault::interim_flood, .error = protocol},
      {.what = fault::redirect_loop, .status = 302, .requests = 2},
      {.what = fault::redirect_chain, .status = 302, .requests = 6},
      {.what = fault::redirect_to_file, .status = 302},
      {.what = fault::redirect_to_ftp, .status = 302},
      {.what = fault::endless_redirect, .status = 302, .requests = 2},
      {.what = fault::cut_redirect, .status = 302, .requests = 2},
      {.what = fault::redirect_to_nowhere, .status = 302},
      {.what = fault::gzip_bomb, .status = 200, .truncated = true},
      {.what = fault::brotli_bomb,
       .error = brotli ? none : protocol,
       .status = brotli ? 200 : 0,
       .truncated = brotli},
      {.what = fault::layered_bomb, .status = 200, .truncated = true},
      {.what = fault::broken_gzip, .error = protocol},
      {.what = fault::cut_gzip, .error = protocol},
      {.what = fault::cut_brotli, .error = protocol},
      {.what = fault::not_modified, .status = 304},
      {.what = fault::no_http, .error = protocol},
      {.what = fault::garbage, .error = protocol},
  };
}

}  // namespace robots::test
