#include <robots/adapters/audit/audit_verify.hpp>

#include "adapters/audit/audit_sample.hpp"
#include "support/temporary_folder.hpp"
#include <robots/adapters/audit/detail/entry.hpp>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using robots::audit_error;
using audit_fault = robots::audit_result::fault_kind;
using robots::audit_result;
using robots::verify_audit;
using robots::adapters_detail::audit_chain;
using robots::adapters_detail::audit_entry;
using robots::test::chain_anew;
using robots::test::line_with;
using robots::test::lines_of;
using robots::test::replace;
using robots::test::write_lines;
using texts = std::vector<std::string>;

/// A signed trail of several files. Tests damage it.
struct broken_trail {
  broken_trail() {
    robots::audit_options options{.path = (folder.path() / "audit").string()};
    options.file_bytes = 40'000;
    options.signing_key = robots::test::signing_key;
    options.sign_every = 50;
    files = robots::test::write_sample(options);
    REQUIRE(files.size() > 2);
    all = lines_of(files);
  }

  [[nodiscard]] audit_result verify(std::string_view key = {}, std::string_view head = {}) const {
    return verify_audit(files, key, head);
  }

  /// Changes the lines of the second file, and verifies the trail.
  template <class Change>
  audit_result after(const Change& change) {
    texts lines = lines_of({files.at(1)});
    change(lines);
    write_lines(files.at(1), lines);
    return verify();
  }

  /// Returns the number of the entry in a line of the second file. The first line is 0.
  [[nodiscard]] std::uint64_t n(std::size_t line) const {
    return audit_entry::read(lines_of({files.at(1)}).at(line))->n();
  }

  robots::test::temporary_folder folder;
  texts files;
  texts all;
};

}  // namespace

TEST_CASE("A trail with every kind of event is intact, and so are its signatures") {
  const broken_trail trail;
  const auto found = trail.verify(robots::test::public_key);
  CHECK_MESSAGE(found.fault == audit_fault::none, found.text);
  CHECK(found.entries == trail.all.size());
  CHECK(found.notes.empty());
  CHECK(trail.verify().notes.size() == 1);  // the signatures were not checked
}

TEST_CASE("A changed octet is found in its entry") {
  broken_trail trail;
  const std::uint64_t n = trail.n(5);
  const auto found = trail.after([](texts& lines) { lines[5][lines[5].size() / 2] ^= 1; });
  CHECK(found.fault == audit_fault::changed);
  CHECK(found.file == trail.files[1]);
  CHECK(found.line == 6);
  CHECK(found.entry == n);
}

TEST_CASE("A deleted entry is named, and so is a range of deleted entries") {
  broken_trail trail;
  const std::uint64_t n = trail.n(5);
  auto found = trail.after([](texts& lines) { lines.erase(lines.begin() + 5); });
  CHECK(found.fault == audit_fault::lost);
  CHECK(found.entry == n);
  CHECK(found.text == "entry " + std::to_string(n) + " is lost");
  found = trail.after([](texts& lines) { lines.erase(lines.begin() + 5, lines.begin() + 7); });
  CHECK(found.text ==
        "the entries " + std::to_string(n) + " to " + std::to_string(n + 2) + " are lost");
}

TEST_CASE("Added lines, foreign entries and copies are found") {
  broken_trail trail;
  const std::uint64_t n = trail.n(5);
  SUBCASE("a line") {
    const auto found =
        trail.after([](texts& lines) { lines.insert(lines.begin() + 5, "{\"n\":1}"); });
    CHECK(found.fault == audit_fault::added);
    CHECK(found.line == 6);
  }
  SUBCASE("an entry that fits") {
    const auto found = trail.after([&](texts& lines) {
      audit_chain chain{n - 1, audit_entry::read(lines[4])->hash()};
      std::string line = chain.add("2026-01-01T12:00:00.000Z", "decision", "{}");
      line.pop_back();
      lines.insert(lines.begin() + 5, line);
    });
    CHECK(found.fault == audit_fault::added);
    CHECK(found.line == 7);
    CHECK(found.text == "there are two entries " + std::to_string(n) +
                            ", of which one was added, here or before");
  }
  SUBCASE("a copy") {
    const auto found = trail.after([](texts& lines) { lines.insert(lines.begin() + 9, lines[5]); });
    CHECK(found.fault == audit_fault::added);
    CHECK(found.line == 10);
    CHECK(found.text == "a copy of entry " + std::to_string(n) + " was added");
  }
}

TEST_CASE("Entries in another order are named") {
  broken_trail trail;
  const std::uint64_t n = trail.n(5);
  const auto found = trail.after([](texts& lines) { std::swap(lines[5], lines[6]); });
  CHECK(found.fault == audit_fault::reordered);
  CHECK(found.line == 6);
  CHECK(found.entry == n + 1);
}

TEST_CASE("A file that is missing or in the wrong order is named") {
  broken_trail trail;
  texts files = trail.files;
  std::swap(files[1], files[2]);
  auto found = verify_audit(files);
  CHECK(found.fault == audit_fault::reordered);
  CHECK(found.file == files[1]);
  CHECK(found.text.find(files[2]) != std::string::npos);
  files = trail.files;
  files.erase(files.begin() + 1);
  found = verify_audit(files);
  CHECK(found.fault == audit_fault::lost);
  CHECK(found.file == files[1]);
  CHECK(found.text.ends_with("a file before this one is missing"));
  files = trail.files;
  files.insert(files.begin() + 1, files[0]);
  CHECK(verify_audit(files).fault == audit_fault::reordered);
  write_lines(trail.files[1], {});
  found = trail.verify();
  CHECK(found.fault == audit_fault::lost);
  CHECK(found.file == trail.files[1]);
  CHECK_THROWS_AS(static_cast<void>(verify_audit({trail.files[0] + ".none"})), audit_error);
  CHECK_THROWS_AS(static_cast<void>(verify_audit({trail.folder.path().string()})), audit_error);
  CHECK_THROWS_AS(static_cast<void>(verify_audit({})), std::invalid_argument);
}

TEST_CASE(
    "The later files of a trail are intact without the first, and the report says what is "
    "unknown") {
  broken_trail trail;
  texts files{trail.files.begin() + 1, trail.files.end()};
  const auto found = verify_audit(files, robots::test::public_key);
  CHECK_MESSAGE(found.fault == audit_fault::none, found.text);
  REQUIRE(found.notes.size() == 1);
  CHECK(found.notes[0].starts_with("the entries 1 to "));
  texts lines = lines_of({files[0]});
  lines.erase(lines.begin(), lines.begin() + 3);
  write_lines(files[0], lines);
  CHECK(verify_audit(files).fault == audit_fault::lost);
}

TEST_CASE("An entry that was changed together with its hash is found by the next entry") {
  broken_trail trail;
  const std::uint64_t n = trail.n(5);
  const auto found = trail.after([](texts& lines) {
    texts one{lines[4], lines[5]};
    one[1].insert(one[1].size() - 75, ",\"x\":1");
    chain_anew(one, 1);
    lines[5] = one[1];
  });
  CHECK(found.fault == audit_fault::changed);
  CHECK(found.line == 6);
  CHECK(found.entry == n);
}

TEST_CASE("A rewritten chain is intact, but its signatures do not match") {
  broken_trail trail;
  texts lines = trail.all;
  const std::size_t position = line_with(lines, "\"allowed\":false");
  replace(lines[position], "\"allowed\":false", "\"allowed\":true");
  chain_anew(lines, position);
  const std::string file = (trail.folder.path() / "whole.jsonl").string();
  write_lines(file, lines);
  const texts whole{file};
  CHECK(verify_audit(whole).fault == audit_fault::none);
  const auto found = verify_audit(whole, robots::test::public_key);
  CHECK(found.fault == audit_fault::changed);
  CHECK(found.entry > position);
  CHECK(found.text.find("rewritten") != std::string::npos);
}

TEST_CASE("Text that was added to a signed checkpoint does not match the signature") {
  broken_trail trail;
  texts lines = trail.all;
  replace(lines.back(), ",\"hash\":", ",\"more\":1,\"hash\":");
  chain_anew(lines, lines.size() - 1);
  const std::string file = (trail.folder.path() / "whole.jsonl").string();
  write_lines(file, lines);
  CHECK(verify_audit({file}).fault == audit_fault::none);
  const auto found = verify_audit({file}, robots::test::public_key);
  CHECK(found.fault == audit_fault::changed);
  CHECK(found.entry == lines.size());
}

TEST_CASE("A missing signature, a signature by another key and one of random octets are found") {
  broken_trail trail;
  CHECK(trail.verify(robots::test::other_public_key).fault == audit_fault::not_signed);
  CHECK_THROWS_AS(static_cast<void>(trail.verify("no key")), audit_error);
  // An attacker rewrites the entries after a signature, without signatures.
  texts lines = trail.all;
  const std::size_t first = line_with(lines, "\"signature\"");
  lines.resize(first + 1);
  audit_chain chain{lines.size(), audit_entry::read(lines.back())->hash()};
  for (int i = 0; i < 60; ++i) {
    lines.push_back(chain.add("2026-01-01T12:00:00.000Z", "decision", "{}"));
    lines.back().pop_back();
  }
  const std::string file = (trail.folder.path() / "whole.jsonl").string();
  write_lines(file, lines);
  auto found = verify_audit({file}, robots::test::public_key);
  CHECK(found.fault == audit_fault::not_signed);
  CHECK(found.entry == first + 2);
  lines.resize(first);
  write_lines(file, lines);
  CHECK(verify_audit({file}, robots::test::public_key).fault == audit_fault::not_signed);
}

TEST_CASE("A cut-off end is found by a remembered hash") {
  broken_trail trail;
  const std::string last = audit_entry::read(trail.all.back())->hash();
  CHECK(trail.verify({}, last).fault == audit_fault::none);
  texts lines = lines_of({trail.files.back()});
  lines.resize(lines.size() - 2);
  write_lines(trail.files.back(), lines);
  const auto found = trail.verify({}, last);
  CHECK(found.fault == audit_fault::lost);
  // Without the hash, the missing end cannot be found.
  const auto unknown = trail.verify();
  CHECK(unknown.fault == audit_fault::none);
  CHECK(unknown.notes.front().starts_with("the trail was not ended"));
}

TEST_CASE("An incomplete last line and a changed last line are reported differently") {
  broken_trail trail;
  std::filesystem::resize_file(trail.files.back(),
                               std::filesystem::file_size(trail.files.back()) - 30);
  const auto found = trail.verify();
  CHECK(found.fault == audit_fault::torn);
  CHECK(found.entries == trail.all.size() - 1);
  std::filesystem::resize_file(trail.files[1], std::filesystem::file_size(trail.files[1]) - 30);
  CHECK(trail.verify().fault == audit_fault::lost);
}

TEST_CASE("verify_audit accepts files with any content") {
  const robots::test::temporary_folder folder;
  const std::string file = (folder.path() / "any").string();
  const texts contents{
      "",
      "{",
      "{\"n\":1}",
      std::string(200'000, '{'),
      std::string(1'000, '\0'),
      "{\"n\":18446744073709551616,\"prev\":\"\",\"hash\":\"" + std::string(64, '0') + "\"}"};
  for (const std::string& content : contents) {
    write_lines(file, {content});
    CHECK(verify_audit({file}).fault != audit_fault::none);
  }
}

TEST_CASE("Verification refuses a pipe, and a line that is too long for a trail") {
  const robots::test::temporary_folder folder;
  const std::string file = (folder.path() / "any").string();
  SUBCASE("a pipe without a writer") { REQUIRE(::mkfifo(file.c_str(), 0600) == 0); }
  SUBCASE("a line of more than 32 MiB") {
    write_lines(file, {std::string((std::size_t{32} << 20U) + 1, 'x')});
  }
  CHECK_THROWS_AS(static_cast<void>(verify_audit({file})), audit_error);
}
