#pragma once

#include <cstdint>

namespace robots::cache_detail {

/// The age of the entry of a site, for a look-up.
enum class entry_age : std::uint8_t {
  missing,  ///< there is no entry
  fresh,
  renewable,  ///< stale, but it may answer during its renewal (`stale_while_revalidate`)
  over,       ///< too old to answer
};

/// The reason why the shared store must be asked about an entry, as far as messages of the store
/// say.
enum class entry_doubt : std::uint8_t {
  none,
  missed,   ///< messages may have been missed after the entry was stored
  changed,  ///< another process has changed the site
};

/// All that decides on the use of an entry.
struct entry_facts {
  entry_age age = entry_age::missing;
  entry_doubt doubt = entry_doubt::none;
  /// Only an answer that is newer than the entry may be used, since the caller asked for it or
  /// since a page has shown that the rules have changed.
  bool is_rejected = false;
  /// Entries answer during their renewal: `cache_options::stale_while_revalidate` is above 0.
  bool renews_in_background = false;
};

/// The use of an entry for a look-up.
enum class entry_use : std::uint8_t {
  answer,              ///< the entry is the answer
  answer_and_renew,    ///< it is the answer, and somebody fetches a newer one meanwhile
  answer_and_confirm,  ///< it is the answer, and somebody asks the store meanwhile
  /// It is the answer only after the store was asked. If the store cannot be asked now, it is the
  /// answer at once.
  confirm,
  wait,  ///< the look-up waits for a newer answer
};

/// Decides which entry a look-up may use, and what else must happen. This function knows neither
/// the site nor the time; `site_look_up` collects the facts, and acts on the result.
[[nodiscard]] constexpr entry_use use_of(const entry_facts& entry) noexcept {
  if (entry.age == entry_age::missing || entry.age == entry_age::over || entry.is_rejected) {
    return entry_use::wait;
  }
  const bool may_answer_meanwhile =
      entry.renews_in_background && entry.doubt != entry_doubt::changed;
  if (entry.age == entry_age::renewable) {
    return may_answer_meanwhile ? entry_use::answer_and_renew : entry_use::wait;
  }
  if (entry.doubt == entry_doubt::none) {
    return entry_use::answer;
  }
  return may_answer_meanwhile ? entry_use::answer_and_confirm : entry_use::confirm;
}

/// The whole table of `use_of`.
struct entry_use_table {
  using enum entry_age;
  using enum entry_doubt;
  using enum entry_use;
  static constexpr bool rejected = true;
  static constexpr bool in_background = true;

  // Without an entry, or with one that is too old, a look-up waits.
  static_assert(use_of({missing}) == wait);
  static_assert(use_of({missing, none, false, in_background}) == wait);
  static_assert(use_of({over}) == wait);
  static_assert(use_of({over, none, false, in_background}) == wait);
  // A fresh entry answers. In doubt, the store is asked first, or meanwhile.
  static_assert(use_of({fresh}) == answer);
  static_assert(use_of({fresh, none, false, in_background}) == answer);
  static_assert(use_of({fresh, missed}) == confirm);
  static_assert(use_of({fresh, missed, false, in_background}) == answer_and_confirm);
  // After a change, the entry is probably wrong, so it does not answer before the store was asked.
  static_assert(use_of({fresh, changed}) == confirm);
  static_assert(use_of({fresh, changed, false, in_background}) == confirm);
  // A stale entry answers only during its renewal, and not after a change.
  static_assert(use_of({renewable}) == wait);
  static_assert(use_of({renewable, none, false, in_background}) == answer_and_renew);
  static_assert(use_of({renewable, missed, false, in_background}) == answer_and_renew);
  static_assert(use_of({renewable, changed, false, in_background}) == wait);
  // A rejected entry never answers, not even in the background or after a question to the store.
  static_assert(use_of({fresh, none, rejected}) == wait);
  static_assert(use_of({fresh, missed, rejected, in_background}) == wait);
  static_assert(use_of({renewable, none, rejected, in_background}) == wait);
};

}  // namespace robots::cache_detail
