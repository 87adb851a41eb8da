// What the fetchers on libcurl have in common: settings, a pool of handles, a count.
#pragma once

#include <robots/adapters/curl_options.hpp>
#include <robots/adapters/detail/curl_exchange.hpp>
#include <robots/adapters/detail/curl_guard.hpp>
#include <robots/adapters/detail/curl_handle.hpp>
#include <robots/adapters/detail/curl_settings.hpp>
#include <robots/adapters/detail/curl_transfer.hpp>
#include <robots/adapters/detail/handle_pool.hpp>
#include <robots/http/message.hpp>

#include <curl/curl.h>

#include <atomic>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace robots::adapters_detail {

/// A handle that can carry exchanges one after another. `easy()` has the settings applied once
/// `prepare()` was called; `multi()` holds the connections and nothing but `easy()`.
template <class S>
concept CurlSlot = requires(S& slot, const fetch_request& request) {
  slot.prepare(request);
  { slot.easy() } -> std::same_as<CURL*>;
  { slot.multi() } -> std::same_as<CURLM*>;
};

/// Makes exchanges on pooled slots. Any thread.
template <CurlSlot Slot>
class curl_engine {
 public:
  /// `make` makes a slot with the given settings, which outlive it. One is made at once, so that an
  /// option that this libcurl cannot follow shows here.
  template <class Make>
    requires std::is_invocable_r_v<std::unique_ptr<Slot>, const Make&, const curl_settings&>
  curl_engine(const curl_options& options, Make make,
              proxy_source source = proxy_source::environment)
      : settings_(options, source),
        pool_([this, make = std::move(make)] { return make(settings_); },
              settings_.max_idle_handles()) {
    static_cast<void>(pool_.lend());
  }

  [[nodiscard]] fetch_response fetch(const fetch_request& request) {
    if (std::optional<fetch_response> refused = refusal(request, settings_)) {
      return *std::move(refused);
    }
    const auto slot = pool_.lend();
    slot->prepare(request);
    fetch_response response = exchange(slot->multi(), slot->easy(), request, settings_);
    opened_ += static_cast<std::uint64_t>(opened_connections(slot->easy()));
    return response;
  }

  [[nodiscard]] std::uint64_t connections_opened() const noexcept { return opened_; }

 private:
  curl_settings settings_;
  handle_pool<Slot> pool_;
  std::atomic<std::uint64_t> opened_{0};
};

}  // namespace robots::adapters_detail
