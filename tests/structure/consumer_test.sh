#!/usr/bin/env bash
# Installs a build and builds two projects against the installation: one on the library alone, and
# the minimal host on the Lucene++ adapter.
#   consumer_test.sh BUILD COMPILER WITH_LUCENEPP
set -euo pipefail
build="$1" compiler="$2" with_lucenepp="$3"
folder="$build/consumer"
rm -rf "$folder"
mkdir -p "$folder"

cmake --install "$build" --prefix "$folder/prefix" > "$folder/install.txt"
cmake -S tests/structure/consumer -B "$folder/build" -G Ninja \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$folder/prefix" \
  -DEXAMPLES="$PWD/examples" -DWITH_LUCENEPP="$with_lucenepp"
cmake --build "$folder/build"
"$folder/build/consumer"
if [ "$with_lucenepp" = 1 ]; then
  bash tests/structure/minimal_host_test.sh "$folder/build/minimal_host" \
    examples/minimal_host/minimal_host.cc
fi
"$folder/prefix/bin/prescope" --version
