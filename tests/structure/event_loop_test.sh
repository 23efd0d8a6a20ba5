#!/usr/bin/env bash
# A host with one thread: two requests wait for their searches at the same time, and each ranking
# counts for the visit of its own request. Both relevant documents, D1 and D3, are within the
# cutoff, 4; the third hit is on the second page, which says that nothing follows.
#
#   shortest  D2 D1 | D3: relevant at 2 and 3: PRES = ((4+1-2) + (4+2-3)) / (2*4) = 6/8,
#             MAP = (1/2 + 2/3) / 2.
#   best      D1 D3 | D2: relevant at 1 and 2: PRES = ((4+1-1) + (4+2-2)) / (2*4) = 1, MAP = 1.
#
#   event_loop_test.sh PROGRAM
set -euo pipefail
said="$("$1")"
expect() {
  grep -qE -- "$1" <<< "$said" || { printf 'expected a line like: %s\nin:\n%s\n' "$1" "$said"; exit 1; }
}
order="$(grep -E '^(Ann|Bob)' <<< "$said" | cut -d' ' -f1,2 | paste -sd';')"
wanted='Ann: asks;Bob: asks;Bob: gets;Ann: gets'
[[ $order == "$wanted;$wanted" ]] || { printf 'the requests are not interleaved: %s\n' "$order"; exit 1; }
expect '^shortest +1 +0\.7500 +1\.0000 +0\.5833'
expect '^best +1 +1\.0000 +1\.0000 +1\.0000'
