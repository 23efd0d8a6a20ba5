#!/usr/bin/env bash
# Installs the Debian packages of the named groups that are missing, and says which.
# Silent if nothing is missing.
#
#   docs/dependencies/install.sh build test
#
# With PRESCOPE_SKIP_INSTALL=1 it does nothing: for other systems, and for who installs by hand.
set -euo pipefail

[ -n "${PRESCOPE_SKIP_INSTALL:-}" ] && exit 0

list="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/debian12.txt"

if [ $# -eq 0 ]; then
  echo "usage: install.sh GROUP...   (groups: build test run fleet)" >&2
  exit 2
fi

wanted=()
for group in "$@"; do
  mapfile -t of_group < <(awk -v group="$group" '$1 !~ /^#/ && $2 == group { print $1 }' "$list")
  if [ ${#of_group[@]} -eq 0 ]; then
    echo "install.sh: unknown group '$group'; expected build, test, run or fleet" >&2
    exit 2
  fi
  wanted+=("${of_group[@]}")
done

if ! command -v apt-get > /dev/null || ! command -v dpkg-query > /dev/null; then
  echo "install.sh: this is not a Debian system; install what these packages stand for:" >&2
  printf '  %s\n' "${wanted[@]}" >&2
  echo "Then set PRESCOPE_SKIP_INSTALL=1 and start again." >&2
  exit 2
fi

# The installed packages and those that they provide: NodeSource's nodejs, for one, is npm too, and
# conflicts with a package of that name. Versions of what is provided do not matter here.
installed="$(dpkg-query -W -f '${db:Status-Status}, ${Package}, ${Provides}\n' 2> /dev/null |
  awk -F ', *' '$1 == "installed" { for (i = 2; i <= NF; ++i) { sub(/ .*/, "", $i); print $i } }')"
missing=()
for package in "${wanted[@]}"; do
  grep -qxF "$package" <<< "$installed" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo > /dev/null; then
    echo "install.sh: needs root or sudo to install: ${missing[*]}" >&2
    exit 2
  fi
  as_root=(sudo)
fi

echo "Installing ${#missing[@]} Debian packages: ${missing[*]}" >&2
log="$(mktemp)"
trap 'rm -f "$log"' EXIT
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" > "$log" 2>&1; }
if ! { apt update && apt install -y --no-install-recommends "${missing[@]}"; }; then
  cat "$log" >&2
  echo "install.sh: apt-get failed (above). Wanted: ${missing[*]}" >&2
  exit 2
fi
