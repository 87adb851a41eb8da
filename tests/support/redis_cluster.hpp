// Some redis-servers that are one cluster.
#pragma once

#include "redis_server.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace robots::test {

/// Three masters that have a third of the slots each, with or without replicas of the first one.
class redis_cluster_servers {
 public:
  static constexpr std::size_t masters = 3;

  /// Returns when all of them know one another.
  explicit redis_cluster_servers(std::size_t replicas = 0);

  [[nodiscard]] redis_server& operator[](std::size_t i) { return *servers_[i]; }
  /// `redis+cluster://` and the addresses of the masters.
  [[nodiscard]] std::string url() const;
  /// The server that has the slot.
  [[nodiscard]] std::size_t owner(std::size_t slot) const;
  /// The name of a server in the cluster.
  [[nodiscard]] std::string id(std::size_t i) const;

 private:
  [[nodiscard]] bool is_settled() const;

  std::vector<std::unique_ptr<redis_server>> servers_;
};

}  // namespace robots::test
