#pragma once

#include <concepts>
#include <memory>

namespace robots {

class rulings_view;
struct rulings_context;

/// The rulings of a cache whose user chose none: each robots.txt decides. Costs nothing.
struct NoRulings {};

/// The part of a cache that decides on whole sites, before their robots.txt does.
///
/// `rulings.view(context)` returns the `rulings_view` through which one cache asks, or null. The
/// cache moves the rulings into itself, calls `view` once, and destroys the view before it destroys
/// the rulings. The objects of the context outlive the view.
///
/// Models: `NoRulings`, which has no view, and `SiteRulings`.
template <class R>
concept Rulings =
    std::same_as<R, NoRulings> ||
    (std::move_constructible<R> && requires(R& rulings, const rulings_context& context) {
      { rulings.view(context) } -> std::convertible_to<std::unique_ptr<rulings_view>>;
    });

}  // namespace robots
