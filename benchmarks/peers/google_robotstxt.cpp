// google/robotstxt, if the build finds it. It does not store parsed files: every question parses
// the file again.
#include "peers/in_process.hpp"
#include "peers/rivals.hpp"

#include <robots.h>

namespace bench {
namespace {

/// Gets the parsed lines and ignores them.
struct ignore final : googlebot::RobotsParseHandler {
  void HandleRobotsStart() override {}
  void HandleRobotsEnd() override {}
  void HandleUserAgent(int, absl::string_view) override { ++lines; }
  void HandleAllow(int, absl::string_view) override { ++lines; }
  void HandleDisallow(int, absl::string_view) override { ++lines; }
  void HandleSitemap(int, absl::string_view) override { ++lines; }
  void HandleUnknownAction(int, absl::string_view, absl::string_view) override { ++lines; }

  int lines = 0;
};

struct google_robotstxt {
  static constexpr std::string_view name = "google";
  static constexpr std::string_view note =
      "google/robotstxt, in process; stores nothing, so every query parses the file again";
  struct prepared {
    std::string agent;
    std::string url;
  };
  using asked = std::string_view;

  prepared prepare(const question& q) const {
    return {.agent = q.agent, .url = "https://www.example.com" + q.path};
  }
  asked read(const std::string& text, const prepared&) const { return text; }
  int parse(const std::string& text) const {
    ignore handler;
    googlebot::ParseRobotsTxt({text.data(), text.size()}, &handler);
    return handler.lines;
  }
  bool compile(const std::string& text, const prepared& q) const { return match(text, q); }
  bool match(asked text, const prepared& q) const {
    googlebot::RobotsMatcher matcher;
    return matcher.OneAgentAllowedByRobots({text.data(), text.size()}, q.agent, q.url);
  }
};

}  // namespace

std::unique_ptr<peer> make_google_robotstxt() {
  return std::make_unique<in_process<google_robotstxt>>();
}

}  // namespace bench
