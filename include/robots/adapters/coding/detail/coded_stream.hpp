#pragma once

#include <cstddef>
#include <string_view>

namespace robots::adapters_detail {

/// The state of a compressed stream after a call of `coded_stream::decode`.
enum class stream_state {
  open,     ///< the stream goes on, or more room is needed
  ended,    ///< the stream has reached its own end, and its check value is right
  damaged,  ///< the octets are not such a stream, or a check value is wrong
};

/// Decodes one compression format, piece by piece.
class coded_stream {
 public:
  coded_stream() = default;
  coded_stream(const coded_stream&) = delete;
  coded_stream& operator=(const coded_stream&) = delete;
  virtual ~coded_stream() = default;

  /// The result of a call of `decode`.
  struct step {
    stream_state state;
    std::size_t read;     ///< octets of `coded` that were used
    std::size_t written;  ///< octets that were written to `room`
  };

  /// Decodes from `coded` into `room`, which has `size` octets. Throws only `std::bad_alloc`.
  [[nodiscard]] virtual step decode(std::string_view coded, char* room, std::size_t size) = 0;

  /// Begins another stream of the same format.
  virtual void restart() = 0;

  /// Returns true if `octets`, which follow the end of a stream, begin another stream. If they are
  /// too few to decide, returns true if they may begin one.
  [[nodiscard]] virtual bool begins_another(std::string_view octets) const noexcept = 0;

  /// The number of octets that decide whether another stream begins.
  [[nodiscard]] virtual std::size_t mark_size() const noexcept = 0;

  /// Returns true if a check value protects the content, so that the end of a stream proves that
  /// the content is whole and right.
  [[nodiscard]] virtual bool has_check() const noexcept = 0;
};

}  // namespace robots::adapters_detail
