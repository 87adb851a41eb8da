#pragma once

#include <robots/base/inline.hpp>
#include <robots/policy/codec.hpp>
#include <robots/policy/record.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace robots {

/// What the processes of a crawl share of one site: all that a process needs to go on as if it had
/// asked the site itself.
struct site_records {
  record latest{};  ///< what the last retrieval brought
  /// The last robots.txt that could be read, where `latest` is none: what holds may rest on it.
  std::optional<record> last_good{};
  /// The site redirects to the robots.txt of another site, at `latest.final_url`: what holds there
  /// holds here. `latest` then is one of `outcome::server_error`, so that whoever judges it by
  /// itself errs on the safe side.
  bool redirects = false;

  [[nodiscard]] friend bool operator==(const site_records&, const site_records&) = default;
};

/// What `decode_site` read.
struct decode_site_result {
  std::optional<site_records> records{};    ///< none if there is an error
  decode_error error = decode_error::none;  ///< why there is none
};

/// The records of a site as octets, the same on every machine: an octet of the version, a number of
/// the form, and each record as `encode` writes it, its length first. The last good one is left out
/// where the site redirects. Linear.
[[nodiscard]] std::string encode(const site_records& from);

/// The records of a site that `encode` made `text` of, or why it is none. Takes any octets, whoever
/// wrote them, as `decode` does.
[[nodiscard]] decode_site_result decode_site(std::string_view text);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/policy/site_records.ipp>
#endif
