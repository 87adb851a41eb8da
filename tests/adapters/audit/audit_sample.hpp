// A trail of a small crawl with every event that a trail records.
#pragma once

#include <robots/adapters/audit/audit_options.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace robots::test {

/// A pair of Ed25519 keys in PEM.
inline constexpr std::string_view signing_key =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEICS2V63v/HDqcXsMdBRpPDPyTZbEkvwK34GPNCSDa2FI\n"
    "-----END PRIVATE KEY-----\n";
inline constexpr std::string_view public_key =
    "-----BEGIN PUBLIC KEY-----\n"
    "MCowBQYDK2VwAyEApxCEdqWVNHDtEibYUQERv9Nayox595TtuH27oo4J6qU=\n"
    "-----END PUBLIC KEY-----\n";
inline constexpr std::string_view other_public_key =
    "-----BEGIN PUBLIC KEY-----\n"
    "MCowBQYDK2VwAyEA0g9r/APdlRQcga0kABQW5jut9Q9Fn5C8wx0WXLGpiis=\n"
    "-----END PUBLIC KEY-----\n";

/// Makes a small crawl, and returns the files of its trail.
std::vector<std::string> write_sample(const audit_options& options);

/// Returns the existing files of a trail, in their order.
[[nodiscard]] std::vector<std::string> files_of(const std::string& path);

/// Returns the lines of all files, one file after another.
[[nodiscard]] std::vector<std::string> lines_of(const std::vector<std::string>& files);

void write_lines(const std::string& file, const std::vector<std::string>& lines);

/// Corrects the hashes of a line and of all lines after it.
void chain_anew(std::vector<std::string>& lines, std::size_t from);

/// Replaces `old`, which must exist, by `now`.
void replace(std::string& line, std::string_view old, std::string_view now);

/// Returns the index of the first line with a text, from a line on. Such a line must exist.
[[nodiscard]] std::size_t line_with(const std::vector<std::string>& lines, std::string_view wanted,
                                    std::size_t from = 0);

/// Returns the number of lines that are entries of that type.
[[nodiscard]] std::size_t count_of(const std::vector<std::string>& lines, std::string_view type);

}  // namespace robots::test
