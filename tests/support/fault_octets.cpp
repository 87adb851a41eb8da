#include "fault_octets.hpp"

#include "brotli.hpp"
#include "gzip.hpp"

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace robots::test {
namespace {

constexpr std::string_view line_end = "\r\n";
constexpr std::size_t huge_field_size = std::size_t{1} << 20U;
constexpr std::size_t bomb_size = std::size_t{16} << 20U;

std::string status_line(int status) { return "HTTP/1.1 " + std::to_string(status) + " Told\r\n"; }

std::string field(std::string_view name, std::string_view value) {
  return std::string(name) + ": " + std::string(value) + std::string(line_end);
}

std::string length_of(std::string_view body) {
  return field("Content-Length", std::to_string(body.size()));
}

/// Returns the status line and the fields, without the empty line after them.
std::string open_head(const fault_plan& plan) {
  std::string head = status_line(plan.status) + field("Content-Type", "text/plain");
  for (const http_header& header : plan.headers) {
    head += field(header.name, header.value);
  }
  return head;
}

std::string whole(const fault_plan& plan) {
  return open_head(plan) + length_of(plan.body) + std::string(line_end) + plan.body;
}

std::string first_half(const std::string& octets) { return octets.substr(0, octets.size() / 2); }

std::string half(const fault_plan& plan) { return first_half(plan.body); }

/// Returns half of the body after a Content-Length with that value.
std::string half_of_length(const fault_plan& plan, std::string_view length) {
  return open_head(plan) + field("Content-Length", length) + std::string(line_end) + half(plan);
}

std::string half_sent(const fault_plan& plan) {
  return half_of_length(plan, std::to_string(plan.body.size()));
}

std::string in_a_chunk(const fault_plan& plan, const std::string& piece) {
  // Four hexadecimal digits suffice, since bodies here are short.
  constexpr std::string_view digits = "0123456789abcdef";
  std::string size;
  for (unsigned shift = 16; shift > 0; shift -= 4) {
    size += digits[(piece.size() >> (shift - 4)) % digits.size()];
  }
  return open_head(plan) + field("Transfer-Encoding", "chunked") + std::string(line_end) + size +
         std::string(line_end) + piece + std::string(line_end);
}

std::string moved(const std::string& location) {
  return status_line(302) + (location.empty() ? "" : field("Location", location)) + length_of("") +
         std::string(line_end);
}

/// Returns the header section of a redirect to a query, or from the query back.
std::string moved_in_a_loop(std::string_view target) {
  const std::string path(target.substr(0, target.find('?')));
  return status_line(302) +
         field("Location", path.size() == target.size() ? path + "?again" : path);
}

std::string encoded(fault_plan plan, const char* coding, std::string body) {
  plan.headers.push_back({"Content-Encoding", coding});
  plan.body = std::move(body);
  return whole(plan);
}

/// Returns the encoded body after fields without its length.
fault_octets unsized(fault_plan plan, const char* coding, std::string_view body) {
  plan.headers.push_back({"Content-Encoding", coding});
  return {.octets = open_head(plan) + std::string(line_end) + std::string(body),
          .ending = fault_ending::close};
}

/// Returns `body` with a large comment after it, compressed by `Pack`. Stores the result for the
/// threads of all servers, since compression is slow.
template <std::string (*Pack)(std::string_view)>
const std::string& bomb(const std::string& body) {
  static std::mutex mutex;
  static std::map<std::string, std::string> results;
  const std::lock_guard lock{mutex};
  std::string& packed = results[body];
  if (packed.empty()) {
    packed = Pack(body + '\n' + std::string(bomb_size, '#'));
  }
  return packed;
}

std::string gzip_once(std::string_view text) { return gzip(text); }
std::string gzip_twice(std::string_view text) { return gzip(gzip(text)); }

std::string interim_responses() {
  std::string octets;
  for (int i = 0; i < 10'000; ++i) {
    octets += "HTTP/1.1 103 Early Hints\r\n\r\n";
  }
  return octets;
}

fault_octets garbled() {
  std::string octets;
  for (unsigned i = 0; i < 4'096; ++i) {
    octets += static_cast<char>((i * 167U + 13U) % 256U);
  }
  return {.octets = octets, .ending = fault_ending::close};
}

}  // namespace

fault_octets octets_of(const fault_plan& plan, std::string_view target) {
  using enum fault_ending;
  switch (plan.kind) {
    case fault::none:
      return {.octets = whole(plan)};
    case fault::reset_before_response:
      return {.ending = reset};
    case fault::close_before_response:
      return {.ending = close};
    case fault::reset_in_headers:
      return {.octets = open_head(plan) + "X-Ha", .ending = reset};
    case fault::close_in_headers:
      return {.octets = open_head(plan) + "X-Ha", .ending = close};
    case fault::reset_in_body:
      return {.octets = half_sent(plan), .ending = reset};
    case fault::reset_in_unsized_body:
      return {.octets = open_head(plan) + std::string(line_end) + half(plan), .ending = reset};
    case fault::unsized_body:
      return {.octets = open_head(plan) + std::string(line_end) + plan.body, .ending = close};
    case fault::close_in_body:
      return {.octets = half_sent(plan), .ending = close};
    case fault::more_than_length:
      return {.octets = whole(plan) + whole({.body = "User-agent: *\nAllow: /\n"})};
    case fault::two_lengths:
      return {.octets = open_head(plan) + length_of(plan.body) + length_of(half(plan)) +
                        std::string(line_end) + plan.body};
    case fault::negative_length:
      return {.octets = half_of_length(plan, "-1"), .ending = close};
    case fault::overflowing_length:
      return {.octets = half_of_length(plan, std::string(30, '9')), .ending = close};
    case fault::bad_chunk_size:
      return {.octets = in_a_chunk(plan, half(plan)) + "what?\r\n" + half(plan), .ending = close};
    case fault::no_last_chunk:
      return {.octets = in_a_chunk(plan, half(plan)), .ending = close};
    case fault::stalled:
      return {.octets = half_sent(plan), .ending = stall};
    case fault::slow_drip:
      return {.octets = whole(plan), .one_by_one = true};
    case fault::huge_headers:
      return {.octets = open_head(plan) + field("X-Huge", std::string(huge_field_size, 'x')) +
                        length_of(plan.body) + std::string(line_end) + plan.body};
    case fault::endless_headers:
      return {.octets = open_head(plan), .endless = field("X-Again", "and again")};
    case fault::endless_trailers:
      return {.octets = in_a_chunk(plan, plan.body) + "0\r\n",
              .endless = field("X-Again", "and again")};
    case fault::interim_flood:
      return {.octets = interim_responses() + whole(plan)};
    case fault::redirect_loop:
      return {.octets = moved_in_a_loop(target) + length_of("") + std::string(line_end)};
    case fault::endless_redirect:
      return {.octets = moved_in_a_loop(target) + std::string(line_end), .endless = "and so on\n"};
    case fault::cut_redirect:
      return {.octets = moved_in_a_loop(target) + length_of("0123456789") + std::string(line_end) +
                        "01234",
              .ending = close};
    case fault::redirect_chain:
      return {.octets = moved(std::string(target) +
                              (target.find('?') == std::string_view::npos ? "?x" : "x"))};
    case fault::redirect_to_file:
      return {.octets = moved("file:///etc/passwd")};
    case fault::redirect_to_ftp:
      return {.octets = moved("ftp://127.0.0.1" + std::string(target))};
    case fault::redirect_to_nowhere:
      return {.octets = moved("")};
    case fault::gzip_bomb:
      return {.octets = encoded(plan, "gzip", bomb<gzip_once>(plan.body))};
    case fault::unsized_gzip:
      return unsized(plan, "gzip", gzip(plan.body));
    case fault::cut_gzip:
      return unsized(plan, "gzip", first_half(gzip(plan.body)));
    case fault::brotli_bomb:
      if (has_brotli()) {
        return {.octets = encoded(plan, "br", bomb<brotli>(plan.body))};
      }
      return garbled();
    case fault::cut_brotli:
      if (has_brotli()) {
        return unsized(plan, "br", first_half(brotli(plan.body)));
      }
      return garbled();
    case fault::layered_bomb:
      return {.octets = encoded(plan, "gzip, gzip", bomb<gzip_twice>(plan.body))};
    case fault::broken_gzip:
      return {.octets = encoded(plan, "gzip", plan.body)};
    case fault::not_modified:
      return {.octets = status_line(304) + std::string(line_end)};
    case fault::no_http:
      return {.octets = plan.body, .ending = close};
    case fault::garbage:
      return garbled();
  }
  return {};
}

}  // namespace robots::test
