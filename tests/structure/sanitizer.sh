#!/usr/bin/env bash
# Configures, builds and tests one sanitizer preset.
#   sanitizer.sh PRESET
set -euo pipefail

# ThreadSanitizer of GCC 12 cannot place its shadow memory if addresses are randomised with more
# than 28 bits, as in recent kernels; the test programs run during the build too.
if [ -z "${PRESCOPE_SAME_ADDRESSES:-}" ] && setarch -R true 2> /dev/null; then
  PRESCOPE_SAME_ADDRESSES=1 exec setarch -R bash "$0" "$@"
fi

preset="$1"
cmake --preset "$preset"
# ThreadSanitizer builds and runs only the programs labelled threads.
targets=() tests=()
if [ "$preset" = tsan ]; then
  targets=(--target tests_with_threads)
  tests=(-L '^threads$')
fi
# Other tests run at the same time, and some have deadlines: compilers leave them the processors.
nice cmake --build --preset "$preset" "${targets[@]}"
ctest --preset "$preset" "${tests[@]}"
