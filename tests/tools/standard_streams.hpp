// Opens the standard streams.
#pragma once

namespace robots::check {

/// Opens /dev/null for each standard stream that is closed. Otherwise, the next open file, such as
/// a store, gets the number of that stream, and output is written into the file. Returns true if
/// standard output was open. Throws `std::system_error` if /dev/null cannot be opened. Call it
/// first in `main`.
[[nodiscard]] bool open_standard_streams();

}  // namespace robots::check
