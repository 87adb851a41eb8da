#pragma once

#include <robots/adapters/detail/inflater.hpp>
#include <robots/base/ascii.hpp>
#include <robots/base/printable.hpp>

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace robots::adapters_detail {

/// Takes the body of one response: gzip, x-gzip and deflate are decoded (RFC 9110, section 8.4.1).
///
/// A body is refused that has another coding, which nobody asked for, or several, where no limit on
/// what comes out could hold what comes in between; that is not what its coding says, or not all of
/// it; or that is so much larger than its text that malice alone explains it. Stays in its place.
class body_decoder {
 public:
  /// What to ask servers for: the value of an Accept-Encoding field.
  static constexpr const char* accepted = "gzip, deflate";

  /// Keeps at most `most` octets of text, where 0 means no limit.
  explicit body_decoder(std::size_t most) noexcept
      : most_(most == 0 ? std::numeric_limits<std::size_t>::max() : most) {}

  /// Says what is in the body: the values of Content-Encoding and Transfer-Encoding, empty where
  /// there is no such field. Once, when the first octet is there: without one, a body is whole
  /// whatever its coding.
  void begin(std::string_view content_coding, std::string_view transfer_coding) {
    const std::string_view transfer = without_rim(transfer_coding);
    if (!transfer.empty() && !base::equal_ignoring_case(transfer, "chunked") &&
        !base::equal_ignoring_case(transfer, "identity")) {
      refusal_ = unasked("Transfer-Encoding", transfer);
    }
    const std::string_view content = without_rim(content_coding);
    if (base::equal_ignoring_case(content, "gzip") ||
        base::equal_ignoring_case(content, "x-gzip")) {
      packing_ = packing::gzip;
    } else if (base::equal_ignoring_case(content, "deflate")) {
      packing_ = packing::deflate;
    } else if (!content.empty() && !base::equal_ignoring_case(content, "identity")) {
      refusal_ = unasked("Content-Encoding", content);
    }
  }

  /// Takes the next octets. False when nothing more is wanted: the text is over its limit, or there
  /// is a `problem()`. Throws std::bad_alloc.
  [[nodiscard]] bool take(std::string_view octets) {
    if (octets.empty() || over_limit_ || !refusal_.empty()) {
      return !over_limit_ && refusal_.empty();
    }
    if (!packing_) {
      const std::size_t room = most_ - text_.size();
      text_.append(octets.substr(0, room));
      over_limit_ = octets.size() > room;
      return !over_limit_;
    }
    if (!inflater_) {
      inflater_.emplace(*packing_, octets.front());
    }
    const inflated result = inflater_->feed(octets, text_, most_);
    received_ += octets.size();
    over_limit_ = result == inflated::full;
    if (result == inflated::broken) {
      refusal_ = "the body is not what its Content-Encoding says";
    } else if (received_ > spare && (received_ - spare) / 2 > most_) {
      refusal_ = "the encoded body is far longer than what is in it";
    }
    return !over_limit_ && refusal_.empty();
  }

  [[nodiscard]] std::string& text() noexcept { return text_; }
  /// Whether there was more text than is kept. Then the rest is not known, and no problem.
  [[nodiscard]] bool over_limit() const noexcept { return over_limit_; }
  /// Whether the body was refused before its end.
  [[nodiscard]] bool refused() const noexcept { return !refusal_.empty() && !over_limit_; }

  /// Why the text is not that of a whole body, now that no more octets come; empty when it is, and
  /// when it is over its limit.
  [[nodiscard]] std::string_view problem() const noexcept {
    if (over_limit_) {
      return {};
    }
    if (refusal_.empty() && inflater_ && !inflater_->whole()) {
      return "the encoded body breaks off";
    }
    return refusal_;
  }

 private:
  /// Coded octets that may come with no text. Twice the text is room for a server that flushes
  /// each line.
  static constexpr std::size_t spare = std::size_t{64} * 1024;

  /// `value` without white space and empty list elements (RFC 9110, section 5.6.1) at its ends.
  [[nodiscard]] static constexpr std::string_view without_rim(std::string_view value) noexcept {
    return base::trim(value, [](char c) { return base::is_space(c) || c == ','; });
  }

  [[nodiscard]] static std::string unasked(std::string_view field, std::string_view coding) {
    constexpr std::size_t longest = 64;
    return std::string(field) + " is " + base::printable(coding.substr(0, longest)) +
           ", which nobody asked for";
  }

  std::size_t most_;
  std::optional<packing> packing_;
  std::optional<inflater> inflater_;
  std::string text_;
  std::string refusal_;
  std::size_t received_ = 0;
  bool over_limit_ = false;
};

}  // namespace robots::adapters_detail
