#pragma once

#include <robots/http/header.hpp>
#include <robots/rep/document/document.hpp>
#include <robots/rep/extensions/content_signal.hpp>
#include <robots/usage/page_rules.hpp>
#include <robots/usage/tdm_reservation.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots {

/// The places where a site states how a page may be used. An empty text or list means that there is
/// nothing in this place.
struct usage_sources {
  std::string_view robots{};               ///< the text of the robots.txt
  std::span<const http_header> headers{};  ///< the headers of the page's response
  std::span<const meta_element> meta{};    ///< the meta elements of the page
  std::string_view tdmrep{};               ///< the text of `/.well-known/tdmrep.json`
};

/// The statements that apply to one page and one crawler, combined from all places. If several
/// statements speak of the same label, the most restrictive one applies.
class usage_statements {
 public:
  /// Returns the preference for the category `label`: true if the use is permitted, false if it is
  /// not. Empty if nothing was said. Content-Signal has the labels `search`, `ai-input` and
  /// `ai-train`, in any case; Content-Usage has `search`, `ai-use`, `train-ai` and others, in lower
  /// case (contentsignals.org; draft-ietf-aipref-vocab-08, section 5). Takes linear time.
  [[nodiscard]] std::optional<bool> preference(std::string_view label) const noexcept;

  /// Returns the value of the signal `use`, the least of all that were said.
  [[nodiscard]] std::optional<content_use> use() const noexcept { return use_; }

  /// Returns true if the rights of text and data mining are reserved, false if they are said not to
  /// be. A later place counts more than an earlier one: tdmrep.json, headers, meta elements
  /// (TDMRep, section 6). A place that says nothing changes nothing.
  [[nodiscard]] std::optional<bool> tdm_reservation() const noexcept { return tdm_.reserved; }

  /// Returns the URL of the policy by which reserved rights can be had. Empty if the rights are not
  /// reserved, or if no policy was named. The view is valid as long as this object.
  [[nodiscard]] std::optional<std::string_view> tdm_policy() const noexcept {
    return tdm_.reserved == true && tdm_.policy ? std::optional<std::string_view>{*tdm_.policy}
                                                : std::nullopt;
  }

  /// Returns the URLs of all licences, those of the robots.txt first (RSL 1.0, section 4).
  [[nodiscard]] const std::vector<std::string>& licenses() const& noexcept { return licenses_; }
  /// Returns the same URLs from a temporary object, as a list that the caller owns.
  [[nodiscard]] std::vector<std::string> licenses() && noexcept { return std::move(licenses_); }

 private:
  friend usage_statements read_usage(const usage_sources& sources, std::string_view url,
                                     std::string_view user_agent);

  /// A Content-Signal statement that applies. Of those that set a signal, the ones with the longest
  /// path decide about it.
  struct scoped_signal {
    std::string statement;
    std::uint32_t specificity = 0;
  };

  std::vector<scoped_signal> signals_;       ///< lines of the robots.txt
  std::vector<std::string> header_signals_;  ///< Content-Signal headers
  std::vector<std::string> usages_;          ///< Content-Usage statements, each a Dictionary
  std::vector<std::string> licenses_;
  std::optional<content_use> use_{};
  robots::tdm_reservation tdm_{};
  bool is_undecided_ = false;  ///< true if the lines could not be compared: everything is denied
};

/// Returns what applies to the page `url` and to one crawler. `url` is an absolute URL or a path
/// with query; `user_agent` is a product token or a whole `User-Agent` header value.
///
/// If the robots.txt does not permit the crawler to fetch the page, its Content-Signal and
/// Content-Usage lines say nothing (draft-ietf-aipref-attach-05, section 3.1). Accepts any octets,
/// and never throws because of them. Compares at most `max_compared_octets`; if that is not enough,
/// each preference is false. Takes linear time.
[[nodiscard]] usage_statements read_usage(const usage_sources& sources, std::string_view url,
                                          std::string_view user_agent);

}  // namespace robots

#ifndef ROBOTS_COMPILED
#include <robots/usage/usage_statements.bodies.hpp>
#endif
