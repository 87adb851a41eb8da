// nghttpd, a server that speaks HTTP/2 and nothing else, as a program of its own.
#pragma once

#include "certificate_authority.hpp"
#include "child_process.hpp"
#include "temporary_folder.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace robots::test {

/// Runs nghttpd over TLS on a port of 127.0.0.1, from construction to destruction. What it is asked
/// for is a file in its folder, or 404.
class nghttpd {
 public:
  /// `program` is its path. Returns when it listens; throws std::runtime_error when it does not.
  nghttpd(const std::string& program, const certificate& identity);
  nghttpd(const nghttpd&) = delete;
  nghttpd& operator=(const nghttpd&) = delete;

  /// Puts a file into the folder.
  void put(std::string_view name, std::string_view content) const;

  /// `https://127.0.0.1:port/path`, or with another host in it.
  [[nodiscard]] std::string url(std::string_view path = "/robots.txt",
                                std::string_view host = "127.0.0.1") const;
  /// The entry of `curl_options::connect_to` that sends here what is meant for `its_port` of any
  /// host.
  [[nodiscard]] std::string connect_all_to(int its_port) const;

  /// How many times its log says this so far.
  [[nodiscard]] std::size_t said(std::string_view words) const;

 private:
  [[nodiscard]] bool wait_until_listening() const;

  temporary_folder folder_;
  std::string log_ = (folder_.path() / "log").string();
  std::string documents_ = (folder_.path() / "documents").string();
  int port_ = 0;
  std::optional<child_process> child_;
};

}  // namespace robots::test
