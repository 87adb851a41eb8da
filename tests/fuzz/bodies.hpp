#pragma once

#include <cstdint>
#include <span>

/// The bodies of the fuzzers. Each takes any octets, and throws `broken_property` if the library
/// breaks a promise. The fuzzers call them with new inputs, and replay.cpp calls them with saved
/// inputs. The comments below describe the inputs.
namespace fuzz {

using octets = std::span<const std::uint8_t>;

/// An octet of options, one of max_bytes, user agent line, then a robots.txt.
void fuzz_parse(octets input);
/// Pattern line, then a target without its first slash.
void fuzz_pattern(octets input);
/// A target.
void fuzz_target(octets input);
/// `User-Agent` header line, then the value of a User-agent line.
void fuzz_product_token(octets input);
/// The time now in a line, then headers.
void fuzz_freshness(octets input);
/// Base line, then a reference.
void fuzz_url(octets input);
/// An octet that says whether the rest has a checksum, then an encoded record.
void fuzz_record(octets input);
/// An octet of options, user agent line, target line without its first slash, then a robots.txt.
void fuzz_properties(octets input);

}  // namespace fuzz
