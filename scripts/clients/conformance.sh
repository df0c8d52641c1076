#!/usr/bin/env bash
# The official conformance suite, at both revisions: the fixture (examples/conformance, the product's own transport and
# guard) passes all that is required, the tasks extension aside; the product passes all that needs no fixture, and
# conformance-REVISION.yaml says of each of the others why.
set -euo pipefail
cd "$(dirname "$0")/../.."
clients=$(scripts/clients/install.sh)
eval "$clients"
built=${HEWTO_BUILT:-${CARGO_TARGET_DIR:-$PWD/target}/debug}
place=$(mktemp -d)
servers=()
# A server that is told to stop still writes its last lines, so it has to be gone before its folder goes; one that a client
# started may outlive that client by a moment, and what it leaves in the temporary folder fails nothing.
cleanup() {
  for server in "${servers[@]}"; do kill "$server" 2>/dev/null || true; done
  for server in "${servers[@]}"; do wait "$server" 2>/dev/null || true; done
  rm -rf "$place" 2>/dev/null || true
}
trap cleanup EXIT

address() {
  for _ in $(seq 600); do
    grep -o 'http://[^ ]*' "$1" | head -1 | grep . && return
    sleep 0.1
  done
  return 1
}

# It ends with its standard input, which this pipe keeps open.
mkfifo "$place/open"
"$built/examples/conformance" 127.0.0.1:0 <"$place/open" >"$place/fixture.log" &
servers+=($!)
exec 3>"$place/open"

mkdir "$place/product"
(cd "$place/product" && git init -q . && "$built/hewto" init --yes >/dev/null 2>&1)
"$built/hewto" serve --http 127.0.0.1:0 --workspace "$place/product" 2>"$place/product.log" &
servers+=($!)

suite() {
  local name=$1 revision=$2; shift 2
  echo "-- $name, $revision"
  conformance server --url "$(address "$place/$name.log")" --requirements "$revision" -o "$place/results" "$@" \
    >"$place/out" 2>&1 || { cat "$place/out"; return 1; }
  grep '^Total' "$place/out"
}
for revision in 2025-11-25 2026-07-28; do
  suite fixture "$revision"
  suite product "$revision" --expected-failures "scripts/clients/conformance-$revision.yaml"
done
