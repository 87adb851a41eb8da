# idn2::idn2 from the header and library of libidn2, which has no package files for CMake.
robots_find_library(idn2 idn2::idn2 idn2.h IDN2_VERSION_)
