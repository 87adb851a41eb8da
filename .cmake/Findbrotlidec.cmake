# robots_brotlidec from the header and library of brotli's decoder, whose package files have no targets.
robots_find_library(brotlidec robots_brotlidec brotli/decode.h BROTLI_VERSION_)
