#pragma once

#include <robots/base/config.hpp>
#include <robots/base/hash.hpp>
#include <robots/base/site_table.hpp>
#include <robots/http/excluded_hosts.hpp>
#include <robots/http/site.hpp>
#include <robots/observe/observer.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/fallback.hpp>
#include <robots/policy/policy.hpp>
#include <robots/time/clock.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::rulings_detail {

enum class ruling_kind : std::uint8_t { site_override, halt, sign_off, quarantine };

/// A decision on a site, by a person or by the cache. A lifted ruling is kept with its time. So an
/// older ruling that another process sends afterwards has no effect.
struct ruling {
  ruling_kind kind{};
  std::optional<url_scheme> scheme{};  ///< empty if the ruling applies to both schemes
  /// The value of an override is its `site_override`. The value of a halt is 1 more than its
  /// `halt_reason`. A sign-off or a quarantine has the value 1. A lifted ruling has the value 0.
  std::uint8_t value = 0;
  /// The time of the ruling, in milliseconds since the epoch. The later of two rulings applies.
  std::int64_t stamp = 0;
  bool is_own = false;  ///< this process made the ruling
  /// The policy of a site in quarantine. Other processes do not get this policy.
  std::shared_ptr<const robots::policy> policy{};
};

/// Returns null if there is no ruling of this kind and scheme. The result may have been lifted.
[[nodiscard]] inline const ruling* find_ruling(const std::vector<ruling>& in, ruling_kind kind,
                                               std::optional<url_scheme> scheme = {}) {
  const auto found = std::find_if(in.begin(), in.end(), [&](const ruling& listed) {
    return listed.kind == kind && listed.scheme == scheme;
  });
  return found == in.end() ? nullptr : &*found;
}

/// The rulings on a host and port in this process.
struct ruled_site {
  std::vector<ruling> rulings{};  // at most one ruling for each kind and scheme
  bool awaits_sign_off = false;

  /// Returns the value of the ruling of this kind and scheme, or 0 if there is none.
  [[nodiscard]] std::uint8_t value(ruling_kind kind, std::optional<url_scheme> scheme = {}) const {
    const ruling* const found = find_ruling(rulings, kind, scheme);
    return found == nullptr ? std::uint8_t{0} : found->value;
  }

  /// Returns true if a halt, an override or a quarantine is in force.
  [[nodiscard]] bool decides() const {
    return std::any_of(rulings.begin(), rulings.end(), [](const ruling& own) {
      return own.value > 0 && own.kind != ruling_kind::sign_off;
    });
  }
};

/// The rulings on a host and port, in the form in which processes share them.
struct ruling_record {
  std::string site{};             ///< `site::key` without a scheme
  std::vector<ruling> rulings{};  ///< at most one ruling for each kind and scheme
};

[[nodiscard]] inline std::int64_t stamp_of(wall_time when) noexcept {
  return std::chrono::floor<std::chrono::milliseconds>(when).time_since_epoch().count();
}

/// Returns the key under which a shared store has the rulings on a site.
[[nodiscard]] inline std::string ruling_key(std::string_view bare_site) {
  return std::string{"ruling://"}.append(bare_site);
}

/// Returns the key of the site of `added`. `bare` is the key without a scheme. Does not call
/// `parse_site`, which would turn `host:443` into `https://host`.
[[nodiscard]] inline std::string key_of(const std::string& bare, const ruling& added) {
  return added.scheme ? std::string{to_string(*added.scheme)}.append("://").append(bare) : bare;
}

/// Returns true if a text begins like an encoded record. No key of a site begins like this.
[[nodiscard]] constexpr bool is_ruling_text(std::string_view text) noexcept {
  return text.starts_with("ruling 1 ");
}

/// Returns "ruling 1 HOST", then " KIND SCHEME VALUE STAMP" for each ruling. These four words are
/// numbers. The scheme is 0 for both schemes, 1 for http and 2 for https.
[[nodiscard]] std::string encode(const ruling_record& record);

/// Reads the output of `encode`. Returns an empty optional for every other text.
[[nodiscard]] std::optional<ruling_record> decode_rulings(std::string_view text);

/// The options of a cache that `site_rulings` uses.
struct ruling_options {
  const std::string& user_agent;
  std::span<const std::string> excluded;
  std::span<const std::string> sign_off;
  const std::function<bool(std::string_view host)>& is_high_risk;
  int quarantine_after;
  const detail::any_fallback_policy& fallback;
};

/// Finds the ruling for a site. If several rulings apply, the first of these decides: a halt, an
/// exclusion, a missing sign-off, an override, a quarantine. An exclusion does not apply to a site
/// with an override. Halts and sign-offs apply to a host and port with either scheme.
///
/// With a shared store, rulings apply in every process. `share` sends rulings to the other
/// processes, and `learn` takes over the rulings of other processes. While there are no rulings,
/// look-ups take no lock.
class site_rulings {
 public:
  /// Sends an encoded record to the other processes. `key` is the key in the shared store.
  using sharing = std::function<void(std::string key, std::string text)>;

  /// The arguments, and the objects that they refer to, must outlive this object. `share` is empty
  /// if there is no shared store. Throws what `excluded_hosts` throws.
  site_rulings(const ruling_options& options, detail::event_teller& teller, sharing share = {});

  /// Replaces the excluded hosts. Throws what `excluded_hosts` throws, and then changes nothing.
  void set_excluded(std::span<const std::string> entries);
  [[nodiscard]] std::shared_ptr<const detail::excluded_hosts> excluded() const {
    const std::shared_lock lock{mutex_};
    return excluded_;
  }

  /// Returns true if a ruling may apply to the site of `key`. Then call `find`. `key` is a result
  /// of `possible_site_key`.
  [[nodiscard]] bool may_hold_for(std::string_view key) const {
    return !is_empty() && knows_of(key);
  }

  /// Returns the policy of a ruling, or null if the site's robots.txt decides. If the site needs a
  /// sign-off, the first call for the site sends a `sign_off_event`, and adds the site to
  /// `awaiting_sign_off`.
  [[nodiscard]] std::shared_ptr<const policy> find(const site& asked);

  /// Returns true if the crawler may send requests to a site.
  [[nodiscard]] bool may_ask(const site& asked) {
    const auto ruling = find(asked);
    return ruling == nullptr || !ruling->refused();
  }

  /// Sets or lifts the override of a site.
  void set_override(const site& asked, site_override value) {
    rule(asked.key(), {ruling_kind::site_override, asked.scheme, static_cast<std::uint8_t>(value)});
  }
  /// Returns the overrides in this process, sorted by `site::key`.
  [[nodiscard]] std::vector<std::pair<std::string, site_override>> overrides() const {
    return in_force<site_override>(ruling_kind::site_override, 0);
  }

  /// Halts the site with the key `key`. Has no effect if the site is halted already, or if 65,536
  /// sites are halted. `found_at` is the time when the reason was found. The halt has no effect if
  /// the site was resumed after this time.
  void halt(std::string_view key, halt_reason why,
            const std::shared_ptr<const call_context>& context = {},
            std::optional<std::chrono::sys_seconds> found_at = {});
  /// Lifts a halt. Returns the reason of the halt, or an empty optional if the site was not halted.
  std::optional<halt_reason> resume(std::string_view key) {
    const auto before = rule(key, {.kind = ruling_kind::halt});
    return before ? std::optional{static_cast<halt_reason>(*before - 1)} : std::nullopt;
  }
  [[nodiscard]] bool is_halted(std::string_view key) const {
    if (ruled_ == 0) {
      return false;
    }
    const std::shared_lock lock{mutex_};
    return entry_of(key).value(ruling_kind::halt) > 0;
  }
  /// Returns the halted sites of this process and the reasons, sorted by key without a scheme.
  [[nodiscard]] std::vector<std::pair<std::string, halt_reason>> halted() const {
    return in_force<halt_reason>(ruling_kind::halt, 1);
  }

  /// Returns true if a site needs a sign-off and this process sees the site for the first time.
  /// Then ask the shared store, since another process may have signed the site off already.
  [[nodiscard]] bool may_be_signed_off_elsewhere(const site& asked) const;

  /// Signs a site off, or withdraws the sign-off if `is_given` is false.
  void sign_off(std::string_view key, bool is_given) {
    rule(key, {.kind = ruling_kind::sign_off, .value = std::uint8_t{is_given}});
  }
  /// Returns the sites that wait for a sign-off in this process, sorted.
  [[nodiscard]] std::vector<std::string> awaiting_sign_off() const { return keys(true); }

  /// Counts a malformed file of the site with the key `key`. After
  /// `ruling_options::quarantine_after` files in a row, the site goes into quarantine, unless
  /// 65,536 sites are in quarantine. `make` makes the policy for the quarantine.
  ///
  /// At most 65,536 sites have a count. If there are more, the site that has had no malformed file
  /// for the longest time loses its count.
  void note_malformed(std::string_view key, const std::shared_ptr<const call_context>& context,
                      const std::function<std::shared_ptr<const policy>()>& make);
  /// Releases a site from quarantine and resets its count of malformed files.
  void release(std::string_view key, const std::shared_ptr<const call_context>& context = {});
  /// Returns the policy of a site in quarantine, or null. Also looks under the other name of the
  /// site, such as `host` for `https://host` (`policy_detail::counterpart_of`).
  [[nodiscard]] std::shared_ptr<const policy> quarantined(const site& asked) const;
  /// Returns the keys of the sites in quarantine, sorted.
  [[nodiscard]] std::vector<std::string> all_quarantined() const;
  [[nodiscard]] std::size_t quarantined_count() const noexcept { return quarantined_; }

  /// Calls `on_denied` when a ruling begins to deny a site. The argument is the key of the site
  /// without a scheme. Destroy the result to end the calls.
  [[nodiscard]] std::shared_ptr<const void> on_denial(
      std::function<void(std::string_view)> on_denied);

  /// Merges a record that another process has sent. Returns false and changes nothing if `text` is
  /// not a record, if a ruling is later than `latest`, or if the record is not about `bare_site`.
  /// An empty `bare_site` stands for any site.
  bool learn(std::string_view text, wall_time latest, std::string_view bare_site = {});
  /// Sends the rulings on a site to the other processes if the shared store lacks a ruling of this
  /// process. `shared` holds the rulings on the site in the store.
  void share_missing(const std::string& bare, const std::vector<ruling>& shared);
  /// Returns the keys, without a scheme, of the sites that have a ruling or wait for a sign-off.
  [[nodiscard]] std::vector<std::string> sites_to_ask_about() const { return keys(false); }

 private:
  // The maximum number of halts, of sites in quarantine, of sites with malformed files, and of
  // sites that wait for a sign-off.
  static constexpr std::size_t most_noted = 65'536;
  // With this many sites, a ruling of another process is ignored if the site has no ruling yet.
  static constexpr std::size_t most_learned = 262'144;

  struct malformed_files {
    int count = 0;
    std::int64_t note = 0;  // the number of the last malformed file, counted over all sites
  };

  struct listeners {
    std::mutex mutex;
    std::list<std::function<void(std::string_view)>> all;
  };

  [[nodiscard]] bool is_high_risk(std::string_view host) const;
  [[nodiscard]] bool is_excluded(std::string_view host) const {
    return has_exclusions_ && excluded()->contains(host);
  }
  /// Returns true if no ruling can apply to any site.
  [[nodiscard]] bool is_empty() const noexcept {
    return !has_risks_ && !has_exclusions_ && ruled_ == 0;
  }
  [[nodiscard]] bool knows_of(std::string_view key) const;
  /// Returns the entry of a key, or an empty entry. The caller holds the lock.
  [[nodiscard]] const ruled_site& entry_of(std::string_view key) const {
    static const ruled_site none{};
    const auto found = sites_.find(detail::without_scheme(key));
    return found == sites_.end() ? none : found->second;
  }

  /// Adds a ruling, or replaces an older ruling. Returns the previous value, or an empty optional
  /// if nothing changed. The caller holds the lock.
  std::optional<std::uint8_t> put(const std::string& bare, ruling added);
  /// Makes, shares and reports a ruling of this process. Returns what `put` returns. If the stamp
  /// is 0, the ruling gets the current time.
  std::optional<std::uint8_t> rule(std::string_view key, ruling added,
                                   const std::shared_ptr<const call_context>& context = {});
  void tell(const std::string& bare, const ruling& added, std::uint8_t before,
            const std::shared_ptr<const call_context>& context);
  void note_awaiting(const std::string& bare);
  void share(const std::string& bare);

  /// Returns the rulings of one kind that are in force, sorted by key. `least` is the value of the
  /// first enumerator of `Value`.
  template <class Value>
  [[nodiscard]] std::vector<std::pair<std::string, Value>> in_force(ruling_kind kind,
                                                                    int least) const {
    std::vector<std::pair<std::string, Value>> result;
    std::shared_lock lock{mutex_};
    for (const auto& [bare, own] : sites_) {
      for (const ruling& listed : own.rulings) {
        if (listed.kind == kind && listed.value > 0) {
          result.emplace_back(key_of(bare, listed), static_cast<Value>(listed.value - least));
        }
      }
    }
    lock.unlock();
    std::sort(result.begin(), result.end());
    return result;
  }
  /// Returns the sorted keys, without a scheme, of all sites or of the sites that await a sign-off.
  [[nodiscard]] std::vector<std::string> keys(bool only_awaiting) const;

  const ruling_options options_;
  detail::event_teller& teller_;
  const detail::excluded_hosts high_risk_;
  const bool has_risks_;
  const std::shared_ptr<const policy> allow_;
  const std::shared_ptr<const policy> deny_;
  const std::shared_ptr<const policy> excluded_policy_;
  const std::shared_ptr<const policy> halted_policy_;
  const std::shared_ptr<const policy> unsigned_policy_;
  const sharing share_;
  mutable std::shared_mutex mutex_;  // guards the members below
  std::shared_ptr<const detail::excluded_hosts> excluded_;
  std::atomic<bool> has_exclusions_ = false;
  std::atomic<std::size_t> ruled_ = 0;  // sites whose `decides()` is true; read without the lock
  std::atomic<std::size_t> halted_ = 0;
  std::atomic<std::size_t> quarantined_ = 0;  // read without the lock
  std::size_t awaiting_ = 0;
  std::int64_t notes_ = 0;
  base::site_table<malformed_files> malformed_{most_noted};
  boost::unordered_flat_map<std::string, ruled_site, base::text_hash, std::equal_to<>> sites_;
  const std::shared_ptr<listeners> listeners_ = std::make_shared<listeners>();
};

}  // namespace robots::rulings_detail

#ifndef ROBOTS_COMPILED
#include <robots/rulings/site_rulings.ipp>
#endif
