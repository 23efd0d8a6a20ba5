#!/usr/bin/env bash
# The C interface keeps its ABI: functions, structs, enumerations are those that were recorded in
# plugin/c/prescope.abi. What is added to the end of a struct, and new functions, are recorded with
#
#   bash tests/structure/abi_test.sh --record
#
# Any other change breaks programs that were compiled before, and needs another PRESCOPE_C_ version.
# The compiler checks that the library has the functions as the header declares them, so the header
# is looked at alone: its functions are compiled without their content.
set -euo pipefail
recorded=plugin/c/prescope.abi
command -v abidw > /dev/null || { echo "abidw of abigail-tools is not installed"; exit 77; }
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

# abi_of FILE < HEADER: writes the ABI of a library of the header's functions.
abi_of() {
  cpp -P -x c - | perl -0pe 's/\b(prescope_\w+\([^;{}]*\))\s*;/$1 { __builtin_trap(); }/g' \
    > "$folder/prescope.c"
  gcc -std=c99 -g -shared -fPIC -o "$folder/c.so" "$folder/prescope.c"
  abidw --no-show-locs --no-corpus-path --no-comp-dir-path --no-elf-needed --no-architecture \
    --out-file "$1" "$folder/c.so"
}

header=plugin/c/include/prescope.h
abi_of "$folder/now.abi" < "$header"
if [ "${1:-}" = --record ]; then
  cp "$folder/now.abi" "$recorded"
  exit
fi
abidiff "$recorded" "$folder/now.abi" || { echo "the ABI of the C interface has changed (above)"; exit 1; }

# The check finds what breaks programs: a member that is moved, another argument, another value.
for change in 's/  size_t num_arms;//' 's/uint32_t threads, prescope_run/uint64_t threads, prescope_run/' \
  's/PRESCOPE_IO = 3/PRESCOPE_IO = 9/' 's/^void prescope_run_free.*//'; do
  sed "$change" "$header" | abi_of "$folder/planted.abi"
  ! abidiff "$recorded" "$folder/planted.abi" > /dev/null ||
    { echo "the check does not find '$change'"; exit 1; }
done
