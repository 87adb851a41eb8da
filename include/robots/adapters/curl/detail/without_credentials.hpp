#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace robots::adapters_detail {

/// Returns the URL `url` without a user name and a password: replaces the octets from `://`, or
/// from the start, to the last `@`.
[[nodiscard]] inline std::string without_credentials(std::string_view url) {
  const std::size_t sign = url.rfind('@');
  if (sign == std::string_view::npos) {
    return std::string(url);
  }
  const std::size_t scheme = url.substr(0, sign).find("://");
  const std::size_t begin = scheme == std::string_view::npos ? 0 : scheme + 3;
  return std::string(url.substr(0, begin)).append("...").append(url.substr(sign));
}

/// Returns a message without the user names and passwords of the URLs in it. `known` is a URL that
/// the message can repeat. Other URLs are words in quotation marks or between spaces.
[[nodiscard]] inline std::string without_credentials_in(std::string message,
                                                        const std::string& known) {
  const std::string shown = without_credentials(known);
  for (std::size_t place = 0;
       shown != known && (place = message.find(known, place)) != std::string::npos;
       place += shown.size()) {
    message.replace(place, known.size(), shown);
  }
  constexpr std::string_view word_ends = " \t\r\n'\"";
  std::string result;
  std::string_view text = message;
  while (!text.empty()) {
    const std::size_t end = (std::min)(text.find_first_of(word_ends), text.size());
    result += without_credentials(text.substr(0, end));
    result += text.substr(end, 1);
    text.remove_prefix((std::min)(end + 1, text.size()));
  }
  return result;
}

}  // namespace robots::adapters_detail
