#pragma once

#include <robots/adapters/audit/audit_options.hpp>
#include <robots/adapters/audit/detail/json_object.hpp>
#include <robots/adapters/detail/ed25519_key.hpp>
#include <robots/adapters/detail/sha256.hpp>
#include <robots/base/ascii.hpp>
#include <robots/base/decimal.hpp>
#include <robots/base/utf8.hpp>

#include <time.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace robots::adapters_detail {

/// The maximum size, in octets, of a text from the web, such as a URL, in an entry.
inline constexpr std::size_t longest_text = std::size_t{1} << 20U;

/// The time in seconds that can pass between a decision and its entry, also on a slow machine.
/// Entries have whole seconds, and calls that run at the same time can end in any order.
inline constexpr std::int64_t longest_lateness = 60;

[[nodiscard]] inline std::string hex_of(std::string_view octets) {
  std::string digits;
  for (const char c : octets) {
    const auto [high, low] = base::hex_digits(static_cast<unsigned char>(c));
    digits.append({base::to_lower(high), base::to_lower(low)});
  }
  return digits;
}

/// Returns the SHA-256 of `text`, as `sha256sum` prints it.
[[nodiscard]] inline std::string sha256(std::string_view text) {
  return hex_of(sha256_octets(text));
}

/// The key of a trail: a private key, which signs, or a public key, which checks signatures.
class audit_key {
 public:
  /// Reads a key in PEM. Throws `audit_error` if `pem` is not a private or public Ed25519 key.
  audit_key(std::string_view pem, bool is_private)
      : key_{is_private ? ed25519_key::from_private_pem(pem) : ed25519_key::from_public_pem(pem)} {
    if (!key_) {
      throw audit_error{std::string{is_private ? "audit_options: signing_key is not a private"
                                               : "verify_audit: the key is not a public"} +
                        " Ed25519 key in PEM without a password; openssl genpkey -algorithm "
                        "ed25519 makes one"};
    }
  }

  [[nodiscard]] std::string name() const { return sha256(key_->public_octets()); }

  [[nodiscard]] std::string sign(std::string_view text) const {
    const std::optional<std::string> signature = key_->sign(text);
    if (!signature) {
      throw audit_error{"OpenSSL cannot sign with the key: check that it supports Ed25519"};
    }
    return hex_of(*signature);
  }

  [[nodiscard]] bool has_signed(std::string_view text, std::string_view signature) const {
    std::string octets;
    for (; signature.size() > 1; signature.remove_prefix(2)) {
      octets +=
          static_cast<char>(base::hex_value(signature[0]) * 16 + base::hex_value(signature[1]));
    }
    return key_->has_signed(text, octets);
  }

 private:
  std::optional<ed25519_key> key_;
};

/// The number and the hash of the last entry of a trail. An entry is one line:
///
///     {"n":7,"prev":"HASH","time":"DATE","type":"TYPE", ... ,"hash":"HASH"}
///
/// `n` is the number of an entry, from 1, counted through all files of the trail. `hash` is the
/// SHA-256 of all octets before `,"hash"`. `prev` is the previous `hash`, or 64 zeros in entry 1.
struct audit_chain {
  std::uint64_t entries = 0;
  std::string last = std::string(64, '0');

  /// Returns the line of the next entry, with the contents of two JSON objects: `about` and
  /// `members`. Signs the entry if `key` is not null.
  [[nodiscard]] std::string add(std::string_view time, std::string_view type,
                                std::string_view members, std::string_view about = {},
                                const audit_key* key = nullptr) {
    std::string line = "{\"n\":" + std::to_string(++entries) + ",\"prev\":\"" + last +
                       "\",\"time\":\"" + std::string{time} + "\",\"type\":\"" + std::string{type} +
                       '"';
    for (const std::string_view object : {about, members}) {
      if (object.size() > 2) {
        line.append(",").append(object, 1, object.size() - 2);
      }
    }
    if (key != nullptr) {
      line.append(",\"signature\":\"" + key->sign(line) + '"');
    }
    last = sha256(line);
    return line.append(",\"hash\":\"").append(last).append("\"}\n");
  }
};

/// A line of a trail, without its line end. The text must outlive this object.
struct audit_entry : json_object {
  static constexpr std::size_t hash_size = 75;  // the size of `,"hash":"HASH"}`

  std::string_view line;

  [[nodiscard]] static std::optional<audit_entry> read(std::string_view line) {
    auto object = json_object::read(line);
    if (!object || !line.starts_with("{\"n\":") || line.size() < hash_size ||
        !line.substr(line.size() - hash_size).starts_with(",\"hash\":\"")) {
      return std::nullopt;
    }
    audit_entry result{*std::move(object), line};
    const bool has_all = result.n() > 0 && result.text("prev").size() == 64 &&
                         !result.type().empty() && !result.text("time").empty();
    return has_all ? std::optional{std::move(result)} : std::nullopt;
  }

  [[nodiscard]] std::uint64_t n() const { return number("n"); }
  [[nodiscard]] std::string type() const { return text("type"); }
  [[nodiscard]] std::string hash() const { return text("hash"); }

  [[nodiscard]] std::string_view before_hash() const {
    return line.substr(0, line.size() - hash_size);
  }

  [[nodiscard]] bool is_whole() const { return sha256(before_hash()) == hash(); }

  [[nodiscard]] bool is_signed_by(const audit_key& key) const {
    const std::string_view said = before_hash();
    const std::string signature = text("signature");
    const std::string end = ",\"signature\":\"" + signature + '"';
    return said.ends_with(end) &&
           key.has_signed(said.substr(0, said.size() - end.size()), signature);
  }
};

/// Reads the lines of a file of an audit trail, one at a time.
class audit_lines {
 public:
  /// The maximum size, in octets, of a line that an `AuditTrail` writes.
  static constexpr std::size_t longest = std::size_t{32} << 20U;

  /// Begins at octet `offset`. Throws `audit_error` if `file` is not regular or cannot be opened.
  explicit audit_lines(const std::string& file, std::uint64_t offset = 0)
      : name_{file}, next_offset_{offset} {
    std::error_code failure;
    const auto status = std::filesystem::status(file, failure);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {  // a pipe
      throw audit_error{file + " is not a regular file: copy the trail into one"};
    }
    stream_.open(file, std::ios::binary);
    stream_.seekg(static_cast<std::streamoff>(offset));
    if (!stream_) {
      throw audit_error{file + " cannot be read: check its name and its permissions"};
    }
  }

  /// Returns the next line without its line end, or an empty optional at the end. The result is
  /// valid until the next call. Throws `audit_error` if the line is too long or cannot be read.
  [[nodiscard]] std::optional<std::string_view> next() {
    stream_.getline(line_.get(), longest + 1);
    const auto size = static_cast<std::size_t>(stream_.gcount());
    if (stream_.bad()) {
      throw audit_error{name_ + " cannot be read to its end: check the disk"};
    }
    if (stream_.fail() && size > 0) {
      throw audit_error{name_ + ", line " + std::to_string(number_ + 1) + ": it has more than " +
                        std::to_string(longest) +
                        " octets, so the file is not part of an audit trail"};
    }
    if (stream_.fail()) {
      return std::nullopt;
    }
    is_whole_ = !stream_.eof();
    ++number_;
    offset_ = next_offset_;
    next_offset_ += size;
    return std::string_view{line_.get(), is_whole_ ? size - 1 : size};
  }

  /// Returns the 1-based number of the line that `next` returned last.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  /// Returns the position in the file, in octets, of the line that `next` returned last.
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }
  [[nodiscard]] bool is_whole() const noexcept { return is_whole_; }

 private:
  std::string name_;
  std::ifstream stream_;
  std::unique_ptr<char[]> line_ = std::make_unique_for_overwrite<char[]>(longest + 1);
  std::uint64_t number_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t next_offset_ = 0;
  bool is_whole_ = false;
};

/// Reads a time such as `2026-01-01T12:00:00.000Z`. Returns seconds since 1970, or 0 on failure.
[[nodiscard]] inline std::int64_t audit_second(const std::string& date) {
  ::tm parts{};
  return ::strptime(date.c_str(), "%Y-%m-%dT%H:%M:%S", &parts) == nullptr ? 0 : ::timegm(&parts);
}

}  // namespace robots::adapters_detail
