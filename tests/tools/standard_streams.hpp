// Opens the standard streams.
#pragma once

namespace robots::check {

/// Opens /dev/null for each of standard input, output and error that is closed: otherwise the next
/// file that is opened, such as a store, gets that number, and output is written into it.
/// Returns whether standard output was open. Throws `std::system_error` if /dev/null cannot be
/// opened. Call it first in `main`.
[[nodiscard]] bool open_standard_streams();

}  // namespace robots::check
