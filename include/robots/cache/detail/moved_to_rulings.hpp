#pragma once

#include <robots/fetch/call_options.hpp>
#include <robots/policy/site_override.hpp>

#include <concepts>
#include <string_view>
#include <type_traits>

namespace robots::cache_detail {

/// False, but only once a template that asks is used.
template <class...>
inline constexpr bool is_still_here = false;

/// An option of `cache_options` in an earlier version. The option can be read by nobody, and code
/// that sets it does not compile: the message says where the option is now.
class moved_option {
 public:
  moved_option() = default;

  template <class... T>
    requires(sizeof...(T) != 1 || !(std::same_as<std::remove_cvref_t<T>, moved_option> || ...))
  moved_option(T&&... /*value*/) {
    static_assert(is_still_here<T...>,
                  "this option has moved: set it in rulings_options (sign_off is needs_sign_off "
                  "there), and give the cache a SiteRulings{rulings_options} as fifth template "
                  "argument and as sixth argument of the constructor");
  }
};

/// Members of a cache in an earlier version. Code that calls them does not compile: the message
/// says what to write instead.
class moved_members {
 public:
  template <class T = void>
  void halt(std::string_view = {}, const call_options& = {}) {
    static_assert(is_still_here<T>,
                  "write cache.rulings().halt(site), in a cache whose fifth template argument is a "
                  "SiteRulings");
  }
  template <class T = void>
  bool resume(std::string_view = {}) {
    static_assert(is_still_here<T>,
                  "write cache.rulings().resume(site), in a cache whose fifth template argument is "
                  "a SiteRulings");
    return false;
  }
  template <class T = void>
  [[nodiscard]] bool is_halted(std::string_view = {}) const {
    static_assert(is_still_here<T>,
                  "write cache.rulings().find(site).effect == ruling_effect::halted, in a cache "
                  "whose fifth template argument is a SiteRulings");
    return false;
  }
  template <class T = void>
  void halted() const {
    static_assert(is_still_here<T>,
                  "write cache.rulings().in_force(), in a cache whose fifth template argument is a "
                  "SiteRulings");
  }
  template <class T = void>
  void set_override(std::string_view = {}, site_override = {}) {
    static_assert(is_still_here<T>,
                  "write cache.rulings().override_with(site, value), or end_override(site), in a "
                  "cache whose fifth template argument is a SiteRulings");
  }
  template <class T = void>
  void overrides() const {
    static_assert(is_still_here<T>,
                  "write cache.rulings().in_force(), in a cache whose fifth template argument is a "
                  "SiteRulings");
  }
  template <class T = void>
  void sign_off(std::string_view = {}, bool = true) {
    static_assert(is_still_here<T>,
                  "write cache.rulings().sign_off(site), or withdraw_sign_off(site), in a cache "
                  "whose fifth template argument is a SiteRulings");
  }
  template <class T = void>
  void awaiting_sign_off() const {
    static_assert(is_still_here<T>,
                  "write cache.rulings().awaiting_sign_off(), in a cache whose fifth template "
                  "argument is a SiteRulings");
  }
  template <class T = void>
  void release(std::string_view = {}) {
    static_assert(is_still_here<T>,
                  "write cache.rulings().end_quarantine(site), in a cache whose fifth template "
                  "argument is a SiteRulings");
  }
  template <class T = void>
  [[nodiscard]] bool is_quarantined(std::string_view = {}) const {
    static_assert(is_still_here<T>,
                  "write cache.rulings().find(site).effect == ruling_effect::quarantined, in a "
                  "cache whose fifth template argument is a SiteRulings");
    return false;
  }
  template <class T = void>
  void quarantined() const {
    static_assert(is_still_here<T>,
                  "write cache.rulings().in_force(), in a cache whose fifth template argument is a "
                  "SiteRulings");
  }
};

}  // namespace robots::cache_detail
