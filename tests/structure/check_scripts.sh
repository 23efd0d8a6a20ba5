#!/usr/bin/env bash
# Every script of ours parses, and stops at the first failure. Comments of scripts, CMake files and
# settings have at most 100 columns.
set -euo pipefail
status=0
while read -r script; do
  bash -n "$script" || status=1
  grep -q '^set -euo pipefail$' "$script" || { echo "$script: lacks 'set -euo pipefail'"; status=1; }
done < <(find plugin engine-adapters tests examples -name '*.sh' | sort; echo .ci/run)
long="$(find .ci docs plugin engine-adapters tests examples -name node_modules -prune -o -type f \
  \( -name '*.sh' -o -name '*.txt' -o -name '*.cmake' -o -name '*.toml' -o -name '*.yml' -o -name run \
  -o -name crontab -o -name '*.service' -o -name '*.timer' \) -exec grep -HnE '^ *# .{99}' {} +)" &&
  { printf 'wider than 100 columns:\n%s\n' "$long"; status=1; }
exit "$status"
