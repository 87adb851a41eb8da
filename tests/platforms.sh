#!/bin/sh
# Builds tests/platforms.cpp with each compiler that this machine has, and runs it where an emulator
# is. Prints one line for each platform; ends with an error if one fails. ./run platforms calls it.
set -u
cd "$(dirname "$0")/.."
folder=build/platforms
mkdir -p $folder/include
boost=${BOOST_INCLUDE_DIR:-/usr/include}
[ -e $folder/include/boost ] || ln -s "$boost/boost" $folder/include/boost
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror"
failed=0
source=tests/platforms.cpp

# Debian keeps wine's 64-bit program out of the path.
PATH=$PATH:/usr/lib/wine

# check <name> <runner or -> <compiler> [option...]
check() {
  name=$1
  runner=$2
  shift 2
  if ! command -v "$1" >/dev/null; then
    echo "$name: no $1 here"
    return
  fi
  program=$folder/$(echo "$name" | tr ' /+,' '____')
  log=$program.log
  # shellcheck disable=SC2086
  if ! "$@" -std=c++20 -O1 $warnings -Iinclude -isystem $folder/include "$source" -o "$program" \
      >"$log" 2>&1; then
    echo "$name: DOES NOT BUILD, see $log"
    failed=1
    return
  fi
  [ -e "$program" ] || program=$program.exe
  case $runner in
    none) echo "$name: builds"; return ;;
    here) said=$("./$program" 2>>"$log") ;;
    *)
      if ! command -v "$runner" >/dev/null; then
        echo "$name: builds; no $runner here to run it"
        return
      fi
      said=$(WINEDEBUG=-all "$runner" "./$program" 2>>"$log" | tr -d '\r') ;;
  esac
  [ "$said" = works ] || failed=1
  echo "$name: ${said:-FAILS, see $log}"
}

check "g++ 12" here g++-12 -pthread
check "g++ 13" here g++-13 -pthread
check "g++ 14" here g++-14 -pthread
check "clang 14" here clang++-14 -pthread
check "clang 16" here clang++-16 -pthread
check "clang 19" here clang++-19 -pthread
check "clang 19, libc++" here clang++-19 -stdlib=libc++ -pthread
check "i686" qemu-i386-static i686-linux-gnu-g++ -static -pthread
check "armhf" qemu-arm-static arm-linux-gnueabihf-g++ -static -pthread
check "aarch64" qemu-aarch64-static aarch64-linux-gnu-g++ -static -pthread
check "s390x" qemu-s390x-static s390x-linux-gnu-g++ -static -pthread
check "riscv64" qemu-riscv64-static riscv64-linux-gnu-g++ -static -pthread
check "mingw, Windows" wine64 x86_64-w64-mingw32-g++-posix -static
source=tests/rep_alone.cpp
check "rep, no exceptions, g++" here g++ -fno-exceptions -fno-rtti
check "rep, no exceptions, clang" here clang++-19 -fno-exceptions -fno-rtti
exit $failed
