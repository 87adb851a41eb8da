#pragma once

#include <robots/adapters/curl/curl_options.hpp>
#include <robots/adapters/curl/detail/descriptors.hpp>
#include <robots/adapters/curl/detail/settings.hpp>
#include <robots/adapters/curl/detail/transfer.hpp>
#include <robots/base/process.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/http/message.hpp>

#include <curl/curl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

// Where this file stands: it runs the exchanges of all fetchers over libcurl.
//
//     CurlFetcher, CprFetcher ---> run_once ----------------------+
//     curl_multi_fetcher --------> run_once ----------------------+--> curl_transfers --> multi
//     an event loop --> curl_socket_driver --> multi(), collect --+
//
//     async_fetch --> waiting_ --> running_ --------------> ended_ --> collect --> done(response)
//                  a place and     a slot (a handle) and a
//                  a descriptor    curl_transfer
//
// `curl_transfers` owns the multi handle, the requests and the slots. An exchange moves through the
// three lists. It goes back to `waiting_` if it lacked a file descriptor.

namespace robots::adapters_detail {

/// A function that owns an easy handle, prepares it for `request`, and returns it.
using curl_slot = std::function<CURL*(const fetch_request& request)>;

/// If libcurl has a default CA file, sets the new handle `easy` to ignore the default CA folder.
/// For a handle with a CA folder, libcurl does not cache the CA file. Each connection of such a
/// handle reads the file again, which takes 20 ms.
inline void trust_file_alone(CURL* easy) noexcept {
  const char* file = nullptr;
  curl_easy_getinfo(easy, CURLINFO_CAINFO, &file);
  if (file != nullptr) {
    curl_easy_setopt(easy, CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  }
}

/// Makes a slot with a plain easy handle of libcurl.
[[nodiscard]] inline curl_slot plain_curl_slot(const curl_settings& settings) {
  const std::shared_ptr<CURL> easy(made(curl_easy_init()), &curl_easy_cleanup);
  trust_file_alone(easy.get());
  settings.apply(easy.get());
  return [easy](const fetch_request& /*request*/) { return easy.get(); };
}

/// Makes exchanges in a multi handle, like `curl_multi_fetcher`. The caller either calls
/// `run_once`, or handles the sockets of `multi()` and then calls `collect()`. Exchanges above
/// `curl_options::max_connections` wait here, so that their timeouts do not start yet. Exchanges
/// for which this process has no free file descriptor wait here, too, at most for their timeout.
class curl_transfers {
 public:
  using on_done = std::function<void(fetch_response)>;
  using slot_factory = std::function<curl_slot(const curl_settings&)>;

  /// Keeps `settings` alive for the slots from `make`. Makes one slot, and throws if this libcurl
  /// lacks an option. A thread that stops a request calls `wake`. `wake` must cause a call of
  /// `collect()`, and must not throw. If `wake` is empty, a stop ends the wait of `run_once`.
  curl_transfers(std::shared_ptr<const curl_settings> settings, slot_factory make,
                 std::function<void()> wake = {})
      : settings_(std::move(settings)), make_(std::move(make)), wake_(std::move(wake)) {
    idle_.push_back(make_(*settings_));
  }

  /// Uses plain handles of libcurl, and obeys `curl_options::max_connections`. Throws what
  /// `curl_settings` throws.
  explicit curl_transfers(const curl_options& options, std::function<void()> wake = {})
      : curl_transfers(std::make_shared<const curl_settings>(options), &plain_curl_slot,
                       std::move(wake)) {
    const auto limit = [this](CURLMoption option, std::size_t number) {
      constexpr std::size_t most = (std::numeric_limits<int>::max)();
      curl_multi_setopt(multi(), option, static_cast<long>((std::min)(number, most)));
    };
    const std::size_t most = options.max_connections;
    most_running_ = most != 0 ? most : most_running_;
    limit(CURLMOPT_MAX_TOTAL_CONNECTIONS, most);  // also counts idle connections; 0 is no limit
    // Limits idle connections, since libcurl's default limit grows with the number of transfers.
    limit(CURLMOPT_MAXCONNECTS,
          most != 0 ? most : (std::max<std::size_t>)(options.max_idle_handles, 1));
  }

  curl_transfers(const curl_transfers&) = delete;
  curl_transfers& operator=(const curl_transfers&) = delete;

  /// Ends all exchanges. In a child process, leaves the connections of the parent alone.
  ~curl_transfers() {
    if (!home_.is_here()) {
      base::leave_value_to_parent(std::move(waiting_));
      base::leave_value_to_parent(std::move(running_));
      base::leave_value_to_parent(std::move(idle_));
      base::leave_to_parent(multi_.release());
    }
  }

  [[nodiscard]] CURLM* multi() const noexcept { return multi_.get(); }

  /// Begins an exchange when the limit permits it. A later `collect()` calls `done`. If this
  /// function throws, nobody calls `done`. If memory runs out later, the exchange ends with an
  /// error.
  void async_fetch(fetch_request request, on_done done) {
    home_.require("a fetcher over libcurl");
    std::list<exchange> added(1);
    exchange& one = added.front();
    one.request = std::move(request);
    one.done = std::move(done);
    one.self = added.begin();
    try {
      if (std::optional<fetch_response> refused = refusal(one.request, *settings_)) {
        one.response = *std::move(refused);
        ended_.splice(ended_.end(), added);
        return;
      }
      one.on_stop.emplace(one.request.stop, [this]() noexcept {
        has_stops_ = true;
        wake_ ? wake_() : wake();
      });
    } catch (...) {
      one.response.error = fetch_error::local;  // there is no memory
      ended_.splice(ended_.end(), added);
      return;
    }
    waiting_.splice(waiting_.end(), added);
    begin_waiting();
  }

  /// Handles network events, and calls the callbacks of exchanges that have ended. Returns the
  /// number of callbacks. If no exchange has ended yet, waits until an event occurs, `wake` is
  /// called or `timeout` passes. If a callback throws, the next `run_once` calls the rest.
  std::size_t run_once(std::chrono::milliseconds timeout = std::chrono::milliseconds{0}) {
    home_.require("a fetcher over libcurl");
    if (has_begun_ || timeout.count() <= 0 || !ended_.empty()) {
      perform();  // otherwise, the wait ends at once if libcurl has something to do
    }
    std::size_t called = collect();
    if (lacks_descriptor_) {
      timeout = (std::min)(timeout, descriptor_pause);
    }
    if (called == 0 && timeout.count() > 0) {
      const auto wait = static_cast<int>(curl_milliseconds(timeout));
      if (curl_multi_poll(multi(), nullptr, 0, wait, nullptr) != CURLM_OK) {
        fail_all();
      }
      perform();
      called = collect();
    }
    return called;
  }

  /// Ends the wait of `run_once`. If `run_once` is not running, its next call does not wait. Any
  /// thread may call this function.
  void wake() noexcept { curl_multi_wakeup(multi()); }

  /// Calls the callbacks of exchanges that have ended, and returns their number. If a callback
  /// throws, the next `collect()` calls the remaining callbacks. A callback may start exchanges.
  std::size_t collect() {
    take_ended();
    std::size_t called = 0;
    for (std::size_t left = ended_.size(); left > 0 && !ended_.empty(); --left) {
      std::list<exchange> first;
      first.splice(first.begin(), ended_, ended_.begin());
      ++called;
      first.front().done(std::move(first.front().response));
    }
    return called;
  }

  /// True while exchanges wait for a free file descriptor. Then call `collect()` after this time.
  [[nodiscard]] bool lacks_descriptor() const noexcept { return lacks_descriptor_; }
  static constexpr std::chrono::milliseconds descriptor_pause{10};

  /// Ends all exchanges with `fetch_error::local`, since the multi handle has failed, or there is
  /// no memory to go on.
  void fail_all() {
    for (std::list<exchange>* const list : {&running_, &waiting_}) {
      while (!list->empty()) {
        end(*list, list->front(), CURLE_FAILED_INIT);
      }
    }
  }

  /// Returns the number of exchanges whose callbacks have not been called yet.
  [[nodiscard]] std::size_t in_flight() const noexcept {
    return waiting_.size() + running_.size() + ended_.size();
  }

  /// Returns true if `collect()` has callbacks to call now.
  [[nodiscard]] bool has_ended() const noexcept { return !ended_.empty(); }

 private:
  struct exchange {
    fetch_request request{};
    on_done done{};
    curl_slot slot{};  // empty until the exchange begins
    std::optional<curl_transfer> transfer{};
    fetch_response response{};
    std::list<exchange>::iterator self{};
    /// The end of the wait for a file descriptor. Empty if the exchange has not had to wait.
    std::optional<std::chrono::steady_clock::time_point> patience{};
    std::optional<stop_callback<std::function<void()>>> on_stop{};
  };

  void take_ended() {
    int left = 0;
    while (const CURLMsg* const message = curl_multi_info_read(multi(), &left)) {
      if (message->msg != CURLMSG_DONE) {
        continue;
      }
      void* one = nullptr;
      const CURLcode code = message->data.result;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &one);
      finish(*static_cast<exchange*>(one), code);
    }
    if (has_stops_.exchange(false)) {
      for (std::list<exchange>* const list : {&running_, &waiting_}) {
        for (auto next = list->begin(); next != list->end();) {
          exchange& one = *next++;
          if (one.request.stop.stop_requested()) {
            end(*list, one, CURLE_ABORTED_BY_CALLBACK);
          }
        }
      }
    }
    begin_waiting();
  }

  /// Starts the exchanges in `waiting_`, the oldest first, until `most_running_` exchanges run. The
  /// timeout of an exchange starts in this function.
  void begin_waiting() {
    lacks_descriptor_ = false;
    while (!waiting_.empty() && running_.size() < most_running_) {
      exchange& one = waiting_.front();
      // The exchanges that run here free descriptors when they end. Otherwise, one is enough to
      // try.
      if (!descriptors_.has(running_.empty() ? 1 : exchange_descriptors, running_.size())) {
        if (!may_wait(one)) {
          end_without_descriptor(waiting_, one);
          continue;
        }
        lacks_descriptor_ = true;
        return;
      }
      running_.splice(running_.end(), waiting_, one.self);
      bool is_accepted = false;
      try {
        if (idle_.empty()) {
          idle_.push_back(make_(*settings_));
        }
        one.slot = std::move(idle_.back());
        idle_.pop_back();
        CURL* const easy = one.slot(one.request);
        one.transfer.emplace(multi(), easy, one.request, *settings_);
        curl_easy_setopt(easy, CURLOPT_PRIVATE, static_cast<void*>(&one));
        is_accepted = curl_multi_add_handle(multi(), easy) == CURLM_OK;
        has_begun_ = true;
      } catch (...) {
        is_accepted = false;  // there is no memory for a handle, so only this exchange fails
      }
      if (!is_accepted) {
        end(running_, one, CURLE_FAILED_INIT);
      }
    }
  }

  /// Handles the end of the transfer of a running exchange. If it lacked a file descriptor, the
  /// exchange waits for another try.
  void finish(exchange& one, CURLcode code) {
    if (one.transfer && !one.request.stop.stop_requested() && one.transfer->may_begin_again(code)) {
      return begin_again(one, code);
    }
    if (!one.transfer || one.request.stop.stop_requested() ||
        !one.transfer->lacks_descriptor(code)) {
      return end(running_, one, code);
    }
    descriptors_.note_shortage();
    if (!may_wait(one)) {
      return end_without_descriptor(running_, one);
    }
    const bool is_reusable = one.transfer->is_reusable();
    one.transfer.reset();
    curl_slot slot = std::exchange(one.slot, {});
    if (is_reusable) {
      keep(std::move(slot));
    }
    waiting_.splice(waiting_.begin(), running_, one.self);
  }

  /// Repeats the exchange `one` as a raw exchange. If that cannot begin, the exchange ends with
  /// `code`.
  void begin_again(exchange& one, CURLcode code) {
    bool is_accepted = false;
    try {
      is_accepted = curl_multi_add_handle(multi(), one.transfer->begin_again()) == CURLM_OK;
    } catch (...) {
      is_accepted = false;  // there is no memory, or this libcurl makes no raw exchanges
    }
    if (!is_accepted) {
      end(running_, one, code);
    }
  }

  /// Returns true if an exchange may wait for a file descriptor. Its wait begins with the first
  /// call, and lasts for the timeout of the exchange.
  [[nodiscard]] static bool may_wait(exchange& one) noexcept {
    using std::chrono::steady_clock;
    const auto now = steady_clock::now();
    if (!one.patience) {
      constexpr std::chrono::milliseconds longest = std::chrono::hours{24};
      const auto timeout = one.request.timeout;
      one.patience = now + (timeout.count() == 0 ? longest : (std::min)(timeout, longest));
    }
    return now < *one.patience;
  }

  void end_without_descriptor(std::list<exchange>& list, exchange& one) {
    end_with(list, one, [] { return failed(fetch_error::local, no_descriptor_text); });
  }

  void end(std::list<exchange>& list, exchange& one, CURLcode code) {
    end_with(list, one, [&] {
      return one.transfer ? one.transfer->finish(code)
                          : failed(to_fetch_error(code), "the exchange ended before it began");
    });
  }

  /// Removes `one` from `list` and from the multi handle, and queues the response.
  template <class Response>
  void end_with(std::list<exchange>& list, exchange& one, const Response& response) {
    one.on_stop.reset();  // a stop has no effect any more
    ended_.splice(ended_.end(), list, one.self);
    try {
      one.response = response();
    } catch (...) {
      one.response.error = fetch_error::local;  // there is no memory for the response
    }
    const bool is_reusable = !one.transfer || one.transfer->is_reusable();
    if (one.transfer && one.transfer->last_socket() >= 0) {
      descriptors_.note_socket(one.transfer->last_socket());
    }
    one.transfer.reset();
    if (!is_reusable) {
      one.slot = {};
    }
    if (one.slot && idle_.size() < settings_->options.max_idle_handles) {
      keep(std::move(one.slot));
    }
  }

  /// Keeps a slot for a later exchange, if there is memory.
  void keep(curl_slot slot) noexcept {
    try {
      idle_.push_back(std::move(slot));
    } catch (...) {
      return;  // a later exchange makes a slot
    }
  }

  void perform() {
    has_begun_ = false;
    int running = 0;
    if (curl_multi_perform(multi(), &running) != CURLM_OK) {
      fail_all();
    }
  }

  base::home_process home_{};
  std::shared_ptr<const curl_settings> settings_;
  slot_factory make_;
  std::function<void()> wake_;
  std::atomic<bool> has_stops_ = false;  // true if a stop came after the last `take_ended()`
  curl_multi multi_ = made(curl_multi(curl_multi_init()));
  bool lacks_descriptor_ = false;
  descriptor_supply descriptors_{};
  bool has_begun_ = false;  // true if an exchange has begun since the last `perform()`
  std::vector<curl_slot> idle_;
  std::size_t most_running_ = (std::numeric_limits<std::size_t>::max)();
  // Declared last, so that the exchanges are destroyed before the objects that they use. Each list
  // begins with the oldest exchange.
  std::list<exchange> waiting_;
  std::list<exchange> running_;
  std::list<exchange> ended_;
};

}  // namespace robots::adapters_detail
