#!/bin/bash -eu
# OSS-Fuzz calls this in the tree of robots-cpp. Each folder of tests/fuzz/inputs has the name and the inputs of a fuzzer.
# The fuzzers are compiled on all cores.
build() {
  target=$(basename "$1")
  libraries=
  if [ "$target" = html ]; then
    echo '#include <gumbo.h>' | $CXX -x c++ -fsyntax-only - 2>/dev/null || { echo "No fuzzer of HTML: install libgumbo-dev."; return; }
    libraries="-Wl,-Bstatic -lgumbo -Wl,-Bdynamic"
  fi
  if [ "$target" = stored_value ]; then
    echo '#include <zlib.h>' | $CXX -x c++ -fsyntax-only - 2>/dev/null || { echo "No fuzzer of compressed records: install zlib1g-dev."; return; }
    libraries="-Wl,-Bstatic -lz -Wl,-Bdynamic"
  fi
  # shellcheck disable=SC2086
  $CXX $CXXFLAGS -std=c++20 -Iinclude -Itests "-DROBOTS_FUZZ_BODY=fuzz_$target" tests/fuzz/entry.cpp \
    "tests/fuzz/$target.cpp" $LIB_FUZZING_ENGINE $libraries -o "$OUT/fuzz_$target"
  cp tests/fuzz/words.dict "$OUT/fuzz_$target.dict"
  zip -q -j "$OUT/fuzz_${target}_seed_corpus.zip" "$1"*
}
export -f build
printf '%s\0' tests/fuzz/inputs/*/ | xargs -0 -n 1 -P "$(nproc)" bash -eu -c 'build "$0"'
