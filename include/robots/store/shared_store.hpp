#pragma once

#include <robots/base/enum_text.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The store that the processes of a crawl share, as a cache uses it. A key has a value, and a lease
// that is independent of the value:
//
//     load_or_lease --> the value, or the lease: this process fetches, the others wait and load
//     publish(lease) -> stores the value and ends the lease, if it is still ours
//     erase ---------> removes the value and any lease, so that no older fetch can publish
//     announce ------> the value has changed
//                          |
//     watch <--------------+-- the other processes get the key of each erasure and announcement
//
// A store knows no records: it has octets, which the reader checks. It may lose everything at any
// time, and may be down, as a whole or in part.

namespace robots {

/// The exception for a failed call to a shared store. The message names the store. It can quote
/// octets of a reply as they came, so escape it where you print it, as the events do.
class store_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The exception if a call needs a part of a shared store, and this part is down.
class store_part_error : public store_error {
 public:
  using store_error::store_error;
};

/// The exception if a store answers, but refuses a call: it is full or read-only, or its access
/// rules forbid a command. Calls that need less, such as reads, can succeed.
class store_refusal : public store_part_error {
 public:
  using store_part_error::store_part_error;
};

/// The state of a `watch`.
struct watch_state {
  std::uint64_t refusals = 0;  ///< how often the store has refused to report changes
  std::string failure{};       ///< the last refusal; empty while the store reports changes
};

/// The right of one process to fetch the value of a key while other processes wait for the value.
struct store_lease {
  std::string key;    ///< the key of the value
  std::string token;  ///< distinguishes this lease from other leases of the key
};

/// Says in which cases a `store_question` also asks for the lease.
enum class lease_wish : std::uint8_t {
  none,
  if_missing,  ///< asks for the lease if there is no value and nobody holds the lease
  if_free,     ///< asks for the lease if nobody holds it
  take,        ///< takes the lease even if somebody holds it
};

/// Returns the name of the enumerator.
[[nodiscard]] constexpr std::string_view to_string(lease_wish wish) noexcept {
  return base::enum_text<lease_wish::take>(wish, {"none", "if_missing", "if_free", "take"});
}

/// A question about one site: the values under two keys, and the lease.
struct store_question {
  std::string key;                     ///< a key of the site
  std::string other_key;               ///< another key of the site, which can have the same value
  std::string lease_key;               ///< the key of the lease
  lease_wish wish = lease_wish::none;  ///< states when the question asks for the lease
};

/// The reply of a shared store about one site.
struct store_reply {
  std::optional<std::string> value{};        ///< the value under `key`
  std::optional<std::string> other_value{};  ///< the value under `other_key`
  std::optional<store_lease> lease{};        ///< the lease, if the question asked for it and got it
  bool is_answered = false;                  ///< false if the store could not answer the question
  /// If the store is up but has refused the lease, the message of this `store_refusal`.
  std::string refusal{};
};

/// A store that the processes of a crawl share. The keys are results of `site::key`. At any time,
/// the store can be down or lose all data, and unknown programs can write values.
///
/// Any thread may call a store. A call blocks no longer than the timeouts of the store allow. A
/// call that fails throws `store_error`. Keys and values can hold any octets, so the reader of a
/// value must check it. A key is never empty.
///
/// Moving a store also moves its `watch` callback. No thread may call the store during the move. A
/// store of several parts, such as a cluster, works while one part is down. A call that needs this
/// part throws `store_part_error`. `tests/store/store_conformance.hpp` tests all rules of stores.
///
/// Example: after `s.publish(key, value, 1h)`, `s.load(key) == value`, in this process and in any
/// other. Stores: `RedisStore` and `SqliteStore`; `MemoryStore` for tests.
class SharedStore {
 public:
  virtual ~SharedStore() = default;

  /// Returns the last published value of `key`, unless it has expired or was erased or evicted.
  [[nodiscard]] std::optional<std::string> load(std::string_view key) {
    return std::move(load_all(std::array{std::string{key}}).front());
  }

  /// Loads the values of many keys, in the order of `keys`, in few round trips.
  [[nodiscard]] virtual std::vector<std::optional<std::string>> load_all(
      std::span<const std::string> keys) = 0;

  /// Returns the replies to `questions`, in the same order. A lease in a reply expires after
  /// `duration`. A store over a network overrides this member, to answer in few round trips.
  ///
  /// The values and the lease of a reply must show the state of the store at one moment. If a part
  /// of the store is down, the replies to the questions for this part have `is_answered == false`.
  /// If the store refuses a lease, as a full store does, the reply has `is_answered == false` and a
  /// `refusal`. Otherwise, the call throws if no question has an answer. After the default
  /// implementation gets a lease, it loads the values again.
  [[nodiscard]] virtual std::vector<store_reply> load_or_lease(
      std::span<const store_question> questions, std::chrono::milliseconds duration) {
    std::vector<store_reply> replies(questions.size());
    std::size_t lost = 0;
    for (std::size_t i = 0; i < replies.size(); ++i) {
      try {
        answer(replies[i], questions[i], duration);
      } catch (const store_refusal& refused) {
        abandon(replies[i]);
        replies[i].refusal = refused.what();
      } catch (const store_part_error&) {
        abandon(replies[i]);
        if (++lost == replies.size()) {
          throw;
        }
      } catch (...) {
        std::for_each(replies.begin(), replies.end(), [this](auto& reply) { abandon(reply); });
        throw;
      }
    }
    return replies;
  }

  /// Stores the value. Other processes read the whole new value or the old one. Changes no leases.
  /// A lifetime of 0 or less erases the value. With the maximum lifetime, the value does not
  /// expire.
  virtual void publish(std::string_view key, std::string_view value,
                       std::chrono::milliseconds lifetime) = 0;

  /// Publishes the value and ends `lease` in one step. `lease` can be a lease of another key. If
  /// `erase` or `take_lease` has ended the lease, or the lease has expired, stores nothing and
  /// returns false. So after `erase`, no process can store a value that it fetched under an earlier
  /// lease.
  [[nodiscard]] virtual bool publish(std::string_view key, std::string_view value,
                                     std::chrono::milliseconds lifetime,
                                     const store_lease& lease) = 0;

  /// Removes the value of `key` and ends the lease of `key`, even if another process holds it. A
  /// `load` that begins after the end of `erase` does not return the erased value. In the other
  /// processes, `watch` reports the key, even if the key had no value.
  virtual void erase(std::string_view key) = 0;

  /// Notifies the other processes, by `watch`, that their copies of the value are out of date.
  virtual void announce(std::string_view key) = 0;

  /// Returns a lease for `duration` if no process holds one and `duration` is above 0.
  [[nodiscard]] virtual std::optional<store_lease> try_lease(
      std::string_view key, std::chrono::milliseconds duration) = 0;

  /// Takes the lease, even from another process. `duration` must be above 0.
  [[nodiscard]] virtual store_lease take_lease(std::string_view key,
                                               std::chrono::milliseconds duration) = 0;

  /// Ends a lease. Has no effect on a lease that has expired or was taken.
  virtual void release(const store_lease& lease) = 0;

  /// Calls `on_change(key)` within a second after another process erases or announces a key. Any
  /// thread can make the call. If the store may have missed some changes, it calls `on_change("")`.
  ///
  /// A second call of `watch` replaces the function. After `watch({})` or the destruction of the
  /// store, no call of `on_change` is running. `on_change` must neither call the store nor throw.
  virtual void watch(std::function<void(std::string_view)> on_change) = 0;

  /// Returns the state of the watch. `watch` cannot throw later, when the store refuses to report
  /// changes. A cache reads this state after its calls. While a store refuses, it calls
  /// `on_change("")` from time to time. The default implementation is for stores that never refuse.
  [[nodiscard]] virtual watch_state watching() const { return {}; }

 protected:
  SharedStore() = default;
  SharedStore(const SharedStore&) = default;
  SharedStore& operator=(const SharedStore&) = default;

 private:
  void answer(store_reply& reply, const store_question& question,
              std::chrono::milliseconds duration) {
    const auto load_both = [&] {
      auto values = load_all(std::array{question.key, question.other_key});
      reply.value = std::move(values.at(0));
      reply.other_value = std::move(values.at(1));
    };
    load_both();
    const bool is_missing = !reply.value && !reply.other_value;
    if (question.wish == lease_wish::take) {
      reply.lease = take_lease(question.lease_key, duration);
    } else if (question.wish == lease_wish::if_free ||
               (question.wish == lease_wish::if_missing && is_missing)) {
      reply.lease = try_lease(question.lease_key, duration);
    }
    if (reply.lease) {
      load_both();  // the previous holder may have published meanwhile
    }
    reply.is_answered = true;
  }

  /// Empties a reply after a failure. Releases the lease in the reply, since the caller does not
  /// get this reply.
  void abandon(store_reply& reply) noexcept {
    const auto lease = std::exchange(reply, {}).lease;
    try {
      if (lease) {
        release(*lease);
      }
    } catch (...) {
      return;  // the lease expires by itself
    }
  }
};

}  // namespace robots
