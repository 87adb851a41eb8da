// Middleware for an HTTP server: a gateway to one site, which answers 403 to each request that the
// robots.txt of the site denies. Usage: robots-middleware SITE TARGET...
//
// Asks itself for each target, and prints the answers.
#include <robots/adapters/curl/curl_fetcher.hpp>
#include <robots/cache/basic_robots_cache.hpp>

#include <httplib.h>

#include <iostream>
#include <string>
#include <thread>

int main(int argc, char** argv) {
  const std::string site{argc > 1 ? argv[1] : "https://example.com"};
  const robots::curl_options network{.allowed_addresses = {"127.0.0.0/8"}};  // only for the test
  robots::basic_robots_cache<robots::CurlFetcher> cache{
      {.user_agent = "FooBot", .fallback = robots::fallback_policy::strict()},
      robots::CurlFetcher{network}};
  robots::CurlFetcher pages{network};

  httplib::Server server;
  server.set_pre_routing_handler([&](const httplib::Request& request, httplib::Response& response) {
    using enum httplib::Server::HandlerResponse;
    if (!request.target.starts_with('/')) {  // behind `site`, `@other.example/` names another host
      response.status = 400;
      return Handled;
    }
    const robots::decision decided = cache.check(site + request.target);
    std::cout << request.target << ": " << explain(decided) << '\n';
    if (decided.allowed) {
      return Unhandled;  // the handlers of the server answer
    }
    response.status = 403;
    response.set_content(decided.reason == robots::decision_reason::rule
                             ? R"({"error":"Blocked by robots.txt directive"})"
                             : R"({"error":"Access denied: Policy fetch failed"})",
                         "application/json");
    return Handled;
  });
  server.Get(".*", [&](const httplib::Request& request, httplib::Response& response) {
    const auto page = pages.fetch({.url = site + request.target});
    response.status = page.status != 0 ? page.status : 502;
    response.set_content(page.body, "text/plain");
  });

  const int port = server.bind_to_any_port("127.0.0.1");
  std::jthread serving{[&] { server.listen_after_bind(); }};
  httplib::Client client{"127.0.0.1", port};
  for (int i = 2; i < argc; ++i) {
    const auto answer = client.Get(argv[i]);
    std::cout << (answer ? std::to_string(answer->status) + ' ' + answer->body : "no answer")
              << '\n';
  }
  server.stop();
}
