#!/usr/bin/env bash
# The program loads no library from the folder in which it is started, which may be anybody's.
#
#   runpath_test.sh PROGRAM LIBRARY
set -euo pipefail
needed="$(readelf -d "$1" "$2" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')"
grep -q '^libfmt' <<< "$needed"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
xargs touch <<< "$needed"
"$1" --version
