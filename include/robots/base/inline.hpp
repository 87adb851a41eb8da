#pragma once

// NAME.ipp beside NAME.hpp holds the bodies of ordinary functions that take long to compile and
// depend on no type of the user's. A program that does nothing about it has them all, inline. One
// that defines ROBOTS_COMPILED everywhere has the headers without them, compiles in a fraction of
// the time, and has the bodies in one file, which includes robots/src.hpp: the target
// robots::compiled. ROBOTS_INLINE stands before each such body. Functions that are `constexpr` have
// their bodies in the header in every program.
#ifdef ROBOTS_COMPILED
#define ROBOTS_INLINE
#else
#define ROBOTS_INLINE inline
#endif
