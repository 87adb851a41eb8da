// The faults of a server during a response.
#pragma once

#include <array>
#include <string_view>

namespace robots::test {

/// A fault in a response. "Half" is half of the body, "end" the end of the connection.
enum class fault {
  none,                   ///< the correct answer, and the connection stays open
  reset_before_response,  ///< reads the request, and resets the connection
  close_before_response,  ///< reads the request, and closes the connection
  reset_in_headers,       ///< some of the header section, then a reset
  close_in_headers,       ///< some of the header section, then the end
  reset_in_body,          ///< half, then a reset
  reset_in_unsized_body,  ///< half, with neither a Content-Length nor chunks, then a reset
  unsized_body,      ///< the whole body, with neither a Content-Length nor chunks, then the end
  close_in_body,     ///< half, less than Content-Length says, then the end
  more_than_length,  ///< after the octets of Content-Length, a second answer that allows everything
  two_lengths,       ///< two Content-Lengths: of the whole body, and of half
  negative_length,   ///< a Content-Length below zero, half, then the end
  overflowing_length,   ///< a Content-Length of thirty digits, half, then the end
  bad_chunk_size,       ///< half in a good chunk, then a size that is not a number
  no_last_chunk,        ///< half in a good chunk, then the end
  stalled,              ///< half, then nothing until the client leaves
  slow_drip,            ///< the whole answer, octet by octet: slow, but correct
  huge_headers,         ///< a field of 1 MB before the body
  endless_headers,      ///< endless fields
  endless_trailers,     ///< the whole body in a chunk, then endless trailer fields
  interim_flood,        ///< 10,000 interim responses before the answer
  redirect_loop,        ///< a redirect to a query, which redirects back
  redirect_chain,       ///< an endless chain of redirects
  redirect_to_file,     ///< a redirect to file:///etc/passwd
  redirect_to_ftp,      ///< a redirect to an ftp URL of the same host
  endless_redirect,     ///< `redirect_loop` with an endless body
  cut_redirect,         ///< `redirect_loop` with a body that is shorter than its Content-Length
  redirect_to_nowhere,  ///< a redirect without a Location
  gzip_bomb,            ///< the body and a comment of 16 MB, compressed with gzip
  brotli_bomb,          ///< `gzip_bomb` in brotli, or `garbage` without an encoder
  layered_bomb,         ///< the gzip bomb, compressed again with gzip
  broken_gzip,          ///< the uncompressed body with `Content-Encoding: gzip`
  unsized_gzip,         ///< the whole compressed body without a length, then the end
  cut_gzip,             ///< half of the compressed body without a length, then the end
  cut_brotli,           ///< `cut_gzip` in brotli, or `garbage` without an encoder
  not_modified,         ///< 304 for a request without conditions
  no_http,              ///< the body alone, as in HTTP/0.9
  garbage,              ///< octets that are not HTTP
};

/// All faults except `none`.
inline constexpr std::array all_faults{fault::reset_before_response,
                                       fault::close_before_response,
                                       fault::reset_in_headers,
                                       fault::close_in_headers,
                                       fault::reset_in_body,
                                       fault::reset_in_unsized_body,
                                       fault::unsized_body,
                                       fault::close_in_body,
                                       fault::more_than_length,
                                       fault::two_lengths,
                                       fault::negative_length,
                                       fault::overflowing_length,
                                       fault::bad_chunk_size,
                                       fault::no_last_chunk,
                                       fault::stalled,
                                       fault::slow_drip,
                                       fault::huge_headers,
                                       fault::endless_headers,
                                       fault::endless_trailers,
                                       fault::interim_flood,
                                       fault::redirect_loop,
                                       fault::redirect_chain,
                                       fault::redirect_to_file,
                                       fault::redirect_to_ftp,
                                       fault::endless_redirect,
                                       fault::cut_redirect,
                                       fault::redirect_to_nowhere,
                                       fault::gzip_bomb,
                                       fault::brotli_bomb,
                                       fault::layered_bomb,
                                       fault::broken_gzip,
                                       fault::unsized_gzip,
                                       fault::cut_gzip,
                                       fault::cut_brotli,
                                       fault::not_modified,
                                       fault::no_http,
                                       fault::garbage};

/// Returns the name of the enumerator.
[[nodiscard]] std::string_view to_string(fault fault_kind) noexcept;

}  // namespace robots::test
