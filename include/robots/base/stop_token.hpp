#pragma once

#include <robots/base/own_stop_token.hpp>

#include <version>

#if defined(__cpp_lib_jthread) && !defined(ROBOTS_OWN_STOP_TOKEN)
#include <stop_token>
#include <thread>

namespace robots {

/// `std::stop_token`, or a class like it if the standard library has none.
using stop_token = std::stop_token;
/// `std::stop_source`, or a class like it.
using stop_source = std::stop_source;
/// `std::stop_callback`, or a class like it.
template <class Callback>
using stop_callback = std::stop_callback<Callback>;

namespace base {

using jthread = std::jthread;
inline constexpr std::nostopstate_t nostopstate = std::nostopstate;

}  // namespace base

}  // namespace robots
#else

namespace robots {

using stop_token = base::own_stop_token;
using stop_source = base::own_stop_source;
template <class Callback>
using stop_callback = base::own_stop_callback;

namespace base {

using jthread = own_jthread;
inline constexpr own_nostopstate_t nostopstate{};

}  // namespace base

}  // namespace robots
#endif
