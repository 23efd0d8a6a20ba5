#!/usr/bin/env bash
# Every script of ours parses, and stops at the first failure.
set -euo pipefail
status=0
while read -r script; do
  bash -n "$script" || status=1
  grep -q '^set -euo pipefail$' "$script" || { echo "$script: lacks 'set -euo pipefail'"; status=1; }
done < <(find plugin engine-adapters tests examples -name '*.sh' | sort; echo .ci/run)
exit "$status"
