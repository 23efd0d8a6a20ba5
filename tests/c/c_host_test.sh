#!/usr/bin/env bash
# The host in C99 prints what can be reasoned by hand; its documents are those of
# minimal_host_test.sh. The user is served "short", and both arms search for the comparison:
# PRES 7/8 and 6/8. Valgrind finds neither a leak nor a wrong read, if it is installed.
#
#   c_host_test.sh PROGRAM
set -euo pipefail
expect() {
  grep -qE -- "$1" <<< "$said" || { printf 'expected a line like: %s\nin:\n%s\n' "$1" "$said"; exit 1; }
}
said="$("$1" 3)"
expect '^ +T +0\.8750 → 0\.7500 +-0\.1250 +2 relevant documents$'
expect ', 3 visits compared$'
if command -v valgrind > /dev/null; then
  valgrind --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite \
    --show-leak-kinds=definite "$1" 3 > /dev/null
fi
