#pragma once

#include <robots/base/inline.hpp>
#include <robots/base/text_hash.hpp>
#include <robots/http/excluded_hosts.hpp>
#include <robots/http/site.hpp>
#include <robots/observe/event_teller.hpp>
#include <robots/policy/any_fallback_policy.hpp>
#include <robots/policy/halt_reason.hpp>
#include <robots/policy/judge_options.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/site_override.hpp>
#include <robots/rulings/exclusion_list.hpp>
#include <robots/rulings/quarantine.hpp>
#include <robots/rulings/ruling.hpp>
#include <robots/time/clock.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

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

/// What `site_rulings` needs to know of the options of a cache.
struct ruling_options {
  const std::string& user_agent;
  std::span<const std::string> sign_off;
  const std::function<bool(std::string_view host)>& is_high_risk;
  int quarantine_after;
  const any_fallback_policy& fallback;
};

/// What holds for a site before its robots.txt. The first of these that applies counts: a halt; an
/// exclusion, unless the site has an override; a missing sign-off; an override; quarantine.
///
/// Halts and sign-offs hold for a host and port whatever the scheme. With a shared store, rulings
/// hold in every process: `share` gets what the others must learn, and `learn` takes what they
/// share. Any thread. There is no lock for a site on no list while there are no rulings.
class site_rulings {
 public:
  /// Passes a record on to the other processes: its key in the shared store, and its text.
  using sharing = std::function<void(std::string key, std::string text)>;

  /// What the arguments refer to outlives it. `share` is empty if there is no shared store.
  site_rulings(const ruling_options& options, const exclusion_list& excluded, event_teller& teller,
               sharing share = {});

  /// Returns true if something but its robots.txt may hold for the site of `key`, as
  /// `possible_site_key` gives it. Then `find` knows.
  [[nodiscard]] bool may_hold_for(std::string_view key) const {
    const bool knows_nothing =
        !has_risks_ && excluded_.empty() && quarantine_.size() == 0 && ruled_ == 0;
    return !knows_nothing && knows_of(key);
  }

  /// Returns what holds for a site, or null if its robots.txt decides. Notes who waits for a
  /// sign-off, and tells of it the first time.
  [[nodiscard]] std::shared_ptr<const policy> find(const site& where);

  /// Returns true if the crawler may send requests to a site. Notes sites that wait for a sign-off.
  [[nodiscard]] bool may_ask(const site& where) {
    const auto ruling = find(where);
    return ruling == nullptr || !ruling->refused();
  }

  /// Sets or lifts the override of a site.
  void set_override(const site& where, site_override what);
  /// Returns the overrides in this process, by `site::key`, in order.
  [[nodiscard]] std::vector<std::pair<std::string, site_override>> overrides() const;

  /// Halts the site of a key, and tells of it. Has no effect if it is halted, or if as many sites
  /// are as may be. With `found_at`, it was found out at that time, and a site that was resumed
  /// since is not halted.
  void halt(std::string_view key, halt_reason why,
            const std::shared_ptr<const call_context>& context = {},
            std::optional<std::chrono::sys_seconds> found_at = {});
  /// Lifts a halt. Returns the reason of it, or nothing if there was none.
  std::optional<halt_reason> resume(std::string_view key);
  /// Returns true if the site of a key is halted.
  [[nodiscard]] bool is_halted(std::string_view key) const;
  /// Returns the halted sites in this process, by their keys without a scheme, in order.
  [[nodiscard]] std::vector<std::pair<std::string, halt_reason>> halted() const;

  /// Returns true if a site needs a sign-off and this process has not met it yet: another process
  /// may know of one.
  [[nodiscard]] bool may_be_signed_off_elsewhere(const site& where) const;

  /// Signs a site off, or takes that back.
  void sign_off(std::string_view key, bool given);
  /// Returns the sites that wait for a sign-off in this process, in order.
  [[nodiscard]] std::vector<std::string> awaiting_sign_off() const;

  /// Counts a malformed file of the site of a key. `make` makes the policy for quarantine.
  template <class Make>
  void note_malformed(std::string_view key, const std::shared_ptr<const call_context>& context,
                      const Make& make) {
    if (quarantine_.note_malformed(key, make)) {
      note_quarantine(key, true, context);
    }
  }
  /// Releases a site from quarantine, and forgets its malformed files.
  void release(std::string_view key, const std::shared_ptr<const call_context>& context = {}) {
    if (quarantine_.release(key)) {
      note_quarantine(key, false, context);
    }
  }
  /// Returns what holds for a site in quarantine, under either of the names that share its rules.
  /// Null if it is not in quarantine.
  [[nodiscard]] std::shared_ptr<const policy> quarantined(const site& where) const;
  /// The sites in quarantine.
  [[nodiscard]] const quarantine& all_quarantined() const noexcept { return quarantine_; }

  /// Has `told` called with the key of each site that a ruling denies from now on, for as long as
  /// the result lives.
  [[nodiscard]] std::shared_ptr<const void> on_denial(std::function<void(std::string_view)> told);

  /// Takes what another process has shared. Returns false if `text` must not be believed: it is no
  /// record, it is from after `latest`, or it is not of `bare_site`, if that is given.
  bool learn(std::string_view text, wall_time latest, std::string_view bare_site = {});
  /// Takes it that the shared store has no record of a site: it gets what this process has ruled.
  void learn_of_none(std::string_view bare_site);
  /// Returns the sites on which this process knows a ruling or waits for one, by their keys without
  /// a scheme.
  [[nodiscard]] std::vector<std::string> sites_to_ask_about() const;

 private:
  static constexpr std::size_t most_noted = 65'536;     // halts, and sites that wait for a sign-off
  static constexpr std::size_t most_learned = 262'144;  // sites whose rulings others have made

  struct entry {
    std::vector<ruling> rulings;
    bool awaits_sign_off = false;

    [[nodiscard]] const ruling* find(ruling_kind kind, std::optional<url_scheme> scheme = {}) const;
    [[nodiscard]] std::uint8_t value(ruling_kind kind,
                                     std::optional<url_scheme> scheme = {}) const {
      const ruling* const found = find(kind, scheme);
      return found == nullptr ? std::uint8_t{0} : found->value;
    }
    [[nodiscard]] bool denies_or_allows() const;
    [[nodiscard]] bool says_something() const;
  };

  struct listeners {
    std::mutex mutex;
    std::list<std::function<void(std::string_view)>> all;
  };

  [[nodiscard]] bool is_high_risk(std::string_view host) const;
  [[nodiscard]] bool knows_of(std::string_view key) const;
  [[nodiscard]] std::int64_t stamp_now() noexcept;

  /// Puts a ruling in place of an older one. Returns the value before, or nothing if nothing was
  /// changed. The lock is held.
  std::optional<std::uint8_t> put(const std::string& bare, const ruling& made);
  /// Makes a ruling of this process: now, if it has no stamp. Returns the value before, or nothing
  /// if nothing was changed.
  std::optional<std::uint8_t> rule(const std::string& bare, ruling made, bool only_if_none = false);
  void tell(const std::string& bare, const ruling& made, std::uint8_t before,
            const std::shared_ptr<const call_context>& context);
  void note_quarantine(std::string_view key, bool held,
                       const std::shared_ptr<const call_context>& context);
  void note_awaiting(const std::string& bare);
  void share(const std::string& bare);
  void tell_denial(std::string_view key);
  [[nodiscard]] std::shared_ptr<const policy> policy_for_quarantine(const site& where) const;

  template <class Visit>
  void for_each(const Visit& visit) const;

  const ruling_options options_;
  event_teller& teller_;
  const exclusion_list& excluded_;
  const excluded_hosts high_risk_;
  const bool has_risks_;
  const std::shared_ptr<const policy> allow_;
  const std::shared_ptr<const policy> deny_;
  const std::shared_ptr<const policy> excluded_policy_;
  const std::shared_ptr<const policy> halted_policy_;
  const std::shared_ptr<const policy> unsigned_policy_;
  quarantine quarantine_;
  const sharing share_;
  mutable std::shared_mutex mutex_;     // guards what follows
  std::atomic<std::size_t> ruled_ = 0;  // sites with a halt or override; read without the lock
  std::size_t halted_ = 0;
  std::size_t awaiting_ = 0;
  boost::unordered_flat_map<std::string, entry, base::text_hash, std::equal_to<>> sites_;
  const std::shared_ptr<listeners> listeners_ = std::make_shared<listeners>();
};

}  // namespace robots::rulings_detail

#ifndef ROBOTS_COMPILED
#include <robots/rulings/site_rulings.ipp>
#endif
