#!/usr/bin/env bash
# The installer says what is wrong with a call, and on a system without apt says what is needed.
set -euo pipefail
install="$PWD/docs/dependencies/install.sh"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

# expect CODE TEXT COMMAND...: the command ends with the code and says the text.
expect() {
  local code="$1" text="$2" status=0
  shift 2
  "$@" > "$folder/said" 2>&1 || status=$?
  if [ "$status" -ne "$code" ] || { [ -n "$text" ] && ! grep -qF -- "$text" "$folder/said"; }; then
    echo "expected exit code $code and '$text' from: $*; got $status and:"
    cat "$folder/said"
    exit 1
  fi
}

expect 2 "usage: install.sh GROUP..." "$install"
expect 2 "unknown group 'biuld'" "$install" biuld
expect 0 "" env PRESCOPE_SKIP_INSTALL=1 "$install" build

# A system without apt: only the tools that the script itself uses.
for tool in bash env dirname awk; do ln -s "$(command -v "$tool")" "$folder/$tool"; done
expect 2 "not a Debian system" env PATH="$folder" "$install" build
expect 2 "liblucene++-dev" env PATH="$folder" "$install" build

# Installs nothing on a Debian system that has all packages. If some are missing, names them and
# stops when apt-get fails. dpkg-query and apt-get are played by scripts.
ln -s "$(command -v id)" "$(command -v mktemp)" "$(command -v cat)" "$(command -v rm)" \
  "$(command -v grep)" "$folder/"
play() { printf '#!/usr/bin/env bash\n%s\n' "$2" > "$folder/$1" && chmod +x "$folder/$1"; }
play sudo 'exec "$@"'
play apt-get 'echo "E: no network"; exit 100'
# play_installed PACKAGES AND PROVIDES...: one line each, "NAME, WHAT IT PROVIDES"
play_installed() {
  printf 'installed, %s\n' "$@" > "$folder/installed"
  play dpkg-query "cat '$folder/installed'"
}
mapfile -t listed < <(awk '$1 !~ /^#/ && NF { print $1 ", " }' docs/dependencies/debian12.txt)
play_installed "${listed[@]}"
expect 0 "" env PATH="$folder" "$install" build test
[ ! -s "$folder/said" ] || { echo "not silent:"; cat "$folder/said"; exit 1; }
mapfile -t without_cmake < <(printf '%s\n' "${listed[@]}" | grep -vx 'cmake, ')
play_installed "${without_cmake[@]}"
expect 2 "Installing 1 Debian packages: cmake" env PATH="$folder" "$install" build
expect 2 "E: no network" env PATH="$folder" "$install" build
# A package that an installed one provides is not needed. One that is provided only in part of a
# name, or was removed, is.
mapfile -t without_npm < <(printf '%s\n' "${listed[@]}" | grep -vxE '(npm|nodejs), ')
play_installed "${without_npm[@]}" "nodejs, nodejs-dev, npm (= 9.2.0), nodejs-legacy"
expect 0 "" env PATH="$folder" "$install" build test
play_installed "${without_npm[@]}" "nodejs, nodejs-dev, npm-tools"
expect 2 "Installing 1 Debian packages: npm" env PATH="$folder" "$install" build
echo "config-files, npm, " >> "$folder/installed"
expect 2 "Installing 1 Debian packages: npm" env PATH="$folder" "$install" build
