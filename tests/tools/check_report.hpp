// A page that shows what an audit trail says.
#pragma once

#include "check_audit.hpp"

#include <string>

namespace robots::check {

/// One HTML file about a trail, which needs no other file, no network and no script. Throws
/// `std::runtime_error` for what cannot be read, and where this program was built without OpenSSL.
[[nodiscard]] std::string report(const audit_question& trail);

}  // namespace robots::check
