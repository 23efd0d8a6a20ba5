#!/usr/bin/env bash
# The sources are C++ for other compilers and processors too: clang, and GCC for ARM and POWER of 64
# bits, accept them. Nothing is built. Not among the tests of ctest, because it takes minutes.
#
#   bash tests/structure/portability.sh [COMPILER...]
#
# Without arguments it uses what is installed of Debian's clang-16, g++-aarch64-linux-gnu and
# g++-powerpc64le-linux-gnu, and ends with 77 if none of them is. Third-party headers are this
# machine's.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

compilers=("$@")
for compiler in clang++-16 aarch64-linux-gnu-g++ powerpc64le-linux-gnu-g++; do
  [ $# -eq 0 ] && command -v "$compiler" > /dev/null && compilers+=("$compiler")
done
[ ${#compilers[@]} -gt 0 ] || { echo "no other compiler is installed"; exit 77; }

folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

# The sources of a folder are one unit, as in the presets, but for those with headers that define
# macros.
while read -r source; do
  if grep -qE '<(getopt|boost/asio|boost/beast|lucene\+\+)' "$source"; then
    unit="$folder/${source//\//_}"
  else
    unit="$folder/$(dirname "$source" | tr / _).cc"
  fi
  echo "#include \"$PWD/$source\"" >> "$unit"
done < <(git ls-files 'plugin/*.cc' 'engine-adapters/*.cc')

# check COMPILER UNIT: headers of the system come last, so that a cross compiler finds its own
# first.
check() {
  local options=(-std=c++20 -fsyntax-only -w -Iplugin/include -Iplugin/src -Iplugin
    -DBOOST_DLL_USE_STD_FS -DBOOST_BEAST_USE_STD_STRING_VIEW
    -DPRESCOPE_VERSION='""' -DPRESCOPE_RUN_FILE_VERSION='""'
    -DPRESCOPE_ENGINES_FROM_PROGRAM='""' -idirafter /usr/include)
  # Boost 1.74 does not know that clang has coroutines.
  [ "$1" = "${1#clang}" ] || options+=(-DBOOST_ASIO_HAS_CO_AWAIT -DBOOST_ASIO_HAS_STD_COROUTINE)
  [ "$1" != "${1#clang}" ] || options+=(-idirafter "/usr/include/$(uname -m)-linux-gnu")
  local adapter
  for adapter in engine-adapters/*/; do options+=("-I${adapter}include" "-I${adapter}src"); done
  local said
  said="$("$1" "${options[@]}" "$2" 2>&1)" ||
    { printf '%s, %s:\n%s\n' "$1" "$(basename "$2")" "$(grep -m 5 -E 'error|fatal' <<< "$said")"; return 1; }
}
export -f check

failed=0
for compiler in "${compilers[@]}"; do
  if printf '%s\n' "$folder"/*.cc |
    xargs -P "$(nproc)" -I{} bash -c 'check "$0" "$1"' "$compiler" {}; then
    echo "$compiler: accepts every source"
  else
    failed=1
  fi
done
exit "$failed"
