#pragma once

// What takes long to compile and depends on no type of the user's stands in a file of its own,
// NAME.ipp beside NAME.hpp: the bodies of ordinary functions. A program that does nothing about it
// has them all, inline. One that defines ROBOTS_COMPILED everywhere has each header without them,
// compiles in a fraction of the time, and has the bodies in one file, which includes
// robots/src.hpp: the target robots::compiled.
//
// ROBOTS_INLINE stands before each body of a function that the header declares; ROBOTS_CONSTEXPR
// there and in the header where constant expressions call the function as long as they see its
// body.
#ifdef ROBOTS_COMPILED
#define ROBOTS_INLINE
#define ROBOTS_CONSTEXPR
#else
#define ROBOTS_INLINE inline
#define ROBOTS_CONSTEXPR constexpr
#endif
