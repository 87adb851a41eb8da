#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/config.hpp>
#include <robots/base/decimal.hpp>
#include <robots/base/scheme.hpp>
#include <robots/http/host.hpp>
#include <robots/http/international_host.hpp>
#include <robots/http/ip_address.hpp>
#include <robots/http/origin.hpp>
#include <robots/http/site.hpp>
#include <robots/http/url.hpp>

#include <cstddef>
#include <utility>

namespace robots {

namespace http_detail {

ROBOTS_INLINE std::optional<std::string> normal_host(std::string_view text) {
  // The limits of a DNS name (RFC 1035, section 2.3.4).
  constexpr std::size_t max_host_length = 253;
  constexpr std::size_t max_label_length = 63;
  const auto from_ascii_form = [text]() -> std::optional<std::string> {
    const std::optional<std::string> ascii = ascii_form(text);
    return ascii ? normal_host(*ascii) : std::nullopt;
  };
  if (text.starts_with('[')) {
    const std::optional<detail::ip_address> address = detail::parse_ip_address(text);
    return address
               ? std::optional{(address->is_v4() ? "[::ffff:" : "[") + to_string(*address) + ']'}
               : std::nullopt;
  }
  std::string host;
  std::size_t label = 0;  // length of the label so far
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      const int octet = base::percent_octet(text.substr(i));
      c = static_cast<char>(octet);
      if (octet < 0 || !base::is_unreserved(c)) {
        return is_international(text) ? from_ascii_form() : std::nullopt;
      }
      i += 2;
    } else if (!base::is_unreserved(c) && !is_sub_delim(c)) {
      return is_international(text) ? from_ascii_form() : std::nullopt;
    }
    if (host.size() > max_host_length || label == (c == '.' ? 0 : max_label_length)) {
      return std::nullopt;
    }
    label = c == '.' ? 0 : label + 1;
    host += base::to_lower(c);
  }
  if (host.ends_with('.')) {
    host.pop_back();
  }
  const bool is_valid = !host.empty() && host.size() <= max_host_length &&
                        (!detail::ends_in_number(host) || read_ipv4(host));
  return is_valid ? std::optional{std::move(host)} : std::nullopt;
}

ROBOTS_INLINE std::optional<std::uint16_t> parse_port(std::string_view text) noexcept {
  const std::uint64_t value = base::parse_decimal(text).value_or(0);
  const bool is_valid = text.empty() || (value > 0 && value <= 65535);
  return is_valid ? std::optional{static_cast<std::uint16_t>(value)} : std::nullopt;
}

}  // namespace http_detail

ROBOTS_INLINE std::vector<origin> site::origins() const {
  std::vector<origin> all;
  all.reserve(2);
  all.push_back(origin_under(scheme.value_or(url_scheme::https)));
  if (!scheme) {
    all.push_back(origin_under(url_scheme::http));
  }
  return all;
}

ROBOTS_INLINE std::vector<std::string> site::robots_urls() const {
  std::vector<std::string> urls;
  for (const origin& asked : origins()) {
    urls.push_back(to_string(asked) + "/robots.txt");
  }
  return urls;
}

ROBOTS_INLINE std::string site::key() const {
  if (scheme) {
    return http_detail::origin_text(*scheme, host,
                                    port != 0 ? port : detail::default_port(*scheme));
  }
  return port != 0 ? host + ':' + std::to_string(port) : host;
}

ROBOTS_INLINE std::optional<site> parse_site(std::string_view host_or_url) {
  const http_detail::url_head head = http_detail::split_head(host_or_url);
  std::optional<url_scheme> scheme =
      head.scheme ? detail::parse_scheme(*head.scheme) : std::nullopt;
  // A text without `://` is refused if the part before `/` has an `@` or ends with `:`.
  const bool is_other_url = head.scheme ? !scheme
                                        : head.authority.find('@') != std::string_view::npos ||
                                              head.authority.ends_with(':');
  if (is_other_url || http_detail::has_forbidden_octet(head.authority)) {
    return std::nullopt;
  }
  std::optional<std::uint16_t> port = http_detail::parse_port(head.port);
  std::optional<std::string> host = port ? http_detail::normal_host(head.host) : std::nullopt;
  if (!host) {
    return std::nullopt;
  }
  for (const url_scheme candidate : {url_scheme::https, url_scheme::http}) {
    if (*port == detail::default_port(candidate) && scheme.value_or(candidate) == candidate) {
      scheme = candidate;
      port = std::uint16_t{0};
    }
  }
  return site{scheme, *std::move(host), *port};
}

namespace detail {

ROBOTS_INLINE std::optional<origin> parse_origin(std::string_view url) {
  const bool is_absolute = base::scheme_prefix(url) > 0;
  const std::optional<site> parsed = is_absolute ? parse_site(url) : std::nullopt;
  return parsed ? std::optional{parsed->origin_under(*parsed->scheme)} : std::nullopt;
}

ROBOTS_INLINE std::string url_problem(std::string_view host_or_url) {
  if (parse_site(host_or_url)) {
    return {};
  }
  const auto shown = [](std::string_view text) {
    constexpr std::size_t most = 80;
    return '"' + std::string{text.substr(0, most)} + (text.size() > most ? "...\"" : "\"");
  };
  if (host_or_url.starts_with("//")) {
    return "the scheme is missing: write https: in front of //";
  }
  // Links of web pages also have these schemes, which need no `//`.
  for (const std::string_view scheme : {"javascript", "mailto", "tel", "data", "blob"}) {
    if (base::starts_with_ignoring_case(host_or_url, scheme) &&
        host_or_url.substr(scheme.size()).starts_with(':')) {
      return "the scheme " + shown(scheme) + " is neither http nor https";
    }
  }
  const http_detail::url_head head = http_detail::split_head(host_or_url);
  if (head.scheme && !parse_scheme(*head.scheme)) {
    return "the scheme " + shown(*head.scheme) + " is neither http nor https";
  }
  if (http_detail::is_international(head.host)) {
    return http_detail::host_to_ascii_in_use.load() == nullptr
               ? std::string{"the host is not ASCII: write its ASCII form, as in "
                             "xn--bcher-kva.example, or call use_idn of the adapter robots::idn"}
               : "the host " + shown(head.host) + " has no ASCII form: correct it";
  }
  if (http_detail::has_forbidden_octet(head.authority)) {
    return "a blank, a control character or a backslash is before the path: remove it";
  }
  if (!http_detail::parse_port(head.port)) {
    return "the port " + shown(head.port) + " is not a number from 1 to 65535";
  }
  if (head.host.empty()) {
    return "there is no host";
  }
  return http_detail::normal_host(head.host)
             ? std::string{"it names no host: write it like https://example.com/ or example.com"}
             : "the host " + shown(head.host) + " is neither a name nor an address";
}

}  // namespace detail

}  // namespace robots
