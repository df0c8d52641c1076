#!/usr/bin/env bash
# Real clients against the real binary: MCP Inspector, Python `mcp`, TypeScript SDK v1 and v2; over stdio and HTTP; in
# both eras where a client has both. Then the official conformance suite. Everything is installed by install.sh.
set -euo pipefail
cd "$(dirname "$0")/../.."
clients=$(scripts/clients/install.sh)
eval "$clients"
cargo build --quiet --locked -p hewto
cargo build --quiet --locked -p hewto-mcp --example conformance
built=${CARGO_TARGET_DIR:-$PWD/target}/debug
hewto=$built/hewto
here=scripts/clients

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

# A workspace in a repository, and its server on a port; prints the address.
workspace() {
  mkdir -p "$place/$1" && (cd "$place/$1" && git init -q . && "$hewto" init --yes --name "$1" >/dev/null 2>&1)
}
address() {
  for _ in $(seq 600); do
    sed -n 's/^serving //p' "$1" | head -1 | grep . && return
    sleep 0.1
  done
  echo "the server did not start" >&2
  return 1
}
serve() {
  "$hewto" serve --http 127.0.0.1:0 --workspace "$place/$1" 2>"$place/$1.log" &
  servers+=($!)
}

inspect() {
  local name=$1; shift
  for era in legacy modern; do
    local cli=(mcp-inspector --cli "$@" --protocol-era "$era" --format json -q)
    "${cli[@]}" --method tools/list --strict >"$place/list.json"
    grep -q spec_create "$place/list.json"
    "${cli[@]}" --method tools/call --tool-name spec_list >/dev/null
    local status=0
    "${cli[@]}" --method tools/call --tool-name no_such_tool >/dev/null 2>&1 || status=$?
    [ "$status" = 5 ] || { echo "an unknown tool ended with $status" >&2; return 1; }
    "${cli[@]}" --method resources/read --uri airsspec:///config >/dev/null
    "${cli[@]}" --method prompts/get --prompt-name write_spec --prompt-args feature_description=login >/dev/null
    echo "ok  Inspector $era $name"
  done
}

workspace inspector
serve inspector
inspect stdio --cwd "$place/inspector" "$hewto" serve
inspect http "$(address "$place/inspector.log")" --transport http

for mode in legacy auto; do
  for client in "v1 node $here/scenario.mjs v1" "v2 node $here/scenario.mjs v2" "py python -Wignore $here/scenario.py"; do
    read -ra command <<<"$client"
    name=${command[0]}
    # The first SDK knows the old era only.
    [ "$name $mode" = "v1 auto" ] && continue
    for transport in stdio http; do
      folder=$name-$mode-$transport
      workspace "$folder"
      if [ "$transport" = stdio ]; then
        target=("$hewto" serve)
      else
        serve "$folder"
        target=("$(address "$place/$folder.log")")
      fi
      "${command[@]:1}" "$mode" "$transport" "$place/$folder" "${target[@]}"
    done
  done
done

HEWTO_BUILT=$built "$here/conformance.sh"
