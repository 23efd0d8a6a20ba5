#!/usr/bin/env bash
# The Debian packages in a clean root: a Debian 12 that mmdebstrap makes with a compiler and shells.
# There apt installs the packages, and every check of installed_test.sh passes. It needs a Debian
# mirror, and ends with 77 if mmdebstrap is not installed.
#
#   clean_root_test.sh BUILD
set -euo pipefail
build="$1"
command -v mmdebstrap > /dev/null || { echo "mmdebstrap is not installed"; exit 77; }
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

(cd "$build" && cpack -G DEB -B "$folder/packages" > "$folder/cpack.txt") ||
  { cat "$folder/cpack.txt"; exit 1; }
mkdir -p "$folder/work/tests"
cp -r tests/structure "$folder/work/tests"
cp -r examples "$folder/work"
cp "$folder"/packages/*.deb "$folder/work"
cat > "$folder/work/check.sh" <<'SCRIPT'
set -euo pipefail
cd /work
trap 'echo "failed in line $LINENO of the checks: $BASH_COMMAND"' ERR
apt-get install -qq --no-install-recommends ./*.deb > apt.txt 2>&1 || { cat apt.txt; exit 1; }
# Without a pipe: grep ends at the first match, and ldconfig would die of a broken pipe.
ldconfig -p > libraries.txt
grep libprescope libraries.txt
prescope --version
# Found by the shells and by man without being told where.
bash -c 'source /usr/share/bash-completion/bash_completion
  _completion_loader prescope || [ $? -eq 124 ]
  complete -p prescope'
man -w prescope-gate
for engine in http lucenepp run-file xapian; do
  prescope replay --help-arms --engine "$engine"
done
for check in cmake pkg_config plain adapter manual completion; do
  echo "== $check"
  bash tests/structure/installed_test.sh "$check" /usr "/tmp/$check" c++ 1
done
SCRIPT

tools=g++,cmake,ninja-build,pkgconf,libgmock-dev,man-db,bash-completion,zsh,fish
mmdebstrap --quiet --variant=apt --skip=cleanup/apt/lists --include="$tools" \
  --aptopt='APT::Install-Recommends "false"' \
  --customize-hook="cp -r '$folder/work' \"\$1/work\"" \
  --customize-hook='chroot "$1" bash /work/check.sh' \
  bookworm /dev/null
