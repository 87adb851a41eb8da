#pragma once

#include <cstdint>
#include <span>

/// The bodies of the fuzzers. Each takes any octets, and throws `broken_property` if the library
/// breaks a promise. The fuzzers call them with new inputs, and replay.cpp calls them with saved
/// inputs. The comments below describe the inputs.
namespace fuzz {

using octets = std::span<const std::uint8_t>;

/// An octet of options, an octet of max_bytes, a user agent line, then a robots.txt.
void fuzz_parse(octets input);
/// A line with a pattern, then a target without its first slash.
void fuzz_pattern(octets input);
/// A target.
void fuzz_target(octets input);
/// A line with a `User-Agent` header, then the value of a User-agent line.
void fuzz_product_token(octets input);
/// A line with the current time, then headers.
void fuzz_freshness(octets input);
/// A line with the base URL, then a reference.
void fuzz_url(octets input);
/// An octet of options, a header name, its value, a meta name, its content, a tdmrep.json, a
/// robots.txt.
void fuzz_usage(octets input);
/// The value of an X-Robots-Tag header, the name of a meta element, its content.
void fuzz_page_rules(octets input);
/// The value of a Robots-Tag header.
void fuzz_robots_tag(octets input);
/// A structured field (RFC 9651).
void fuzz_structured_field(octets input);
/// A label, then the value of a Content-Usage line.
void fuzz_content_usage(octets input);
/// A label, then the value of a Content-Signal line.
void fuzz_content_signal(octets input);
/// A target without its first slash, then a tdmrep.json.
void fuzz_tdmrep(octets input);
/// The values of a License line, of a WWW-Authenticate header and of a Link header.
void fuzz_license(octets input);
/// An octet with the place of a cut, then an HTML page.
void fuzz_html(octets input);
/// An octet, then a record: with its checksum if the octet is even, else without one.
void fuzz_record(octets input);
/// An octet, which compresses if it is even, then a value or the octets of a stored value.
void fuzz_stored_value(octets input);
/// An octet of options, a user agent line, a target line without its first slash, a robots.txt.
void fuzz_properties(octets input);

}  // namespace fuzz
