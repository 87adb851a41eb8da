// The lines of an extension in a file.
#pragma once

#include <robots/rep/document/document.hpp>

#include <string_view>
#include <utility>

namespace robots::test {

/// Lines of the type `Line` can be read from a `File`.
template <class File, class Line>
concept readable_as = requires(File&& file) { std::forward<File>(file).template read<Line>(); };

/// Lines are views: they can be read from a document only while it exists.
template <class Line>
inline constexpr bool is_view_of_document =
    readable_as<const document&, Line> && !readable_as<document, Line>;

template <class Test>
[[nodiscard]] constexpr bool in_file(std::string_view text, Test test) {
  const document file = parse(text);
  return test(file);
}

}  // namespace robots::test
