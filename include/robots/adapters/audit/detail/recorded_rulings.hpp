#pragma once

#include <robots/adapters/audit/detail/entry.hpp>
#include <robots/base/decimal.hpp>
#include <robots/base/printable.hpp>
#include <robots/http/excluded_hosts.hpp>
#include <robots/http/host.hpp>
#include <robots/http/origin.hpp>
#include <robots/http/site.hpp>
#include <robots/policy/order_reference.hpp>
#include <robots/policy/site_override.hpp>
#include <robots/rulings/ruled_place.hpp>
#include <robots/rulings/ruling_order.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The order of rulings in a trail, as each cache has learned it:
///
///     rulings    what needs a sign-off, and if there is a ledger          once for each cache
///     halt, override, sign_off, quarantine     an order, with its id      in the order of effect
///     order      the number that the ledger gave to an order later
///     decision --> policy --> the order that it follows, by id and number
///
/// An entry of type `rulings` begins a cache, also if an earlier cache had the same number: a
/// cache can begin at the address at which another one has ended.
///
/// Two things of one order must agree wherever the trail states it: its content and its maker, in
/// all processes; its number, in one process. And a decision must follow an order that was the
/// newest for its place and kind when the decision was made. If the robots.txt of another site
/// decides, because of a redirect, then this site must not be denied by a ruling, either.
///
/// A thread can decide just before an order, and write its entry after it, when the machine lets
/// it. The entry about the use of a page comes when the page has arrived. So a decision need not
/// follow an order that is at most `longest_lateness` older. A call of the ledger can come between
/// the first effect of an order and its entry. So this entry can come up to `longest_lateness`
/// after a decision by the order.
namespace robots::adapters_detail {

/// Returns the order that an entry names. Its id is empty if there is none.
[[nodiscard]] inline order_reference order_named_in(const json_object& entry) {
  order_reference order{.id = entry.text("order_id"), .maker = entry.text("maker")};
  const std::string number = entry.text("order");
  const std::size_t dash = (std::min)(number.find('-'), number.size());
  const std::string_view digits = number;
  order.number.generation = base::parse_decimal(digits.substr(0, dash)).value_or(0);
  order.number.number =
      base::parse_decimal(digits.substr((std::min)(dash + 1, digits.size()))).value_or(0);
  return order;
}

/// An order as an entry states it.
struct stated_order {
  std::uint64_t entry = 0;  ///< the number of the entry
  std::int64_t time = 0;    ///< the time of the entry, in seconds
  order_reference order{};
  std::string site{};  ///< the text of the place
  rulings_detail::ruled_place place{};
  ruling_kind kind{};
  std::string value{};  ///< as `ruling_order::value`
  std::string body{};   ///< the hash of a fixed robots.txt

  /// Reads an entry about a halt, an override, a sign-off or a quarantine. Returns an empty
  /// optional for another entry, and for an entry of an earlier version, which names no order.
  [[nodiscard]] static std::optional<stated_order> read(const audit_entry& entry) {
    stated_order stated{.entry = entry.n(),
                        .time = audit_second(entry.text("time")),
                        .order = order_named_in(entry),
                        .site = entry.text("site")};
    const auto named = parse_site(stated.site);
    if (stated.order.id.empty() || !named) {
      return std::nullopt;
    }
    stated.place = rulings_detail::place_of(*named);
    const std::string type = entry.type();
    if (type == "halt") {
      stated.kind = ruling_kind::halt;
      stated.value = entry.flag("resumed") ? std::string{} : entry.text("reason");
    } else if (type == "override") {
      stated.kind = ruling_kind::site_override;
      const std::string value = entry.text("value");
      stated.value = value == "none" ? std::string{} : value;
      stated.body = entry.text("body");
    } else if (type == "sign_off") {
      stated.kind = ruling_kind::sign_off;
      stated.value = entry.flag("given") ? "given" : "";
    } else if (type == "quarantine") {
      stated.kind = ruling_kind::quarantine;
      stated.value = entry.flag("released") ? "" : "malformed";
    } else {
      return std::nullopt;
    }
    return stated;
  }

  [[nodiscard]] bool is_in_force() const noexcept { return !value.empty(); }

  /// Returns the content of the order for people, without its number.
  [[nodiscard]] std::string content() const {
    std::string text{to_string(kind)};
    text += is_in_force() ? " " + base::printable(value) : std::string{" ended"};
    text += " on " + base::printable(site) + " by " + base::printable(order.maker);
    return body.empty() ? text : text + ", robots.txt " + base::printable(body);
  }

  /// Returns the order and its entry, for people.
  [[nodiscard]] std::string with_entry() const {
    return explain(order) + ", entry " + std::to_string(entry);
  }
};

/// A contradiction between a decision and the orders of a trail.
struct ruling_problem {
  std::string text{};  ///< for people; empty if there is no contradiction
  /// The entry that contradicts the decision. Entries that were lost after it could explain the
  /// decision. 0 if an entry is missing.
  std::uint64_t since = (std::numeric_limits<std::uint64_t>::max)();
};

/// A decision, for a question about the orders that it may follow.
struct ruled_decision {
  std::uint64_t entry = 0;
  std::int64_t time = 0;  ///< in seconds
  const site* asked = nullptr;
  bool is_allowed = false;
  order_reference order{};            ///< the order that the decision follows, or an empty id
  std::optional<ruling_kind> kind{};  ///< the kind that this order must have
  std::string value{};                ///< the value that it must have; empty for any in force
  /// The other sites to which the robots.txt of the site has redirected.
  std::vector<site> targets{};
  std::optional<site> obeyed{};  ///< the site whose robots.txt decides, if it is another
};

/// The orders of one process, as one of its caches has learned them.
class recorded_rulings {
 public:
  /// Notes an entry of type `rulings`.
  void begin(const audit_entry& entry, detail::excluded_hosts high_risk) {
    is_ordered_ = true;
    has_begun_ = true;
    high_risk_ = std::move(high_risk);
    has_own_risk_ = entry.flag("has_own_risk");
    denies_unread_ = entry.flag("denies_unread");
  }

  /// Notes an order. The orders come in the sequence of their entries.
  void add(const stated_order& order) {
    is_ordered_ = true;
    orders_[order.place.host].push_back(order);
    by_id_.try_emplace(order.order.id, order);
  }

  /// Returns false if no entry about the rulings of this cache has an order.
  [[nodiscard]] bool is_ordered() const noexcept { return is_ordered_; }

  /// Returns the order with this id, or null.
  [[nodiscard]] const stated_order* find(const std::string& id) const {
    const auto listed = by_id_.find(id);
    return listed == by_id_.end() ? nullptr : &listed->second;
  }

  /// Returns what is wrong with the order that a decision follows, and with a permission that
  /// ignores another order. `is_awaited` is true if the trail says that the site needs a sign-off.
  [[nodiscard]] ruling_problem problem_of(const ruled_decision& decided, bool is_awaited) const {
    if (!decided.order.id.empty()) {
      if (ruling_problem problem = problem_of_order(decided); !problem.text.empty()) {
        return problem;
      }
    } else if (decided.kind) {
      return {"the decision names no order, though its trail does so"};
    }
    if (decided.kind == ruling_kind::halt) {
      return {};  // it precedes all other rulings; its answers for pages stay unstated
    }
    // Without the entry of type `rulings`, the options of the rulings are unknown.
    const bool is_awaited_here = is_awaited && (has_own_risk_ || !has_begun_);
    if (lacks_sign_off(decided, *decided.asked, is_awaited_here)) {
      return {"no entry signs off the site", 0};
    }
    if (!decided.is_allowed) {
      return {};
    }
    if (ruling_problem problem = problem_of_permission(decided); !problem.text.empty()) {
      return problem;
    }
    return decided.obeyed ? problem_of_redirect(decided, *decided.obeyed) : ruling_problem{};
  }

  /// Returns what is wrong with a decision that denies a site because it needs a sign-off.
  [[nodiscard]] ruling_problem problem_of_missing_sign_off(const ruled_decision& decided) const {
    if (!has_own_risk_ && !high_risk_.contains(decided.asked->host)) {
      return {"the site needs no sign-off", 0};
    }
    for (const choice& one : choices(decided, *decided.asked, ruling_kind::sign_off)) {
      if (!one.may_be_none) {
        return contradiction("the site was signed off: ", *one.orders.front());
      }
    }
    return {};
  }

  /// Returns what is wrong with a decision that denies a site because the ledger was not read yet.
  [[nodiscard]] ruling_problem problem_of_unread() const {
    if (denies_unread_) {
      return {};
    }
    constexpr std::uint64_t missing = 0;
    constexpr auto none = (std::numeric_limits<std::uint64_t>::max)();
    return {"the rulings of its cache are read without a wait", has_begun_ ? none : missing};
  }

 private:
  /// The orders on one place, of which each could be the newest for a decision.
  struct choice {
    std::string site{};  ///< the text of the place
    rulings_detail::ruled_place place{};
    /// If the decision must follow an order on the place, the newest of these is the first.
    std::vector<const stated_order*> orders{};
    bool may_be_none = true;  ///< no ruling, or one that has ended
  };

  [[nodiscard]] static ruling_problem contradiction(std::string text, const stated_order& order) {
    return {std::move(text) + order.with_entry(), order.entry};
  }

  /// Returns the choices for each place that covers an origin of `about`.
  [[nodiscard]] std::vector<choice> choices(const ruled_decision& decided, const site& about,
                                            ruling_kind kind) const {
    std::vector<choice> result;
    const auto listed = orders_.find(about.host);
    if (listed == orders_.end()) {
      return result;
    }
    const auto origins = about.origins();
    std::set<std::string, std::less<>> places;
    for (const stated_order& order : listed->second) {
      const bool covers = std::any_of(origins.begin(), origins.end(),
                                      [&](const origin& one) { return order.place.covers(one); });
      if (order.kind == kind && covers && places.insert(order.site).second) {
        result.push_back(choice_of(order, listed->second, decided));
      }
    }
    return result;
  }

  [[nodiscard]] static choice choice_of(const stated_order& first,
                                        const std::vector<stated_order>& all,
                                        const ruled_decision& decided) {
    choice result{.site = first.site, .place = first.place};
    bool is_none = true;
    for (const stated_order& order : all) {
      if (order.kind != first.kind || order.site != first.site) {
        continue;
      }
      const bool is_before = order.entry < decided.entry;
      if (is_before && order.time + longest_lateness < decided.time) {  // the decision must know it
        result.orders.clear();
        is_none = false;
      } else if (!is_before && order.time > decided.time + longest_lateness) {
        break;
      }
      result.orders.push_back(&order);
    }
    result.may_be_none =
        is_none || std::any_of(result.orders.begin(), result.orders.end(),
                               [](const stated_order* one) { return !one->is_in_force(); });
    return result;
  }

  [[nodiscard]] static bool covers(const rulings_detail::ruled_place& place, const site& asked) {
    const auto origins = asked.origins();
    return std::any_of(origins.begin(), origins.end(),
                       [&](const origin& one) { return place.covers(one); });
  }

  [[nodiscard]] ruling_problem problem_of_order(const ruled_decision& decided) const {
    const stated_order* const stated = find(decided.order.id);
    if (stated == nullptr) {
      return {"no entry states the order that it follows: " + explain(decided.order), 0};
    }
    if (stated->order.maker != decided.order.maker) {
      return {"it follows " + explain(decided.order) +
              ", but the maker of this order is another: " + stated->with_entry()};
    }
    const bool is_as_ruled = stated->kind == decided.kind && stated->is_in_force() &&
                             (decided.value.empty() || stated->value == decided.value);
    if (!is_as_ruled) {
      return {"it follows " + stated->with_entry() + ", but this order is: " + stated->content()};
    }
    const site* about = decided.asked;
    if (!covers(stated->place, *about)) {
      const auto target = std::find_if(decided.targets.begin(), decided.targets.end(),
                                       [&](const site& one) { return covers(stated->place, one); });
      if (target == decided.targets.end()) {
        return {"it follows an order on another site: " + stated->with_entry()};
      }
      about = &*target;
    }
    for (const choice& one : choices(decided, *about, stated->kind)) {
      const auto is_same = [&](const stated_order* other) {
        return other->order.id == decided.order.id;
      };
      const bool may_follow = std::any_of(one.orders.begin(), one.orders.end(), is_same);
      if (one.site != stated->site || may_follow) {
        continue;
      }
      if (decided.entry < stated->entry) {
        return {"it follows an order that came later: " + stated->with_entry()};
      }
      return contradiction("it follows " + stated->with_entry() + ", but a newer order was known: ",
                           *one.orders.front());
    }
    return {};
  }

  [[nodiscard]] bool lacks_sign_off(const ruled_decision& decided, const site& about,
                                    bool is_awaited) const {
    if (!is_awaited && !high_risk_.contains(about.host)) {
      return false;
    }
    const auto is_in_force = [](const stated_order* order) { return order->is_in_force(); };
    const auto signed_off = choices(decided, about, ruling_kind::sign_off);
    return std::none_of(signed_off.begin(), signed_off.end(), [&](const choice& one) {
      return std::any_of(one.orders.begin(), one.orders.end(), is_in_force);
    });
  }

  [[nodiscard]] ruling_problem problem_of_permission(const ruled_decision& decided) const {
    const site& asked = *decided.asked;
    const stated_order* const own = find(decided.order.id);
    const bool is_own = own != nullptr && covers(own->place, asked);
    for (const choice& one : choices(decided, asked, ruling_kind::halt)) {
      if (!one.may_be_none) {
        return contradiction("the site was halted: ", *one.orders.front());
      }
    }
    const bool is_overridden = is_own && own->kind == ruling_kind::site_override;
    for (const choice& one : choices(decided, asked, ruling_kind::site_override)) {
      const bool precedes = !is_overridden || one.place.precision() > own->place.precision();
      if (precedes && !one.may_be_none) {
        return contradiction("an override of the site decided: ", *one.orders.front());
      }
    }
    if (!is_own) {
      for (const choice& one : choices(decided, asked, ruling_kind::quarantine)) {
        if (!one.may_be_none) {
          return contradiction("the site was in quarantine: ", *one.orders.front());
        }
      }
    }
    return {};
  }

  /// Returns what is wrong with a permission by the robots.txt of `target`, to which the site
  /// redirects: a cache does not ask a site that a ruling denies. Overrides of `target` that allow
  /// do not decide about other sites.
  [[nodiscard]] ruling_problem problem_of_redirect(const ruled_decision& decided,
                                                   const site& target) const {
    for (const choice& one : choices(decided, target, ruling_kind::halt)) {
      if (!one.may_be_none) {
        return contradiction("the site of the redirect was halted: ", *one.orders.front());
      }
    }
    if (lacks_sign_off(decided, target, false)) {
      return {"no entry signs off the site of the redirect", 0};
    }
    const auto is_in_force = [](const stated_order* one) { return one->is_in_force(); };
    const auto denies = [](const stated_order* one) {
      return one->value != to_string(site_override::allow) &&
             one->value != to_string(site_override::text);
    };
    const auto overrides = choices(decided, target, ruling_kind::site_override);
    const auto may_be_overridden = [&](int above) {
      return std::any_of(overrides.begin(), overrides.end(), [&](const choice& one) {
        return one.place.precision() > above &&
               std::any_of(one.orders.begin(), one.orders.end(), is_in_force);
      });
    };
    for (const choice& one : overrides) {
      if (!one.may_be_none && std::all_of(one.orders.begin(), one.orders.end(), denies) &&
          !may_be_overridden(one.place.precision())) {
        return contradiction("an override of the site of the redirect decided: ",
                             *one.orders.front());
      }
    }
    const stated_order* const own = find(decided.order.id);
    if (may_be_overridden(-1) || (own != nullptr && own->kind == ruling_kind::quarantine)) {
      return {};
    }
    for (const choice& one : choices(decided, target, ruling_kind::quarantine)) {
      if (!one.may_be_none) {
        return contradiction("the site of the redirect was in quarantine: ", *one.orders.front());
      }
    }
    return {};
  }

  bool is_ordered_ = false;
  bool has_begun_ = false;  // the trail has the entry of type `rulings`
  detail::excluded_hosts high_risk_{};
  bool has_own_risk_ = false;
  bool denies_unread_ = false;
  std::map<std::string, std::vector<stated_order>, std::less<>> orders_;  // by host
  std::map<std::string, stated_order, std::less<>> by_id_;
};

/// Checks that all entries agree about each order.
class order_statements {
 public:
  /// Notes a number that an entry of type `order` gives to an order, or that the first entry of a
  /// cache about it states. The number can change between two caches. `process` counts the
  /// processes of the trail. `scope` distinguishes the caches of all processes.
  void note(std::uint64_t process, const std::string& scope, const order_reference& order,
            bool is_given) {
    if (order.number.generation == 0) {
      return;
    }
    if (is_given || stated_by_.emplace(scope, order.id).second) {
      numbers_[{process, order.id}].insert(order.number);
    }
  }

  /// Returns what is wrong with the number of an order in an entry, or an empty text.
  [[nodiscard]] std::string problem_of_number(std::uint64_t process, const order_reference& order) {
    if (order.id.empty() || order.number.generation == 0) {
      return {};
    }
    auto& known = numbers_[{process, order.id}];
    if (known.empty()) {  // the process ended before it could state the number
      known.insert(order.number);
    }
    if (known.contains(order.number)) {
      return {};
    }
    return "it names " + explain(order) + ", but the number of this order is " +
           to_string(*known.rbegin());
  }

  /// Returns what is wrong with an entry about an order, compared with the earlier ones. `scope`
  /// distinguishes the caches of all processes.
  [[nodiscard]] std::string problem_of(std::uint64_t process, const std::string& scope,
                                       const stated_order& stated) {
    const auto [first, is_first] = contents_.try_emplace(stated.order.id, stated);
    if (!is_first && first->second.content() != stated.content()) {
      return "the order is another one than in entry " + std::to_string(first->second.entry) +
             ": there: " + first->second.content() + "; here: " + stated.content();
    }
    if (std::string problem = problem_of_number(process, stated.order); !problem.empty()) {
      return problem;
    }
    return problem_of_sequence(scope, stated);
  }

  /// Returns what is wrong with an entry of type `order`.
  [[nodiscard]] std::string problem_of_given(const std::string& scope, const order_reference& order,
                                             std::uint64_t entry) {
    const auto first = contents_.find(order.id);
    if (first == contents_.end()) {
      return {};  // the order had ended before the trail began
    }
    stated_order numbered = first->second;
    if (numbered.order.maker != order.maker) {
      return "it names " + explain(order) +
             ", but the maker of this order is another: " + numbered.with_entry();
    }
    numbered.order.number = order.number;
    numbered.entry = entry;
    return problem_of_sequence(scope, numbered);
  }

 private:
  /// A process learns the orders on a place in the sequence of their numbers.
  [[nodiscard]] std::string problem_of_sequence(const std::string& scope,
                                                const stated_order& stated) {
    if (stated.order.number.generation == 0) {
      return {};
    }
    const std::string name = scope + ' ' + std::string{to_string(stated.kind)} + ' ' + stated.site;
    const auto [last, is_first] = last_.try_emplace(name, stated);
    if (!is_first && stated.order.number < last->second.order.number) {
      return "its order has a lower number than an order before it: " + explain(stated.order) +
             ", after " + last->second.with_entry();
    }
    last->second = stated;
    return {};
  }

  std::map<std::pair<std::uint64_t, std::string>, std::set<ruling_number>> numbers_;
  std::set<std::pair<std::string, std::string>> stated_by_;    // scopes and ids
  std::map<std::string, stated_order, std::less<>> contents_;  // by id
  std::map<std::string, stated_order, std::less<>> last_;      // by cache, kind and place
};

}  // namespace robots::adapters_detail
