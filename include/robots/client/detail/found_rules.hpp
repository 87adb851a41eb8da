#pragma once

#include <robots/cache/cache_options.hpp>
#include <robots/fetch/call_options.hpp>
#include <robots/http/message.hpp>
#include <robots/observe/page_outcome.hpp>
#include <robots/policy/decision.hpp>
#include <robots/policy/policy.hpp>
#include <robots/time/clock.hpp>

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace robots::client_detail {

/// Returns the options of a call that has no time. With them, a cache answers at once: by a ruling,
/// by a stored policy, or by the fallback policy.
[[nodiscard]] inline call_options without_time(const call_options& call) {
  call_options at_once = call;
  at_once.deadline = (time_point::min)();
  return at_once;
}

/// The rules that the look-ups of an event loop have found, as a `PolicySource` that never blocks:
///
///     look-up of the page ends --> decision, policy --use--> found_rules
///                                                                |
///     admission, reservation --check, get--> a ruling denies the page now? --yes--> the ruling
///                                                                +--no--> what the look-up found
///
/// The cache itself is no such source: it would fetch rules that have expired or that it has lost,
/// and wait without end for a look-up that the same loop drives. So the caller decides when a page
/// needs another look-up. Only one thread may use it, except `on_denial`.
template <class Cache>
class found_rules {
 public:
  /// `cache` must outlive this object.
  explicit found_rules(Cache& cache) : cache_(cache) {}

  /// The next questions are about a page for which a look-up has found `first` and, if it was
  /// looked up again, the newer policy `latest`.
  void use(decision first, std::shared_ptr<const policy> latest) {
    first_ = std::move(first);
    latest_ = std::move(latest);
  }

  [[nodiscard]] decision check(std::string_view url, const call_options& call) {
    const bool is_ruled = first_.allowed && cache_.is_denied(url, call);
    return is_ruled ? cache_.check(url, latest_, call) : first_;
  }
  [[nodiscard]] std::shared_ptr<const policy> get(std::string_view url, const call_options& call) {
    if (!cache_.is_denied(url, call)) {
      return latest_;
    }
    auto ruled = cache_.get(url, without_time(call));
    // If another thread has just ended the ruling, the cache answers as for a call without time. A
    // fallback policy could allow more than the rules that the look-up has found.
    const bool is_ruled = ruled->reason_for_all_urls() || ruled->order() != nullptr;
    return is_ruled ? ruled : latest_;
  }

  // The other functions are those of the cache; none of them blocks.

  [[nodiscard]] const cache_options& options() const noexcept { return cache_.options(); }
  [[nodiscard]] auto on_denial(std::function<void(std::string_view site)> on_denied) {
    return cache_.on_denial(std::move(on_denied));
  }
  void report_decision(std::string_view url, const decision& decided, const call_options& call) {
    cache_.report_decision(url, decided, call);
  }
  bool report_response(std::string_view url, int status, bool is_challenge,
                       const call_options& call) {
    return cache_.report_response(url, status, is_challenge, call);
  }
  page_outcome report_response(std::string_view url, int status,
                               std::span<const http_header> headers, bool is_challenge,
                               const call_options& call) {
    return cache_.report_response(url, status, headers, is_challenge, call);
  }

 private:
  Cache& cache_;
  decision first_{};
  std::shared_ptr<const policy> latest_{};
};

}  // namespace robots::client_detail
