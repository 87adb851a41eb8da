#pragma once

#include <robots/base/inline.hpp>
#include <robots/fetch/outcome.hpp>
#include <robots/policy/detail/octet_stream.hpp>
#include <robots/policy/site_records.hpp>

#include <cstdint>
#include <utility>

namespace robots {

namespace policy_detail {

/// The first octet of encoded `site_records`: no `record_format`, so that neither passes for the
/// other.
inline constexpr char site_version = static_cast<char>(0x80 + record_format);

/// What follows on the latest record of a site.
enum class site_form : std::uint8_t { alone, last_good, redirects };

}  // namespace policy_detail

ROBOTS_INLINE std::string encode(const site_records& from) {
  using enum policy_detail::site_form;
  const auto form = from.redirects ? redirects : from.last_good ? last_good : alone;
  policy_detail::octet_writer out;
  out.octets({&policy_detail::site_version, 1});
  out.number(static_cast<std::uint64_t>(form));
  out.text(encode(from.latest));
  if (form == last_good) {
    out.text(encode(*from.last_good));
  }
  return std::move(out).take();
}

ROBOTS_INLINE decode_site_result decode_site(std::string_view text) {
  using enum policy_detail::site_form;
  if (text.empty()) {
    return {.error = decode_error::too_short};
  }
  if (text.front() != policy_detail::site_version) {
    return {.error = decode_error::unknown_version};
  }
  policy_detail::octet_reader in{text.substr(1)};
  const std::uint64_t form = in.number(static_cast<std::uint64_t>(redirects));
  decode_result latest = decode(in.text(text.size()));
  decode_result good;
  if (form == static_cast<std::uint64_t>(last_good)) {
    good = decode(in.text(text.size()));
  }
  if (in.failed() || !in.rest().empty()) {
    return {.error = decode_error::malformed};
  }
  const decode_error error = latest.error != decode_error::none ? latest.error : good.error;
  if (error != decode_error::none) {
    return {.error = error};
  }
  const bool leads_on = form == static_cast<std::uint64_t>(redirects);
  if (leads_on && latest.record->outcome != outcome::server_error) {
    return {.error = decode_error::malformed};
  }
  return {.records = site_records{.latest = *std::move(latest.record),
                                  .last_good = std::move(good.record),
                                  .redirects = leads_on}};
}

}  // namespace robots
