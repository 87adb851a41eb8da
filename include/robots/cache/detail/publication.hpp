#pragma once

#include <robots/cache/detail/resilient_store.hpp>
#include <robots/cache/detail/site_keys.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// Where this file stands: between a `store_work` whose flight has ended, and the shared store.
//
//     prepare(value, older names) --> hide the older records: no look-up of this process reads them
//             |
//             v
//     value(), lifetime() --> the driver publishes --> on_published(answer)
//                                                        |
//                                                        +--> owe the erasure of older records
//                                                        +--> show what was hidden
//
// A publication owns its value and what it hides. If it is destroyed, it shows all again.

namespace robots::cache_detail {

/// The record of a new answer for the other processes of a crawl, and the older records that it
/// replaces. Without a value, nothing is published.
class publication {
 public:
  publication(resilient_store& store, std::shared_ptr<const site_keys> target) noexcept
      : store_(store), target_(std::move(target)) {}
  publication(const publication&) = delete;
  publication& operator=(const publication&) = delete;
  ~publication() { show_hidden(); }

  [[nodiscard]] const std::string& value() const noexcept { return value_; }
  [[nodiscard]] std::chrono::milliseconds lifetime() const noexcept { return lifetime_; }

  /// Sets the value. Called before `prepare`.
  void set_value(std::string value, std::chrono::milliseconds lifetime) noexcept {
    value_ = std::move(value);
    lifetime_ = lifetime;
  }

  /// `replaced` are the other names of the site with older records of the origin that answered. If
  /// `outdates_all` is true, the answer makes all older records of the site wrong.
  ///
  /// Until the publication, no look-up of this process may use these records. By their dates alone,
  /// they can look newer, since the clocks of processes differ.
  void prepare(std::vector<site_keys::name> replaced, bool outdates_all) {
    replaced_ = std::move(replaced);
    outdates_all_ = outdates_all;
    if (!value_.empty()) {
      hide(outdates_all ? target_->names() : replaced_);
    } else if (outdates_all) {
      owe_erasures(true);  // such as after a 304, if the store lacks the confirmed file
    }
  }

  /// Handles the end of the publication. `is_invalidated` is true if the site was invalidated
  /// meanwhile, so that the value must not stay in the store.
  void on_published(bool is_stored, bool is_invalidated) {
    if (outdates_all_ && !value_.empty()) {
      // The records under other names of the site are older than the answer. If the answer was not
      // published, the record under the site's own key is older, too.
      owe_erasures(!is_stored || is_invalidated);
    } else if (is_stored) {
      for (const site_keys::name& name : replaced_) {
        store_.owe(name.key);
      }
    }
    show_hidden();
  }

 private:
  /// Lets a thread erase the older records under the other names of the site. If `all` is true,
  /// also erases the record under the site's own key.
  void owe_erasures(bool all) {
    const std::vector<site_keys::name>& names = target_->names();
    for (auto name = names.begin() + (all ? 0 : 1); name != names.end(); ++name) {
      store_.owe(name->key);
    }
  }

  void hide(const std::vector<site_keys::name>& names) {
    for (const site_keys::name& name : names) {
      std::string key = name.key;
      hidden_.reserve(hidden_.size() + 1);
      store_.hide(key);  // the last call that can throw: `hidden_` names what is hidden
      hidden_.push_back(std::move(key));
    }
  }

  void show_hidden() noexcept {
    for (const std::string& key : hidden_) {
      store_.show(key);
    }
    hidden_.clear();
  }

  resilient_store& store_;
  const std::shared_ptr<const site_keys> target_;
  std::string value_{};
  std::chrono::milliseconds lifetime_{};
  std::vector<site_keys::name> replaced_{};
  bool outdates_all_ = false;
  std::vector<std::string> hidden_{};  // the keys of the older records until the publication
};

}  // namespace robots::cache_detail
