#include "generated_web.hpp"

#include <robots/time/steady_clock.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::example {
namespace {

using test::loopback_reply;
using test::loopback_request;
using namespace std::chrono_literals;

constexpr int http_port = 80;

// The pages of a host: a first page, nine lists, and ninety pages in five folders with 18 each.
constexpr int lists = 9;
constexpr int pages_per_list = 10;
constexpr int in_folder = 18;

/// Returns the path of a page, from 0 to 89.
std::string path_of(int page) {
  const std::string number = std::to_string(page);
  switch (page % 5) {
    case 0:
      return "/private/" + number;
    case 1:
      return "/docs/" + number + ".pdf";
    case 2:
      return "/search?q=" + number;
    default:
      return (page % 5 == 3 ? "/news/" : "/shop/") + number;
  }
}

/// Makes a host whose robots.txt and delay depend on its number.
generated_host make_host(int number) {
  generated_host result;
  result.name = "host" + std::string(number < 10 ? "0" : "") + std::to_string(number) + ".test";
  result.delay = std::chrono::milliseconds{1 + number % 7};
  result.pages_allowed = generated_web::pages_per_host;
  const std::string delay = "Crawl-delay: 0.00" + std::to_string(result.delay.count()) + "\n";
  switch (number % 5) {
    case 0:
      result.robots_text = "User-agent: *\nDisallow: /private/\n" + delay;
      result.forbidden = {"/private/"};
      result.pages_allowed -= in_folder;
      break;
    case 1:
      result.robots_text =
          "User-agent: *\nDisallow: /\n\nUser-agent: ExampleBot\nDisallow: /docs/\n" +
          std::string{"Disallow: /search\n"} + delay;
      result.forbidden = {"/docs/", "/search"};
      result.pages_allowed -= 2 * in_folder;
      break;
    case 2:
      result.delay = 4ms;
      result.robots_text = "User-agent: *\nDisallow: /*?q=\nRequest-rate: 250/1s\n";
      result.forbidden = {"/search"};
      result.pages_allowed -= in_folder;
      break;
    case 3:
      result.delay = 5ms;
      result.robots_text = "Crawl-delay: 0.005\nUser-agent: *\nDisallow: /*.pdf$\nAllow: /\n";
      result.forbidden = {"/docs/"};
      result.pages_allowed -= in_folder;
      break;
    default:
      result.delay = 0ms;
      result.robots_text = "User-agent: *\nDisallow:\n";
      break;
  }
  return result;
}

/// Adds hosts that have the same robots.txt at first, and change later.
void add_restless(std::vector<generated_host>& hosts) {
  constexpr std::size_t pages = 25;
  const auto add = [&hosts](const std::string& name, host_turn turn) {
    hosts.push_back({.name = name,
                     .robots_text = "User-agent: *\nDisallow: /private/\nCrawl-delay: 0.025\n",
                     .forbidden = {"/private/"},
                     .delay = 25ms,
                     .turn = std::move(turn)});
  };
  add("changes.test", {.after_pages = pages,
                       .robots_text = "User-agent: *\nDisallow: /private/\nDisallow: /news/\n"
                                      "Disallow: /shop/\nCrawl-delay: 0.025\n",
                       .forbidden = {"/news/", "/shop/"}});
  add("fails.test", {.after_pages = pages, .robots_status = 503});
  add("hostile.test",
      {.after_pages = pages, .robots_text = "User-agent: *\nDisallow: /\n", .forbidden = {"/"}});
  add("revokes.test", {.after_pages = pages, .page_status = 403});
  add("garbles.test",
      {.after_pages = pages,
       .robots_text = "The pages\nof this site\nhave moved\nto another\nplace soon\n",
       .forbidden = {"/"}});
}

std::vector<generated_host> make_hosts() {
  std::vector<generated_host> hosts;
  for (int number = 0; number < generated_web::host_count; ++number) {
    hosts.push_back(make_host(number));
  }
  const auto close = [&](std::size_t index, int status, std::string text) {
    hosts[index].robots_status = status;
    hosts[index].robots_text = std::move(text);
    hosts[index].all_forbidden = true;
    hosts[index].pages_allowed = 0;
  };
  close(4, 503, "");
  close(6, 200, "User-agent: *\nDisallow: /\n");
  close(8, 200, "User-agent: *\nDisallow:\nCrawl-delay: 3600\n");
  close(12, 200, "User-agent: *\nDisallow:\nVisit-time: 0300-0400\n");
  hosts[9].robots_status = 404;
  hosts[9].robots_text = "";
  hosts[9].delay = 0ms;
  hosts[18].name = "agency.gov";
  close(18, 200, "User-agent: *\nDisallow:\n");
  return hosts;
}

}  // namespace

generated_web::generated_web(bool restless) : hosts_(make_hosts()) {
  if (restless) {
    add_restless(hosts_);
  }
  server_.otherwise([this](const loopback_request& request) { return answer(request); });
}

std::vector<std::string> generated_web::seeds() const {
  std::vector<std::string> urls;
  for (const generated_host& host : hosts_) {
    urls.push_back("http://" + host.name + "/");
  }
  return urls;
}

curl_options generated_web::client_options() const {
  curl_options options;
  options.proxy = "";
  options.allowed_addresses = {"127.0.0.1"};
  for (const generated_host& host : hosts_) {
    options.connect_to.push_back(server_.connect_to(host.name, http_port));
  }
  return options;
}

std::vector<logged_request> generated_web::log() const {
  const std::lock_guard lock(mutex_);
  return log_;
}

loopback_reply generated_web::answer(const loopback_request& request) {
  const time_point now = SteadyClock{}.now();
  const std::string host = request.header("Host");
  const auto found = std::ranges::find(hosts_, host, &generated_host::name);
  const std::lock_guard lock(mutex_);
  loopback_reply reply{.status = 404};
  bool turned = false;
  if (found != hosts_.end()) {
    const host_turn& turn = found->turn;
    turned = turn.after_pages > 0 && pages_served_[host] >= turn.after_pages;
    if (request.target == "/robots.txt") {
      reply = {.status = turned ? turn.robots_status : found->robots_status,
               .body = turned ? turn.robots_text : found->robots_text};
      if (turn.after_pages > 0) {
        reply.headers = {{"Cache-Control", "max-age=1"}};
      }
    } else if (turned && turn.page_status != 200) {
      reply.status = turn.page_status;
    } else {
      reply = page(*found, request.target);
      // Some hosts are overloaded from time to time.
      const std::size_t served = pages_served_[host]++;
      if (host == "host10.test" && served % 25 == 10) {
        reply = {.status = 503};
      } else if (host == "host15.test" && served == 20) {
        reply = {.status = 429, .headers = {{"Retry-After", "1"}}};
      }
    }
  }
  log_.push_back({host, request.target, now, reply.status, turned});
  return reply;
}

loopback_reply generated_web::page(const generated_host& host, const std::string& target) const {
  std::string text = "<html><body>\n";
  const auto link = [&text](const std::string& to) { text += "<a href=\"" + to + "\">x</a>\n"; };
  if (target == "/") {
    for (int list = 0; list < lists; ++list) {
      link("/list/" + std::to_string(list));
    }
    const auto self = std::ranges::find(hosts_, host.name, &generated_host::name);
    const auto next = self + 1 == hosts_.end() ? hosts_.begin() : self + 1;
    link("http://" + next->name + "/");
  }
  if (target.starts_with("/list/")) {
    const int list = target.back() - '0';
    for (int page = list * pages_per_list; page < (list + 1) * pages_per_list; ++page) {
      link(path_of(page));
    }
    link("/");
  }
  return {.body = text + "</body></html>\n", .content_type = "text/html"};
}

}  // namespace robots::example
