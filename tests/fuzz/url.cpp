#include <robots/http/url.hpp>

#include "fuzz/bodies.hpp"
#include "fuzz/input.hpp"
#include <robots/http/address_kind.hpp>
#include <robots/http/detail/host_name.hpp>
#include <robots/http/excluded_hosts.hpp>
#include <robots/http/host.hpp>
#include <robots/http/ip_address.hpp>
#include <robots/http/ip_prefix.hpp>
#include <robots/http/origin.hpp>
#include <robots/http/site.hpp>
#include <robots/http/site_key.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using fuzz::require;

/// RFC 3986, section 5.3.
std::string recomposed(const robots::http_detail::url_parts& parts) {
  std::string text;
  text += parts.scheme ? std::string{*parts.scheme} + ':' : "";
  text += parts.authority ? "//" + std::string{*parts.authority} : "";
  text += parts.path;
  text += parts.query ? '?' + std::string{*parts.query} : "";
  text += parts.fragment ? '#' + std::string{*parts.fragment} : "";
  return text;
}

bool has_dot_segment(std::string_view path) {
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view segment = path.substr(0, slash);
    if (segment == "." || segment == "..") {
      return true;
    }
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
  }
  return false;
}

void check_address(std::string_view text) {
  const auto address = robots::detail::parse_ip_address(text);
  const auto prefix = robots::detail::parse_ip_prefix(text);
  require(!address || (prefix && prefix->contains(*address)), "an address is a prefix of one");
  require(!prefix || prefix->contains(prefix->first()), "a prefix holds its first address");
  if (!address) {
    return;
  }
  const std::string written = robots::detail::to_string(*address);
  require(robots::detail::parse_ip_address(written) == address, "an address reads back");
  require(robots::http_detail::normal_host(address->is_v4() ? written : '[' + written + ']')
              .has_value(),
          "an address is a host");
  if (address->is_v4()) {
    const auto mapped = robots::detail::parse_ip_address("::ffff:" + written);
    require(mapped && robots::detail::kind_of(*mapped) == robots::detail::kind_of(*address),
            "an address and its mapped form are of one kind");
  }
}

void check_site(std::string_view text) {
  const auto site = robots::parse_site(text);
  const std::string_view guess = robots::detail::possible_site_key(text);
  const auto guessed = robots::parse_site(guess);
  const bool is_key = guessed && guessed->key() == guess;
  require(!is_key || site == guessed, "a key in a URL is its site's");
  const auto origin = robots::detail::parse_origin(text);
  require(!origin || site, "an origin is a site");
  if (origin) {
    require(robots::detail::parse_origin(robots::to_string(*origin)) == origin,
            "an origin reads back");
    require(site->origins() == std::vector{*origin}, "a URL has one origin");
  }
  if (!site) {
    return;
  }
  require(!site->host.starts_with('[') || robots::detail::parse_ip_address(site->host),
          "what stands in brackets is an address");
  require(robots::parse_site(site->key()) == site, "a key reads back");
  require(robots::host_of(site->key()) == site->host, "a key holds the host");
  require(robots::host_of(site->key()) == site->host, "and it is soon found there");
  const auto origins = site->origins();
  const auto urls = site->robots_urls();
  require(origins.size() == urls.size() && !urls.empty(), "each origin has its robots.txt");
  for (std::size_t i = 0; i < urls.size(); ++i) {
    require(robots::detail::parse_origin(urls[i]) == origins[i], "a robots.txt lies in its origin");
  }
  const std::array<std::string_view, 1> own{site->host};
  require(robots::should_skip_by_tld(site->key(), own), "a host lies under its own name");
}

}  // namespace

void fuzz::fuzz_url(octets input) {
  reader in{input};
  const std::string base = in.line();
  const std::string reference = in.rest();
  for (const std::string_view text : {std::string_view{base}, std::string_view{reference}}) {
    require(recomposed(robots::http_detail::split_url(text)) == text,
            "the parts make up the whole");
    const std::string path = robots::http_detail::remove_dot_segments(text);
    require(!has_dot_segment(path), "no dot segments are left");
    require(robots::http_detail::remove_dot_segments(path) == path, "and none is made");
    check_site(text);
    check_address(text);
  }
  const std::array<std::string_view, 1> excluded{reference};
  const bool skipped = robots::should_skip_by_tld(base, excluded);
  require(skipped == robots::should_skip_by_tld("http://" + base, excluded) ||
              robots::http_detail::split_head(base).scheme,
          "a scheme does not count");

  const auto url = robots::resolve_reference(base, reference);
  if (!url) {
    return;
  }
  const robots::http_detail::url_parts parts = robots::http_detail::split_url(*url);
  require(parts.scheme && !parts.fragment, "what is resolved has a scheme and no fragment");
  // A reference without a path takes the base's as it is (RFC 3986, section 5.2.2).
  require(robots::resolve_reference(base, *url) == url ||
              robots::http_detail::split_url(reference).path.empty(),
          "what is resolved stays");
  require(robots::resolve_reference(*url, "") == url, "an empty reference means the same");
  require(robots::resolve_reference(base, reference + "#x") == url ||
              robots::http_detail::split_url(reference).fragment,
          "a fragment does not count");
}
