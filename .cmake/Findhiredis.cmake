# hiredis::hiredis from its package files or, if it has none (Debian), from its header and library.
find_package(hiredis CONFIG QUIET)
robots_find_library(hiredis hiredis::hiredis hiredis/hiredis.h HIREDIS_)
