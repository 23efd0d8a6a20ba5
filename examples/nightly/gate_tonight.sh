#!/usr/bin/env bash
# Gates an index against the pinned baseline and leaves everything that somebody may want to look at
# in a folder. What a timer, a cron line or a CI job calls once a night.
#
#   gate_tonight.sh STORE EXPERIMENT REPORTS [OPTIONS OF `prescope gate`]
#
# STORE       has the baseline, pinned once with `prescope pin`; tonight is added
# EXPERIMENT  what to replay (TOML), `--index DIR` behind it gates another index; or a run file,
#             with `--qrels FILE` behind it
# REPORTS     folder for gate.json, gate.xml (JUnit), gate.md, gate.html, history.html
#
# The exit code is the gate's: 0 PASS, 1 REGRESSION, 3 INCONCLUSIVE, 2 BAD INPUT or usage.
# PRESCOPE names the program if it is not on the PATH.
set -euo pipefail
[ $# -ge 3 ] || { sed -n '2,13s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2; }
readonly prescope="${PRESCOPE:-prescope}" store="$1" experiment="$2" reports="$3"
shift 3

mkdir -p "$reports" || exit 2
verdict=0
"$prescope" gate "$store" --from "$experiment" --json "$reports/gate.json" \
  --junit "$reports/gate.xml" --markdown "$reports/gate.md" --html "$reports/gate.html" "$@" ||
  verdict=$?
# A history that cannot be written does not turn a verdict into another.
"$prescope" history "$store" --html "$reports/history.html" > "$reports/history.txt" || true
exit "$verdict"
