#include <robots/rep/rules/detail/octet_classes.hpp>

#include <string_view>

namespace {

using robots::rep_detail::class_set;
using robots::rep_detail::classes_in;

constexpr bool has_all_of(std::string_view target, std::string_view pattern) {
  return (classes_in(pattern) & ~classes_in(target)) == 0;
}

static_assert(has_all_of("/a/file.pdf", "/*.pdf"));
static_assert(has_all_of("/a/FILE.PDF", "/*.pdf"));  // letters regardless of case
static_assert(has_all_of("/anything", "/*"));
static_assert(!has_all_of("/a/pdf", "/*.pdf"));
static_assert(!has_all_of("/a/file.php", "/*.pdf"));
static_assert(!has_all_of("/search", "/*?"));
static_assert(!has_all_of("/page", "/*1"));
static_assert(has_all_of("/page2", "/*1"));  // all digits are in one class

static_assert(classes_in("*/#!\xE4") == class_set{0});

}  // namespace
