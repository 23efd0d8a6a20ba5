#!/usr/bin/env bash
# The minimal host prints what can be reasoned by hand. Its patents are D1 "brake", D2 "brake disc",
# D3 "brake disc caliper", D4 "lens"; D1 and D3 are relevant, the cutoff is 4.
#
#   short  searches brake. All three contain it once, so the shorter text comes first: D1 D2 D3.
#          Relevant at 1 and 3: PRES = ((4+1-1) + (4+2-3)) / (2*4) = 7/8, MAP = (1/1 + 2/3) / 2.
#   disc   searches brake or disc. D2 and D3 contain both, D2 is shorter; D1 contains one: D2 D3 D1.
#          Relevant at 2 and 3: PRES = ((4+1-2) + (4+2-3)) / (2*4) = 6/8, MAP = (1/2 + 2/3) / 2.
#
# And what is prescope's in it are at most ten lines: its includes, what stands between the marks,
# and the lines that name it.
#
#   minimal_host_test.sh PROGRAM SOURCE
set -euo pipefail
added="$(awk '/-- prescope/ { on = 1; next } / ----$/ { on = 0 }
  on || /include "prescope/ || /\/\/ prescope: / { n++ } END { print n }' "$2")"
((added >= 5 && added <= 10)) || { printf '%s lines of %s are for prescope\n' "$added" "$2"; exit 1; }
expect() {
  grep -qE -- "$1" <<< "$said" || { printf 'expected a line like: %s\nin:\n%s\n' "$1" "$said"; exit 1; }
}
said="$("$1")"
expect '^short: 3 hits$'
expect '^disc: 3 hits$'
expect '^arm +topics +PRES@4 +R@4 +MAP@4$'
expect '^short +1 +0\.8750 +1\.0000 +0\.8333$'
expect '^disc +1 +0\.7500 +1\.0000 +0\.5833$'
# D1 moved from rank 1, first found, to rank 3, second found: (4+1-1)/8 to (4+2-3)/8. D3 had
# (4+2-3)/8 and has (4+1-2)/8, so that D1 is all of the difference.
expect '^ +T +0\.8750 → 0\.7500 +-0\.1250 +2 relevant documents$'
expect '^ +D1 +grade 1 +rank 1 +→ +rank 3 +-0\.1250$'
# In the other modes the same function of the host answers. In paired mode both arms are compared
# for each visit. In split mode the hash of the topic gives both visits to one arm.
said="$("$1" paired)"
expect '^ +T +0\.8750 → 0\.7500 +-0\.1250 +2 relevant documents$'
expect ', 2 visits compared$'
said="$("$1" split)"
[ "$(grep -c ': 3 hits$' <<< "$said")" = 2 ]
[ "$(grep ': 3 hits$' <<< "$said" | sort -u | wc -l)" = 1 ]
