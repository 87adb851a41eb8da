// Makes signed requests to two local servers, for `./run signatures`: for a robots.txt, for a page,
// and for the targets of their redirects on another host.
//
//     signed_requests FOLDER              writes the key directory, and the headers to serve with
//     it signed_requests FOLDER PORT FORM    sends the requests; FORM is a signature_agent_form
//
// FOLDER has the crawler's key (crawler.pem) and the certificate of the servers (ca.pem).
#include <robots/adapters/curl/curl_fetcher.hpp>
#include <robots/adapters/signature/key_directory.hpp>
#include <robots/adapters/signature/web_bot_auth.hpp>
#include <robots/base/json_writer.hpp>
#include <robots/robots.hpp>

#include <chrono>
#include <exception>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace {

void write_directory(const std::string& folder, const robots::signing_key& key) {
  std::ofstream{folder + "/directory.json"} << robots::key_directory({key});
  robots::base::json_writer headers;
  for (const robots::http_header& header : robots::key_directory_headers(
           {key}, "https://bot.example", std::chrono::system_clock::now())) {
    headers.text(header.name, header.value);
  }
  std::ofstream{folder + "/directory_headers.json"} << std::move(headers).finish();
}

robots::signature_agent_form form_of(std::string_view name) {
  if (name == "origin") {
    return robots::signature_agent_form::origin;
  }
  return name == "bare_origin" ? robots::signature_agent_form::bare_origin
                               : robots::signature_agent_form::key_set;
}

void send_requests(const std::string& folder, const robots::signing_key& key,
                   const std::string& port, std::string_view form) {
  robots::curl_options servers;
  servers.ca_file = folder + "/ca.pem";
  servers.allowed_addresses = {"127.0.0.1"};
  servers.connect_to = {"::127.0.0.1:" + port};
  robots::web_bot_auth_options options{.agent = "https://bot.example"};
  options.form = form_of(form);
  robots::HeadersFetcher fetcher{robots::CurlFetcher{servers}, robots::web_bot_auth{key, options}};
  robots::basic_robots_cache cache{{.user_agent = "FooBot/2.1 (+https://bot.example)",
                                    .fallback = robots::fallback_policy::strict()},
                                   fetcher};
  // The page of a.example and the robots.txt of c.example are redirects to b.example.
  for (std::string url : {"https://a.example/page", "https://c.example/news"}) {
    while (!url.empty() && cache.allowed(url)) {
      const robots::fetch_response page =
          fetcher.fetch({.url = url, .timeout = std::chrono::seconds{10}});
      const std::optional<std::string_view> target =
          robots::detail::find_header(page.headers, "Location");
      url = std::string{target.value_or("")};
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2 && argc != 4) {
      std::cerr << "usage: signed_requests FOLDER [PORT FORM]\n";
      return 2;
    }
    const std::string folder = argv[1];
    const auto key = robots::signing_key::from_file(folder + "/crawler.pem");
    if (argc == 2) {
      write_directory(folder, key);
    } else {
      send_requests(folder, key, argv[2], argv[3]);
    }
  } catch (const std::exception& failed) {
    std::cerr << failed.what() << '\n';
    return 1;
  }
}
