// redis-server as a child process.
#pragma once

#include "child_process.hpp"
#include "temporary_folder.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace robots::test {

/// Runs redis-server on a port of 127.0.0.1 and on a socket in its own folder, from
/// construction to destruction. Nothing that it holds outlasts `stop`.
class redis_server {
 public:
  /// Returns when it answers; throws std::runtime_error when it does not. `options` are more of the
  /// command line. With a `sentinel_file` it is a Sentinel with that configuration.
  explicit redis_server(std::vector<std::string> options = {},
                        const std::string& sentinel_file = {});
  redis_server(const redis_server&) = delete;
  redis_server& operator=(const redis_server&) = delete;

  /// Kills it.
  void stop() { child_.reset(); }
  /// Runs it again, on the same port.
  void start();
  /// Has it stop until `resume`, as a machine does that does not answer any more.
  void freeze() const { child_->freeze(); }
  void resume() const { child_->resume(); }

  /// Sends a command, and gives what it answers as text, a list as a line for each element. Logs in
  /// with `password` if there is one.
  std::string tell(const std::vector<std::string>& command, const std::string& password = {}) const;

  [[nodiscard]] int port() const noexcept { return port_; }
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  /// `redis://127.0.0.1:port/0`.
  [[nodiscard]] std::string url() const { return "redis://" + address() + "/0"; }
  /// The path of its socket.
  [[nodiscard]] std::string socket() const { return (folder_.path() / "socket").string(); }
  /// A path in its folder.
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
