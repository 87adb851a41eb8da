#include "fault.hpp"

#include <string_view>

namespace robots::test {

std::string_view to_string(fault fault_kind) noexcept {
  switch (fault_kind) {
    case fault::none:
      return "none";
    case fault::reset_before_response:
      return "reset_before_response";
    case fault::close_before_response:
      return "close_before_response";
    case fault::reset_in_headers:
      return "reset_in_headers";
    case fault::close_in_headers:
      return "close_in_headers";
    case fault::reset_in_body:
      return "reset_in_body";
    case fault::reset_in_unsized_body:
      return "reset_in_unsized_body";
    case fault::close_in_body:
      return "close_in_body";
    case fault::more_than_length:
      return "more_than_length";
    case fault::two_lengths:
      return "two_lengths";
    case fault::negative_length:
      return "negative_length";
    case fault::overflowing_length:
      return "overflowing_length";
    case fault::bad_chunk_size:
      return "bad_chunk_size";
    case fault::no_last_chunk:
      return "no_last_chunk";
    case fault::stalled:
      return "stalled";
    case fault::slow_drip:
      return "slow_drip";
    case fault::huge_headers:
      return "huge_headers";
    case fault::endless_trailers:
      return "endless_trailers";
    case fault::endless_headers:
      return "endless_headers";
    case fault::interim_flood:
      return "interim_flood";
    case fault::redirect_loop:
      return "redirect_loop";
    case fault::redirect_chain:
      return "redirect_chain";
    case fault::redirect_to_file:
      return "redirect_to_file";
    case fault::redirect_to_ftp:
      return "redirect_to_ftp";
    case fault::redirect_to_nowhere:
      return "redirect_to_nowhere";
    case fault::gzip_bomb:
      return "gzip_bomb";
    case fault::brotli_bomb:
      return "brotli_bomb";
    case fault::layered_bomb:
      return "layered_bomb";
    case fault::broken_gzip:
      return "broken_gzip";
    case fault::unsized_body:
      return "unsized_body";
    case fault::endless_redirect:
      return "endless_redirect";
    case fault::cut_redirect:
      return "cut_redirect";
    case fault::unsized_gzip:
      return "unsized_gzip";
    case fault::cut_gzip:
      return "cut_gzip";
    case fault::cut_brotli:
      return "cut_brotli";
    case fault::not_modified:
      return "not_modified";
    case fault::no_http:
      return "no_http";
    case fault::garbage:
      return "garbage";
  }
  return "none";
}

}  // namespace robots::test
