#include <robots/rep/extensions/usage_editing.hpp>

#include <robots/rep/document/document.hpp>

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using robots::add_usage;
using robots::editable_file;
using robots::remove_usage;
using robots::set_usage;
using robots::usage_values;
using line_kind = robots::directive_kind;
using value_views = std::vector<std::string_view>;

/// Returns the message of the exception of `edit`, or an empty text.
template <class Edit>
std::string complaint_of(Edit edit) {
  try {
    edit();
    return {};
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST_CASE("The lines about use in a group are read, set, added and removed") {
  editable_file file = to_editable(
      robots::parse("User-agent: *\ncontent-signal: ai-train=yes\nContent-Signal: /a search=no\n"
                    "Content-Usage: train-ai=n\nRequest-rate: 1/5\nDisallow: /x\n"));
  editable_file::group& group = file.groups.at(0);
  CHECK(usage_values(group, line_kind::content_signal) ==
        value_views{"ai-train=yes", "/a search=no"});
  CHECK(usage_values(group, line_kind::content_usage) == value_views{"train-ai=n"});
  CHECK(usage_values(group, line_kind::license).empty());

  set_usage(group, line_kind::content_signal, "search=yes, ai-train=no");
  add_usage(group, line_kind::license, "https://example.com/l.xml");
  CHECK(remove_usage(group, line_kind::content_usage));
  CHECK_FALSE(remove_usage(group, line_kind::content_usage));
  CHECK(to_text(file) ==
        "User-agent: *\nRequest-rate: 1/5\nContent-Signal: search=yes, ai-train=no\n"
        "License: https://example.com/l.xml\nDisallow: /x\n");
}

TEST_CASE("A licence of the whole file stands before all groups") {
  editable_file file{.groups = {{.user_agents = {"*"}}}};
  set_usage(file, line_kind::license, "https://example.com/a.xml");
  set_usage(file, line_kind::license, "https://example.com/b.xml");
  add_usage(file, line_kind::license, "https://example.com/c.xml");
  CHECK(usage_values(file, line_kind::license) ==
        value_views{"https://example.com/b.xml", "https://example.com/c.xml"});
  CHECK(to_text(file).starts_with(
      "License: https://example.com/b.xml\nLicense: https://example.com/c.xml\n"));
  CHECK(remove_usage(file, line_kind::license));
  CHECK(file.lines.empty());
  CHECK(complaint_of([&] { set_usage(file, line_kind::content_signal, "ai-train=no"); }) ==
        R"("Content-Signal" speaks to nobody before all groups: set it in the groups of the )"
        "crawlers");
}

TEST_CASE("A value that no crawler would understand is refused, and changes nothing") {
  editable_file::group group{.user_agents = {"*"}};
  set_usage(group, line_kind::content_signal, "ai-train=no");
  for (const char* const bad : {"ai-train=disallow", "train-ai=no", "future=yes", "", "/a"}) {
    CAPTURE(bad);
    CHECK(!complaint_of([&] { set_usage(group, line_kind::content_signal, bad); }).empty());
  }
  for (const char* const bad :
       {"train-ai=no", "Train-AI=n", "*.pdf train-ai=n", "", "train-ai=n,"}) {
    CAPTURE(bad);
    CHECK(!complaint_of([&] { set_usage(group, line_kind::content_usage, bad); }).empty());
  }
  CHECK(complaint_of([&] { add_usage(group, line_kind::license, "/l.xml"); }) ==
        R"("/l.xml" is no absolute URL: begin it with a scheme, as in https://)");
  CHECK(usage_values(group, line_kind::content_signal) == value_views{"ai-train=no"});
  CHECK(group.lines.size() == 1);
}

TEST_CASE("A value of a file can be set in the same file") {
  editable_file file = to_editable(
      robots::parse("License: https://example.com/a.xml\nLicense: https://example.com/b.xml\n"
                    "User-agent: *\nContent-Signal: ai-train=no\nRequest-rate: 1/5\n"));
  editable_file::group& group = file.groups.at(0);
  set_usage(group, line_kind::content_signal,
            usage_values(group, line_kind::content_signal).front());
  set_usage(file, line_kind::license, usage_values(file, line_kind::license).back());
  CHECK(usage_values(group, line_kind::content_signal) == value_views{"ai-train=no"});
  CHECK(usage_values(file, line_kind::license) == value_views{"https://example.com/b.xml"});
}

TEST_CASE("A line that an editable file has a member for is no line about use") {
  editable_file::group group{.user_agents = {"*"}};
  for (const line_kind other :
       {line_kind::disallow, line_kind::sitemap, line_kind::crawl_delay, line_kind::unknown}) {
    CHECK(!complaint_of([&] { set_usage(group, other, "/x"); }).empty());
    CHECK(!complaint_of([&] { static_cast<void>(usage_values(group, other)); }).empty());
    CHECK(!complaint_of([&] { remove_usage(group, other); }).empty());
  }
}

}  // namespace
