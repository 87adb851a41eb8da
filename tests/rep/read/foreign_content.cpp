#include <robots/rep/read/foreign_content.hpp>

#include <robots/rep/document/document.hpp>
#include <robots/rep/read/file_findings.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace {

using robots::rep_detail::find_foreign_content;
using robots::rep_detail::foreign_content;
using std::literals::operator""sv;

constexpr auto other_content = {
    "PK\3\4\x14\0\0\0"sv,
    "\x1F\x8B\b\0\0\0\0\0"sv,
    "\x1F\xE2\x80\xB9\b\0"sv,  // gzip, converted to UTF-8 as if it were windows-1252
    "%PDF-1.7\n"sv,
    "\x89PNG\r\n\x1A\n"sv,
    "\xFF\xD8\xFF\xE0\0\x10JFIF"sv,
    "GIF89a\1\0\1\0"sv,
    "\x7F\x45LF\2\1\1"sv,
    "BZh91AY&SY"sv,
    "\xFD\x37zXZ\0"sv,
    "\x28\xB5\x2F\xFD\x04"sv,
    "7z\xBC\xAF\x27\x1C"sv,
    "\xFF\xFE\0\0U\0\0\0s\0\0\0"sv,
    "\0\0\xFE\xFF\0\0\0U\0\0\0s"sv,
    "\0U\0s\0"sv,
    "U\0\0\0s\0\0\0e\0\0\0r\0\0\0"sv,
    "\0\0\0\0\0\0\0\0"sv,
    "\1\2\3\4\5\6 Disallow: /\n"sv,
    "{\"message\":\"Not Found\"}"sv,
    "{}"sv,
    "\xEF\xBB\xBF\n { \"status\": 404 }\n"sv,
    "[{\"code\": 403}]"sv,
    "[]"sv,
};

constexpr auto markup = {
    "<!DOCTYPE html>"sv,
    "\xEF\xBB\xBF \r\n\t<html><head><title>Just a moment...</title></head></html>"sv,
    "\xEF\xBB\xBF\xEF\xBB\xBF<html><body>challenge</body></html>"sv,
    "\xC3\xAF\xC2\xBB\xC2\xBF<html><body>challenge</body></html>"sv,
    "\0<html></html>"sv,
    "<?xml version=\"1.0\"?>\n"sv,
    "<script>location.href='/challenge'</script>\n"sv,
    "<?php\nDisallow: /x\n"sv,
};

constexpr auto robots_txt = {
    ""sv,
    "\n \n"sv,
    "\xEF\xBB\xBF"sv,
    "User-agent: *\nDisallow: /\n"sv,
    "Disallow: /a<b>\n"sv,
    "# <html>\n"sv,
    "Pragma: x\n"sv,
    "[Sitemap]\nSitemap: /s\n"sv,
    "{sitemap}\nUser-agent: *\n"sv,
    "User-agent: *\0\nDisallow: /x\0\n\0"sv,
    "User-agent: *\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"sv,
    "Disallow: /\x1B[0m\n"sv,
    "User-agent: *\r\rDisallow: /\t\f\v\n"sv,
    "User-agent: *\nDisallow: /\xD0\xBF\xD1\x80\n"sv,
};

TEST_CASE("An empty text is not foreign content") {
  CHECK(find_foreign_content(std::string_view{}) == foreign_content::none);
}

TEST_CASE("Files of another kind are recognised by their start") {
  for (const std::string_view text : other_content) {
    CAPTURE(text);
    CHECK(find_foreign_content(text) == foreign_content::other);
  }
  for (const std::string_view text : markup) {
    CAPTURE(text);
    CHECK(find_foreign_content(text) == foreign_content::markup);
  }
}

TEST_CASE("A robots.txt with mistakes does not count as a file of another kind") {
  for (const std::string_view text : robots_txt) {
    CAPTURE(text);
    CHECK(find_foreign_content(text) == foreign_content::none);
  }
}

TEST_CASE("A text is mostly controls if more than one octet in 20 is a control") {
  const std::string colour = "\x1B[0m\x1B[1m\x1B[0m\x1B[1m";
  CHECK(find_foreign_content(colour + std::string(64, 'a')) == foreign_content::none);
  CHECK(find_foreign_content(colour + std::string(63, 'a')) == foreign_content::other);
}

TEST_CASE("A foreign file exceeds the malformed limit with any number of lines and has a finding") {
  constexpr robots::malformed_limit limit;
  const auto has_error = [](const robots::document& file) {
    return std::ranges::any_of(file.diagnostics(), [](const robots::diagnostic& finding) {
      return finding.line == 1 && finding.severity == robots::severity::error;
    });
  };
  for (const auto& texts : {other_content, markup}) {
    for (const std::string_view text : texts) {
      CAPTURE(text);
      const robots::document file = robots::parse(text);
      CHECK(file.lines().not_robots_txt);
      CHECK(limit.exceeded_by(file.lines()));
      CHECK(limit.exceeded_by(robots::parse(text, {.truncated = true}).lines()));
    }
    CHECK(has_error(robots::parse(*texts.begin())));
  }
  for (const std::string_view text : robots_txt) {
    CAPTURE(text);
    CHECK_FALSE(limit.exceeded_by(robots::parse(text).lines()));
  }
}

TEST_CASE("A file in which no line has a key and a value is malformed, however short it is") {
  constexpr robots::malformed_limit limit;
  for (const std::string_view text :
       {"Not Found"sv, "null"sv, "404 page not found\n"sv, "\"Not found\""sv,
        "var a=1;window.location='/x';"sv, "VXNlci1hZ2VudDogKgo=\n"sv, "OggS\0\2\0\0"sv}) {
    CAPTURE(text);
    CHECK(find_foreign_content(text) == foreign_content::none);
    CHECK(limit.exceeded_by(robots::parse(text).lines()));
  }
  CHECK_FALSE(limit.exceeded_by(robots::parse("# Not found\n").lines()));
  CHECK_FALSE(limit.exceeded_by(robots::parse("Not Found\nSitemap: /s\n").lines()));
}

TEST_CASE("scan reads the valid lines of a foreign file") {
  const auto file = robots::parse("{\"a\": 1}\nUser-agent: *\nDisallow: /x\n");
  CHECK(file.lines().not_robots_txt);
  CHECK_FALSE(file.allows("/x"));
}

}  // namespace
