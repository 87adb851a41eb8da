// The transfers under way in one multi handle of libcurl, whoever drives it.
#pragma once

#include <robots/adapters/curl_multi_options.hpp>
#include <robots/adapters/detail/curl_exchange.hpp>
#include <robots/adapters/detail/curl_handle.hpp>
#include <robots/adapters/detail/curl_settings.hpp>
#include <robots/adapters/detail/curl_transfer.hpp>
#include <robots/http/message.hpp>

#include <curl/curl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <list>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

namespace robots::adapters_detail {

/// libcurl counts connections in a long, where 0 means no limit.
[[nodiscard]] constexpr long curl_count(std::size_t count) noexcept {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());
  return static_cast<long>(std::min(count, most));
}

/// Begins exchanges in a multi handle and takes the responses off those that have ended. Somebody
/// else drives the handle, and calls `collect()` now and then. One thread at a time, while a
/// request may be stopped from any.
class curl_transfers {
 public:
  using on_done = std::function<void(fetch_response)>;

  /// `wake` is called, from any thread, when a stop waits for `collect()`; it must not throw.
  /// Throws what `curl_settings` throws.
  curl_transfers(const curl_multi_options& options, std::function<void()> wake)
      : settings_(options.curl), wake_(std::move(wake)) {
    const long most = curl_count(options.max_connections);
    curl_multi_setopt(multi_.get(), CURLMOPT_MAX_TOTAL_CONNECTIONS, most);
    curl_multi_setopt(multi_.get(), CURLMOPT_MAX_HOST_CONNECTIONS,
                      curl_count(options.max_host_connections));
    // How many are kept open while idle; libcurl's own figure grows with the transfers.
    curl_multi_setopt(
        multi_.get(), CURLMOPT_MAXCONNECTS,
        most != 0 ? most : curl_count(std::max<std::size_t>(settings_.max_idle_handles(), 1)));
    idle_.push_back(new_easy());  // an option that this libcurl cannot follow shows here
  }

  curl_transfers(const curl_transfers&) = delete;
  curl_transfers& operator=(const curl_transfers&) = delete;

  /// Ends what is under way without a word.
  ~curl_transfers() = default;

  [[nodiscard]] CURLM* multi() const noexcept { return multi_.get(); }

  /// Begins an exchange; a later `collect()` calls `done` with the response.
  void start(fetch_request request, on_done done) {
    if (std::optional<fetch_response> refused = refusal(request, settings_)) {
      ready_.push_back({std::move(done), *std::move(refused)});
      return;
    }
    curl_easy easy = take_easy();
    under_way_.emplace_back(*this, std::move(easy), std::move(request), std::move(done));
    entry& begun = under_way_.back();
    begun.self = std::prev(under_way_.end());
    if (!begun.membership.added()) {
      end(begun, CURLE_FAILED_INIT);
    }
  }

  /// Calls back for every exchange that has ended. Returns for how many. What a callback throws
  /// comes out; those after it are for the next time. A callback may start exchanges.
  std::size_t collect() {
    take_ended();
    std::size_t called = 0;
    for (std::size_t left = ready_.size(); left > 0 && !ready_.empty(); --left) {
      ended_exchange next = std::move(ready_.front());
      ready_.pop_front();
      ++called;
      next.done(std::move(next.response));
    }
    return called;
  }

  /// Ends all exchanges: the multi handle is of no use any more.
  void fail_all() {
    while (!under_way_.empty()) {
      end(under_way_.front(), CURLE_FAILED_INIT);
    }
  }

  /// Exchanges that were begun and not yet called back for.
  [[nodiscard]] std::size_t in_flight() const noexcept { return under_way_.size() + ready_.size(); }

  /// Whether `collect()` has something to call back for at once.
  [[nodiscard]] bool has_ended() const noexcept { return !ready_.empty(); }

  [[nodiscard]] std::uint64_t connections_opened() const noexcept { return opened_; }

 private:
  struct entry;

  struct stopper {
    curl_transfers* owner;
    entry* which;
    void operator()() const noexcept { owner->note_stopped(*which); }
  };

  struct entry {
    entry(curl_transfers& owner, curl_easy with, fetch_request what, on_done then)
        : easy(std::move(with)),
          request(std::move(what)),
          done(std::move(then)),
          transfer(easy.get(), request, owner.settings_),
          membership((curl_easy_setopt(easy.get(), CURLOPT_PRIVATE, static_cast<void*>(this)),
                      owner.multi_.get()),
                     easy.get()) {
      on_stop.emplace(request.stop, stopper{&owner, this});
    }
    entry(const entry&) = delete;
    entry& operator=(const entry&) = delete;
    ~entry() = default;

    curl_easy easy;
    fetch_request request;
    on_done done;
    curl_transfer transfer;
    curl_membership membership;
    std::list<entry>::iterator self{};
    std::list<entry*> mark{this};  // goes to stopped_ and back, so that a stop allocates nothing
    std::optional<std::stop_callback<stopper>> on_stop;
  };

  struct ended_exchange {
    on_done done;
    fetch_response response;
  };

  void note_stopped(entry& which) noexcept {
    {
      const std::scoped_lock lock{mutex_};
      stopped_.splice(stopped_.end(), which.mark);
    }
    wake_();
  }

  [[nodiscard]] entry* next_stopped() {
    const std::scoped_lock lock{mutex_};
    return stopped_.empty() ? nullptr : stopped_.front();
  }

  void take_ended() {
    int left = 0;
    while (const CURLMsg* const message = curl_multi_info_read(multi_.get(), &left)) {
      if (message->msg != CURLMSG_DONE) {
        continue;
      }
      void* which = nullptr;
      const CURLcode code = message->data.result;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &which);
      end(*static_cast<entry*>(which), code);
    }
    while (entry* const which = next_stopped()) {
      end(*which, CURLE_ABORTED_BY_CALLBACK);
    }
  }

  /// Takes an exchange out of the multi handle, and its response off it.
  void end(entry& which, CURLcode code) {
    which.on_stop.reset();  // from here on nobody marks it
    {
      const std::scoped_lock lock{mutex_};
      if (which.mark.empty()) {
        stopped_.remove(&which);
      }
    }
    std::list<entry> ended;
    ended.splice(ended.begin(), under_way_, which.self);
    which.membership.leave();
    opened_ += static_cast<std::uint64_t>(opened_connections(which.easy.get()));
    ready_.push_back({std::move(which.done), {}});
    try {
      ready_.back().response = which.transfer.finish(code);
    } catch (...) {
      ready_.back().response.error = fetch_error::other;  // no memory for the response
    }
    curl_easy easy = std::move(which.easy);
    ended.clear();
    if (idle_.size() < settings_.max_idle_handles()) {
      idle_.push_back(std::move(easy));
    }
  }

  [[nodiscard]] curl_easy new_easy() const {
    curl_easy easy = make_curl_easy();
    settings_.apply(easy.get());
    return easy;
  }

  [[nodiscard]] curl_easy take_easy() {
    if (idle_.empty()) {
      return new_easy();
    }
    curl_easy easy = std::move(idle_.back());
    idle_.pop_back();
    return easy;
  }

  curl_settings settings_;
  std::function<void()> wake_;
  std::mutex mutex_;
  std::list<entry*> stopped_;  // guarded by mutex_
  curl_multi multi_ = make_curl_multi();
  std::vector<curl_easy> idle_;
  std::deque<ended_exchange> ready_;
  std::uint64_t opened_ = 0;
  std::list<entry> under_way_;  // last: ends before what it stands on
};

}  // namespace robots::adapters_detail
