#!/usr/bin/env bash
# The five nights of examples/nightly end as they should, and what a timer, a cron line and a CI job
# are given can be read by those that read it, as far as they are here.
#   nightly_test.sh BIN_FOLDER
set -euo pipefail
bin="$1"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
fail() { printf '%s\n' "$*"; exit 1; }

bash examples/nightly/run.sh --bin "$bin" --work "$folder/nightly" > "$folder/said" 2>&1 ||
  { cat "$folder/said"; fail "a night did not end as it should"; }
for night in ordinary reanalysed broken ids slow; do
  for report in gate.json gate.xml gate.md gate.html history.html; do
    [ -s "$folder/nightly/reports/$night/$report" ] || fail "$night left no $report"
  done
done
[ "$(grep -c '^ *[1-6]  20' "$folder/said")" -eq 6 ] ||
  { cat "$folder/said"; fail "the history does not list the pinned night and the five that followed"; }

# Input that cannot be compared gives no verdict about the ranking; bad usage is not a pass, and a
# folder that cannot be made is no regression.
for reports in "$folder/reports" "$folder/said/reports"; do
  code=0
  PRESCOPE="$bin/prescope" bash examples/nightly/gate_tonight.sh "$folder/none.db" \
    examples/nightly/nightly.toml "$reports" > "$folder/said" 2>&1 || code=$?
  [ "$code" -eq 2 ] ||
    { cat "$folder/said"; fail "$reports, no store: exit code $code, expected 2"; }
done

if command -v systemd-analyze > /dev/null; then
  sed 's|^ExecStart=[^ ]*|ExecStart=/bin/true|' examples/nightly/prescope-nightly.service \
    > "$folder/prescope-nightly.service"
  cp examples/nightly/prescope-nightly.timer "$folder"
  # It opens the manual page that the unit names.
  MANPATH="$bin/../share/man:" \
    systemd-analyze verify "$folder/prescope-nightly.service" "$folder/prescope-nightly.timer" \
    > "$folder/said" 2>&1 || { cat "$folder/said"; fail "systemd does not take the unit"; }
fi
if python3 -c 'import yaml' 2> /dev/null; then
  python3 -c 'import sys, yaml; assert yaml.safe_load(open(sys.argv[1]))["gate-index"]["script"]' \
    examples/nightly/gitlab-ci.yml || fail "gitlab-ci.yml is no YAML with the job"
fi
# Five fields and a command, which the shell can read.
line="$(grep '^[0-9]' examples/nightly/crontab)"
bash -n -c "$(cut -d ' ' -f 6- <<< "$line")" || fail "the command of the cron line does not parse"
