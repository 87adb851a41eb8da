#pragma once

#include <robots/adapters/curl/curl_fetcher.hpp>
#include <robots/adapters/curl/curl_options.hpp>
#include <robots/adapters/curl/curl_transfers.hpp>
#include <robots/adapters/curl/detail/settings.hpp>
#include <robots/fetch/fetcher.hpp>
#include <robots/http/message.hpp>

#include <cpr/cprver.h>
#include <cpr/session.h>

#include <functional>
#include <memory>

namespace robots {

// The header of cpr 1.10.0 gives the wrong version, 1.9.0.
static_assert(CPR_VERSION_NUM >= 0x10900, "robots::CprFetcher needs cpr 1.10 or later");

/// Fetches over cpr, 1.10 or later, and behaves exactly like `CurlFetcher`.
///
/// When to use which: `CurlFetcher` does not need the library cpr. `CprFetcher` is for a program
/// that sets up its `cpr::Session`s in its own way and wants the same setup for robots.txt.
///
/// `CprFetcher` replaces these settings of a configured session: request headers, body, redirects,
/// cookies, schemes, timeouts, the check of certificates, and callbacks for header, body, debugging
/// and sockets. Interceptors do not run.
///
/// If `configure` sets a proxy whose address is not public, add this address to
/// `curl_options::allowed_addresses`.
class CprFetcher : public CurlFetcher {
 public:
  /// Makes a fetcher with default options.
  CprFetcher() : CprFetcher(curl_options{}) {}

  /// `configure` sets up each new session before its first use, and may set any option of cpr, such
  /// as a proxy with a password, an interface or a client certificate. Several threads can call
  /// `configure` at once. If it throws, the constructor or `fetch` throws the same exception. The
  /// constructor also throws what the constructor of `CurlFetcher` throws.
  explicit CprFetcher(const curl_options& options,
                      const std::function<void(cpr::Session&)>& configure = {})
      : CurlFetcher(
            options, [configure](const auto& settings) { return slot(settings, configure); },
            configure != nullptr) {}

 private:
  /// Makes a session, sets it up, and returns a slot with its handle. The session only prepares
  /// requests. libcurl's multi handle makes the transfers, since `Session::Get()` would notice a
  /// stop request only once a second.
  [[nodiscard]] static adapters_detail::curl_slot slot(
      const adapters_detail::curl_settings& settings,
      const std::function<void(cpr::Session&)>& configure) {
    const auto session = std::make_shared<cpr::Session>();
    adapters_detail::trust_file_alone(session->GetCurlHolder()->handle);
    if (configure) {
      configure(*session);
    }
    settings.apply(session->GetCurlHolder()->handle);
    return [session, &settings](const fetch_request& request) {
      session->SetUrl(cpr::Url{request.url});
      session->PrepareGet();
      // Replaces settings of the session that could break the rules of a `Fetcher`.
      CURL* const easy = session->GetCurlHolder()->handle;
      settings.apply(easy);
      return easy;
    };
  }
};

static_assert(Fetcher<CprFetcher>);

}  // namespace robots
