#!/usr/bin/env bash
# Installs what the tests need, builds everything and runs the tests through ctest.
#
#   bash tests/run.sh [--preset NAME] [--all] [OPTIONS OF ctest]
#
# --preset NAME  release (default), debug, asan-ubsan or tsan
# --all          builds the benchmarks too, and also runs the tests labelled `sanitizer`, which
#                build and run the tests once more with AddressSanitizer and
#                UndefinedBehaviorSanitizer, and those labelled `threads` with ThreadSanitizer;
#                `browser`, which look at the page with Chromium; `tidy`, which runs clang-tidy; and
#                `packages`, which install the Debian packages in a clean root
#
# The test of examples/fleet, labelled `fleet`, starts 13 servers and is run by hand:
#   docs/dependencies/install.sh fleet && ctest --test-dir build/release -L '^fleet$'
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=release
targets=(all)
skip_label=(-LE '^(sanitizer|browser|tidy|packages|fleet)$')
others=()
while [ $# -gt 0 ]; do
  case "$1" in
    --preset)
      [ $# -ge 2 ] || { echo "run.sh: --preset needs a name" >&2; exit 2; }
      preset="$2"
      shift
      ;;
    --preset=*) preset="${1#--preset=}" ;;
    --all)
      targets=(all benchmarks)
      skip_label=(-LE '^fleet$')
      ;;
    -h | --help)
      sed -n '2,14s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    *) others+=("$1") ;;
  esac
  shift
done

docs/dependencies/install.sh build test
# The quickstart leaves both off, and needs fewer packages.
cmake --preset "$preset" -DPRESCOPE_BUILD_TESTS=ON -DPRESCOPE_BUILD_BENCHMARKS=ON
cmake --build --preset "$preset" --target "${targets[@]}"
ctest --test-dir "build/$preset" --no-tests=error --output-on-failure \
  -j $(($(nproc) + 2)) \
  "${skip_label[@]}" "${others[@]}"
