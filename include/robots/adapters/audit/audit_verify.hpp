#pragma once

#include <robots/adapters/audit/audit_options.hpp>
#include <robots/adapters/audit/detail/entry.hpp>
#include <robots/base/ascii.hpp>
#include <robots/base/enum_text.hpp>
#include <robots/base/exceptions.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

/// The result of `verify_audit`.
struct audit_result {
  /// A fault in a trail.
  enum class fault_kind : std::uint8_t {
    none,        ///< no fault
    changed,     ///< an entry differs from what was written
    lost,        ///< entries are missing
    added,       ///< a line that the trail did not write
    reordered,   ///< entries or files are in the wrong order
    torn,        ///< the last line is incomplete, as after `kill -9`
    not_signed,  ///< a signature is missing
  };

  /// Returns the name of the enumerator.
  [[nodiscard]] friend constexpr std::string_view to_string(fault_kind kind) noexcept {
    return base::enum_text<fault_kind::not_signed>(
        kind, {"none", "changed", "lost", "added", "reordered", "torn", "not_signed"});
  }

  fault_kind fault = fault_kind::none;  ///< the first fault
  std::string file{};                   ///< the file of the fault
  std::uint64_t line = 0;               ///< 1-based; 0 if the fault is in the whole trail
  std::uint64_t entry = 0;              ///< the number of the faulty entry, or 0
  std::string text{};                   ///< the description of the fault, for people
  std::uint64_t entries = 0;            ///< the number of good entries
  std::string head{};                   ///< the hash of the last good entry
  std::vector<std::string> notes{};     ///< remarks for people, such as limits of the check
};

namespace adapters_detail {

/// Checks the entries of a trail up to the first fault.
class audit_verifier {
 public:
  audit_verifier(const std::vector<std::string>& files, std::string_view public_key,
                 std::string_view head)
      : files_{files}, known_head_{head} {
    if (!public_key.empty()) {
      key_ = audit_key{public_key, false};
    }
  }

  [[nodiscard]] audit_result run() {
    base::require(!files_.empty(),
                  "verify_audit: the list of files is empty: give the files of the trail");
    for (const std::string& file : files_) {
      audit_lines lines{file};
      at_ = {file, 0};
      while (const auto line = lines.next()) {
        at_.line = lines.number();
        if (!take(*line, lines.is_whole())) {
          return found_;
        }
      }
      if (lines.number() == 0 && &file != &files_.back()) {
        fail(lost, expected_, "the file is empty");
        return found_;
      }
    }
    end();
    return found_;
  }

 private:
  using enum audit_result::fault_kind;

  struct place {
    std::string file{};
    std::uint64_t line = 0;

    bool operator==(const place&) const = default;
  };

  bool fail(audit_result::fault_kind fault, std::uint64_t entry, std::string text) {
    found_.fault = fault;
    found_.file = at_.file;
    found_.line = at_.line;
    found_.entry = entry;
    found_.text = std::move(text);
    return false;
  }

  /// Checks one line. Returns true if the line is good.
  bool take(std::string_view line, bool is_whole) {
    if (!is_whole) {
      if (at_.file == files_.back()) {
        return fail(torn, expected_,
                    "the last line is not whole: its process was killed while it wrote, or is "
                    "writing now. All entries before it are in order. AuditTrail repairs this when "
                    "it continues the trail");
      }
      return fail(
          lost, expected_,
          "the last line is not whole, but other files follow: the end of this file is lost");
    }
    const auto entry = audit_entry::read(line);
    if (!entry || !entry->is_whole()) {
      if (find(expected_).line != 0) {
        return fail(added, expected_,
                    entry ? "an entry was added, or moved and changed"
                          : "a line that is not an entry was added");
      }
      return fail(changed, expected_,
                  named(expected_) + " was changed: " +
                      (entry ? "it does not match its hash" : "it is not an entry any more"));
    }
    const std::uint64_t n = entry->n();
    if (expected_ == 0 && n > 1 && entry->type() == "trail") {
      found_.notes.push_back("the entries 1 to " + std::to_string(n - 1) +
                             " are in earlier files, which were not checked: give all files");
    }
    expected_ = expected_ == 0 ? n : expected_;
    if (n != expected_) {
      return fail_number(*entry);
    }
    if (at_.line == 1 && entry->type() != "trail") {
      return fail(lost, n, "the file begins with " + named(n) + ": what was before is lost");
    }
    if (n == 1 && entry->text("prev") != std::string(64, '0')) {
      return fail(changed, 1, "entry 1 was changed: it has the hash of an entry before it");
    }
    if (found_.entries > 0 && entry->text("prev") != found_.head) {
      at_ = find(n - 1);
      return fail(changed, n - 1,
                  named(n - 1) + " was changed, and its hash with it: " + named(n) +
                      " has another hash for it");
    }
    if (!check_signature(*entry)) {
      return false;
    }
    ++found_.entries;
    ++expected_;
    found_.head = entry->hash();
    has_head_ = has_head_ || found_.head == known_head_;
    is_closed_ = entry->type() == "checkpoint" && entry->text("why") == "close";
    if (const std::string text = entry->text("note"); !text.empty()) {  // the entry reports a loss
      note(n, text);
    }
    if (entry->type() == "trail") {
      unsigned_before_ = found_.entries - signed_ - 1;
      stated_every_ = (std::max)(stated_every_, entry->number("sign_every"));
    }
    return true;
  }

  bool check_signature(const audit_entry& entry) {
    const std::uint64_t n = entry.n();
    if (!key_ || entry.type() != "checkpoint" || entry.text("signature").empty()) {
      return true;
    }
    if (entry.text("key") != key_->name()) {
      return fail(not_signed, n,
                  named(n) + " is signed by another key: give the public key of the signer");
    }
    if (!entry.is_signed_by(*key_)) {
      return fail(changed, n,
                  named(n) + " is not what the key has signed: this entry, or one since the " +
                      "previous signature, was rewritten");
    }
    if (entry.text("why") == "start" && unsigned_before_ > 0) {
      note(n, "the " + std::to_string(unsigned_before_) +
                  " entries before it, which another process left unsigned, were signed only now");
    }
    signed_ = found_.entries + 1;
    // If the trail does not give `sign_every`, any number of entries may follow the last signature.
    sign_every_ = stated_every_ > 0 ? stated_every_ : (std::numeric_limits<std::uint64_t>::max)();
    return true;
  }

  /// Reports a fault at an entry with an unexpected number.
  bool fail_number(const audit_entry& entry) {
    const std::uint64_t n = entry.n();
    if (n > expected_) {
      const place there = find(expected_);
      if (there.line != 0) {
        return fail(reordered, n,
                    at_.line == 1 ? "the files are not in order: " + there.file + " comes before"
                                  : named(n) + " comes before " + named(expected_) +
                                        ", which is in line " + std::to_string(there.line));
      }
      const std::string missing = n == expected_ + 1 ? named(expected_) + " is"
                                                     : "the entries " + std::to_string(expected_) +
                                                           " to " + std::to_string(n - 1) + " are";
      return fail(lost, expected_,
                  missing + " lost" + (at_.line == 1 ? ": a file before this one is missing" : ""));
    }
    if (at_.line == 1) {
      return fail(
          reordered, n,
          "the files are not in order: " + named(n) + " comes behind " + named(expected_ - 1));
    }
    return fail(added, n,
                find(n, entry.hash()) != at_ ? "a copy of " + named(n) + " was added"
                                             : "there are two entries " + std::to_string(n) +
                                                   ", of which one was added, here or before");
  }

  /// Checks the end of the trail.
  void end() {
    const std::uint64_t left = found_.entries - signed_;
    const std::string last = "the last " + std::to_string(left) + " entries are not signed";
    if (found_.entries == 0) {
      fail(lost, 1, "there are no entries");
    } else if (!known_head_.empty() && !has_head_) {
      fail(lost, expected_,
           "no entry has the hash that is known: the end was cut off, or the trail rewritten");
    } else if (key_ && sign_every_ == 0) {
      fail(not_signed, expected_ - 1,
           "the trail has no signature by the given key: give the public key of the signer");
    } else if (key_ && left > sign_every_) {
      fail(not_signed, expected_ - left,
           last + ", but every " + std::to_string(sign_every_) +
               " entries there should be a signature");
    }
    if (found_.fault != none) {
      return;
    }
    if (!is_closed_) {
      found_.notes.push_back(
          std::string{"the trail was not ended: it is still written, or its process was killed, or "
                      "the end was cut off. "} +
          (known_head_.empty() ? "The files do not show which: give the hash of a late entry"
                               : "Entries after the known hash may be missing"));
    }
    if (key_ && left > 0) {
      found_.notes.push_back(last + " yet");
    } else if (!key_) {
      found_.notes.emplace_back(
          stated_every_ > 0
              ? "the trail is signed, but its signatures were not checked: give the public key"
              : "the trail is not signed: anyone who can write its files can rewrite it from "
                "any entry on");
    }
  }

  void note(std::uint64_t n, const std::string& text) {
    found_.notes.push_back(named(n) + ": " + text);
  }

  [[nodiscard]] static std::string named(std::uint64_t n) { return "entry " + std::to_string(n); }

  /// Returns the place of the first entry with the number `n` and the hash `hash`. An empty `hash`
  /// matches any entry. Returns line 0 if no entry matches.
  [[nodiscard]] place find(std::uint64_t n, std::string_view hash = {}) const {
    for (const std::string& file : files_) {
      audit_lines lines{file};
      while (const auto line = lines.next()) {
        const auto entry = audit_entry::read(*line);
        if (entry && entry->n() == n && entry->is_whole() &&
            (hash.empty() || entry->hash() == hash)) {
          return {file, lines.number()};
        }
      }
    }
    return {};
  }

  const std::vector<std::string>& files_;
  const std::string_view known_head_;
  std::optional<audit_key> key_;
  audit_result found_;
  place at_;
  std::uint64_t expected_ = 0;  // the number of the next entry; 0 before the first entry
  bool is_closed_ = false;      // true if the last entry says that the trail ends
  bool has_head_ = false;
  std::uint64_t signed_ = 0;           // entries up to the last signature
  std::uint64_t unsigned_before_ = 0;  // entries that an earlier process did not sign
  std::uint64_t stated_every_ = 0;     // entries between signatures, as the trail states
  std::uint64_t sign_every_ = 0;       // the limit since the last signature; 0 before
};

}  // namespace adapters_detail

/// Checks the trail in `files`. Give the oldest file first. Reports the first fault: an entry that
/// was changed, lost, added or moved, or an incomplete last line.
///
/// The hashes show every change, unless someone rewrote all later entries too. Signatures show even
/// a rewrite of all later entries. `public_key` is the signer's key in PEM. If `public_key` is
/// empty, signatures are not checked. `head` is the hash of an entry that must exist, such as an
/// earlier `audit_stats::last_hash`. If someone cut whole lines off the end of the trail, the
/// remaining hashes are right. The check reports a cut only if no entry has the hash `head`, or if
/// no signature is left. `audit_result::notes` lists recorded losses and facts that the check
/// cannot prove. Files may have any content. Throws `audit_error` if the key is bad, or if a file
/// cannot be read, is not a regular file or has a line above 32 MiB. Throws `std::invalid_argument`
/// if there are no files. Takes linear time, and keeps one line in memory.
[[nodiscard]] inline audit_result verify_audit(const std::vector<std::string>& files,
                                               std::string_view public_key = {},
                                               std::string_view head = {}) {
  return adapters_detail::audit_verifier{files, public_key, head}.run();
}

}  // namespace robots
