#include <robots/rep/extensions/clean_param.hpp>

#include "rep/extensions/read_lines.hpp"

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

namespace {

using robots::clean_param;
using robots::document;
using robots::parse;
using robots::test::in_file;

using names = std::vector<std::string_view>;

static_assert(clean_param::parse("s&ref /forum/showthread.php")->parameters == names{"s", "ref"});
static_assert(clean_param::parse("s&ref /forum/showthread.php")->path == "/forum/showthread.php");
static_assert(clean_param::parse("utm")->parameters == names{"utm"});
static_assert(clean_param::parse("utm")->path.empty());
static_assert(clean_param::parse("&a&&b& \t /x")->parameters == names{"a", "b"});
static_assert(clean_param::parse("&a&&b& \t /x")->path == "/x");
static_assert(!clean_param::parse(""));
static_assert(!clean_param::parse("&"));
static_assert(!clean_param::parse("& /x"));

constexpr std::string_view param_lines =
    "Clean-param: sid\n"
    "User-agent: Yandex\n"
    "Clean-param: ref /some_dir/get_book.pl\n"
    "Clean-param:\n"
    "User-agent: *\n"
    "Clean-param: s&utm /forum*/show\n";

static_assert(robots::test::is_view_of_document<clean_param>);

static_assert(in_file(param_lines,
                      [](const document& file) { return file.read<clean_param>().size() == 3; }));
static_assert(in_file(param_lines,
                      [](const document& file) { return file.read<clean_param>()[0].line == 1; }));
static_assert(in_file(param_lines,
                      [](const document& file) { return file.read<clean_param>()[2].line == 6; }));

}  // namespace
