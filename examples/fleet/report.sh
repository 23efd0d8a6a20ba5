#!/usr/bin/env bash
# Prints a query of docs/fleet-reports.sql with its parameters filled in, for ClickHouse.
#
#   bash examples/fleet/report.sh NAME [PARAMETER=VALUE...]
#
# A list has commas between its values. Without NAME, prints all names and what they are.
set -euo pipefail
file="$(dirname "${BASH_SOURCE[0]}")/../../docs/fleet-reports.sql"
fail() { printf 'report.sh: %s\n' "$*" >&2; exit 2; }

if [ $# -eq 0 ]; then
  awk '/^-- \[/ { on = 1 } !/^--/ { on = 0 } on' "$file"
  exit
fi
name="$1"
shift
query="$(awk -v name="-- [$name]" '
  index($0, name) == 1 { is_it = 1 }
  is_it && /^$/ { exit }
  is_it && !/^--/' "$file")"
[ -n "$query" ] || fail "no query '$name'; without arguments, report.sh lists them"

declare -A value
for given in "$@"; do
  [[ "$given" == *=* ]] || fail "'$given' is not PARAMETER=VALUE"
  value["${given%%=*}"]="${given#*=}"
done

quoted() { # TEXT: as a literal of ClickHouse
  local text="${1//\\/\\\\}"
  printf "'%s'" "${text//\'/\\\'}"
}
literal() { # NAME TYPE
  local text="${value[$1]}" item items=()
  case "$2" in
    String) quoted "$text" ;;
    Array*)
      while IFS= read -r item; do items+=("$(quoted "$item")"); done <<< "${text//,/$'\n'}"
      (IFS=,; printf '[%s]' "${items[*]}") ;;
    *)
      [[ "$text" =~ ^[0-9]+$ ]] || fail "$1: '$text' is not a number"
      printf '%s' "$text" ;;
  esac
}

filled=""
while [[ "$query" =~ \{([a-z]+):([A-Za-z0-9()]+)\} ]]; do
  mark="${BASH_REMATCH[0]}" parameter="${BASH_REMATCH[1]}" type="${BASH_REMATCH[2]}"
  [ -n "${value[$parameter]+given}" ] || fail "$name needs $parameter=..."
  filled+="${query%%"$mark"*}$(literal "$parameter" "$type")"
  query="${query#*"$mark"}"
done
printf '%s%s\n' "$filled" "$query"
