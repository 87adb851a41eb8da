#pragma once

#include <robots/base/config.hpp>
#include <robots/rep/document/editable_file.hpp>
#include <robots/rep/read/directive.hpp>

#include <string_view>
#include <vector>

namespace robots {

// The lines of an `editable_file` about the use of pages: Content-Signal, Content-Usage and
// License. They stand among the other lines of a group, or, for a licence of the whole file, before
// all groups:
//
//     editable_file::group --usage_values--> the values, in file order
//                          <--set_usage----- one value, instead of all lines of this kind
//                          <--add_usage----- one more value, such as one for another path
//                          <--remove_usage-- no line of this kind
//
// Each function takes `directive_kind::content_signal`, `content_usage` or `license`. It throws
// `std::invalid_argument` for another kind, since an `editable_file` has members for these.

/// Returns the values of the lines of one kind in a group, in file order. The views are valid until
/// the group changes.
[[nodiscard]] std::vector<std::string_view> usage_values(const editable_file::group& group,
                                                         directive_kind kind);
/// Returns the values of the lines of one kind before all groups.
[[nodiscard]] std::vector<std::string_view> usage_values(const editable_file& file,
                                                         directive_kind kind);

/// Replaces all lines of one kind in a group by one line:
/// `set_usage(group, directive_kind::content_signal, "search=yes, ai-train=no")`.
///
/// Throws `std::invalid_argument`, and changes nothing, if a crawler would not understand the
/// value: a Content-Signal with an unknown signal or value, a Content-Usage that is no Dictionary
/// of `y` and `n`, a License that is no absolute URL. To write such a line anyway, add it to
/// `group.lines`.
void set_usage(editable_file::group& group, directive_kind kind, std::string_view value);
/// Replaces all License lines before all groups by one line. Throws `std::invalid_argument` for the
/// other kinds, too: before all groups, they speak to nobody.
void set_usage(editable_file& file, directive_kind kind, std::string_view value);

/// Adds a line behind the other lines of a group. Throws like `set_usage`.
void add_usage(editable_file::group& group, directive_kind kind, std::string_view value);
/// Adds a License line before all groups. Throws like `set_usage`.
void add_usage(editable_file& file, directive_kind kind, std::string_view value);

/// Removes all lines of one kind from a group. Returns true if there was one.
bool remove_usage(editable_file::group& group, directive_kind kind);
/// Removes all lines of one kind before all groups. Returns true if there was one.
bool remove_usage(editable_file& file, directive_kind kind);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/rep/extensions/usage_editing.bodies.hpp>
#endif
