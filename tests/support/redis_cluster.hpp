// Some redis-servers that form a cluster.
#pragma once

#include "redis_server.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace robots::test {

/// Three masters with a third of the slots each. The first master can have replicas.
class redis_cluster_servers {
 public:
  static constexpr std::size_t masters = 3;

  /// Starts the servers, and waits until all of them know each other.
  explicit redis_cluster_servers(std::size_t replicas = 0);

  [[nodiscard]] redis_server& operator[](std::size_t i) { return *servers_[i]; }
  /// Returns `redis+cluster://` with the addresses of the masters.
  [[nodiscard]] std::string url() const;
  /// Returns the server that has a slot.
  [[nodiscard]] std::size_t owner(std::size_t slot) const;
  /// Returns the name of a server in the cluster.
  [[nodiscard]] std::string id(std::size_t i) const;

 private:
  [[nodiscard]] bool is_settled() const;

  std::vector<std::unique_ptr<redis_server>> servers_;
};

}  // namespace robots::test
