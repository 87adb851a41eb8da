// redis-server as a child process.
#pragma once

#include "child_process.hpp"
#include "temporary_folder.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robots::test {

/// Runs redis-server on a port of 127.0.0.1 and on a socket in a temporary folder, from
/// construction to destruction. `stop` deletes all data.
class redis_server {
 public:
  /// Starts the server, and waits until it answers. Throws std::runtime_error if it does not.
  /// `options` are added to the command line. With a `sentinel_file`, the server is a Sentinel with
  /// that configuration.
  explicit redis_server(std::vector<std::string> options = {},
                        const std::string& sentinel_file = {});
  redis_server(const redis_server&) = delete;
  redis_server& operator=(const redis_server&) = delete;

  void stop() { child_.reset(); }
  /// Starts the server again, on the same port.
  void start();
  /// Stops the server until `resume`, like a machine that no longer answers.
  void freeze() const { child_->freeze(); }
  void resume() const { child_->resume(); }

  /// Sends a command, and returns the answer as text, with a line for each element of a list. Logs
  /// in with `password` if it is not empty.
  std::string tell(const std::vector<std::string>& command, const std::string& password = {}) const;

  [[nodiscard]] int port() const noexcept { return port_; }
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  /// Returns `redis://127.0.0.1:port/0`.
  [[nodiscard]] std::string url() const { return "redis://" + address() + "/0"; }
  [[nodiscard]] std::string socket() const { return (folder_.path() / "socket").string(); }
  /// Returns a path in the folder.
  [[nodiscard]] std::string file(std::string_view name) const {
    return (folder_.path() / name).string();
  }

 private:
  temporary_folder folder_;
  std::vector<std::string> options_;
  bool is_sentinel_;
  int port_ = 0;
  std::optional<child_process> child_;
};

}  // namespace robots::test
