#include <robots/adapters/curl/detail/response_reader.hpp>

#include <robots/http/message.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace {

using robots::adapters_detail::max_header_lines;
using robots::adapters_detail::response_reader;
using std::literals::operator""s;

constexpr std::size_t header_room = 65'536;
constexpr std::string_view ok = "HTTP/1.1 200 OK\r\n";

/// Returns the status, the fields and the body of a response in one line, and how far it came.
std::string read_in_pieces(std::string_view octets, std::size_t size) {
  response_reader reader(header_room);
  std::string body;
  while (!octets.empty()) {
    reader.take(octets.substr(0, size), body);
    octets.remove_prefix((std::min)(size, octets.size()));
  }
  if (reader.problem() != nullptr) {
    return std::string("problem: ") + reader.problem();
  }
  if (!reader.has_headers()) {
    return "no headers";
  }
  std::string text = std::to_string(reader.status());
  for (const robots::http_header& header : reader.headers()) {
    text += ' ' + header.name + '=' + header.value;
  }
  text += " [" + body + ']';
  return text + (reader.is_complete() ? "" : reader.may_end() ? " until the end" : " cut");
}

std::string read(const std::string& octets) {
  const std::string whole = read_in_pieces(octets, (std::max<std::size_t>)(octets.size(), 1));
  for (const std::size_t size : {1U, 2U, 3U, 7U}) {
    CHECK(read_in_pieces(octets, size) == whole);
  }
  return whole;
}

std::string read_ok(const std::string& rest) { return read(std::string(ok) + rest); }

}  // namespace

TEST_CASE("A reader skips lines among the headers that are no fields") {
  const std::string end = "Content-Length: 2\r\n\r\nhi";
  const std::string wanted = "200 Content-Length=2 [hi]";
  CHECK(read_ok(end) == wanted);
  CHECK(read_ok("a stray line\r\n" + end) == wanted);
  CHECK(read_ok("HTTP/1.1 200 OK\r\n" + end) == wanted);
  CHECK(read_ok("HTTP/1.1 404 Not Found: no\r\n" + end) == wanted);
  CHECK(read_ok("Warning in line 5: no file\r\n" + end) == wanted);
  CHECK(read_ok(" Server: x\r\n" + end) == wanted);
  CHECK(read_ok(": x\r\n" + end) == wanted);
  CHECK(read_ok("stray\r\n Content-Length: 1\r\n" + end) == wanted);
  CHECK(read_ok("stray\nContent-Length : 2\n\nhi") == wanted);
}

TEST_CASE("A reader keeps fields in order, and unfolds them") {
  CHECK(read_ok("B: 1\r\nA:\t2 \r\nb:a\r\n  b\r\nE:\r\nContent-Length: 0\r\n\r\n") ==
        "200 B=1 A=2 b=a b E= Content-Length=0 []");
  CHECK(read("HTTP/1.1 103 Early\r\nLink: a\r\nstray\r\n\r\nHTTP/1.0 404\r\nA: b\r\n\r\n") ==
        "404 A=b [] until the end");
}

TEST_CASE("A reader finds the end of a body") {
  CHECK(read_ok("\r\nhi") == "200 [hi] until the end");
  CHECK(read_ok("Content-Length: 3\r\n\r\nhi") == "200 Content-Length=3 [hi] cut");
  CHECK(read_ok("Content-Length: 1\r\n\r\nhi") == "200 Content-Length=1 [h]");
  const std::string chunked = "Transfer-Encoding: Chunked\r\n\r\n";
  const std::string seen = "200 Transfer-Encoding=Chunked ";
  CHECK(read_ok(chunked + "2\r\nhi\r\n0a;x=y\r\n0123456789\r\n0\r\nA: b\r\n\r\n?") ==
        seen + "[hi0123456789]");
  CHECK(read_ok(chunked + "2\r\nhi\r\n0\r\n") == seen + "[hi] cut");
  CHECK(read_ok(chunked + "2\r\nhi\r\n") == seen + "[hi] cut");
  CHECK(read_ok(chunked + "7fffffff\r\nhi") == seen + "[hi] cut");
  for (const char* const status : {"204", "304", "301"}) {
    CHECK(read("HTTP/1.1 "s + status + "\r\nContent-Length: 5\r\n\r\nhi") ==
          status + " Content-Length=5 []"s);
  }
}

TEST_CASE("A reader reports what it cannot read") {
  const auto fails = [](const std::string& octets) { return read(octets).starts_with("problem"); };
  const std::string start(ok);
  for (const std::string size :
       {"", "-1", "x", " ;", "fffffffffffffffff", "1000000000000000", "2\r\nhi!"}) {
    CAPTURE(size);
    CHECK(fails(start + "Transfer-Encoding: chunked\r\n\r\n" + size + "\r\nhi\r\n0\r\n\r\n"));
  }
  CHECK(fails(start + "Transfer-Encoding: gzip, chunked\r\n\r\n"));
  CHECK(fails(start + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nhi"));
  CHECK(fails(start + "Content-Length: -1\r\n\r\nhi"));
  CHECK(fails(start + "A: \0b\r\n\r\nhi"s));
  for (const std::string line :
       {"", "HTTP/1.1 20 OK", "HTTP/1.1 2000", "HTTP/1.1 099", "HTTP/3 200", "User-agent: *"}) {
    CAPTURE(line);
    CHECK(fails(line + "\r\n\r\n"));
  }
  CHECK(read("") == "no headers");
  CHECK(read(start + "Content-Length: 2\r\n") == "no headers");
}

TEST_CASE("A reader limits headers, trailers and the lines of chunks") {
  const auto endless = [](const std::string& start, std::string_view more) {
    response_reader reader(header_room);
    std::string body;
    reader.take(start, body);
    std::size_t octets = start.size();
    while (!reader.is_over() && octets < 10 * header_room) {
      reader.take(more, body);
      octets += more.size();
    }
    CHECK(reader.problem() != nullptr);
    CHECK(body.empty());
    return octets;
  };
  const std::string start(ok);
  const std::string chunked = start + "Transfer-Encoding: chunked\r\n\r\n";
  CHECK(endless(start, "stray\r\n") <= start.size() + 7 * max_header_lines);
  CHECK(endless(start, "x") <= header_room + 1);
  CHECK(endless(start, " \n") <= start.size() + 2 * max_header_lines);
  CHECK(endless("", "HTTP/1.1 103 Early Hints\r\n\r\n") <= header_room);
  CHECK(endless(chunked + "0\r\n", "A: b\r\n") <= header_room);
  CHECK(endless(chunked, "0") <= header_room);
}
