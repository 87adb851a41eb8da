# hiredis::hiredis_ssl by its own package files, or by header and library where it comes without (Debian).
find_package(hiredis_ssl CONFIG QUIET)
robots_find_library(hiredis_ssl hiredis::hiredis_ssl hiredis/hiredis.h HIREDIS_)
