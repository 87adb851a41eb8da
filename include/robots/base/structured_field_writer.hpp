#pragma once

#include <robots/base/base64.hpp>

#include <string>
#include <string_view>

namespace robots::base {

/// Appends a String to a structured field (RFC 9651, section 4.1.6). `text` must be printable
/// ASCII.
inline void append_field_string(std::string& field, std::string_view text) {
  field += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      field += '\\';
    }
    field += c;
  }
  field += '"';
}

/// Appends a Byte Sequence to a structured field (RFC 9651, section 4.1.8).
inline void append_field_bytes(std::string& field, std::string_view octets) {
  field.append(":").append(base64(octets)).append(":");
}

}  // namespace robots::base
