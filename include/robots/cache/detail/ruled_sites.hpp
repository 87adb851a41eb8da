#pragma once

#include <robots/base/ascii.hpp>
#include <robots/base/config.hpp>
#include <robots/base/octet_word.hpp>
#include <robots/base/scheme.hpp>
#include <robots/base/striped_mutex.hpp>
#include <robots/cache/detail/denial_listeners.hpp>
#include <robots/http/excluded_hosts.hpp>
#include <robots/http/host_filter.hpp>
#include <robots/http/site.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/policy.hpp>
#include <robots/rep/read/crawler_names.hpp>
#include <robots/rulings/rulings_view.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace robots::cache_detail {

/// The sites on which their robots.txt does not decide.
///
///     find(site) --> a halt or an override                               (rulings_view)
///                --> an excluded host                                    (cache_options::excluded)
///                --> any other ruling, such as a quarantine              (rulings_view)
///                --> nothing: the robots.txt decides
///
/// A cache with `NoRulings` has no view, so only the excluded hosts remain. Any thread may call any
/// member.
class ruled_sites {
 public:
  /// `crawler` must outlive this object. Throws what `excluded_hosts` throws.
  ruled_sites(const crawler_names& crawler, std::span<const std::string> excluded)
      : excluded_policy_(policy::refusal(crawler, decision_reason::excluded)) {
    set_excluded(excluded);
  }

  /// Adds the rulings of the user. Called before any other thread uses this object.
  void use(rulings_view& view) {
    view_ = &view;
    ruled_hosts_ = view.ruled_hosts();
  }

  /// Replaces the excluded hosts. Throws what `excluded_hosts` throws, and then changes nothing.
  void set_excluded(std::span<const std::string> entries) {
    auto next = std::make_shared<const detail::excluded_hosts>(entries);
    const std::scoped_lock lock{mutex_};
    has_exclusions_ = !next->empty();
    excluded_.swap(next);
  }
  [[nodiscard]] std::shared_ptr<const detail::excluded_hosts> excluded() const {
    const std::shared_lock lock{mutex_};
    return excluded_;
  }

  /// Returns true if `find` may find a policy. `key` is a result of `possible_site_key`.
  [[nodiscard]] bool may_hold_for(std::string_view key) const {
    if (ruled_hosts_ != nullptr && !has_exclusions_) {
      return ruled_hosts_->may_have(host_in(key));
    }
    return (view_ != nullptr || has_exclusions_) && may_hold_for_any(key);
  }

  /// Returns the policy of a ruling or an exclusion, or null if the site's robots.txt decides.
  [[nodiscard]] std::shared_ptr<const policy> find(const site& asked) const {
    const bool excludes = is_excluded(asked.host);
    auto ruled = view_ != nullptr ? view_->find(asked, excludes) : nullptr;
    return ruled == nullptr && excludes ? excluded_policy_ : ruled;
  }

  /// Returns false if the site must get no requests.
  [[nodiscard]] bool may_ask(const site& asked) const {
    if (view_ == nullptr) {
      return !is_excluded(asked.host);
    }
    const auto ruled = find(asked);
    return view_->may_ask(asked) &&
           (ruled == nullptr || ruled->reason_for_all_urls() != decision_reason::excluded);
  }

  [[nodiscard]] bool is_halted(const site& asked) const {
    const auto ruled = view_ != nullptr ? find(asked) : nullptr;
    return ruled != nullptr && ruled->refusal_reason() == decision_reason::halted;
  }

  /// Returns the policy of a site in quarantine, or null.
  [[nodiscard]] std::shared_ptr<const policy> quarantined(const site& asked) const {
    auto ruled = view_ != nullptr ? find(asked) : nullptr;
    return ruled != nullptr && ruled->outcome() == outcome::quarantined ? std::move(ruled)
                                                                        : nullptr;
  }
  [[nodiscard]] std::size_t quarantined_count() const {
    return view_ != nullptr ? view_->quarantined().size() : 0;
  }

  /// Calls the functions of `on_denial`.
  void note_denial(std::string_view bare_site) const { listeners_.call(bare_site); }

  /// Calls `on_denied` when a ruling begins to deny a site. Destroy the result to end the calls.
  [[nodiscard]] std::shared_ptr<const void> on_denial(
      std::function<void(std::string_view)> on_denied) {
    return listeners_.add(std::move(on_denied));
  }

 private:
  /// Returns the host of a `site::key`. Faster than `host_of`, since each hit comes here. A text
  /// that is no key can have another host, but no entry of a storage has this key, so the cache
  /// parses it.
  [[nodiscard]] static std::string_view host_in(std::string_view key) noexcept {
    constexpr std::string_view https = "https://";  // compared at once, as in `possible_site_key`
    if (key.size() > https.size() && base::whole_word(key, 0) == base::whole_word(https, 0) &&
        !base::is_digit(key.back())) {  // a port ends with a digit
      return {key.data() + https.size(), key.size() - https.size()};
    }
    return host_in_any(key);
  }

  [[nodiscard]] ROBOTS_NOINLINE static std::string_view host_in_any(std::string_view key) noexcept {
    const std::string_view host = key.substr(base::scheme_prefix(key));
    return host.substr(0, host.starts_with('[') ? host.find(']') + 1 : host.find(':'));
  }

  /// `may_hold_for` if there are excluded hosts, or if the view has no filter.
  [[nodiscard]] ROBOTS_NOINLINE bool may_hold_for_any(std::string_view key) const {
    const std::string_view host = host_in(key);
    return is_excluded(host) || (view_ != nullptr && view_->may_decide_on(host));
  }

  [[nodiscard]] bool is_excluded(std::string_view host) const {
    if (!has_exclusions_) {
      return false;
    }
    const std::shared_lock lock{mutex_};
    return excluded_->contains(host);
  }

  rulings_view* view_ = nullptr;
  const detail::host_filter* ruled_hosts_ = nullptr;  // of `view_`
  const std::shared_ptr<const policy> excluded_policy_;
  mutable base::striped_mutex mutex_;  // guards the next member; each hit can read it
  std::shared_ptr<const detail::excluded_hosts> excluded_;
  std::atomic<bool> has_exclusions_ = false;
  denial_listeners listeners_;
};

}  // namespace robots::cache_detail
