#pragma once

#include <robots/adapters/coding/detail/brotli_stream.hpp>
#include <robots/adapters/coding/detail/coded_stream.hpp>
#include <robots/adapters/coding/detail/zlib_stream.hpp>
#include <robots/adapters/coding/detail/zstd_stream.hpp>
#include <robots/base/ascii.hpp>
#include <robots/http/content_coding.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace robots::adapters_detail {

/// Removes one coding that `Content-Encoding` names.
///
/// The first octets of the body decide about its format, since servers name the wrong coding: they
/// send gzip as `deflate`, text as `gzip`, or the charset instead of a coding. The name decides
/// only between formats that have no mark at their start. So a layer first collects octets. Then it
/// decodes, or passes on octets as they are. After the end of a stream, the layer looks for another
/// stream, and otherwise ignores what follows:
///
///     collects --> passes on
///         |
///         +------> decodes --> looks for another stream --> ignores
///                     ^                    |
///                     +--------------------+
class coded_layer {
 public:
  /// `name` is a name in `Content-Encoding`.
  explicit coded_layer(std::string_view name)
      : name_(name), names_coding_(detail::is_content_coding(name)) {}

  /// Passes the decoded form of `octets` to `next(std::string_view) -> bool`. Returns false if
  /// `next` returns false, or the octets cannot be decoded. Throws only `std::bad_alloc`, and what
  /// `next` throws.
  template <class Next>
  [[nodiscard]] bool take(std::string_view octets, const Next& next) {
    if (phase_ == phase::collecting) {
      first_.append(octets);
      if (!detail::begins_gzip(first_) && first_.size() < detail::coding_sample) {
        return true;
      }
      return choose_and_take(next);
    }
    return act(octets, next);
  }

  /// Handles the end of the body. `is_whole` says that the layers before this one have decoded a
  /// stream to its end. Returns false if the layer has octets left that `next` does not take, or
  /// that cannot be decoded. Then `problem()` says why, if it is a problem of the body.
  template <class Next>
  [[nodiscard]] bool finish(bool is_whole, const Next& next) {
    is_whole_ = is_whole;
    if (phase_ == phase::collecting && !first_.empty() && !choose_and_take(next)) {
      return false;
    }
    if (phase_ == phase::looking) {
      if (stream_->begins_another(first_)) {
        problem_ = ends_early;
        return false;
      }
      return ignore(std::exchange(first_, {}).size());
    }
    if (phase_ == phase::decoding) {
      problem_ = ends_early;
      return false;
    }
    return true;
  }

  /// The problem of the body, or an empty text.
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

  /// Returns true if the layer decodes, and does not only pass on octets. Also returns true if a
  /// coding was named and no octet came, since each coded stream has some.
  [[nodiscard]] bool has_stream() const noexcept {
    const bool waits_for_stream = phase_ == phase::collecting && names_coding_ && first_.empty();
    return stream_ != nullptr || waits_for_stream;
  }

  /// Returns true if the layer has decoded a stream to its end. Has a meaning after `finish`.
  [[nodiscard]] bool has_ended() const noexcept { return streams_ > 0 && problem_.empty(); }

  /// Returns true if the body ended with a whole stream whose check value proves the content.
  /// Octets that do not belong to a stream can follow.
  [[nodiscard]] bool is_proven() const noexcept {
    return stream_ && stream_->has_check() && problem_.empty() && streams_ > 0 &&
           phase_ != phase::decoding &&
           !(phase_ == phase::looking && !first_.empty() && stream_->begins_another(first_));
  }

  /// Returns true if the body is one whole stream and nothing else.
  [[nodiscard]] bool is_one_stream() const noexcept {
    return is_proven() && streams_ == 1 && ignored_ == 0 && first_.empty();
  }

  /// The number of octets after the last stream that were ignored.
  [[nodiscard]] std::size_t ignored() const noexcept { return ignored_; }

 private:
  enum class phase { collecting, passing, decoding, looking, ignoring };

  static constexpr const char* ends_early =
      "the compressed body of the response ends before its own end mark";

  static constexpr const char* damaged =
      "the compressed body of the response is damaged: it cannot be decoded";

  [[nodiscard]] bool is_named(std::string_view name) const noexcept {
    return base::equal_ignoring_case(name_, name);
  }

  /// Chooses the format by the octets in `first_`. Returns false if they are no format.
  [[nodiscard]] bool choose() {
    const std::string_view start = first_;
    const bool can_be_zlib =
        is_named("deflate") || is_named("gzip") || is_named("x-gzip");  // the two are mixed up
    if (detail::begins_gzip(start)) {
      stream_ = std::make_unique<zlib_stream>(zlib_format::gzip);
    } else if (detail::begins_zlib(start) && (can_be_zlib || !is_text(start))) {
      stream_ = std::make_unique<zlib_stream>(zlib_format::zlib);
#ifdef ROBOTS_WITH_ZSTD
    } else if (detail::begins_zstd(start)) {
      stream_ = std::make_unique<zstd_stream>();
#endif
    } else if (is_text(start) || is_named("identity")) {
      phase_ = phase::passing;
      return true;
#ifdef ROBOTS_WITH_BROTLI
    } else if (is_named("br")) {
      stream_ = std::make_unique<brotli_stream>();
#endif
    } else if (can_be_zlib) {
      stream_ = std::make_unique<zlib_stream>(zlib_format::raw);
    } else {
      problem_ =
          "the body of the response is neither text nor compressed in a known way, and "
          "Content-Encoding is " +
          name_.substr(0, 40);
      return false;
    }
    phase_ = phase::decoding;
    return true;
  }

  /// Returns true if the body is taken as text. Behind the name of a real coding, text is a mistake
  /// of the server. So the text must then be UTF-8, and long enough to be no piece of a coded body,
  /// unless it comes out of a whole stream.
  [[nodiscard]] bool is_text(std::string_view start) const noexcept {
    constexpr std::size_t shortest = 16;
    if (!names_coding_) {
      return detail::can_be_text(start);
    }
    return (is_whole_ || start.size() >= shortest) && !detail::has_control(start) &&
           detail::begins_utf8(start);
  }

  template <class Next>
  [[nodiscard]] bool choose_and_take(const Next& next) {
    return choose() && act(std::exchange(first_, {}), next);
  }

  template <class Next>
  [[nodiscard]] bool act(std::string_view octets, const Next& next) {
    if (phase_ == phase::passing) {
      return octets.empty() || next(octets);
    }
    while (!octets.empty()) {
      if (phase_ == phase::ignoring) {
        ignored_ += octets.size();
        return true;
      }
      if (phase_ == phase::looking && !look(octets, next)) {
        return false;
      }
      if (phase_ == phase::decoding && !decode(octets, next)) {
        return false;
      }
    }
    return true;
  }

  /// Decides whether `octets`, which follow a stream, begin another stream. Removes the octets that
  /// were needed for it from `octets`.
  template <class Next>
  [[nodiscard]] bool look(std::string_view& octets, const Next& next) {
    const std::size_t added = (std::min)(stream_->mark_size() - first_.size(), octets.size());
    first_.append(octets.substr(0, added));
    octets.remove_prefix(added);
    if (first_.size() < stream_->mark_size()) {
      return true;
    }
    const std::string mark = std::exchange(first_, {});
    if (!stream_->begins_another(mark)) {
      return ignore(mark.size());
    }
    stream_->restart();
    phase_ = phase::decoding;
    std::string_view rest = mark;
    return decode(rest, next);
  }

  /// Ignores `count` octets after a stream, and all further ones. Without a check value, octets
  /// after a stream are a sign that the body is no such stream.
  [[nodiscard]] bool ignore(std::size_t count) {
    if (count > 0 && !stream_->has_check()) {
      problem_ = "octets follow the end of the compressed body of the response";
      return false;
    }
    phase_ = phase::ignoring;
    ignored_ += count;
    return true;
  }

  /// Decodes `octets` to their end, or to the end of the stream, and removes what was decoded.
  template <class Next>
  [[nodiscard]] bool decode(std::string_view& octets, const Next& next) {
    std::array<char, 16'384> room;  // NOLINT(*-member-init): zlib writes before anything is read
    while (true) {
      const coded_stream::step step = stream_->decode(octets, room.data(), room.size());
      octets.remove_prefix(step.read);
      if (step.written > 0 && !next(std::string_view(room.data(), step.written))) {
        return false;
      }
      if (step.state == stream_state::damaged) {
        problem_ = damaged;
        return false;
      }
      if (step.state == stream_state::ended) {
        ++streams_;
        phase_ = phase::looking;
        return true;
      }
      if (octets.empty() && step.written < room.size()) {
        return true;
      }
      if (step.read == 0 && step.written == 0) {
        problem_ = damaged;
        return false;
      }
    }
  }

  std::string name_;
  bool names_coding_;
  bool is_whole_ = false;
  phase phase_ = phase::collecting;
  std::unique_ptr<coded_stream> stream_{};
  std::string first_{};  // the octets that a decision waits for
  std::size_t streams_ = 0;
  std::size_t ignored_ = 0;
  std::string problem_{};
};

}  // namespace robots::adapters_detail
