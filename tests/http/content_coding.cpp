#include <robots/http/content_coding.hpp>

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

namespace {

using robots::detail::begins_gzip;
using robots::detail::begins_utf8;
using robots::detail::begins_zlib;
using robots::detail::begins_zstd;
using robots::detail::can_be_text;
using robots::detail::is_content_coding;
using robots::detail::is_still_coded;
using std::literals::operator""sv;

static_assert(is_content_coding("gzip") && is_content_coding("X-GZIP") && is_content_coding("br"));
static_assert(!is_content_coding("identity") && !is_content_coding("UTF-8"));
static_assert(!is_content_coding(""));

static_assert(begins_gzip("\x1F\x8B\x08"sv) && !begins_gzip("\x1F"sv));
static_assert(begins_zstd("\x28\xB5\x2F\xFD"sv) && !begins_zstd("\x28\xB5\x2F"sv));
static_assert(begins_zlib("x\x9C"sv) && begins_zlib("x\x01"sv) && begins_zlib("x^"sv));
static_assert(!begins_zlib("x"sv) && !begins_zlib("xy"sv) && !begins_zlib("Us"sv));
static_assert(!begins_zlib("x\xBB"sv), "a stream with a dictionary");

static_assert(begins_utf8("User-agent: *") && begins_utf8("\xC3\xA4\xE2\x82"sv));
static_assert(!begins_utf8("\xE4\x20\x20"sv) && !begins_utf8("\x80\x80\x80\x80"sv));

static_assert(can_be_text("User-agent: *\n") && can_be_text("\xFF\xFEU\0s\0e\0r\0"sv));
static_assert(!can_be_text("\x1F\x8B\x08\x00"sv) && !can_be_text("\1\2\3\4\5\6\7"sv));

}  // namespace

TEST_CASE("A list of codings is split at its commas") {
  CHECK(robots::detail::coding_names("").empty());
  CHECK(robots::detail::coding_names(" , ,").empty());
  CHECK(robots::detail::coding_names(" aws-chunked,gzip ") ==
        std::vector<std::string_view>{"aws-chunked", "gzip"});
}

TEST_CASE("A body is still coded if a header names a coding and the octets are no text") {
  const auto in = [](const char* coding) {
    return std::vector<robots::http_header>{{"Server", "x"}, {"content-encoding", coding}};
  };
  constexpr std::string_view brotli = "\x0B\x0A\x80User-agent: *\nDisallow: \x03";
  CHECK(is_still_coded(in("gzip"), "\x1F\x8B\x08\x00more"sv));
  CHECK(is_still_coded(in("deflate"), "x\x9C\xF3\x48\xCD"sv));
  CHECK(is_still_coded(in("aws-chunked, GZIP"), "\x1F\x8B\x08\x00more"sv));
  CHECK(is_still_coded(in("zstd"), "\x28\xB5\x2F\xFDmore"sv));
  CHECK(is_still_coded(in("br"), brotli));

  CHECK(!is_still_coded({}, "\x1F\x8B\x08\x00more"sv));
  CHECK(!is_still_coded(in("identity"), "\x1F\x8B\x08\x00more"sv));
  CHECK(!is_still_coded(in("gzip"), ""));
  CHECK(!is_still_coded(in("gzip"), "User-agent: *\n"));
  CHECK(!is_still_coded(in("gzip"), "x^ is text\n"));
  CHECK(!is_still_coded(in("gzip"), "# caf\xE9\n"sv));
  CHECK(!is_still_coded(in("br"), "\xFF\xFEU\0s\0e\0r\0"sv));
  CHECK(!is_still_coded(in("br"), "# one \x03 control\n"sv));
}
