// A web of 10,000 pages on 200 hosts, made from the numbers of the pages. Most pages redirect, also
// to pages and hosts that a crawler must not request.
#pragma once

#include <robots/http/address_guard.hpp>
#include <robots/http/message.hpp>
#include <robots/testing/scripted_fetcher.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace robots::test {

/// The kinds of hosts, by their number.
enum class host_kind : std::uint8_t { open, closed, halted, excluded, inside, broken };

class generated_redirects {
 public:
  static constexpr std::uint64_t hosts = 200;
  static constexpr std::uint64_t pages = 10'000;

  [[nodiscard]] static constexpr host_kind kind_of(std::uint64_t host) noexcept {
    return host % 20 == 3    ? host_kind::closed
           : host % 20 == 7  ? host_kind::halted
           : host % 20 == 11 ? host_kind::excluded
           : host % 20 == 13 ? host_kind::inside
           : host % 20 == 17 ? host_kind::broken
                             : host_kind::open;
  }

  [[nodiscard]] static std::string name_of(std::uint64_t host) {
    switch (kind_of(host)) {
      case host_kind::excluded:
        return "h" + std::to_string(host) + ".gov";
      case host_kind::inside:  // a name for an inner address, or the address itself
        return host % 40 == 13 ? "h" + std::to_string(host) + ".inside.example"
                               : "10.0.0." + std::to_string(host);
      default:
        return "h" + std::to_string(host) + ".example";
    }
  }

  [[nodiscard]] static constexpr bool is_forbidden(std::uint64_t page) noexcept {
    return mixed(page) % 5 == 0;
  }

  /// Returns the URL of a page. Page numbers beyond `pages` wrap around.
  [[nodiscard]] static std::string url_of(std::uint64_t page) {
    page %= pages;
    return "https://" + name_of(page % hosts) + (is_forbidden(page) ? "/no/" : "/p/") +
           std::to_string(page);
  }

  /// Makes a fetcher for this web. Like a real fetcher, it refuses addresses that are not public.
  [[nodiscard]] ScriptedFetcher fetcher() const {
    ScriptedFetcher web;
    web.otherwise_call(
        [counts = counts_](const fetch_request& request) { return answer(request.url, *counts); });
    return web;
  }

  /// Returns the number of requests that reached a page.
  [[nodiscard]] std::size_t reached() const noexcept { return counts_->reached; }
  /// Returns the number of requests that a crawler must never send.
  [[nodiscard]] std::size_t violations() const noexcept { return counts_->violations; }

 private:
  struct counts {
    std::atomic<std::size_t> reached = 0;
    std::atomic<std::size_t> violations = 0;
  };

  /// The constants of splitmix64, a public-domain generator of random numbers.
  [[nodiscard]] static constexpr std::uint64_t mixed(std::uint64_t number) noexcept {
    number += 0x9E3779B97F4A7C15U;
    number = (number ^ (number >> 30U)) * 0xBF58476D1CE4E5B9U;
    number = (number ^ (number >> 27U)) * 0x94D049BB133111EBU;
    return number ^ (number >> 31U);
  }

  [[nodiscard]] static fetch_response answer(std::string_view url, counts& seen) {
    url.remove_prefix(url.find("://") + 3);
    const std::string_view name = url.substr(0, url.find('/'));
    const std::string_view path = url.substr(name.size());
    const bool is_address = name.starts_with("10.");
    const std::string digits{is_address ? name.substr(7) : name.substr(1, name.find('.') - 1)};
    const std::uint64_t host = std::stoull(digits);
    const std::string address = kind_of(host) == host_kind::inside ? "10.0.0.9" : "93.184.216.34";
    if (!address_guard{}.permits(address)) {
      return ScriptedFetcher::failure(fetch_error::refused_address);
    }
    const host_kind kind = kind_of(host);
    if (kind == host_kind::halted || kind == host_kind::excluded) {
      ++seen.violations;
    }
    if (path == "/robots.txt") {
      return kind == host_kind::broken   ? ScriptedFetcher::status(500)
             : kind == host_kind::closed ? ScriptedFetcher::ok("User-agent: *\nDisallow: /\n")
                                         : ScriptedFetcher::ok("User-agent: *\nDisallow: /no/\n");
    }
    ++seen.reached;
    if (kind != host_kind::open || path.starts_with("/no/")) {
      ++seen.violations;
    }
    const std::uint64_t random =
        mixed(std::stoull(std::string{path.substr(path.rfind('/') + 1)}) ^ 0xABCDEFU);
    switch (random % 10) {
      case 0:
      case 1:
        return ScriptedFetcher::ok("a page");
      case 2:
        return ScriptedFetcher::status(random % 3 == 0 ? 503 : 404);
      default: {
        std::string target = url_of(random / 16);
        if (random % 11 == 0) {
          target.erase(4, 1);  // over http, which is another origin
        }
        return ScriptedFetcher::redirect(302, std::move(target));
      }
    }
  }

  std::shared_ptr<counts> counts_ = std::make_shared<counts>();
};

}  // namespace robots::test
