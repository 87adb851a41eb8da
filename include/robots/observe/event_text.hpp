#pragma once

#include <robots/base/config.hpp>
#include <robots/base/json_writer.hpp>
#include <robots/observe/any_event.hpp>

#include <span>
#include <string>
#include <string_view>

namespace robots::detail {

/// Adds the members of `event` to the JSON object `line`, except the site and the time. Returns a
/// sentence that describes `event`. Texts from sites are escaped in the sentence.
std::string describe(base::json_writer& line, const any_event& event);

/// Adds a list of `hosts` to `line`, under `name`.
void add_hosts(base::json_writer& line, std::string_view name, std::span<const std::string> hosts);

}  // namespace robots::detail

#ifndef ROBOTS_COMPILED
#include <robots/observe/event_text.bodies.hpp>
#endif
