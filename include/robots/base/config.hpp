#pragma once

#if defined(_MSVC_LANG) ? _MSVC_LANG < 202002L : __cplusplus < 202002L
#error "robots-cpp needs C++20: compile with -std=c++20 (MSVC: /std:c++20)"
#include <compile_with_std_cxx20>  // does not exist: ends the compilation here
#endif

#include <robots/base/compiled_marker.hpp>

// NAME.bodies.hpp defines the ordinary functions that NAME.hpp declares. Each of these definitions
// begins with ROBOTS_INLINE. By default, NAME.hpp includes NAME.bodies.hpp. To compile faster,
// define ROBOTS_COMPILED in all files, and include robots/src.hpp in one of them. robots/src.hpp
// includes each NAME.bodies.hpp. The CMake target robots::compiled defines ROBOTS_COMPILED and
// compiles a file that includes robots/src.hpp. Constexpr functions stay in NAME.hpp, so that
// constant expressions always work. If only some files of a program define the macro, the linker
// refuses: see compiled_marker.hpp.
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
