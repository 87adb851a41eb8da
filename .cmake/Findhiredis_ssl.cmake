# hiredis::hiredis_ssl from its package files or, if it has none (Debian), from its header and library.
find_package(hiredis_ssl CONFIG QUIET)
robots_find_library(hiredis_ssl hiredis::hiredis_ssl hiredis/hiredis.h HIREDIS_)
