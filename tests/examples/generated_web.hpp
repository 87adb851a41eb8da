// Twenty hosts of a hundred pages each on this machine, each with its own robots.txt. On request,
// there are five more hosts, which change while they are crawled.
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

/// A request in the log of the server.
struct logged_request {
  std::string host;
  std::string target;
  time_point came;      ///< the time of its arrival
  int status = 0;       ///< status of the answer
  bool turned = false;  ///< true after the host's change, see `host_turn`
};

/// The change of a host after it has served some pages. Its robots.txt is fresh for a second.
struct host_turn {
  std::size_t after_pages = 0;           ///< 0 means no change
  int robots_status = 200;               ///< the status of robots.txt after the change
  std::string robots_text{};             ///< the text of robots.txt after the change
  std::vector<std::string> forbidden{};  ///< starts of paths denied after the change
  int page_status = 200;                 ///< the status of its pages after the change
};

/// One host of the web, with the facts to check a crawler.
struct generated_host {
  std::string name;
  int robots_status = 200;
  std::string robots_text;
  std::vector<std::string> forbidden;  ///< starts of paths that must not be requested
  std::chrono::milliseconds delay{0};  ///< the delay between two requests in robots.txt
  bool all_forbidden = false;          ///< only robots.txt may be requested
  int pages_allowed = 0;               ///< the number of pages that a crawler may fetch
  host_turn turn{};                    ///< the change of the host
};

/// A web of 2,000 pages that are linked to one another, and a server for it. Any thread may call
/// it.
class generated_web {
 public:
  static constexpr int host_count = 20;
  static constexpr int pages_per_host = 100;

  /// If `restless`, there are five more hosts. They change, fail, turn hostile, revoke access, or
  /// serve prose as their robots.txt.
  explicit generated_web(bool restless = false);

  [[nodiscard]] const std::vector<generated_host>& hosts() const noexcept { return hosts_; }

  /// Returns the first pages of all hosts, where a crawl begins.
  [[nodiscard]] std::vector<std::string> seeds() const;

  /// Returns the options for a client that reaches these hosts. Only these options permit loopback
  /// addresses.
  [[nodiscard]] curl_options client_options() const;

  /// Returns all requests so far, in order.
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
