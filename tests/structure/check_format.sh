#!/usr/bin/env bash
# Every C++ file of ours is formatted as .clang-format says.
set -euo pipefail
# Another version would format differently.
if ! clang-format --version 2> /dev/null | grep -q 'version 14\.'; then
  echo "skipped: clang-format 14 is not installed (docs/dependencies/install.sh test)"
  exit 77
fi
mapfile -t files < <(find plugin engine-adapters tests examples -name '*.h' -o -name '*.cc' | sort)
if ! clang-format --dry-run --Werror "${files[@]}" 2> >(grep -E 'error:' | cut -d: -f1 | sort | uniq -c >&2); then
  echo "The files above (with the number of places) differ; mend with: clang-format -i FILE" >&2
  exit 1
fi
echo "${#files[@]} files are formatted"
