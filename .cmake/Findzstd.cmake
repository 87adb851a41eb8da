# robots_zstd from the header and library of zstd, whose package files have different targets for its shared and its
# static library.
robots_find_library(zstd robots_zstd zstd.h ZSTD_VERSION_)
