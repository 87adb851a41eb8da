#pragma once

#include <robots/adapters/curl/curl_options.hpp>
#include <robots/adapters/curl/detail/without_credentials.hpp>
#include <robots/base/ascii.hpp>
#include <robots/http/address_guard.hpp>
#include <robots/http/ip_address.hpp>
#include <robots/http/message.hpp>

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

namespace robots::adapters_detail {

static_assert(LIBCURL_VERSION_NUM >= 0x075500, "robots::CurlFetcher needs libcurl 7.85 or later");

template <auto Free>
using curl_deleter = std::integral_constant<decltype(Free), Free>;

using curl_multi = std::unique_ptr<CURLM, curl_deleter<&curl_multi_cleanup>>;
using curl_strings = std::unique_ptr<curl_slist, curl_deleter<&curl_slist_free_all>>;
using curl_url_handle = std::unique_ptr<CURLU, curl_deleter<&curl_url_cleanup>>;

/// Returns `handle`. Throws std::bad_alloc if `handle` is null, since libcurl then has no memory.
template <class Handle>
[[nodiscard]] Handle made(Handle handle) {
  if (!handle) {
    throw std::bad_alloc();
  }
  return handle;
}

inline void add(curl_strings& list, const std::string& text) {
  curl_slist* const grown = made(curl_slist_append(list.get(), text.c_str()));
  static_cast<void>(list.release());
  list.reset(grown);
}

/// Returns the error for `code`. Every timeout is `fetch_error::timeout`, even while connecting.
[[nodiscard]] constexpr fetch_error to_fetch_error(CURLcode code) noexcept {
  const auto is = [code](std::initializer_list<int> codes) {
    return std::find(codes.begin(), codes.end(), static_cast<int>(code)) != codes.end();
  };
  constexpr int too_large = 100;     // CURLE_TOO_LARGE since libcurl 8.6, usually for a header line
  constexpr int ech_required = 101;  // CURLE_ECH_REQUIRED since libcurl 8.8
  if (code == CURLE_OK) {
    return fetch_error::none;
  }
  if (is({CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY})) {
    return fetch_error::resolve;
  }
  if (is({CURLE_COULDNT_CONNECT, CURLE_NO_CONNECTION_AVAILABLE, CURLE_QUIC_CONNECT_ERROR,
          CURLE_PROXY})) {
    return fetch_error::connect;
  }
  // The handles, certificates, ciphers and interface of this process, which no site can change.
  if (is({CURLE_FAILED_INIT, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE,
          CURLE_SSL_CRL_BADFILE, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
          CURLE_SSL_ENGINE_INITFAILED, CURLE_INTERFACE_FAILED})) {
    return fetch_error::local;
  }
  if (is({CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR,
          CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT,
          CURLE_SSL_SHUTDOWN_FAILED, CURLE_USE_SSL_FAILED, ech_required})) {
    return fetch_error::tls;
  }
  if (code == CURLE_OPERATION_TIMEDOUT) {
    return fetch_error::timeout;
  }
  if (code == CURLE_ABORTED_BY_CALLBACK) {
    return fetch_error::cancelled;
  }
  // libcurl returns CURLE_LOGIN_DENIED for credentials in the URL. For broken content, libcurl
  // returns CURLE_WRITE_ERROR with some decoders.
  const bool is_protocol = is({CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_LOGIN_DENIED,
                               CURLE_WEIRD_SERVER_REPLY, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE,
                               CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_BAD_CONTENT_ENCODING,
                               CURLE_WRITE_ERROR, CURLE_CHUNK_FAILED, too_large});
  return is_protocol ? fetch_error::protocol : fetch_error::other;
}

/// Makes a response that has an error and its text, but no status.
[[nodiscard]] inline fetch_response failed(fetch_error error, std::string text) {
  return {.error = error, .error_text = std::move(text)};
}

/// Converts `time` to a `long` in milliseconds, at most 24 days, since a `long` can have 32 bits.
[[nodiscard]] constexpr long curl_milliseconds(std::chrono::milliseconds time) noexcept {
  constexpr std::chrono::milliseconds::rep most = 0x7FFF'FFFF;
  return static_cast<long>((std::min)(time.count(), most));
}

/// Returns true for `HOST1:PORT1:HOST2:PORT2`. Parts can be empty. IPv6 addresses need brackets.
[[nodiscard]] constexpr bool is_connect_to(std::string_view text) noexcept {
  int field = 0;
  bool in_brackets = false;
  for (const char c : text) {
    const bool is_bracket = c == '[' || c == ']';
    const bool in_port = field % 2 == 1 && c != ':';
    if (static_cast<unsigned char>(c) <= ' ' || (is_bracket && in_brackets == (c == '[')) ||
        (in_port && !base::is_digit(c))) {
      return false;
    }
    in_brackets = is_bracket ? c == '[' : in_brackets;
    field += c == ':' && !in_brackets ? 1 : 0;
  }
  return field == 3 && !in_brackets;
}

/// Returns the decoded host of `url`, or an empty text if libcurl refuses `url`. An IPv6 address
/// has brackets. An IPv4 address of any spelling (`2130706433`) becomes four decimal parts.
[[nodiscard]] inline std::string decoded_host(const std::string& url, unsigned flags) {
  const curl_url_handle handle = made(curl_url_handle(curl_url()));
  char* text = nullptr;
  if (curl_url_set(handle.get(), CURLUPART_URL, url.c_str(),
                   flags | CURLU_GUESS_SCHEME | CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK) {
    curl_url_get(handle.get(), CURLUPART_HOST, &text, 0);
  }
  const std::unique_ptr<char, curl_deleter<&curl_free>> owned(text);
  return text == nullptr ? std::string{} : std::string(text);
}

/// Sets an option. Throws std::bad_alloc, or std::invalid_argument if libcurl refuses the option.
template <class T>
void set_option(CURL* easy, CURLoption option, T value) {
  const CURLcode code = curl_easy_setopt(easy, option, value);
  if (code == CURLE_OUT_OF_MEMORY) {
    throw std::bad_alloc();
  }
  if (code == CURLE_OK) {
    return;
  }
  const curl_easyoption* const known = curl_easy_option_by_id(option);
  const std::string name = known == nullptr ? std::to_string(option) : known->name;
  throw std::invalid_argument("this libcurl does not accept CURLOPT_" + name + ": " +
                              curl_easy_strerror(code) + ": use a libcurl that has this option");
}

/// Resets a string option. Does nothing if this libcurl does not have the option.
inline void clear_option(CURL* easy, CURLoption option) noexcept {
  curl_easy_setopt(easy, option, static_cast<const char*>(nullptr));
}

/// The server to which the connections of an exchange go, as far as this is known before the
/// exchange begins.
enum class proxy_use {
  never,    ///< connections go to the site
  always,   ///< connections go to `curl_options::proxy`
  unknown,  ///< the environment or a cpr session can name a proxy
};

/// Valid `curl_options`. `apply` sets them on each handle of a fetcher.
class curl_settings {
 public:
  const curl_options options;
  const address_guard guard;

  /// Throws `std::invalid_argument` with the name of a bad option, and std::runtime_error if
  /// libcurl cannot start. Set `has_session` if a cpr session can name a proxy.
  explicit curl_settings(curl_options from, bool has_session = false)
      : options(std::move(from)), guard(make_guard(options)), has_session_(has_session) {
    // Other parts of the program can use libcurl, so this library never calls curl_global_cleanup.
    static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (started != CURLE_OK) {
      throw std::runtime_error(std::string("libcurl cannot start: ") + curl_easy_strerror(started) +
                               ": check the installation of libcurl and its TLS library");
    }
    namespace fs = std::filesystem;
    std::error_code ignored;
    require(options.connect_timeout.count() > 0,
            "connect_timeout must be above 0, and is " +
                std::to_string(options.connect_timeout.count()) + " ms");
    require(options.max_header_bytes > 0, "max_header_bytes must be above 0, and is 0");
    require(options.ca_file.empty() || (fs::exists(options.ca_file, ignored) &&
                                        !fs::is_directory(options.ca_file, ignored)),
            "ca_file must name a file that exists: " + options.ca_file);
    require(options.ca_path.empty() || fs::is_directory(options.ca_path, ignored),
            "ca_path must name a folder that exists: " + options.ca_path);
    require(
        !options.proxy || options.proxy->empty() ||
            (options.proxy->find('\0') == std::string::npos &&
             !decoded_host(*options.proxy, 0).empty()),
        "proxy must be [scheme://]host[:port]: " + without_credentials(options.proxy.value_or("")));
    for (const std::string& entry : options.connect_to) {
      require(is_connect_to(entry), "connect_to must be HOST1:PORT1:HOST2:PORT2: " + entry);
      add(connect_to_, entry);
    }
  }

  [[nodiscard]] proxy_use next_proxy() const noexcept {
    if (options.proxy) {
      return options.proxy->empty() ? proxy_use::never : proxy_use::always;
    }
    // The variables of the environment that name a proxy for libcurl.
    constexpr std::array names{"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy",
                               "ALL_PROXY"};
    const bool has_proxy = std::ranges::any_of(names, [](const char* name) {
      const char* const value = std::getenv(name);
      return value != nullptr && *value != '\0';
    });
    return has_session_ || has_proxy ? proxy_use::unknown : proxy_use::never;
  }

  /// Sets on `easy` all options that do not depend on the request. Replaces earlier settings.
  void apply(CURL* easy) const {
    set_option(easy, CURLOPT_HTTPGET, 1L);
    clear_option(easy, CURLOPT_CUSTOMREQUEST);
    set_option(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    set_option(easy, CURLOPT_FOLLOWLOCATION, 0L);
    set_option(easy, CURLOPT_HTTP09_ALLOWED, 0L);
    // HTTP/2 has no advantage for one file of a site. With HTTP/2, libcurl 7.88 loops on empty DATA
    // frames, mixes trailers with headers, and accepts a body that RST_STREAM cut off.
    set_option(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    // `content_decoder` decodes, since libcurl does not notice that a compressed body was cut off.
    clear_option(easy, CURLOPT_ACCEPT_ENCODING);
    set_option(easy, CURLOPT_HTTP_CONTENT_DECODING, 0L);
    set_option(easy, CURLOPT_NOSIGNAL, 1L);
    constexpr long default_lifetime = 60;  // seconds: libcurl's lifetime of a resolved address
    set_option(easy, CURLOPT_FORBID_REUSE, options.keep_connections ? 0L : 1L);
    set_option(easy, CURLOPT_DNS_CACHE_TIMEOUT, options.keep_connections ? default_lifetime : 0L);
    set_option(easy, CURLOPT_CONNECTTIMEOUT_MS, curl_milliseconds(options.connect_timeout));
#if LIBCURL_VERSION_NUM >= 0x075700
    set_option(easy, CURLOPT_QUICK_EXIT, 1L);  // the end does not wait for a name lookup
#endif
    set_option(easy, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
    set_option(easy, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
    clear_option(easy, CURLOPT_COOKIEFILE);
    clear_option(easy, CURLOPT_COOKIE);
    clear_option(easy, CURLOPT_USERAGENT);
    set_option(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    set_option(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    if (!options.ca_file.empty() || !options.ca_path.empty()) {
      clear_option(easy, CURLOPT_CAINFO);
      clear_option(easy, CURLOPT_CAPATH);
    }
    if (!options.ca_file.empty()) {
      set_option(easy, CURLOPT_CAINFO, options.ca_file.c_str());
    }
    if (!options.ca_path.empty()) {
      set_option(easy, CURLOPT_CAPATH, options.ca_path.c_str());
    }
    if (options.proxy) {
      set_option(easy, CURLOPT_PROXY, options.proxy->c_str());
      set_option(easy, CURLOPT_NOPROXY, "");  // else hosts in `no_proxy` are asked unguarded
    }
    if (!guard.permits_all()) {
      clear_option(easy, CURLOPT_UNIX_SOCKET_PATH);
      clear_option(easy, CURLOPT_ABSTRACT_UNIX_SOCKET);
    }
    if (connect_to_) {
      set_option(easy, CURLOPT_CONNECT_TO, connect_to_.get());
    }
  }

 private:
  [[nodiscard]] static address_guard make_guard(const curl_options& from) {
    try {
      address_guard guarding(from.allowed_addresses);
      return from.guard_addresses ? guarding : address_guard::none();
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(std::string("robots::curl_options: allowed_addresses: ") +
                                  error.what());
    }
  }

  static void require(bool good, const std::string& rule) {
    if (!good) {
      throw std::invalid_argument("robots::curl_options: " + rule);
    }
  }

  bool has_session_;
  curl_strings connect_to_;
};

inline constexpr std::string_view not_allowed = " is not in curl_options::allowed_addresses";

/// Returns the error if a request for `url` must not go through a proxy, or else an empty optional.
/// If the host is an address or `localhost` (RFC 6761, section 6.3), the guard decides. Refuses any
/// other host whose last label is a number, since a proxy can read such a host as an address.
/// Refuses a host with characters outside ASCII, since this library does not convert it to ASCII.
[[nodiscard]] inline std::optional<fetch_response> refusal_by_proxy(const std::string& url,
                                                                    const curl_settings& settings) {
  if (settings.guard.permits_all() || settings.next_proxy() == proxy_use::never) {
    return std::nullopt;
  }
  std::string host = decoded_host(url, CURLU_DISALLOW_USER);
  host.erase(host.find_last_not_of('.') + 1);
  std::transform(host.begin(), host.end(), host.begin(), &base::to_lower);
  const bool is_local = host == "localhost" || host.ends_with(".localhost");
  const auto address = detail::parse_ip_address(is_local ? "127.0.0.1" : host);
  const bool is_ascii =
      std::ranges::all_of(host, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (address && !settings.guard.permits(*address)) {
    host = (is_local ? host : to_string(*address)) + " (" + std::string(detail::kind_of(*address)) +
           ')';
  } else if (!address && (!is_ascii || (!host.empty() && detail::ends_in_number(host)))) {
    host += ", which may stand for any address,";
  } else {
    return std::nullopt;
  }
  return failed(fetch_error::refused_address, host + std::string(not_allowed));
}

}  // namespace robots::adapters_detail
