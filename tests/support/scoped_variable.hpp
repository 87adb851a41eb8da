// A variable of the environment that exists during a test.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace robots::test {

/// Sets a variable, and restores its old value at the end. Only tests without other threads use it.
class scoped_variable {
 public:
  scoped_variable(std::string name, const std::string& value) : name_(std::move(name)) {
    if (const char* const before = std::getenv(name_.c_str())) {
      before_ = before;
    }
    ::setenv(name_.c_str(), value.c_str(), 1);
  }
  scoped_variable(const scoped_variable&) = delete;
  scoped_variable& operator=(const scoped_variable&) = delete;
  ~scoped_variable() {
    if (before_) {
      ::setenv(name_.c_str(), before_->c_str(), 1);
    } else {
      ::unsetenv(name_.c_str());
    }
  }

 private:
  std::string name_;
  std::optional<std::string> before_;
};

}  // namespace robots::test
