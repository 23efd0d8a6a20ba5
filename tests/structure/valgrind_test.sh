#!/usr/bin/env bash
# The library does not make Boost's table of erf_inv for long double when it is loaded. Valgrind
# computes long double as double, in which a value of that table overflows; the process ends.
#
#   valgrind_test.sh LIBRARY
set -euo pipefail
names="$(nm -C "$1")"
if ! grep -q 'boost::math' <<< "$names"; then
  echo "no name of Boost.Math in $1; expected a library that is not stripped"
  exit 1
fi
! grep 'erf_inv_initializer<long double' <<< "$names"
