#include "check_fetch.hpp"

#include "json_text.hpp"
#include "purpose_named.hpp"
#include <robots/adapters/curl/curl_fetcher.hpp>
#ifdef ROBOTS_CHECK_HTML
#include <robots/adapters/html/html_reader.hpp>
#endif
#include <robots/base/printable.hpp>
#include <robots/client/client_options.hpp>
#include <robots/client/page_result.hpp>
#include <robots/client/polite_client.hpp>
#include <robots/http/message.hpp>
#include <robots/observe/events.hpp>
#include <robots/polite/host_gate.hpp>
#include <robots/store/lru_storage.hpp>
#include <robots/time/steady_clock.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace robots::check {
namespace {

double seconds_of(std::chrono::nanoseconds time) {
  return static_cast<double>(std::chrono::round<std::chrono::milliseconds>(time).count()) / 1e3;
}

json json_of(const page_hop& hop) {
  const bool is_sent = hop.reason == admission_reason::go;
  const bool has_response = is_sent && hop.error == fetch_error::none;
  return {{"url", text_of(hop.url)},
          {"reason", to_string(hop.reason)},
          {"decision", text_of(explain(hop.decision))},
          {"waited", seconds_of(hop.waited)},
          {"status", has_response ? json(hop.status) : json{}},
          {"error", is_sent && !has_response ? json(to_string(hop.error)) : json{}},
          {"took", is_sent ? json(seconds_of(hop.took)) : json{}}};
}

std::string json_line(const std::string& url, const page_result& result,
                      const std::vector<permission>& answers) {
  json hops = json::array();
  for (const page_hop& hop : result.hops) {
    hops.push_back(json_of(hop));
  }
  json purposes = json::array();
  for (const permission& answer : answers) {
    purposes.push_back(json::parse(to_json(answer)));
  }
  const json written = {{"url", text_of(url)},
                        {"end", to_string(result.end)},
                        {"why", text_of(result.why)},
                        {"finalUrl", text_of(result.url)},
                        {"octets", result ? json(result.response->body.size()) : json{}},
                        {"hops", hops},
                        {"purposes", purposes}};
  return to_line(written) + '\n';
}

std::string text_lines(const page_result& result, const std::vector<permission>& answers) {
  std::string lines;
  for (const page_hop& hop : result.hops) {
    lines += explain(hop) + '\n';
  }
  lines += "  " + end_text(result);
  if (result) {
    lines += ", " + std::to_string(result.response->body.size()) + " octets";
    lines += result.response->truncated ? ", cut" : "";
  }
  lines += '\n';
  for (const permission& answer : answers) {
    lines += "  " + base::printable(answer.purpose) + ": " + explain(answer) + '\n';
  }
  return lines;
}

}  // namespace

status run_fetch(const settings& wanted, const std::function<void(std::string_view)>& print) {
  basic_robots_cache<CurlFetcher> cache{wanted.cache, CurlFetcher{wanted.curl}};
  host_gate gate;
  client_options options{.timeout = wanted.cache.timeout};
#ifdef ROBOTS_CHECK_HTML
  options.reader = html_reader{};
#endif
  basic_polite_client client{cache, gate, CurlFetcher{wanted.curl}, options};
  status worst = yes;
  for (const std::string& url : wanted.arguments) {
    const page_result result = client.fetch(url);
    const std::vector<permission> answers =
        result.page ? answers_for(wanted.purposes, *result.page) : std::vector<permission>{};
    const bool is_permitted = std::all_of(
        answers.begin(), answers.end(),
        [](const permission& answer) { return answer.answer == permission_answer::yes; });
    if (result.hops.back().reason == admission_reason::invalid_url && result.hops.size() == 1) {
      worst = failed;
    } else if (!result || !is_permitted) {
      worst = std::max(worst, no);
    }
    print(wanted.json ? json_line(url, result, answers) : text_lines(result, answers));
  }
  return worst;
}

}  // namespace robots::check
