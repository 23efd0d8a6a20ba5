#!/usr/bin/env bash
# query_path_test.sh LIBPRESCOPE
# What is kept of each thread is found without a call: __tls_get_addr may allocate, and fetches lines of memory that an unjudged query
# would wait for. A compiler says so of a variable only where its definition does, not just its declaration.
set -euo pipefail
library=$1
[ "$(uname -m)" = x86_64 ] || exit 77
functions=0
while read -r _ _ name; do
  functions=$((functions + 1))
  if objdump -d --disassemble="$name" "$library" | grep '__tls_get_addr'; then
    echo "$name asks for the address of what its thread has: is the variable's definition [[gnu::tls_model(\"initial-exec\")]]?"
    exit 1
  fi
done < <(nm --defined-only "$library" |
  grep -E ' T _ZN8prescope(15RankingObserver|10QueryScope|13thread_numberEv|10Experiment7observe)')
[ "$functions" -ge 12 ] || { echo "only $functions functions of the query path in $library: have they been renamed?"; exit 1; }
