// A Fetcher over cpr, for programs that already use cpr.
#pragma once

#include <robots/adapters/curl/curl_fetcher.hpp>
#include <robots/adapters/curl/curl_options.hpp>
#include <robots/adapters/curl/detail/settings.hpp>
#include <robots/adapters/curl/detail/transfers.hpp>
#include <robots/fetch/fetcher.hpp>
#include <robots/http/message.hpp>

#include <cpr/cprver.h>
#include <cpr/session.h>

#include <functional>
#include <memory>

namespace robots {

namespace adapters_detail {

// cpr 1.10.0 was released with the version number 1.9.0.
static_assert(CPR_VERSION_NUM >= 0x10900, "robots::CprFetcher needs cpr 1.10 or later");

/// Makes a slot with the handle of a session of cpr. The session only prepares the request.
/// `Session::Get()` does not make the transfer, because it checks for a stop only once a second.
[[nodiscard]] inline curl_slot cpr_slot(const curl_settings& settings,
                                        const std::function<void(cpr::Session&)>& configure) {
  const auto session = std::make_shared<cpr::Session>();
  trust_file_alone(session->GetCurlHolder()->handle);
  if (configure) {
    configure(*session);
  }
  settings.apply(session->GetCurlHolder()->handle);
  return [session, &settings](const fetch_request& request) {
    session->SetUrl(cpr::Url{request.url});
    session->PrepareGet();
    // These settings come last, so that no setting of the session can break the rules of a Fetcher.
    CURL* const easy = session->GetCurlHolder()->handle;
    settings.apply(easy);
    return easy;
  };
}

}  // namespace adapters_detail

/// Fetches over cpr, 1.10 or later, and behaves exactly like `CurlFetcher`.
///
/// When to use which: `CurlFetcher` needs one library less. `CprFetcher` is for a program that sets
/// up its `cpr::Session`s in its own way and wants the same setup for robots.txt.
///
/// `CprFetcher` replaces these settings of a configured session: request headers, body, redirects,
/// cookies, schemes, timeouts, the check of certificates, and callbacks for header, body, debugging
/// and sockets. Interceptors do not run. `fetch` also throws what `configure` throws.
///
/// If `configure` sets a proxy, the options must permit the proxy's address, like the address of a
/// proxy from the environment. See `curl_options::allowed_addresses`.
class CprFetcher : public CurlFetcher {
 public:
  /// Makes a fetcher with default options.
  CprFetcher() : CprFetcher(curl_options{}) {}

  /// `configure` sets up each new session before its first use, with anything that cpr can set,
  /// such as proxies with passwords, an interface or a client certificate. Any thread may call
  /// `configure`, also several threads at once. The constructor and `fetch()` pass its exceptions
  /// on. Throws `std::invalid_argument` if an option is not valid or this libcurl does not have it,
  /// and `std::runtime_error` if libcurl cannot start.
  explicit CprFetcher(const curl_options& options,
                      const std::function<void(cpr::Session&)>& configure = {})
      : CurlFetcher(
            options,
            [configure](const adapters_detail::curl_settings& settings) {
              return adapters_detail::cpr_slot(settings, configure);
            },
            configure ? adapters_detail::proxy_source::session
                      : adapters_detail::proxy_source::environment) {}
};

static_assert(Fetcher<CprFetcher>);

}  // namespace robots
