#pragma once

#include <robots/adapters/coding/detail/coded_layer.hpp>
#include <robots/adapters/coding/detail/limited_body.hpp>
#include <robots/http/content_coding.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <list>
#include <string>
#include <string_view>
#include <vector>

namespace robots::adapters_detail {

/// The codings for `Accept-Encoding` that `content_decoder` decodes.
inline constexpr std::string_view accepted_codings =
    "gzip, deflate"
#ifdef ROBOTS_WITH_BROTLI
    ", br"
#endif
#ifdef ROBOTS_WITH_ZSTD
    ", zstd"
#endif
    ;

/// Decodes the body of a response while it arrives, and knows whether the body is whole.
///
/// Octets pass through one `coded_layer` for each name in `Content-Encoding`, the last name first,
/// since the server applied it last (RFC 9110, section 8.4). The last layer appends to the body, so
/// the size limit applies to decoded octets:
///
///     octets --> layer "gzip" --> layer "aws-chunked" --> body, up to the limit
///
/// Without a name, octets are appended as they are. Octets that decode to nothing have a limit of
/// their own.
class content_decoder {
 public:
  /// `limit` is the largest size of the decoded body; 0 means no limit.
  explicit content_decoder(std::size_t limit) : body_(limit) {}

  /// Sets the codings, from the values of all `Content-Encoding` fields in their order. Call this
  /// before `take`. More than five names are a fault of the body.
  void set_codings(std::string_view value) {
    constexpr std::size_t most = 5;
    const std::vector<std::string_view> names = detail::coding_names(value);
    if (names.size() > most) {
      problem_ = "the response names more than five content codings";
      return;
    }
    std::for_each(names.rbegin(), names.rend(),
                  [this](std::string_view name) { layers_.emplace_back(name); });
  }

  /// Decodes `octets`. Returns false if the body is over the limit or has a problem. Then further
  /// octets have no effect. Throws only `std::bad_alloc`.
  [[nodiscard]] bool take(std::string_view octets) {
    if (!problem_.empty() || octets.empty()) {
      return false;
    }
    coded_size_ += octets.size();
    return pass(layers_.begin(), octets) && has_content();
  }

  /// Handles the end of the body. Throws only `std::bad_alloc`.
  void finish() {
    bool is_whole = false;
    for (auto layer = layers_.begin(); layer != layers_.end() && is_good(); ++layer) {
      static_cast<void>(layer->finish(
          is_whole, [&](std::string_view octets) { return pass(std::next(layer), octets); }));
      note_problem(*layer);
      is_whole = is_whole || layer->has_ended();
    }
  }

  /// Returns true if a whole stream with a right check value proves that the body is whole.
  [[nodiscard]] bool is_proven() const noexcept {
    return problem_.empty() && !layers_.empty() && layers_.front().is_proven();
  }

  /// Returns true if the body is one such stream and nothing follows it.
  [[nodiscard]] bool is_one_stream() const noexcept {
    return problem_.empty() && !layers_.empty() && layers_.front().is_one_stream();
  }

  /// The reason why the body cannot be decoded or is not whole; empty if there is no problem.
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

  /// A remark about octets that were ignored; empty if there were none.
  [[nodiscard]] std::string remark() const {
    for (const coded_layer& layer : layers_) {
      if (layer.ignored() > 0) {
        return "octets after the compressed body of the response were ignored: " +
               std::to_string(layer.ignored());
      }
    }
    return {};
  }

  /// Returns true if a layer decodes, and does not only pass on octets.
  [[nodiscard]] bool has_stream() const noexcept {
    return std::any_of(layers_.begin(), layers_.end(),
                       [](const coded_layer& layer) { return layer.has_stream(); });
  }

  [[nodiscard]] bool is_over_limit() const noexcept { return body_.is_over; }
  [[nodiscard]] std::string& body() noexcept { return body_.text; }

 private:
  using layer_list = std::list<coded_layer>;

  [[nodiscard]] bool is_good() const noexcept { return problem_.empty() && !body_.is_over; }

  [[nodiscard]] bool pass(layer_list::iterator layer, std::string_view octets) {
    if (layer == layers_.end()) {
      return body_.append(octets);
    }
    const bool is_taken = layer->take(
        octets, [&](std::string_view decoded) { return pass(std::next(layer), decoded); });
    note_problem(*layer);
    return is_taken;
  }

  /// Returns false, with a problem, if far more octets came than were decoded. The size limit does
  /// not count octets that decode to nothing, such as empty members, and a server can send them
  /// without an end.
  [[nodiscard]] bool has_content() {
    constexpr std::size_t most = std::size_t{1} << 20U;
    if (coded_size_ > most && coded_size_ - most > body_.text.size()) {
      problem_ =
          "the compressed body of the response has more than 1,048,576 octets that decode to "
          "nothing";
    }
    return problem_.empty();
  }

  void note_problem(const coded_layer& layer) {
    if (problem_.empty()) {
      problem_ = layer.problem();
    }
  }

  layer_list layers_{};  // the first layer gets the octets of the response
  limited_body body_;
  std::size_t coded_size_ = 0;  // the octets that came
  std::string problem_{};
};

}  // namespace robots::adapters_detail
