#!/bin/sh
# release.sh FOLDER: writes a release of the current commit: the source archive, the single header, the list of
# dependencies (SPDX), and SHA256SUMS. Two releases of one commit have the same octets.
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$1"
folder=$(cd "$1" && pwd)
version=$(git show HEAD:include/robots/version.hpp | sed -n 's/.*string_view version = "\(.*\)";.*/\1/p')
name=robots-cpp-$version
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

git -c core.autocrlf=false -c tar.umask=0022 archive --format=tar --prefix="$name/" HEAD |
  gzip -9n >"$folder/$name.tar.gz"
# The other files are made from the archive, so that they contain only the commit.
tar -xzf "$folder/$name.tar.gz" -C "$scratch"
cmake -S "$scratch/$name" -B "$scratch/build" -DROBOTS_INSTALL_TOOLS=OFF >"$scratch/log" || {
  cat "$scratch/log" >&2
  exit 1
}
cmake --build "$scratch/build" --target robots_single_header >/dev/null
cp -R "$scratch/build/robots.spdx.json" "$scratch/build/single_header/robots" "$folder"
cd "$folder"
sha256sum "$name.tar.gz" robots.spdx.json robots/robots.hpp robots/testing.hpp >SHA256SUMS
cat SHA256SUMS
