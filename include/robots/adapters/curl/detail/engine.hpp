#pragma once

#include <robots/adapters/curl/curl_options.hpp>
#include <robots/adapters/curl/detail/settings.hpp>
#include <robots/adapters/curl/detail/transfers.hpp>
#include <robots/adapters/detail/handle_pool.hpp>
#include <robots/http/message.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace robots::adapters_detail {

/// Makes exchanges on pooled handles. Any thread may call it.
class curl_engine {
 public:
  explicit curl_engine(const curl_options& options,
                       curl_transfers::slot_factory make = &plain_curl_slot,
                       proxy_source source = proxy_source::environment)
      : settings_(std::make_shared<const curl_settings>(options, source)),
        pool_([this, make = std::move(
                         make)] { return std::make_unique<curl_transfers>(settings_, make); },
              settings_->options().max_idle_handles) {
    static_cast<void>(pool_.lend());
  }

  [[nodiscard]] fetch_response fetch(const fetch_request& request) {
    const auto web = pool_.lend();
    const std::uint64_t opened = web->connections_opened();
    const auto response = std::make_shared<std::optional<fetch_response>>();
    web->start(request, [response](fetch_response answer) { *response = std::move(answer); });
    while (!response->has_value()) {
      // Events end the sleep early. The limit is for a libcurl without wakeup.
      web->run_once(std::chrono::seconds{1});
    }
    opened_ += web->connections_opened() - opened;
    return std::move(**response);
  }

  [[nodiscard]] std::uint64_t connections_opened() const noexcept { return opened_; }

 private:
  std::shared_ptr<const curl_settings> settings_;
  handle_pool<curl_transfers> pool_;
  std::atomic<std::uint64_t> opened_{0};
};

}  // namespace robots::adapters_detail
