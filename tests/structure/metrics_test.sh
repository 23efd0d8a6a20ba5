#!/usr/bin/env bash
# Prometheus's own program finds nothing to say against the metrics, and takes the alerts and the
# configuration of docs/metrics; the alerts fire on what they should.
#   metrics_test.sh PRINT_METRICS
set -euo pipefail
print_metrics="$1"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

# expect_clean INPUT COMMAND...: it succeeds. `promtool check metrics` finds fault on stderr and in
# its exit code.
expect_clean() {
  local input="$1"
  shift
  "$@" < "$input" > "$folder/said" 2>&1 || { echo "$*:"; cat "$folder/said"; exit 1; }
}

"$print_metrics" > "$folder/metrics"
expect_clean "$folder/metrics" promtool check metrics
[ ! -s "$folder/said" ] || { cat "$folder/said"; exit 1; }
expect_clean /dev/null promtool check config docs/metrics/prometheus.yml
expect_clean /dev/null promtool check rules docs/metrics/alerts.yml
expect_clean /dev/null promtool test rules tests/structure/alerts_test.yml

# Every alert that there is, is documented and fires in a test, and no other is documented.
sed -n 's/^ *- alert: //p' docs/metrics/alerts.yml | sort > "$folder/alerts"
sed -n 's/^| `\(Prescope[A-Za-z]*\)` .*/\1/p' docs/metrics.md | sort > "$folder/documented"
diff "$folder/alerts" "$folder/documented" || { echo "docs/metrics.md lists other alerts"; exit 1; }
grep -o 'Prescope[A-Za-z]*' tests/structure/alerts_test.yml | sort -u > "$folder/tested"
diff "$folder/alerts" "$folder/tested" || { echo "an alert fires in no test"; exit 1; }
# Each says how bad it is and what to do.
[ "$(grep -c 'severity: ' docs/metrics/alerts.yml)" -eq "$(wc -l < "$folder/alerts")" ]
[ "$(grep -c 'runbook: ' docs/metrics/alerts.yml)" -eq "$(wc -l < "$folder/alerts")" ]
