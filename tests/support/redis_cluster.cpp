#include "redis_cluster.hpp"

#include "raw_server.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace robots::test {
namespace {

constexpr std::size_t slots = 16'384;

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t position = text.find(part); position != std::string_view::npos;
       position = text.find(part, position + 1)) {
    ++found;
  }
  return found;
}

bool contains(std::string_view text, std::string_view part) { return count(text, part) > 0; }

template <class Condition>
void wait_until(const Condition& condition) {
  while (!condition()) {
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
}

}  // namespace

redis_cluster_servers::redis_cluster_servers(std::size_t replicas) {
  std::vector<std::string> meet;
  for (std::size_t i = 0; i < masters + replicas; ++i) {
    const std::string bus = std::to_string(closed_port().number());
    servers_.push_back(std::make_unique<redis_server>(std::vector<std::string>{
        "--cluster-enabled", "yes", "--cluster-port", bus, "--cluster-require-full-coverage", "no",
        "--cluster-node-timeout", "2000", "--repl-diskless-sync-delay", "0"}));
    redis_server& server = *servers_.back();
    server.tell({"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)});
    if (i < masters) {
      server.tell({"CLUSTER", "ADDSLOTSRANGE", std::to_string(i * slots / masters),
                   std::to_string((i + 1) * slots / masters - 1)});
    }
    if (i == 0) {
      meet = {"CLUSTER", "MEET", "127.0.0.1", std::to_string(server.port()), bus};
    } else {
      server.tell(meet);
    }
  }
  wait_until([this] { return is_settled(); });
  for (std::size_t i = masters; i < servers_.size(); ++i) {
    servers_[i]->tell({"CLUSTER", "REPLICATE", id(0)});
    wait_until([this, i] {
      return contains(servers_[i]->tell({"INFO", "replication"}), "master_link_status:up");
    });
  }
}

bool redis_cluster_servers::is_settled() const {
  return std::ranges::all_of(servers_, [this](const auto& server) {
    return contains(server->tell({"CLUSTER", "INFO"}), "cluster_state:ok") &&
           contains(server->tell({"CLUSTER", "INFO"}), "cluster_slots_ok:16384") &&
           count(server->tell({"CLUSTER", "NODES"}), " connected") == servers_.size();
  });
}

std::string redis_cluster_servers::url() const {
  std::string url = "redis+cluster://";
  for (std::size_t i = 0; i < masters; ++i) {
    url += (i == 0 ? "" : ",") + servers_[i]->address();
  }
  return url;
}

std::size_t redis_cluster_servers::owner(std::size_t slot) const {
  std::size_t i = 0;
  while ((i + 1) * slots / masters <= slot) {
    ++i;
  }
  return i;
}

std::string redis_cluster_servers::id(std::size_t i) const {
  return servers_[i]->tell({"CLUSTER", "MYID"});
}

}  // namespace robots::test
