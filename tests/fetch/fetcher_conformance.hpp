// The promises of `Fetcher`, as tests that run against any model over real sockets.
//
//     TEST_CASE("MyFetcher keeps the promises of a Fetcher") {
//       robots::test::fetcher_conformance([] { return MyFetcher{...}; });
//     }
//
// The fetcher must be allowed to connect to 127.0.0.1, and must not use a proxy.
#pragma once

#include <robots/fetch/fetcher.hpp>
#include <robots/http/message.hpp>

#include <doctest/doctest.h>
#include <support/gzip.hpp>
#include <support/raw_server.hpp>

#include <chrono>
#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::test {

/// A robots.txt whose last line denies, so that a crawler that gets only a part of it is caught.
inline constexpr std::string_view conformance_file =
    "# A file for the promises of a fetcher\nUser-agent: *\nAllow: /open\nDisallow: /private\n";

/// Returns a response with a right Content-Length. `fields` are whole lines.
[[nodiscard]] inline std::string sized_response(const std::string& fields, const std::string& body,
                                                std::size_t missing = 0) {
  return "HTTP/1.1 200 OK\r\n" + fields +
         "Content-Length: " + std::to_string(body.size() + missing) + "\r\n\r\n" + body;
}

/// Returns a response in chunks, with or without the last chunk.
[[nodiscard]] inline std::string chunked_response(const std::string& fields,
                                                  const std::string& body, bool is_ended = true) {
  std::ostringstream size;
  size << std::hex << body.size();
  return "HTTP/1.1 200 OK\r\n" + fields + "Transfer-Encoding: chunked\r\n\r\n" + size.str() +
         "\r\n" + body + "\r\n" + (is_ended ? "0\r\n\r\n" : "");
}

/// Returns a response whose body ends with the connection.
[[nodiscard]] inline std::string unsized_response(const std::string& fields,
                                                  const std::string& body) {
  return "HTTP/1.1 200 OK\r\n" + fields + "\r\n" + body;
}

/// Makes the requests of the suite.
template <class F>
class conformance_client {
 public:
  explicit conformance_client(F fetcher) : fetcher_(std::move(fetcher)) {}

  /// Returns the answer to a request that gets `octets`.
  [[nodiscard]] fetch_response ask(std::string octets, std::size_t max_bytes = 0,
                                   raw_ending ending = raw_ending::close) {
    const raw_server server(std::move(octets), ending);
    fetch_request request;
    request.url = server.url();
    request.max_bytes = max_bytes;
    request.timeout = std::chrono::milliseconds{ending == raw_ending::stall ? 200 : 20'000};
    return fetcher_.fetch(request);
  }

  void check_whole(std::string octets, std::string_view body = conformance_file) {
    const fetch_response response = ask(std::move(octets));
    CAPTURE(response.error_text);
    CHECK(to_string(response.error) == "none");
    CHECK(response.status == 200);
    CHECK(response.body == body);
    CHECK(!response.truncated);
  }

  void check_failed(std::string octets) {
    const fetch_response response = ask(std::move(octets));
    CAPTURE(response.body);
    CHECK(response.error != fetch_error::none);
    CHECK(response.status == 0);
    CHECK(response.body.empty());
    CHECK(!response.error_text.empty());
    // The text is about the response, and not about a file on a disk.
    CHECK(response.error_text.find("writ") == std::string::npos);
    CHECK(response.error_text.find("disk") == std::string::npos);
  }

 private:
  F fetcher_;
};

/// Checks one compressed form of the file under `field`, cut after each octet.
template <class Client>
void check_cuts(Client& client, const std::string& field, const std::string& whole) {
  CAPTURE(field);
  client.check_whole(sized_response(field, whole));
  client.check_whole(chunked_response(field, whole));
  for (std::size_t octets_left = 1; octets_left < whole.size(); ++octets_left) {
    CAPTURE(octets_left);
    client.check_failed(sized_response(field, whole.substr(0, octets_left)));
  }
  // Nothing says that an empty body without a length is whole.
  client.check_failed(unsized_response(field, ""));
  for (const std::size_t octets_left : {whole.size() / 2, whole.size() - 1}) {
    CAPTURE(octets_left);
    client.check_failed(chunked_response(field, whole.substr(0, octets_left)));
    client.check_failed(unsized_response(field, whole.substr(0, octets_left)));
    client.check_failed(sized_response(field, whole.substr(0, octets_left), 1));
    client.check_failed(chunked_response(field, whole.substr(0, octets_left), false));
  }
}

/// Runs the suite. `make()` returns a new fetcher.
template <class Make>
void fetcher_conformance(const Make& make) {
  using namespace std::string_literals;
  conformance_client client(make());
  const std::string file(conformance_file);
  const std::string coded = gzip(file);
  const std::string in_gzip = "Content-Encoding: gzip\r\n";
  const std::string in_deflate = "Content-Encoding: deflate\r\n";

  SUBCASE("a response is returned as it came") {
    client.check_whole(sized_response("", file));
    client.check_whole(chunked_response("", file));
    client.check_whole(unsized_response("", file));
    client.check_whole(sized_response("", ""), "");
    CHECK(client.ask("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").status == 404);
    const fetch_response redirect =
        client.ask("HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n");
    CHECK(redirect.status == 302);
    CHECK(robots::detail::find_header(redirect.headers, "location") == "/other");
  }
  SUBCASE("an exchange without a whole response is a failure") {
    client.check_failed("");
    client.check_failed("HTTP/1.1 200 OK\r\nContent-");
    client.check_failed(sized_response("", file, 1));
    client.check_failed(chunked_response("", file, false));
    const fetch_response late = client.ask(sized_response("", file, 1), 0, raw_ending::stall);
    CHECK(to_string(late.error) == "timeout");
    CHECK(late.status == 0);
  }
  SUBCASE("a body over max_bytes is cut and said to be truncated") {
    for (const std::string& octets :
         {sized_response("", file), sized_response(in_gzip, coded),
          sized_response(in_gzip, gzip("#", 10'000'000)),
          sized_response(in_deflate, raw_deflate(file)),
          sized_response("Content-Encoding: gzip, gzip\r\n", gzip(gzip(file)))}) {
      const fetch_response response = client.ask(octets, 20);
      CHECK(response.status == 200);
      CHECK(response.truncated);
      CHECK(response.body.size() == 20);
    }
    CHECK(!client.ask(sized_response(in_gzip, coded), file.size()).truncated);
  }
  SUBCASE("a compressed body that is cut anywhere is a failure") {
    check_cuts(client, in_gzip, coded);
    check_cuts(client, in_deflate, zlib_format(file));
    check_cuts(client, in_deflate, raw_deflate(file));
  }
  SUBCASE("a compressed body without a right check value is a failure") {
    for (std::size_t from_end = 1; from_end <= 8; ++from_end) {
      std::string changed = coded;
      changed[changed.size() - from_end] =
          static_cast<char>(changed[changed.size() - from_end] ^ 1);
      client.check_failed(sized_response(in_gzip, changed));
    }
    std::string changed = zlib_format(file);
    changed.back() = static_cast<char>(changed.back() ^ 1);
    client.check_failed(sized_response(in_deflate, changed));
  }
  SUBCASE("several members of gzip are one body") {
    const std::string first = file.substr(0, 40);
    const std::string second = file.substr(40);
    client.check_whole(sized_response(in_gzip, gzip(first) + gzip(second)));
    client.check_whole(sized_response(in_gzip, gzip("") + gzip(first) + gzip("") + gzip(second)));
    const std::string both = gzip(first) + gzip(second);
    for (std::size_t octets_left = gzip(first).size() + 1; octets_left < both.size();
         ++octets_left) {
      CAPTURE(octets_left);
      client.check_failed(sized_response(in_gzip, both.substr(0, octets_left)));
    }
    client.check_failed(sized_response(in_gzip, coded + "\x1F\x8Bmore"));
  }
  SUBCASE("other octets after a member are ignored, and the response says so") {
    for (const std::string& more : {"\0"s, std::string(600, '\0'), "\r\n"s, "<!-- cached -->"s}) {
      const fetch_response response = client.ask(sized_response(in_gzip, coded + more));
      CHECK(to_string(response.error) == "none");
      CHECK(response.body == file);
      CHECK(response.error_text ==
            "octets after the compressed body of the response were "
            "ignored: " +
                std::to_string(more.size()));
    }
    CHECK(client.ask(sized_response(in_gzip, coded)).error_text.empty());
  }
  SUBCASE("gzip and both forms of deflate are decoded under each other's names") {
    for (const std::string& body : {coded, zlib_format(file), raw_deflate(file)}) {
      for (const char* const name : {"gzip", "X-GZip", "deflate"}) {
        CAPTURE(name);
        client.check_whole(sized_response("Content-Encoding: " + std::string(name) + "\r\n", body));
      }
    }
    client.check_whole(sized_response("Content-Encoding: gzip, gzip\r\n", gzip(coded)));
    client.check_whole(sized_response(in_gzip + in_gzip, gzip(coded)));
  }
  SUBCASE("a whole compressed stream needs no length") {
    client.check_whole(unsized_response(in_gzip, coded));
    client.check_whole(unsized_response(in_gzip, gzip(file.substr(0, 9)) + gzip(file.substr(9))));
    client.check_whole(unsized_response(in_deflate, zlib_format(file)));
    client.check_failed(unsized_response(in_gzip, coded + '\x1F'));
    // Raw deflate has no check value.
    client.check_failed(unsized_response(in_deflate, raw_deflate(file)));
  }
  SUBCASE("one whole stream and nothing else overrules a longer length and a missing last chunk") {
    // Servers send the length of the file before its compression. Two streams could be the first
    // two of three, and octets after a stream could be the start of what is missing.
    const std::string two = gzip(file.substr(0, 9)) + gzip(file.substr(9));
    client.check_whole(sized_response(in_gzip, coded, 100));
    client.check_whole(chunked_response(in_gzip, coded, false));
    client.check_whole(sized_response(in_deflate, zlib_format(file), 100));
    client.check_failed(sized_response(in_gzip, coded + '\0', 100));
    client.check_failed(sized_response(in_gzip, two, 100));
    client.check_failed(chunked_response(in_gzip, two, false));
    client.check_failed(sized_response(in_deflate, raw_deflate(file), 100));
    client.check_failed(sized_response("", file, 100));
    const fetch_response late =
        client.ask(sized_response(in_gzip, coded, 100), 0, raw_ending::stall);
    CHECK(to_string(late.error) == "none");
    CHECK(late.body == file);
  }
  SUBCASE("a mistaken coding does not hide the file") {
    for (const char* const name :
         {"UTF-8", "utf8", "binary", "aws-chunked", "aws-chunked,gzip", "gzip, aws-chunked",
          "iso-8859-1", "none", "identity", "gzip", "deflate", "br", "x, y"}) {
      CAPTURE(name);
      const std::string field = "Content-Encoding: " + std::string(name) + "\r\n";
      client.check_whole(sized_response(field, file));
      client.check_whole(sized_response(field, coded));
    }
    client.check_whole(sized_response("Content-Encoding: \r\n", file));
    client.check_failed(
        sized_response("Content-Encoding: nonsense\r\n", "\1\2\3\4\5\6\7\x0E octets of \1\2\3"));
    client.check_failed(sized_response("Content-Encoding: aws-chunked\r\n", coded.substr(0, 30)));
    CHECK(client.ask(sized_response("Content-Encoding: nonsense\r\n", "\1\2\3\4\5\6\7\x0E"))
              .error_text.find("Content-Encoding") != std::string::npos);
  }
}

}  // namespace robots::test
