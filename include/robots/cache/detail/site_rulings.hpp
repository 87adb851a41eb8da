#pragma once

#include <robots/cache/cache_options.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/cache/detail/exclusion_list.hpp>
#include <robots/cache/detail/shared_names.hpp>
#include <robots/http/excluded_hosts.hpp>
#include <robots/http/site.hpp>
#include <robots/http/site_key.hpp>
#include <robots/observe/events.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/halt_reason.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/site_override.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::cache_detail {

/// What holds for a site before its robots.txt. The first of these that applies counts: a halt; an
/// exclusion, unless the site has an override; a missing sign-off; an override.
///
/// Halts and sign-offs hold for a host and port whatever the scheme. Any thread; no lock for a site
/// that is on no list while there are no halts and overrides.
class site_rulings {
 public:
  /// All of them outlive it.
  site_rulings(const cache_options& options, const exclusion_list& excluded, cache_parts& parts)
      : options_(options),
        parts_(parts),
        excluded_(excluded),
        high_risk_(options.sign_off, "sign_off"),
        has_risks_(!high_risk_.empty() || options.is_high_risk),
        allow_(policy::by_hand(options.user_agent, true)),
        deny_(policy::by_hand(options.user_agent, false)),
        excluded_policy_(policy::refusal(options.user_agent, decision_reason::excluded)),
        halted_policy_(policy::refusal(options.user_agent, decision_reason::halted)),
        unsigned_policy_(policy::refusal(options.user_agent, decision_reason::needs_sign_off)) {}

  /// Whether something but its robots.txt may hold for the site of `key`, as `possible_site_key`
  /// gives it: then `find` knows.
  [[nodiscard]] bool may_hold_for(std::string_view key) const {
    if (has_risks_ || !excluded_.empty()) {
      const std::string_view host = host_of_site_key(key);
      if (excluded_.contains(host) || is_high_risk(host)) {
        return true;
      }
    }
    if (ruled_ == 0) {
      return false;
    }
    const std::shared_lock lock{mutex_};
    const auto rules_on = [this](std::string_view name) {
      const entry* const found = find_entry(name);
      return found != nullptr && found->rules();
    };
    const std::string_view bare = without_scheme(key);
    if (rules_on(key) || bare.size() != key.size()) {
      return rules_on(key) || rules_on(bare);
    }
    return rules_on("https://" + std::string{bare}) || rules_on("http://" + std::string{bare});
  }

  /// What holds for a site; null where its robots.txt decides. Notes who waits for a
  /// sign-off, and tells of it the first time.
  [[nodiscard]] std::shared_ptr<const policy> find(const site& where) {
    if (!has_risks_ && excluded_.empty() && ruled_ == 0) {
      return nullptr;
    }
    const std::string key = where.key();
    const std::string_view bare = without_scheme(key);
    site_override told = site_override::none;
    bool is_signed_off = false;
    bool awaits = false;
    {
      const std::shared_lock lock{mutex_};
      if (const entry* const found = find_entry(bare)) {
        if (found->halted) {
          return halted_policy_;
        }
        is_signed_off = found->signed_off;
        awaits = found->awaits;
      }
      for (const site& name : names_of(where)) {
        const entry* const found = find_entry(name.key());
        if (found != nullptr && found->told != site_override::none) {
          told = found->told;
          break;
        }
      }
    }
    if (told == site_override::none && excluded_.contains(where.host)) {
      return excluded_policy_;
    }
    if (!is_signed_off && is_high_risk(where.host)) {
      if (!awaits) {
        note_awaiting(std::string{bare});
      }
      return unsigned_policy_;
    }
    return told == site_override::none ? nullptr : told == site_override::allow ? allow_ : deny_;
  }

  /// Whether the crawler may send requests to a site. Notes sites that wait for a sign-off.
  [[nodiscard]] bool may_ask(const site& where) {
    const auto ruling = find(where);
    return ruling == nullptr || !ruling->refused();
  }

  /// Sets or lifts the override of a site.
  void set_override(const site& where, site_override what) {
    const std::string key = where.key();
    change(key, [&](entry& own) { own.told = what; });
    parts_.tell(override_event{parts_.about(key), what});
  }

  [[nodiscard]] std::vector<std::pair<std::string, site_override>> overrides() const {
    std::vector<std::pair<std::string, site_override>> result;
    for_each([&](const std::string& key, const entry& each) {
      if (each.told != site_override::none) {
        result.emplace_back(key, each.told);
      }
    });
    return result;
  }

  /// Halts the site of a key, and tells of it. Without effect on one that is halted, and where so
  /// many are as may be.
  void halt(std::string_view key, halt_reason why,
            const std::shared_ptr<const call_context>& context = {}) {
    const std::string bare{without_scheme(key)};
    bool is_news = false;
    change(bare, [&](entry& own) {
      is_news = !own.halted && halted_ < most_noted;
      if (is_news) {
        own.halted = why;
        ++halted_;
      }
    });
    if (!is_news) {
      return;
    }
    parts_.tell(halt_event{parts_.about(bare, context), why, false});
    const std::scoped_lock lock{listeners_->mutex};
    for (const auto& listener : listeners_->all) {
      try {
        listener(bare);
      } catch (...) {
        continue;  // the site is halted all the same
      }
    }
  }

  /// Lifts a halt. Returns the reason of it, or nothing if there was none.
  std::optional<halt_reason> resume(std::string_view key) {
    const std::string bare{without_scheme(key)};
    std::optional<halt_reason> was;
    change(bare, [&](entry& own) {
      was = std::exchange(own.halted, std::nullopt);
      halted_ -= was ? 1U : 0U;
    });
    if (was) {
      parts_.tell(halt_event{parts_.about(bare), *was, true});
    }
    return was;
  }

  [[nodiscard]] bool is_halted(std::string_view key) const {
    if (ruled_ == 0) {
      return false;
    }
    const std::shared_lock lock{mutex_};
    const entry* const found = find_entry(without_scheme(key));
    return found != nullptr && found->halted;
  }

  [[nodiscard]] std::vector<std::pair<std::string, halt_reason>> halted() const {
    std::vector<std::pair<std::string, halt_reason>> result;
    for_each([&](const std::string& key, const entry& each) {
      if (each.halted) {
        result.emplace_back(key, *each.halted);
      }
    });
    return result;
  }

  /// Has `told` called with the key of each site that is halted, for as long as the result lives.
  [[nodiscard]] std::shared_ptr<const void> on_halt(std::function<void(std::string_view)> told) {
    const std::scoped_lock lock{listeners_->mutex};
    const auto place = listeners_->all.insert(listeners_->all.end(), std::move(told));
    return {listeners_.get(), [shared = listeners_, place](const void* /*nothing*/) {
              const std::scoped_lock held{shared->mutex};
              shared->all.erase(place);
            }};
  }

  /// Signs a site off, or takes that back.
  void sign_off(std::string_view key, bool given) {
    const std::string bare{without_scheme(key)};
    change(bare, [&](entry& own) {
      own.signed_off = given;
      awaiting_ -= own.awaits ? 1U : 0U;
      own.awaits = false;
    });
    parts_.tell(sign_off_event{parts_.about(bare), given});
  }

  [[nodiscard]] std::vector<std::string> awaiting_sign_off() const {
    std::vector<std::string> result;
    for_each([&](const std::string& key, const entry& each) {
      if (each.awaits) {
        result.push_back(key);
      }
    });
    return result;
  }

 private:
  static constexpr std::size_t most_noted = 65'536;  // halts, and sites that wait for a sign-off

  struct entry {
    site_override told = site_override::none;
    std::optional<halt_reason> halted{};
    bool signed_off = false;
    bool awaits = false;  // a sign-off

    [[nodiscard]] bool rules() const noexcept { return halted || told != site_override::none; }
    [[nodiscard]] bool says_something() const noexcept { return rules() || signed_off || awaits; }
  };

  struct listeners {
    std::mutex mutex;
    std::list<std::function<void(std::string_view)>> all;
  };

  [[nodiscard]] bool is_high_risk(std::string_view host) const {
    try {
      return high_risk_.contains(host) || (options_.is_high_risk && options_.is_high_risk(host));
    } catch (...) {
      return true;  // the user's function failed: a person decides
    }
  }

  [[nodiscard]] const entry* find_entry(std::string_view key) const {
    const auto found = sites_.find(key);
    return found == sites_.end() ? nullptr : &found->second;
  }

  template <class Change>
  void change(const std::string& key, const Change& make) {
    const std::scoped_lock lock{mutex_};
    const auto place = sites_.try_emplace(key).first;
    ruled_ -= place->second.rules() ? 1U : 0U;
    make(place->second);
    ruled_ += place->second.rules() ? 1U : 0U;
    if (!place->second.says_something()) {
      sites_.erase(place);
    }
  }

  void note_awaiting(const std::string& bare) {
    bool is_news = false;
    change(bare, [&](entry& own) {
      is_news = !own.signed_off && !own.awaits && awaiting_ < most_noted;
      if (is_news) {
        own.awaits = true;
        ++awaiting_;
      }
    });
    if (is_news) {
      parts_.tell(sign_off_event{parts_.about(bare), false, true});
    }
  }

  template <class Visit>
  void for_each(const Visit& visit) const {
    const std::shared_lock lock{mutex_};
    for (const auto& [key, each] : sites_) {
      visit(key, each);
    }
  }

  const cache_options& options_;
  cache_parts& parts_;
  const exclusion_list& excluded_;
  const excluded_hosts high_risk_;
  const bool has_risks_;
  const std::shared_ptr<const policy> allow_;
  const std::shared_ptr<const policy> deny_;
  const std::shared_ptr<const policy> excluded_policy_;
  const std::shared_ptr<const policy> halted_policy_;
  const std::shared_ptr<const policy> unsigned_policy_;
  mutable std::shared_mutex mutex_;     // of what follows
  std::atomic<std::size_t> ruled_ = 0;  // sites with a halt or an override; read without the lock
  std::size_t halted_ = 0;
  std::size_t awaiting_ = 0;
  std::map<std::string, entry, std::less<>> sites_;
  const std::shared_ptr<listeners> listeners_ = std::make_shared<listeners>();
};

}  // namespace robots::cache_detail
