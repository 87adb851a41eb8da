#pragma once

// All files of a program must define ROBOTS_COMPILED, or none. In a mixture, some files have the
// library's functions as inline functions, and others expect one definition elsewhere, which breaks
// the one-definition rule ([basic.def.odr]). The linker finds a mixture by a label in each object
// file:
//
//     a.o, b.o, without the macro:  section of without_compiled() { label: }  the linker takes one
//     c.o, d.o, with the macro:     section of with_compiled() { label: }     the linker takes one
//     a.o and c.o in one program:   two definitions of the label: an error that prints its name
//
// A program that must link a foreign library of the other kind, made from the same version with the
// same options, can define ROBOTS_ALLOW_MIXTURE in its own files.
//
// Nobody calls these functions. The linker drops equal sections of inline functions, and the label
// with them. A weak symbol could not do this, since a linker takes any of several weak definitions.

#ifdef ROBOTS_ALLOW_MIXTURE
#elif defined(_MSC_VER)
#ifdef ROBOTS_COMPILED
#pragma detect_mismatch("ROBOTS_COMPILED", "defined in all files of the program")
#else
#pragma detect_mismatch("ROBOTS_COMPILED", "defined in no file of the program")
#endif
#elif defined(__ELF__)

namespace robots::base {

#ifdef ROBOTS_COMPILED
[[gnu::used]] inline void with_compiled() noexcept {
#else
[[gnu::used]] inline void without_compiled() noexcept {
#endif
  asm(".globl robots_cpp_define_ROBOTS_COMPILED_in_all_files_or_in_none\n"
      ".hidden robots_cpp_define_ROBOTS_COMPILED_in_all_files_or_in_none\n"
      "robots_cpp_define_ROBOTS_COMPILED_in_all_files_or_in_none:");
}

}  // namespace robots::base

#endif
