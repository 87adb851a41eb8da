# hiredis::hiredis by its own package files, or by header and library where it comes without (Debian).
find_package(hiredis CONFIG QUIET)
robots_find_library(hiredis hiredis::hiredis hiredis/hiredis.h HIREDIS_)
