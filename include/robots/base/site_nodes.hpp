#pragma once

#include <robots/base/config.hpp>
#include <robots/base/text_nodes.hpp>

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string_view>

namespace robots::base {

/// The part of a `site_table` that does not depend on the type of its values.
///
///     nodes_   key --> node of a site, which has the value
///     order_   estimate of the time from which the node may be forgotten --> the same node
///
/// An estimate is never later than that time, so the first nodes of the order are those to look at.
class site_nodes {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  struct node;
  using order = std::multimap<time_point, node*>;

  struct node : text_nodes::node {
    using text_nodes::node::node;
    order::iterator place{};
  };

  /// A reference to a function that returns the time from which a node may be forgotten.
  struct until_function {
    const void* until;
    time_point (*call)(const void* until, const node& entry);

    time_point operator()(const node& entry) const { return call(until, entry); }
  };

  explicit site_nodes(std::size_t capacity) : capacity_{capacity} {}

  [[nodiscard]] node* find(std::string_view key) const noexcept {
    return static_cast<node*>(nodes_.find(key));
  }

  /// Forgets a few nodes that are not needed any more. Returns false if there is no room for one
  /// more node; see `site_table::find_or_add`.
  [[nodiscard]] bool make_room(time_point now, time_point latest, until_function until);

  /// Adds a node whose key is new. Changes nothing if it throws `std::bad_alloc`.
  void add(std::unique_ptr<node> added, time_point when);

  /// Moves a node in the order if `when` is earlier than its estimate.
  void forget_after(node& entry, time_point when) noexcept;

  void erase(const node& gone) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
  [[nodiscard]] const node* first() const noexcept {
    return static_cast<const node*>(nodes_.first());
  }
  [[nodiscard]] const node* after(const node& last) const noexcept {
    return static_cast<const node*>(nodes_.after(last));
  }

 private:
  void move(node& entry, time_point when) noexcept;

  std::size_t capacity_;
  text_nodes nodes_;
  order order_;
};

}  // namespace robots::base

#ifndef ROBOTS_COMPILED
#include <robots/base/site_nodes.bodies.hpp>
#endif
