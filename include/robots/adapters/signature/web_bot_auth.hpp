#pragma once

#include <robots/adapters/signature/detail/message_signature.hpp>
#include <robots/adapters/signature/key_directory.hpp>
#include <robots/adapters/signature/signature_error.hpp>
#include <robots/adapters/signature/signing_key.hpp>
#include <robots/adapters/signature/web_bot_auth_options.hpp>
#include <robots/base/ascii.hpp>
#include <robots/base/base64.hpp>
#include <robots/base/exceptions.hpp>
#include <robots/base/refuse_value.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/base/site_table.hpp>
#include <robots/base/structured_field.hpp>
#include <robots/base/structured_field_writer.hpp>
#include <robots/http/host.hpp>
#include <robots/http/message.hpp>
#include <robots/http/origin.hpp>
#include <robots/http/site.hpp>
#include <robots/http/site_key.hpp>
#include <robots/time/clock.hpp>

#include <openssl/rand.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

namespace adapters_detail {

/// Returns the value of the member of `Signature-Agent`: an https URL. Throws
/// `std::invalid_argument` if the options do not allow one.
[[nodiscard]] inline std::string agent_url(const web_bot_auth_options& options) {
  const std::string_view agent = options.agent;
  const std::optional<origin> place = detail::parse_origin(agent);
  const bool is_uri = std::all_of(agent.begin(), agent.end(), [](char c) {
    return base::is_unreserved(c) || http_detail::is_sub_delim(c) ||
           std::string_view{":/?[]%"}.find(c) != std::string_view::npos;
  });
  if (!place || place->scheme != url_scheme::https || !is_uri) {
    base::refuse_value(agent,
                       "is no agent of web_bot_auth_options: give the https URL of the key set "
                       "(RFC 3986), without a user and a fragment, such as https://a.example");
  }
  std::string url = to_string(*place);
  const std::string_view head = detail::without_scheme(agent);
  const std::string_view path = head.substr((std::min)(head.find_first_of("/?"), head.size()));
  const bool is_origin = path.empty() || path == "/";
  if (options.form == signature_agent_form::key_set) {
    return url.append(is_origin ? key_directory_path : path);
  }
  if (!is_origin && path != key_directory_path) {
    base::refuse_value(agent,
                       "has a path that this form of Signature-Agent cannot name: serve the keys "
                       "at /.well-known/http-message-signatures-directory, or use "
                       "signature_agent_form::key_set");
  }
  return url;
}

/// Returns 64 random octets as Base64, as the examples of the draft have it.
[[nodiscard]] inline std::string random_nonce() {
  std::string octets(64, '\0');
  if (::RAND_bytes(reinterpret_cast<unsigned char*>(octets.data()), 64) != 1) {
    throw signature_error{"OpenSSL has no random numbers for a nonce: check the system's source"};
  }
  return base::base64(octets);
}

}  // namespace adapters_detail

/// Signs the requests of a crawler, so that sites can check who it is: HTTP Message Signatures (RFC
/// 9421) as the Web Bot Auth working group uses them (draft-ietf-webbotauth-httpsig-protocol-01).
///
///     URL --> host and port --> signature of this host, if it is valid for long enough --> headers
///                  |                                     ^
///                  +--> base --> key ------ remember ----+
///
/// A signature covers the host and port of the request, and the place of the crawler's keys. So one
/// signature serves all requests to a host until shortly before it expires, and is of no use at any
/// other host. The headers are `Signature-Agent`, `Signature-Input` and `Signature`.
///
/// Copies share their signatures. Any thread may call any member.
class web_bot_auth {
 public:
  /// Throws `std::invalid_argument` for an option that is out of its range.
  web_bot_auth(signing_key key, web_bot_auth_options options)
      : state_{std::make_shared<state>(std::move(key), std::move(options))} {}

  /// Returns the headers that sign a request for `url` at the date `now`. Returns none for a URL
  /// that is neither https nor http, and for one by http unless `sign_http` is true. Throws
  /// `signature_error` if OpenSSL fails.
  [[nodiscard]] std::vector<http_header> operator()(std::string_view url, wall_time now) const {
    std::optional<origin> place = detail::parse_origin(url);
    if (!place || (place->scheme == url_scheme::http && !state_->options.sign_http)) {
      return {};
    }
    if (host_of(url).ends_with('.')) {
      place->host += '.';  // clients send it, so it is part of `@authority`
    }
    const std::string asked = to_string(*place);
    const std::string_view authority = detail::without_scheme(asked);
    if (state_->options.nonce) {
      return headers(state_->sign(authority, now, adapters_detail::random_nonce()));
    }
    std::optional<message_signature> known = state_->find(authority, now);
    if (!known) {
      known = state_->sign(authority, now, {});
      state_->remember(authority, now, *known);
    }
    return headers(*std::move(known));
  }

  /// Returns the headers for `url` now, by the clock of the system.
  [[nodiscard]] std::vector<http_header> operator()(std::string_view url) const {
    return (*this)(url, std::chrono::system_clock::now());
  }

 private:
  using message_signature = adapters_detail::message_signature;

  /// A signature, and the times between which it is used.
  struct host_signature {
    time_point begin{};
    time_point end{};
    message_signature fields{};
  };

  struct state {
    state(signing_key signs, web_bot_auth_options chosen)
        : key{std::move(signs)}, options{std::move(chosen)}, hosts{options.max_hosts} {
      using std::chrono::seconds;
      if (options.label.empty() || base::field_key_length(options.label) != options.label.size()) {
        base::refuse_value(options.label,
                           "is no label of a signature: use lower case letters and digits, such "
                           "as sig1");
      }
      base::require(options.renew_before >= seconds{0}, "web_bot_auth_options: renew_before",
                    options.renew_before.count(), " s: use 0 or more");
      base::require(options.backdated_by >= seconds{0}, "web_bot_auth_options: backdated_by",
                    options.backdated_by.count(), " s: use 0 or more");
      constexpr seconds day = std::chrono::hours{24};
      base::require(options.lifetime > options.renew_before && options.lifetime <= day &&
                        options.backdated_by <= day - options.lifetime,
                    "web_bot_auth_options: lifetime", options.lifetime.count(),
                    " s: use more than renew_before and, with backdated_by, at most 24 hours");
      std::string member;
      base::append_field_string(member, adapters_detail::agent_url(options));
      const bool is_bare = options.form == signature_agent_form::bare_origin;
      agent_identifier = "\"signature-agent\"" + (is_bare ? "" : ";key=\"" + options.label + '"');
      agent_value = member;
      agent_field = (is_bare ? "" : options.label + '=') + member;
    }

    [[nodiscard]] message_signature sign(std::string_view authority, wall_time now,
                                         std::string_view nonce) const {
      const auto second = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch());
      std::string parameters =
          ";created=" + std::to_string((second - options.backdated_by).count()) + ";keyid=";
      base::append_field_string(parameters, key.thumbprint());
      parameters +=
          ";alg=\"ed25519\";expires=" + std::to_string((second + options.lifetime).count());
      if (!nonce.empty()) {
        parameters += ";nonce=";
        base::append_field_string(parameters, nonce);
      }
      parameters += ";tag=\"web-bot-auth\"";
      return adapters_detail::sign_message(
          key, options.label, {{"\"@authority\"", authority}, {agent_identifier, agent_value}},
          parameters);
    }

    /// Returns a date as the table counts it, which is by the time since 1970.
    [[nodiscard]] static time_point moment_of(wall_time now) noexcept {
      return time_point{std::chrono::duration_cast<time_point::duration>(now.time_since_epoch())};
    }

    /// Returns the signature for a host if it can be used at `now`. A signature from the future is
    /// not used: the clock was put back.
    [[nodiscard]] std::optional<message_signature> find(std::string_view authority, wall_time now) {
      const time_point moment = moment_of(now);
      const std::scoped_lock lock{mutex};
      const host_signature* const found = hosts.find(authority);
      const bool is_usable = found != nullptr && found->begin <= moment && moment < found->end;
      return is_usable ? std::optional{found->fields} : std::nullopt;
    }

    void remember(std::string_view authority, wall_time now, const message_signature& fields) {
      const time_point moment = moment_of(now);
      const time_point end = base::saturating_add(moment, options.lifetime - options.renew_before);
      const std::scoped_lock lock{mutex};
      host_signature* const place = hosts.find_or_add(
          authority, moment, [](const host_signature& known) { return known.end; }, end);
      if (place != nullptr) {
        *place = {moment, end, fields};
        hosts.forget_after(*place, end);
      }
    }

    const signing_key key;
    const web_bot_auth_options options;
    std::string agent_identifier;
    std::string agent_value;
    std::string agent_field;
    std::mutex mutex;
    base::site_table<host_signature> hosts;
  };

  [[nodiscard]] std::vector<http_header> headers(message_signature fields) const {
    return {{"Signature-Agent", state_->agent_field},
            {"Signature-Input", std::move(fields.input)},
            {"Signature", std::move(fields.signature)}};
  }

  std::shared_ptr<state> state_;
};

}  // namespace robots
