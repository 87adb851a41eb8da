// One exchange: a request put on a handle, the transfer driven to its end, the response taken off.
#pragma once

#include <robots/adapters/detail/curl_settings.hpp>
#include <robots/adapters/detail/curl_transfer.hpp>
#include <robots/http/message.hpp>

#include <curl/curl.h>

#include <optional>
#include <stop_token>
#include <utility>

namespace robots::adapters_detail {

/// Keeps an easy handle in a multi handle for as long as it lives.
class curl_membership {
 public:
  curl_membership(CURLM* multi, CURL* easy) noexcept
      : multi_(multi), easy_(easy), added_(curl_multi_add_handle(multi, easy) == CURLM_OK) {}
  curl_membership(const curl_membership&) = delete;
  curl_membership& operator=(const curl_membership&) = delete;
  ~curl_membership() { leave(); }

  /// Takes the easy handle out before the time.
  void leave() noexcept {
    if (std::exchange(added_, false)) {
      curl_multi_remove_handle(multi_, easy_);
    }
  }

  [[nodiscard]] bool added() const noexcept { return added_; }

 private:
  CURLM* multi_;
  CURL* easy_;
  bool added_;
};

/// The result of the transfer in `multi` if it has ended.
[[nodiscard]] inline std::optional<CURLcode> ended(CURLM* multi) noexcept {
  int left = 0;
  while (const CURLMsg* const message = curl_multi_info_read(multi, &left)) {
    if (message->msg == CURLMSG_DONE) {
      return message->data.result;
    }
  }
  return std::nullopt;
}

/// Runs the transfer in `multi` until it ends or `stop` is requested, which is
/// `CURLE_ABORTED_BY_CALLBACK`. Sleeps in poll(); a stop wakes it.
[[nodiscard]] inline CURLcode drive(CURLM* multi, const std::stop_token& stop) {
  const std::stop_callback wake(stop, [multi]() noexcept { curl_multi_wakeup(multi); });
  // Timers and sockets of libcurl end the sleep earlier; this is for a libcurl that has no wakeup.
  constexpr int longest_sleep = 1000;
  while (true) {
    int running = 0;
    if (curl_multi_perform(multi, &running) != CURLM_OK) {
      return CURLE_FAILED_INIT;
    }
    if (const auto result = ended(multi)) {
      return *result;
    }
    if (stop.stop_requested()) {
      return CURLE_ABORTED_BY_CALLBACK;
    }
    if (curl_multi_poll(multi, nullptr, 0, longest_sleep, nullptr) != CURLM_OK) {
      return CURLE_FAILED_INIT;
    }
  }
}

/// Puts `easy` in `multi`, runs the transfer, and takes it out again. An unfinished transfer loses
/// its connection; the handles stay good.
[[nodiscard]] inline CURLcode transfer(CURLM* multi, CURL* easy, const std::stop_token& stop) {
  const curl_membership membership(multi, easy);
  return membership.added() ? drive(multi, stop) : CURLE_FAILED_INIT;
}

/// Makes the exchange of `request` on handles that have their settings. `request` is one that
/// `refusal()` lets pass.
[[nodiscard]] inline fetch_response exchange(CURLM* multi, CURL* easy, const fetch_request& request,
                                             const curl_settings& settings) {
  curl_transfer made(easy, request, settings);
  return made.finish(transfer(multi, easy, request.stop));
}

}  // namespace robots::adapters_detail
