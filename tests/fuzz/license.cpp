#include "fuzz/bodies.hpp"
#include "fuzz/input.hpp"
#include <robots/base/ascii.hpp>
#include <robots/base/scheme.hpp>
#include <robots/rep/extensions/license_line.hpp>
#include <robots/usage/license_link.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

void fuzz::fuzz_license(octets input) {
  reader in{input};
  const std::string line = in.line();
  const std::string challenge = in.line();
  const std::string link = in.rest();

  const std::optional<robots::license_line> written = robots::license_line::parse(line);
  require(!written || (written->url == line && line.find(':') != std::string::npos),
          "a licence line has an absolute URL, as written");

  const std::vector<std::string_view> urls = robots::parse_license_links(link);
  for (const std::string_view url : urls) {
    require(lies_in(url, link) && robots::base::scheme_prefix(url) != 0,
            "a licence is an absolute URL of the header");
  }
  const std::string two =
      R"(<https://a.example/l.xml>; rel="license"; type="application/rsl+xml", )" + link;
  const std::vector<std::string_view> more = robots::parse_license_links(two);
  require(more.size() == urls.size() + 1 && more[0] == "https://a.example/l.xml" &&
              std::equal(urls.begin(), urls.end(), more.begin() + 1),
          "a link in front changes no other link");
  require(urls.empty() || link.find('<') != std::string::npos, "no link is invented");

  const std::vector<robots::http_header> headers{{"www-authenticate", challenge}, {"LINK", link}};
  const std::vector<robots::http_header> reversed{headers.rbegin(), headers.rend()};
  const auto token = robots::licence_demand(401, headers);
  const auto payment = robots::licence_demand(402, headers);
  require(static_cast<bool>(token) == static_cast<bool>(payment) &&
              token.need != robots::licence_need::payment &&
              payment.need != robots::licence_need::token,
          "401 and 402 demand a licence for the same headers");
  require(!token ||
              (challenge.find(token.challenge) != std::string::npos &&
               robots::base::starts_with_ignoring_case(token.challenge, "License") &&
               std::equal(urls.begin(), urls.end(), token.licenses.begin(), token.licenses.end())),
          "a demand has the challenge and the licences of the response");
  require(token || token.licenses.empty(), "without a demand, no licence is offered");
  const auto turned = robots::licence_demand(401, reversed);
  require(turned.need == token.need && turned.challenge == token.challenge &&
              turned.licenses == token.licenses,
          "the order of headers means nothing");
  for (const int status : {200, 400, 403, 404, 451, 500}) {
    require(!robots::licence_demand(status, headers), "other statuses demand no licence");
  }
}
