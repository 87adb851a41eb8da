#pragma once

#include <robots/cache/cache_options.hpp>
#include <robots/cache/detail/cache_parts.hpp>
#include <robots/cache/detail/far_side.hpp>
#include <robots/cache/detail/rate_limit.hpp>
#include <robots/cache/detail/ruled_sites.hpp>
#include <robots/cache/detail/site_policies.hpp>
#include <robots/cache/detail/valid_options.hpp>
#include <robots/fetch/origin_breakers.hpp>
#include <robots/fetch/retrieval.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Where this file stands: it owns what all look-ups of a cache share, and each look-up, work and
// thread refers to it. Orders of the user come in here, too.
//
//     site_look_up, site_work ----> rulings    which site may not be asked, or is decided already
//                             ----> flights    who works on a site now
//                             ----> policies   entries, judging
//                             ----> far        the shared store, if the storage brings one
//                             ----> parts      fetcher, clock, storage, observer of the user
//
//     forget, invalidate, clear --> detach flights --> erase entries --> detach flights again

namespace robots::cache_detail {

/// The objects that all look-ups of a cache share. `forget` and `invalidate` also apply to the
/// other names of a site (`policy_detail::names_of`). Any thread may call any member.
class look_up_environment {
 public:
  /// Throws `std::invalid_argument` for invalid options. `own` must outlive this object.
  look_up_environment(cache_options&& user_options, cache_parts& own)
      : look_up_environment(validated(std::move(user_options)), own) {}

  /// Handles an answer of the site that `under_way` has asked, or a failure, before any caller sees
  /// it. Returns true if the site has turned hostile.
  bool on_answer(const flight& under_way, const std::shared_ptr<const policy>& after,
                 time_point now, bool is_from_store, bool turned_hostile = false) {
    if (!view) {
      return false;
    }
    const site_answer answer{.site_key = under_way.site_key(),
                             .context = under_way.context,
                             .before = under_way.last(),
                             .after = after,
                             .now = now,
                             .is_forgotten = under_way.detached,
                             .is_from_store = is_from_store,
                             .turned_hostile = turned_hostile};
    return view->on_answer(answer);
  }

  /// Returns no policy if there is no ruling. If `asked` is empty, the result denies `url`.
  [[nodiscard]] found_policy ruling_on(const std::optional<site>& asked,
                                       std::string_view url = {}) {
    if (!asked) {
      return {.policy = policy::refusal(options.names, decision_reason::invalid_url, url)};
    }
    auto ruled = rulings.find(*asked);
    const bool is_known = ruled && ruled->reason_for_all_urls() != decision_reason::excluded;
    return {.policy = std::move(ruled), .from_cache = is_known, .now = parts.now()};
  }

  /// Returns the stored policy of a site or of the target of its redirects, even if it has expired.
  [[nodiscard]] std::shared_ptr<const policy> kept_policy(site asked) {
    const time_point now = parts.now();
    for (int hops = 0;; ++hops) {
      auto entry = policies.find(site_keys{asked}, now).policy;
      const auto url = entry ? entry->leads_to() : std::nullopt;
      const auto target = url ? parse_site(*url) : std::nullopt;
      if (!target || hops == options.max_redirects) {
        return url ? nullptr : entry;
      }
      asked = *target;
    }
  }

  /// Returns the number of the crawler for which `used` is a policy of `asked`, if `ruled`, the
  /// policy of the ruling on this site, or the stored policy has it. Otherwise, returns 0.
  [[nodiscard]] std::size_t agent_with(const std::shared_ptr<const policy>& used,
                                       const policy& ruled, const site& asked) {
    const auto stored = kept_policy(asked);
    for (const policy* const all : {&ruled, stored.get()}) {
      for (std::size_t i = 0; all != nullptr && i < all->others().size(); ++i) {
        if (all->others()[i] == used) {
          return i + 1;
        }
      }
    }
    return 0;
  }

  /// Returns the sites to which the stored answers of a site redirect, in order, without the site.
  [[nodiscard]] std::vector<site> stored_targets(const site& asked) {
    const time_point now = parts.now();
    std::vector<site> all = policy_detail::names_of(asked);
    const std::size_t names = all.size();
    const std::size_t most = names + static_cast<std::size_t>(options.max_redirects);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto entry = policies.find(site_keys{all[i]}, now).policy;
      const auto url = entry ? entry->leads_to() : std::nullopt;
      const auto target = url ? parse_site(*url) : std::nullopt;
      if (target && all.size() < most && std::find(all.begin(), all.end(), *target) == all.end()) {
        all.push_back(*target);
      }
    }
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(names));
    return all;
  }

  /// Returns true if an order about another site may renew the rules of `target`, to which that
  /// site redirects. This is possible once in `cache_options::min_ttl`. Otherwise, many sites that
  /// redirect to one site could cause many requests to this site.
  [[nodiscard]] bool may_renew_target(const site& target) {
    return target_renewals_.take(policy_detail::flight_key(target), parts.now());
  }

  /// Erases the rules of a site in this process. Passes on exceptions of the storage.
  void forget(const site& asked) {
    const std::vector<site> names = policy_detail::names_of(asked);
    // No flight may store an old result. A flight that already runs can have one. A flight that
    // begins during the loop can have one, too, if it reads an entry before the loop erases it.
    detach(names);
    for (const site& name : names) {
      policies.forget(name.key());
    }
    detach(names);
  }

  /// Forgets a site. Also lets a thread erase the site in the shared store.
  void invalidate(const site& asked) {
    if (far_tier) {
      far_tier->owe_erasures(asked);
    }
    forget(asked);
  }

  /// Like `invalidate`, but also forgets the sites to which the stored answers redirect.
  void invalidate_with_targets(const site& asked) {
    const std::vector<site> targets = stored_targets(asked);
    static_cast<void>(may_renew_target(asked));
    invalidate(asked);
    for (const site& target : targets) {
      if (may_renew_target(target)) {
        invalidate(target);
      }
    }
  }

  void clear() {
    flights.detach_all();
    policies.forget_all();
    flights.detach_all();
  }

  void detach(const std::vector<site>& names) {
    for (const site& name : names) {
      flights.detach(policy_detail::flight_key(name));
    }
  }

  const cache_options options;
  cache_parts& parts;
  ruled_sites rulings{options.names, options.excluded};
  site_policies policies{options, parts};
  single_flight flights{};
  rate_limit refusals{1, 4'096};              ///< permits one event about a refusal in 10 seconds
  detail::valid_retrieval_options retrieval;  ///< of every fetch
  /// The store that other processes share, and what belongs to it. Null if the storage of the cache
  /// is of this process alone. Uses the members above.
  const std::unique_ptr<far_side> far_tier = parts.far_side_of(*this);
  /// The rulings that the user has chosen; null for `NoRulings`. Only the constructor sets it.
  /// Destroyed first, since it uses the other members.
  std::unique_ptr<rulings_view> view{};

 private:
  look_up_environment(valid_options&& chosen, cache_parts& own)
      : options(std::move(chosen.all)), parts(own), retrieval(std::move(chosen.retrieval)) {
    parts.crawler = options.names.token(options.parse.dialect);
    detail::unchecked_retrieval_options& common = retrieval.unchecked();
    common.breakers = std::make_shared<detail::origin_breakers>(
        options.breaker, [this](std::string_view origin, breaker_state now) {
          parts.tell(breaker_event{parts.about(origin), now});
        });
    common.leave_to_other_sites = true;
    common.may_ask = [this](const origin& target) {
      const auto asked = parse_site(to_string(target));
      return asked && rulings.may_ask(*asked);
    };
    view = parts.view_of_rulings(context());
    if (view) {
      rulings.use(*view);
    }
  }

  rate_limit target_renewals_{1, 65'536, options.min_ttl};

  [[nodiscard]] rulings_context context() {
    std::vector<std::string> others;
    others.reserve(options.other_agents.size());
    for (const crawler_names& other : options.other_agents) {
      others.emplace_back(other.token(options.parse.dialect));
    }
    return {.teller = parts,
            .crawler = options.names,
            .fallback = options.fallback,
            .other_agents = std::move(others),
            .observes_changes = parts.observes_changes,
            .read = [this](const site& asked,
                           std::string_view text) { return policy_of_text(asked, text); },
            .renew = [this](const site& asked) { renew(asked); },
            .on_denied = [this](std::string_view bare_site) { rulings.note_denial(bare_site); }};
  }

  /// Lets the next look-up of a site fetch its robots.txt. A fetch that runs already is too old.
  void renew(const site& asked) {
    detach(policy_detail::names_of(asked));
    policies.suspect(asked, std::chrono::seconds{0});
  }

  /// Returns the policy that the site has with this robots.txt.
  [[nodiscard]] std::shared_ptr<const policy> policy_of_text(const site& asked,
                                                             std::string_view text) {
    const wall_anchor now = parts.moment();
    record given;
    given.url = given.final_url = asked.robots_urls().front();
    given.outcome = outcome::success;
    given.status = 200;
    given.fetched_at = std::chrono::floor<std::chrono::seconds>(now.wall);
    given.body = text;
    return policies.judged(given, {}, now, nullptr);
  }
};

}  // namespace robots::cache_detail
