// Twenty hosts of a hundred pages each on this machine, each with its own robots.txt; and
// five more, on request, that think better of it while they are crawled.
#pragma once

#include "support/loopback_server.hpp"
#include <robots/adapters/curl/curl_options.hpp>
#include <robots/time/clock.hpp>

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace robots::example {

/// A request as the server's log has it.
struct logged_request {
  std::string host;
  std::string target;
  time_point came;      ///< when it had come in
  int status = 0;       ///< what it was answered with
  bool turned = false;  ///< by what the host has come to think, see `host_turn`
};

/// The change of a host after it has served some pages. Its robots.txt is fresh for a second.
struct host_turn {
  std::size_t after_pages = 0;           ///< 0: nothing
  int robots_status = 200;               ///< of robots.txt from then on
  std::string robots_text{};             ///< its text from then on
  std::vector<std::string> forbidden{};  ///< beginnings of paths that no request may have then
  int page_status = 200;                 ///< of its pages from then on
};

/// One host of the web, as it was made; for those who judge what a crawler does.
struct generated_host {
  std::string name;
  int robots_status = 200;
  std::string robots_text;
  std::vector<std::string> forbidden;  ///< beginnings of paths that no request may have
  std::chrono::milliseconds delay{0};  ///< between two requests, as robots.txt has it
  bool all_forbidden = false;          ///< nothing but robots.txt may be asked for
  int pages_allowed = 0;               ///< how many of its pages a crawler gets
  host_turn turn{};                    ///< what becomes of it
};

/// A web of 2,000 pages that are linked to one another, and a server for it. Any thread.
class generated_web {
 public:
  static constexpr int host_count = 20;
  static constexpr int pages_per_host = 100;

  /// With `restless` hosts, five more that change, fail, turn hostile, revoke access, and serve
  /// HTML for a robots.txt.
  explicit generated_web(bool restless = false);

  [[nodiscard]] const std::vector<generated_host>& hosts() const noexcept { return hosts_; }

  /// Where a crawl begins: the first page of every host.
  [[nodiscard]] std::vector<std::string> seeds() const;

  /// Settings for a client that reaches these hosts. The only place where loopback is let through.
  [[nodiscard]] curl_options client_options() const;

  /// All requests so far, in the order in which they came.
  [[nodiscard]] std::vector<logged_request> log() const;

 private:
  [[nodiscard]] test::loopback_reply answer(const test::loopback_request& request);
  [[nodiscard]] test::loopback_reply page(const generated_host& host,
                                          const std::string& target) const;

  std::vector<generated_host> hosts_;
  mutable std::mutex mutex_;
  std::vector<logged_request> log_;
  std::map<std::string, std::size_t> pages_served_;
  test::loopback_server server_;
};

}  // namespace robots::example
