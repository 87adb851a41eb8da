#include "nghttpd.hpp"

#include "raw_server.hpp"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace robots::test {

nghttpd::nghttpd(const std::string& program, const certificate& identity) {
  std::filesystem::create_directory(documents_);
  // Between choosing a port and listening on it, somebody else may take it.
  constexpr int tries = 5;
  for (int i = 0; i < tries; ++i) {
    port_ = closed_port().number();
    std::filesystem::remove(log_);
    child_.emplace(std::vector<std::string>{program, "--verbose", "--address=127.0.0.1",
                                            "--htdocs=" + documents_, std::to_string(port_),
                                            identity.key_file, identity.certificate_file},
                   log_);
    if (wait_until_listening()) {
      return;
    }
  }
  throw std::runtime_error("nghttpd does not listen");
}

bool nghttpd::wait_until_listening() const {
  while (said("listen 127.0.0.1:") == 0) {
    if (child_->has_ended()) {
      return false;
    }
    std::this_thread::yield();
  }
  return true;
}

void nghttpd::put(std::string_view name, std::string_view content) const {
  std::ofstream(std::filesystem::path(documents_) / name, std::ios::binary) << content;
}

std::string nghttpd::url(std::string_view path, std::string_view host) const {
  return "https://" + std::string(host) + ':' + std::to_string(port_) + std::string(path);
}

std::string nghttpd::connect_all_to(int its_port) const {
  return ':' + std::to_string(its_port) + ":127.0.0.1:" + std::to_string(port_);
}

std::size_t nghttpd::said(std::string_view words) const {
  std::ifstream stream(log_, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  std::size_t count = 0;
  for (std::size_t at = text.find(words); at != std::string::npos;
       at = text.find(words, at + words.size())) {
    ++count;
  }
  return count;
}

}  // namespace robots::test
