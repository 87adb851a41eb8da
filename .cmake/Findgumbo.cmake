# gumbo::gumbo from its package files or, if it has none (Debian), from its header and library.
find_package(gumbo CONFIG QUIET)
robots_find_library(gumbo gumbo::gumbo gumbo.h GUMBO_VERSION_)
