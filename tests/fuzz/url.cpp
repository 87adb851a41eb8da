#include <robots/http/url.hpp>

#include "fuzz/bodies.hpp"
#include "fuzz/input.hpp"
#include <robots/http/excluded_hosts.hpp>
#include <robots/http/host.hpp>
#include <robots/http/ip_address.hpp>
#include <robots/http/ip_prefix.hpp>
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

/// Joins the parts of a URL without a fragment (RFC 3986, section 5.3).
std::string recomposed(const robots::http_detail::url_parts& parts) {
  std::string text;
  text += parts.scheme ? std::string{*parts.scheme} + ':' : "";
  text += parts.authority ? "//" + std::string{*parts.authority} : "";
  text += parts.path;
  text += parts.query ? '?' + std::string{*parts.query} : "";
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
  require(!address || (prefix && prefix->contains(*address)), "an address is also a prefix");
  require(!prefix || prefix->contains(prefix->first()), "a prefix contains its first address");
  if (!address) {
    return;
  }
  const std::string written = robots::detail::to_string(*address);
  require(robots::detail::parse_ip_address(written) == address, "an address is read as written");
  require(robots::http_detail::normal_host(address->is_v4() ? written : '[' + written + ']')
              .has_value(),
          "an address is a valid host");
  require(!address->is_v4() || robots::detail::parse_ip_address("::ffff:" + written) == address,
          "an address equals its mapped form");
}

void check_site(std::string_view text) {
  const auto site = robots::parse_site(text);
  const std::string_view guess = robots::detail::possible_site_key(text);
  const auto guessed = robots::parse_site(guess);
  const bool is_key = guessed && guessed->key() == guess;
  require(!is_key || site == guessed, "a possible key that is a key is the key of the site");
  const auto origin = robots::detail::parse_origin(text);
  require(!origin || site, "a URL with an origin has a site");
  if (origin) {
    require(robots::detail::parse_origin(robots::to_string(*origin)) == origin,
            "an origin that is written and read again is the same");
    require(site->origins() == std::vector{*origin}, "the site of a URL has only its origin");
  }
  if (!site) {
    return;
  }
  require(!site->host.starts_with('[') || robots::detail::parse_ip_address(site->host),
          "a host in brackets is an address");
  require(robots::parse_site(site->key()) == site, "a key leads back to its site");
  require(robots::host_of(site->key()) == site->host, "a key contains the host");
  require(robots::host_of(site->key()) == site->host, "and it is soon found there");
  const auto origins = site->origins();
  const auto urls = site->robots_urls();
  require(origins.size() == urls.size() && !urls.empty(), "each origin has one robots.txt");
  for (std::size_t i = 0; i < urls.size(); ++i) {
    require(robots::detail::parse_origin(urls[i]) == origins[i], "a robots.txt is in its origin");
  }
  const std::array<std::string_view, 1> own{site->host};
  require(robots::should_skip_by_tld(site->key(), own), "a host is excluded by its name");
}

}  // namespace

void fuzz::fuzz_url(octets input) {
  reader in{input};
  const std::string base = in.line();
  const std::string reference = in.rest();
  for (const std::string_view text : {std::string_view{base}, std::string_view{reference}}) {
    require(recomposed(robots::http_detail::split_url(text)) == text.substr(0, text.find('#')),
            "the parts of a URL join to the same URL");
    const std::string path = robots::http_detail::remove_dot_segments(text);
    require(!has_dot_segment(path), "remove_dot_segments leaves no dot segment");
    require(robots::http_detail::remove_dot_segments(path) == path, "a second call does nothing");
    check_site(text);
    check_address(text);
  }
  const std::array<std::string_view, 1> excluded{reference};
  const bool skipped = robots::should_skip_by_tld(base, excluded);
  require(skipped == robots::should_skip_by_tld("http://" + base, excluded) ||
              robots::http_detail::split_head(base).scheme,
          "a scheme changes nothing");

  const auto url = robots::resolve_reference(base, reference);
  if (!url) {
    return;
  }
  const robots::http_detail::url_parts parts = robots::http_detail::split_url(*url);
  require(parts.scheme && url->find('#') == std::string::npos,
          "a resolved URL has a scheme and no fragment");
  // A reference without a path keeps the dot segments of the base (RFC 3986, section 5.2.2).
  require(robots::resolve_reference(base, *url) == url ||
              robots::http_detail::split_url(reference).path.empty(),
          "a resolved URL does not change when it is resolved again");
  require(robots::resolve_reference(*url, "") == url, "an empty reference resolves to the base");
  require(robots::resolve_reference(base, reference + "#x") == url ||
              reference.find('#') != std::string::npos,
          "a fragment changes nothing");
}
