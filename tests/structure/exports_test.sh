#!/usr/bin/env bash
# The library exports what public headers declare, and nothing else. A compiler that sees only those
# headers must know each exported name.
#
#   exports_test.sh LIBRARY COMPILER
set -euo pipefail
library="$1" compiler="$2"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
headers=(plugin/include/prescope/*.h)

# private_names FILE: what public headers do not declare of the names in the file, as `nm -C` prints
# them. They must declare whatever is of the namespace prescope in a name, and completely the class
# that a function, vtable or typeinfo belongs to.
private_names() {
  local subject='s/^(typeinfo|typeinfo name|vtable|VTT) for //'
  sed -E "$subject" "$1" | grep -v '^prescope::' || true
  {
    printf '#include "%s"\n' "${headers[@]#plugin/include/}"
    # An operator may be a friend that only its class knows; its parameters tell.
    grep -oE '\bprescope::[A-Za-z_]\w*' "$1" | grep -v '::operator$' | sort -u |
      sed 's/.*/namespace exported { using &; }/'
    # Those of "prescope::Class::function(parameters)" and of "vtable for prescope::Class".
    grep -E '^(.* for )?prescope::' "$1" |
      sed -E "$subject; t; s/\(.*//; s/\[abi:\w+\]//g; s/::[^:]+\$//" | sort -u |
      sed -E '/^prescope$/d; s/.*/static_assert(sizeof(&) != 0);/'
  } > "$folder/names.cc"
  LC_ALL=C "$compiler" -std=c++20 -fsyntax-only -fno-access-control -w -Iplugin/include \
    "$folder/names.cc" 2> "$folder/said" || true
  sed -nE 's/.*names\.cc:([0-9]+):[0-9]+: error:.*/\1/p' "$folder/said" | sort -u |
    while read -r line; do sed -n "${line}p" "$folder/names.cc"; done |
    sed -E 's/.*(using |sizeof\()([^;()]*).*/\2/'
}

# Names without their versions; those of the C interface are what its header declares.
nm -D --defined-only "$library" | cut -d' ' -f3- > "$folder/versioned"
grep -oE '\bprescope_\w+\(' plugin/c/include/prescope.h | tr -d '(' | sort -u > "$folder/c_header"
sed -n 's/^\(prescope_.*\)@@PRESCOPE_C_1$/\1/p' "$folder/versioned" | sort -u > "$folder/c_exported"
diff "$folder/c_header" "$folder/c_exported" ||
  { echo "prescope.h (<) and $library (>) differ"; exit 1; }
unversioned="$(grep -vE '^prescope_\w+@@PRESCOPE_C_1$|^_Z.*@@PRESCOPE_CXX_|^PRESCOPE_' "$folder/versioned" || true)"
[ -z "$unversioned" ] || { printf 'names without a version:\n%s\n' "$unversioned"; exit 1; }
nm -D --defined-only -C "$library" | cut -d' ' -f3- | grep -vE '^(prescope_|PRESCOPE_)' |
  sed 's/@@PRESCOPE_.*//' | sort -u > "$folder/exported"
grep -q '^prescope::ExperimentTraffic::observe(' "$folder/exported" ||
  { echo "hosts cannot link $library"; exit 1; }
private_names "$folder/exported" > "$folder/found"
[ ! -s "$folder/found" ] || {
  cat "$folder/found"
  echo "$library exports these private names; CONTRIBUTING.md says how they stay private"
  exit 1
}

# The check finds private names of every kind.
cat > "$folder/planted" << 'end'
prescope::load_engine(std::string const&)
prescope::cli::run(int, char**)
prescope::ExperimentState::publish()
prescope::FolderLock::FolderLock(std::filesystem::path const&)
prescope::to_json(prescope::LedgerFigures const&)
prescope::operator==(prescope::NightRow const&, prescope::NightRow const&)
vtable for prescope::ComparedSearch
typeinfo for prescope::Dashboard::State
std::vector<prescope::Docno, std::allocator<prescope::Docno> >::reserve(unsigned long)
end
private_names "$folder/planted" | LC_ALL=C sort -u > "$folder/found"
diff - "$folder/found" << 'end' || { echo "the check does not find planted names"; exit 1; }
prescope::ComparedSearch
prescope::Dashboard::State
prescope::ExperimentState
prescope::FolderLock
prescope::LedgerFigures
prescope::NightRow
prescope::cli
prescope::load_engine
std::vector<prescope::Docno, std::allocator<prescope::Docno> >::reserve(unsigned long)
end

# Every public header exports what it declares.
for header in "${headers[@]}"; do
  [ "$(grep -c '^#pragma GCC visibility p' "$header")" -eq 2 ] ||
    { echo "$header: its namespace must be between '#pragma GCC visibility push(default)' and 'pop'"
      exit 1; }
done
