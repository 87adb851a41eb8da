// The lines of an audit trail.
//
//     {"n":7,"prev":"HASH","time":"DATE","type":"TYPE", ... ,"hash":"HASH"}
//
// `n` is the number of an entry, from 1, counted through all files of the trail. `hash` is the
// SHA-256 of all octets of the line before `,"hash"`. `prev` is the hash of the previous entry; in
// the first one, it is 64 zeros. Texts are written by `base::append_json`.
#pragma once

#include <robots/adapters/audit/audit_options.hpp>
#include <robots/adapters/audit/detail/crypto.hpp>
#include <robots/adapters/audit/detail/json_object.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace robots::adapters_detail {

/// The end of a trail.
struct audit_chain {
  std::uint64_t entries = 0;                ///< number of entries
  std::string last = std::string(64, '0');  ///< the hash of the last one

  /// Adds an entry. Returns its line, with the line end. `members` is an object.
  [[nodiscard]] std::string add(std::string_view time, std::string_view type,
                                std::string_view members, const ed25519_key* key = nullptr) {
    std::string line = "{\"n\":" + std::to_string(++entries) + ",\"prev\":\"" + last +
                       "\",\"time\":\"" + std::string{time} + "\",\"type\":\"" + std::string{type} +
                       '"';
    members = members.substr(1, members.size() - 2);
    line.append(members.empty() ? "" : ",").append(members);
    if (key != nullptr) {
      line.append(",\"signature\":\"" + key->sign(line) + '"');
    }
    last = sha256(line);
    return line.append(",\"hash\":\"").append(last).append("\"}\n");
  }
};

/// A line of a trail, without its line end. The text must outlive it.
class audit_entry : public json_object {
 public:
  /// Reads a line. Returns an empty optional if an `AuditTrail` does not write such lines.
  [[nodiscard]] static std::optional<audit_entry> read(std::string_view line) {
    auto object = json_object::read(line);
    if (!object || !line.starts_with("{\"n\":") || line.size() < hash_size ||
        !line.substr(line.size() - hash_size).starts_with(",\"hash\":\"")) {
      return std::nullopt;
    }
    audit_entry result{*std::move(object), line};
    const bool is_whole = result.number("n") > 0 && result.text("prev").size() == 64 &&
                          !result.text("type").empty() && !result.text("time").empty();
    return is_whole ? std::optional{std::move(result)} : std::nullopt;
  }

  [[nodiscard]] std::uint64_t n() const { return number("n"); }
  [[nodiscard]] std::string type() const { return text("type"); }
  [[nodiscard]] std::string hash() const { return text("hash"); }

  /// Returns everything except the hash, without the closing brace.
  [[nodiscard]] std::string_view before_hash() const {
    return line_.substr(0, line_.size() - hash_size);
  }

  /// Returns true if its hash matches its octets.
  [[nodiscard]] bool is_whole() const { return sha256(before_hash()) == hash(); }

  /// Returns true if the key has signed everything except the hash.
  [[nodiscard]] bool is_signed_by(const ed25519_key& key) const {
    std::string_view said = before_hash();
    const std::string signature = text("signature");
    const std::string end = ",\"signature\":\"" + signature + '"';
    if (!said.ends_with(end)) {
      return false;
    }
    said.remove_suffix(end.size());
    return key.has_signed(said, signature);
  }

 private:
  static constexpr std::size_t hash_size = 75;  // of `,"hash":"HASH"}`

  audit_entry(json_object object, std::string_view line)
      : json_object(std::move(object)), line_(line) {}

  std::string_view line_;
};

}  // namespace robots::adapters_detail
