#pragma once

#include <robots/base/hash.hpp>
#include <robots/base/saturating_add.hpp>
#include <robots/base/stop_token.hpp>
#include <robots/base/text_table.hpp>
#include <robots/http/host.hpp>
#include <robots/http/host_filter.hpp>
#include <robots/http/site.hpp>
#include <robots/http/site_key.hpp>
#include <robots/observe/events.hpp>
#include <robots/policy/decision_reason.hpp>
#include <robots/policy/halt_reason.hpp>
#include <robots/policy/judge.hpp>
#include <robots/policy/order_reference.hpp>
#include <robots/policy/policy.hpp>
#include <robots/policy/site_names.hpp>
#include <robots/policy/site_override.hpp>
#include <robots/rulings/detail/malformed_counts.hpp>
#include <robots/rulings/detail/site_alarms.hpp>
#include <robots/rulings/order_news.hpp>
#include <robots/rulings/ruled_place.hpp>
#include <robots/rulings/ruling_order.hpp>
#include <robots/rulings/rulings_options.hpp>
#include <robots/rulings/rulings_view.hpp>
#include <robots/rulings/site_rulings.hpp>
#include <robots/time/steady_clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace robots::rulings_detail {

/// A `SiteRulings` as one cache sees it.
///
///     cache --- find, may_ask ---> the rulings in memory, as policies for the cache's crawler
///     cache --- on_answer -------> alarms -----> an order, which holds at once
///     cache <-- events, renew ---- each order, also that of another process
///     cache <-- events ----------- the orders in force at first, and each new number of an order
///
/// The memory of the alarms belongs to the view, so two caches with the same rulings compare what
/// they have seen themselves.
class site_rulings_view final : public rulings_view, private alarm_actions {
 public:
  site_rulings_view(SiteRulings rulings, const rulings_context& context)
      : rulings_(std::move(rulings)),
        context_(context),
        alarms_(options_of(rulings_.options(), context), context.teller, *this),
        unsigned_(policy::refusal(context.crawler, decision_reason::needs_sign_off)),
        unread_(policy::refusal(context.crawler, decision_reason::unread)) {
    const rulings_options& own = rulings_.options();
    context_.teller.tell(
        rulings_event{context_.teller.about({}),
                      {own.needs_sign_off.data(), own.needs_sign_off.size()},
                      static_cast<bool>(own.is_high_risk),
                      own.ledger != nullptr,
                      own.ledger != nullptr && own.without_ledger == unread_ledger::denies});
    subscription_ = rulings_.on_news(
        [this](const ruling_order& order, order_news why) { take_news(order, why); });
  }

  void wait_until_ready(std::optional<std::chrono::nanoseconds> longest,
                        const stop_token& stop) override {
    if (rulings_.is_read()) {
      return;
    }
    std::optional<time_point> until;
    if (longest) {  // the time of the ledger is real time, even if that of the cache is not
      until = base::saturating_add(SteadyClock{}.now(), *longest);
    }
    static_cast<void>(rulings_.wait_until_read(until, stop));
  }

  [[nodiscard]] bool may_decide_on(std::string_view host) const override {
    return rulings_.may_decide_on(host);
  }
  [[nodiscard]] const detail::host_filter* ruled_hosts() const noexcept override {
    return rulings_.ruled_hosts();
  }

  [[nodiscard]] std::shared_ptr<const policy> find(const site& asked, bool is_excluded) override {
    const site_ruling ruling = rulings_.find(asked);
    switch (ruling.effect) {
      case ruling_effect::none:
        return nullptr;
      case ruling_effect::unread:
        return is_excluded ? nullptr : unread_;
      case ruling_effect::halted:
      case ruling_effect::allowed:
      case ruling_effect::denied:
        return policy_by(ruling, asked, ruling.order->id);
      case ruling_effect::needs_sign_off:
        if (is_excluded) {
          return nullptr;
        }
        if (rulings_.note_awaiting(asked)) {
          const std::string key = covering_both_schemes(asked).key();
          context_.teller.tell(sign_off_event{context_.teller.about(key), false, true});
        }
        return unsigned_;
      case ruling_effect::quarantined:
        if (is_excluded) {
          return nullptr;
        }
        [[fallthrough]];
      case ruling_effect::fixed_text:
        return policy_by(ruling, asked, ruling.order->id + ' ' + asked.key());
    }
    return unread_;  // no effect has another name
  }

  [[nodiscard]] bool may_ask(const site& asked) override { return rulings_.find(asked).may_ask(); }

  bool on_answer(const site_answer& answer) override {
    alarms_.note_change(answer);
    const bool turned_hostile = alarms_.halt_if_due(answer);
    if (!answer.is_from_store) {
      alarms_.note_malformed(answer);
    }
    return turned_hostile;
  }

  void on_access_revoked(std::string_view site_key,
                         const std::shared_ptr<const call_context>& context) override {
    if (rulings_.options().halt_revoked) {
      const alarm_context held{*this, site_key, context};
      static_cast<void>(rulings_.raise_halt(site_key, halt_reason::access_revoked, {}));
    }
  }

  [[nodiscard]] std::vector<std::string> quarantined() const override {
    std::vector<std::string> sites;
    for (const ruling_order& order : rulings_.in_force()) {
      if (order.kind == ruling_kind::quarantine) {
        sites.push_back(order.site);
      }
    }
    return sites;
  }

 private:
  /// Holds the context of an alarm for the event about its order, until the order was made.
  class alarm_context {
   public:
    alarm_context(site_rulings_view& view, std::string_view site_key,
                  const std::shared_ptr<const call_context>& context)
        : view_(view), host_(host_of(site_key)) {
      const std::scoped_lock lock{view_.notes_mutex_};
      view_.contexts_[host_] = context;
    }
    ~alarm_context() {
      const std::scoped_lock lock{view_.notes_mutex_};
      view_.contexts_.erase(host_);
    }
    alarm_context(const alarm_context&) = delete;
    alarm_context& operator=(const alarm_context&) = delete;

   private:
    site_rulings_view& view_;
    const std::string host_;
  };

  /// Returns the context of the alarm that has made an order. Returns null for other orders.
  [[nodiscard]] std::shared_ptr<const call_context> context_of(const ruling_order& order) {
    const std::scoped_lock lock{notes_mutex_};
    const auto* const listed = contexts_.find(host_of(order.site));
    return listed == nullptr ? nullptr : *listed;
  }

  [[nodiscard]] static alarm_settings options_of(const rulings_options& own,
                                                 const rulings_context& context) {
    return {.halt_hostile = own.halt_hostile.value_or(context.fallback.halts_hostile()),
            .halt_unreachable_after = own.halt_unreachable_after,
            .halt_revoked = own.halt_revoked,
            .fast_change_share = own.fast_change_share,
            .fast_change_within = own.fast_change_within,
            .observes_changes = context.observes_changes,
            .halt_hostile_to_others = own.halt_hostile_to_others,
            .other_agents = context.other_agents};
  }

  void halt(const site_answer& answer, halt_reason why, const std::string& fingerprint) override {
    const alarm_context held{*this, answer.site_key, answer.context};
    static_cast<void>(rulings_.raise_halt(answer.site_key, why, fingerprint));
  }

  void note_malformed(const site_answer& answer) override {
    const int after = rulings_.options().quarantine_after;
    std::unique_lock lock{malformed_mutex_};
    const bool is_due = after > 0 && malformed_.add(answer.site_key) >= after;
    lock.unlock();
    if (is_due) {
      const alarm_context held{*this, answer.site_key, answer.context};
      static_cast<void>(rulings_.raise_quarantine(answer.site_key));
    }
  }

  void note_sound(const site_answer& answer) override { forget_malformed(answer.site_key); }

  void forget_malformed(std::string_view site_key) {
    const std::scoped_lock lock{malformed_mutex_};
    malformed_.erase(site_key);
  }

  [[nodiscard]] bool has_accepted_rules(std::string_view site_key) override {
    return rulings_.has_accepted_rules(site_key);
  }

  [[nodiscard]] bool has_accepted(std::string_view site_key,
                                  std::string_view fingerprint) override {
    return rulings_.has_accepted(site_key, fingerprint);
  }

  /// Keeps what the event about the end of a ruling needs.
  void note(const ruling_order& order) {
    if (order.kind == ruling_kind::halt) {
      const std::scoped_lock lock{notes_mutex_};
      if (order.is_in_force()) {
        reasons_[order.site] = reason_of(order);
      } else {
        reasons_.erase(order.site);
      }
    }
  }

  [[nodiscard]] static halt_reason reason_of(const ruling_order& order) noexcept {
    for (const halt_reason why :
         {halt_reason::hostile, halt_reason::access_revoked, halt_reason::unreachable}) {
      if (order.value == to_string(why)) {
        return why;
      }
    }
    return halt_reason::by_hand;
  }

  [[nodiscard]] halt_reason earlier_reason(const ruling_order& order) {
    const std::scoped_lock lock{notes_mutex_};
    const halt_reason* const listed = reasons_.find(order.site);
    return listed == nullptr ? halt_reason::by_hand : *listed;
  }

  /// Returns the override that an order makes. An unknown value is that of a newer version: it must
  /// not turn into an allow.
  [[nodiscard]] static site_override override_by(const ruling_order& order) noexcept {
    if (!order.is_in_force()) {
      return site_override::none;
    }
    for (const site_override value : {site_override::allow, site_override::text}) {
      if (order.value == to_string(value)) {
        return value;
      }
    }
    return site_override::deny;
  }

  /// Returns true if an order takes permissions away.
  [[nodiscard]] static bool denies(const ruling_order& order) noexcept {
    switch (order.kind) {
      case ruling_kind::site_override: {
        const site_override value = override_by(order);
        return value == site_override::deny || value == site_override::text;
      }
      case ruling_kind::sign_off:
        return !order.is_in_force();
      case ruling_kind::halt:
      case ruling_kind::quarantine:
        break;
    }
    return order.is_in_force();
  }

  /// Sends the event about an order. `why` is the reason of a halt that begins or ends.
  void tell(const ruling_order& order, halt_reason why) {
    const std::shared_ptr<const call_context> context = context_of(order);
    const event_base about = context_.teller.about(order.site, context);
    const bool holds = order.is_in_force();
    switch (order.kind) {
      case ruling_kind::site_override: {
        const site_override value = override_by(order);
        const bool is_text = value == site_override::text;
        context_.teller.tell(override_event{about, value, reference_to(order),
                                            is_text ? std::string_view{order.detail} : ""});
        break;
      }
      case ruling_kind::halt:
        context_.teller.tell(halt_event{about, why, !holds, reference_to(order), order.detail});
        break;
      case ruling_kind::sign_off:
        context_.teller.tell(sign_off_event{about, holds, false, reference_to(order)});
        break;
      case ruling_kind::quarantine:
        context_.teller.tell(quarantine_event{about, !holds, reference_to(order)});
        break;
    }
  }

  /// Reports an order to the observer and, if it changes a ruling, to the cache.
  void take_news(const ruling_order& order, order_news news) {
    const auto named = parse_site(order.site);
    if (!named) {
      return;
    }
    if (news == order_news::numbered) {
      const event_base about = context_.teller.about(order.site);
      return context_.teller.tell(order_event{about, reference_to(order)});
    }
    const bool holds = order.is_in_force();
    const halt_reason why = holds ? reason_of(order) : earlier_reason(order);
    tell(order, why);
    note(order);
    if (news == order_news::in_force) {
      return;
    }
    if (!holds && (order.kind == ruling_kind::halt || order.kind == ruling_kind::quarantine)) {
      // Only the end of an alarm's halt accepts what the site answers now.
      const bool accepts =
          order.kind == ruling_kind::halt && (why != halt_reason::by_hand || !order.detail.empty());
      for (const site& name : policy_detail::names_of(*named)) {
        const std::string key = name.key();
        if (accepts) {
          alarms_.begin_anew(key);
        }
        forget_malformed(key);
      }
      context_.renew(*named);
    }
    if (denies(order)) {
      context_.on_denied(detail::without_scheme(order.site));
    }
  }

  /// Returns the policy of a ruling. Keeps some of these policies, under `key`.
  [[nodiscard]] std::shared_ptr<const policy> policy_by(const site_ruling& ruling,
                                                        const site& asked, const std::string& key) {
    constexpr std::size_t most = 1'024;
    std::unique_lock lock{notes_mutex_};
    // When an order gets its number, it becomes another object.
    if (const policy_of_order* const listed = policies_.find(key);
        listed != nullptr && listed->order == ruling.order) {
      return listed->policy_now;
    }
    lock.unlock();
    auto policy_now =
        policy::by_order(*policy_without_order(ruling, asked),
                         std::make_shared<const order_reference>(reference_to(*ruling.order)));
    lock.lock();
    if (policies_.size() >= most) {
      policies_.clear();
    }
    policies_[key] = {ruling.order, policy_now};
    return policy_now;
  }

  [[nodiscard]] std::shared_ptr<const policy> policy_without_order(const site_ruling& ruling,
                                                                   const site& asked) const {
    if (ruling.effect == ruling_effect::fixed_text) {
      return context_.read(asked, ruling.order->detail);
    }
    if (ruling.effect == ruling_effect::quarantined) {
      return quarantined_policy(asked);
    }
    if (ruling.effect == ruling_effect::halted) {
      return policy::refusal(context_.crawler, decision_reason::halted);
    }
    return policy::by_hand(context_.crawler, ruling.effect == ruling_effect::allowed);
  }

  [[nodiscard]] std::shared_ptr<const policy> quarantined_policy(const site& asked) const {
    record_head source;
    source.url = source.final_url = asked.robots_urls().front();
    source.status = 200;
    return detail::quarantined(std::move(source), "its files are malformed again and again",
                               context_.crawler, context_.fallback);
  }

  /// The policy that an order has made.
  struct policy_of_order {
    std::shared_ptr<const ruling_order> order;
    std::shared_ptr<const policy> policy_now;
  };

  SiteRulings rulings_;
  const rulings_context context_;
  site_alarms alarms_;
  const std::shared_ptr<const policy> unsigned_;
  const std::shared_ptr<const policy> unread_;
  std::mutex malformed_mutex_;
  malformed_counts malformed_{65'536};
  std::mutex notes_mutex_;  // guards the next three members
  base::text_table<halt_reason> reasons_;
  base::text_table<policy_of_order> policies_;
  /// By host: the contexts of the alarms that make an order now.
  base::text_table<std::shared_ptr<const call_context>> contexts_;
  std::shared_ptr<const void> subscription_{};  // destroyed first
};

/// Makes the view of one cache. `site_rulings.bodies.hpp` declares this function, too: whichever of
/// the two files is included first, both find what they need.
[[nodiscard]] inline std::unique_ptr<rulings_view> make_view(const SiteRulings& rulings,
                                                             const rulings_context& context) {
  return std::make_unique<site_rulings_view>(rulings, context);
}

}  // namespace robots::rulings_detail
