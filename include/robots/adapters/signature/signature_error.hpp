#pragma once

#include <stdexcept>

namespace robots {

/// The exception for a key that cannot be read, and for a signature that OpenSSL cannot make. No
/// message has any part of a key.
class signature_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace robots
