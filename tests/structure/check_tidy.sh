#!/usr/bin/env bash
# clang-tidy finds nothing in library, program and adapters. The sources of several rooms are
# checked together, because reading their headers takes most of the time.
set -euo pipefail
tidy=clang-tidy-16
if ! command -v $tidy > /dev/null; then
  echo "skipped: $tidy is not installed (docs/dependencies/install.sh test)"
  exit 77
fi
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# Sources that include Asio have another `Error` in sight than the others.
asio='/http/(access|http_server|http_session|sessions_share)\.cc'
include_all() { sed 's/.*/#include "&"/'; }
sources_of() { find "${@/#/$PWD/}" -name '*.cc' -not -name main.cc -not -name module.cc | sort; }
together() { sources_of "${@:2}" | grep -vE "$asio" | include_all > "$work/$1.cc"; }
src=plugin/src
together citations $src/citations
together measures $src/{judgements,measures,runs,statistics,studies,trec_eval}
together live $src/{facts,live,nightly,replay,store}
together reports $src/{base,report}
together collect $src/collect plugin/c
together programs $src/{actions,fleet,serve} plugin/cli engine-adapters/*/src
sources_of $src/serve | grep -E "$asio" | include_all > "$work/asio.cc"

flags=(-std=c++20 -Iplugin/include -Iplugin/src -Iplugin -DPRESCOPE_VERSION='""'
  -DPRESCOPE_RUN_FILE_VERSION='""' -DPRESCOPE_ENGINES_FROM_PROGRAM='""' -DBOOST_DLL_USE_STD_FS
  # Boost 1.74 does not know that clang has coroutines.
  -DBOOST_BEAST_USE_STD_STRING_VIEW -DBOOST_ASIO_HAS_CO_AWAIT -DBOOST_ASIO_HAS_STD_COROUTINE)
for adapter in engine-adapters/*/; do flags+=("-I${adapter}include" "-I${adapter}src"); done
if ! ls "$work"/*.cc | nice xargs -P "$(nproc)" -I{} \
  $tidy --quiet --config-file=.clang-tidy --header-filter="^$PWD/.*" {} -- "${flags[@]}" \
  2> "$work/counts"; then
  grep -v 'warnings generated' "$work/counts" >&2 || true
  exit 1
fi
