#!/usr/bin/env bash
# Checks an installed prescope, one CHECK at a time:
#   cmake, pkg_config, plain  a host of its own is built by CMake, with pkg-config, by a line of g++
#   adapter                   an adapter of its own passes the installed conformance suite
#   manual                    every command has a manual page that is printed without a warning
#   completion                bash, zsh and fish complete commands, options and words
#
#   installed_test.sh CHECK PREFIX FOLDER COMPILER WITH_LUCENEPP
#
# PREFIX is where prescope is installed; FOLDER is emptied and holds what is built.
set -euo pipefail
check="$1" prefix="$2" folder="$3" compiler="$4" with_lucenepp="$5"
rm -rf "$folder"
mkdir -p "$folder"
PATH="$prefix/bin:$PATH"
libdir="$(dirname "$(find "$prefix"/lib* -name prescope.pc -print -quit)")/.."
export PKG_CONFIG_PATH="$libdir/pkgconfig" MANPATH="$prefix/share/man" XDG_DATA_DIRS="$prefix/share"
command -v ccache > /dev/null && export CMAKE_CXX_COMPILER_LAUNCHER=ccache

# expect TEXT COMMAND...: the command succeeds and says the text.
expect() {
  local text="$1"
  shift
  "$@" > "$folder/said" 2>&1 && grep -qF -- "$text" "$folder/said" && return
  printf 'expected "%s" from: %s\n' "$text" "$*"
  cat "$folder/said"
  exit 1
}

# configure SOURCE [OPTIONS...]
configure() {
  cmake -S "$1" -B "$folder/build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_PREFIX_PATH="$prefix" "${@:2}"
  cmake --build "$folder/build"
}

# compile SOURCE [OPTIONS...]: the program is $folder/host.
compile() {
  "$compiler" -std=c++20 "$1" -o "$folder/host" "${@:2}" -Wl,-rpath,"$libdir"
}

run_minimal_host() {
  bash tests/structure/minimal_host_test.sh "$1" examples/minimal_host/minimal_host.cc
}

check_cmake() {
  configure tests/structure/consumer -DEXAMPLES="$PWD/examples" -DWITH_LUCENEPP="$with_lucenepp"
  expect "PRES@2 0.5" "$folder/build/consumer"
  [ "$with_lucenepp" = 0 ] || run_minimal_host "$folder/build/minimal_host"
}

check_pkg_config() {
  local -a flags
  read -r -a flags <<< "$(pkg-config --cflags --libs prescope)"
  compile tests/structure/consumer/consumer.cc "${flags[@]}"
  expect "PRES@2 0.5" "$folder/host"
  [ "$with_lucenepp" = 1 ] || return 0
  read -r -a flags <<< "$(pkg-config --cflags --libs prescope-lucenepp)"
  compile examples/minimal_host/minimal_host.cc "${flags[@]}"
  run_minimal_host "$folder/host"
}

check_plain() {
  compile tests/structure/consumer/consumer.cc -I"$prefix/include" -L"$libdir" -lprescope
  expect "PRES@2 0.5" "$folder/host"
  gcc -std=c99 -Wall -Wextra -Wpedantic -Werror -I"$prefix/include" examples/c_host/c_host.c \
    -L"$libdir" -lprescope -Wl,-rpath,"$libdir" -o "$folder/c_host"
  expect "1 visit compared" "$folder/c_host"
  # An older standard is refused in words.
  ! "$compiler" -std=c++17 -fsyntax-only -I"$prefix/include" tests/structure/consumer/consumer.cc \
    > "$folder/refused" 2>&1
  expect "prescope needs C++20" cat "$folder/refused"
}

check_adapter() {
  # All sources of the suite as one: that is compiled in a third of the time.
  configure examples/own_engine -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=0
  expect "100% tests passed" ctest --test-dir "$folder/build" --no-tests=error
  [ "$(ctest --test-dir "$folder/build" -N | grep -c OwnEngine/Conformance)" -gt 30 ]
}

check_manual() {
  local page name
  for page in "$prefix"/share/man/man1/prescope*.1*; do
    name="$(basename "${page%%.1*}")"
    MANWIDTH=80 man --warnings=w -P cat 1 "$name" > "$folder/page" 2> "$folder/warnings"
    [ ! -s "$folder/warnings" ] || { echo "$name:"; cat "$folder/warnings"; exit 1; }
    for section in NAME SYNOPSIS DESCRIPTION; do expect "$section" cat "$folder/page"; done
  done
  # Every command has one, also those of groups.
  expect "prescope-study-cutoffs.1" ls "$prefix/share/man/man1"
  for name in $(prescope --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z_]*\) .*/\1/p'); do
    expect "prescope-$name.1" ls "$prefix/share/man/man1"
  done
  MANWIDTH=80 man -P cat prescope-gate > "$folder/page"
  for text in "prescope gate [OPTIONS] [STORE]" "EXIT STATUS" "prescope gate --show-rules"; do
    expect "$text" cat "$folder/page"
  done
}

# in_bash WORD...: what is offered for the last word.
in_bash() {
  bash --norc -c '
    source "$0"
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _prescope
    printf "%s\n" "${COMPREPLY[@]}"' "$prefix/share/bash-completion/completions/prescope" "$@"
}

in_fish() { fish --no-config -c "source $prefix/share/fish/vendor_completions.d/prescope.fish
  complete -C '$*'"; }

# in_zsh TEXT: what stands on the line after the tab key.
in_zsh() {
  timeout 30 zsh -f -c '
    zmodload zsh/zpty
    zpty shell zsh -f -i
    zpty -w shell "fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; PS1=ready%#; PS2="
    zpty -r shell text "*ready%*"
    zpty -n -w shell "$2"$'"'\t'"'
    zpty -r shell text "*$3*" && print -r -- "$text"' zsh \
    "$prefix/share/zsh/site-functions" "$1" "$2"
}

# not_in_path COMMAND...: the program is not in the PATH of the command.
not_in_path() { PATH="${PATH#"$prefix/bin:"}" "$@"; }

check_completion() {
  expect "gate" in_bash prescope ga
  expect "--baseline" in_bash prescope gate --ba
  expect "clefip" in_bash prescope convert x --from c
  expect "clefip" in_bash prescope convert --from = c
  expect "cutoffs" in_bash prescope study c
  expect "--nmax" in_bash prescope study cutoffs --n
  expect "--query_eval_wanted" in_bash prescope trec_eval --q
  [ -z "$(in_bash prescope gate --json "")" ]
  expect "gate" not_in_path in_bash "$prefix/bin/prescope" ga
  if command -v fish > /dev/null; then
    expect "gate" in_fish prescope ga
    expect "--baseline" in_fish prescope gate --ba
    expect "clefip" in_fish prescope convert --from c
    expect "cutoffs" in_fish prescope study cu
    expect "--nmax" in_fish prescope study cutoffs --nm
    expect "gate" not_in_path in_fish "$prefix/bin/prescope" ga
  fi
  if command -v zsh > /dev/null; then
    expect "gate" in_zsh "prescope ga" gate
    expect "--baseline" in_zsh "prescope gate --ba" --baseline
    expect "clefip" in_zsh "prescope convert --from c" clefip
    expect "--nmax" in_zsh "prescope study cutoffs --nm" --nmax
    expect "gate" not_in_path in_zsh "$prefix/bin/prescope ga" gate
  fi
}

"check_$check"
