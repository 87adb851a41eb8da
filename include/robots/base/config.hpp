#pragma once

#if defined(_MSVC_LANG) ? _MSVC_LANG < 202002L : __cplusplus < 202002L
#error "robots-cpp needs C++20: compile with -std=c++20 (MSVC: /std:c++20)"
#include <compile_with_std_cxx20>  // does not exist: ends the compilation here
#endif

// ROBOTS_INLINE is before each function in a NAME.ipp. By default, NAME.hpp includes NAME.ipp. To
// compile faster, define ROBOTS_COMPILED in all files. Then one file must include robots/src.hpp,
// which includes each NAME.ipp. The target robots::compiled does this. Constexpr functions stay in
// NAME.hpp, so that constant expressions always work.
#ifdef ROBOTS_COMPILED
#define ROBOTS_INLINE
#else
#define ROBOTS_INLINE inline
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#define ROBOTS_ALWAYS_INLINE [[msvc::forceinline]]
#define ROBOTS_NOINLINE [[msvc::noinline]]
#else
#define ROBOTS_ALWAYS_INLINE [[gnu::always_inline]]
#define ROBOTS_NOINLINE [[gnu::noinline]]
#endif
