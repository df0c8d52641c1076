#!/usr/bin/env bash
# Puts the clients into target/clients, by name from the registries: Node.js 22, the official SDKs, the Inspector, the
# conformance suite, and a Python with `mcp`. Does nothing when they are there already. Prints how to find them.
set -euo pipefail
cd "$(dirname "$0")/../.."
place=${CARGO_TARGET_DIR:-$PWD/target}/clients

have() { command -v "$1" >/dev/null; }
if ! have npm || ! have python3 || ! python3 -c 'import ensurepip' 2>/dev/null; then
  { apt-get update -qq && apt-get install -y -qq npm python3 python3-venv; } >&2
fi

mkdir -p "$place"
if ! cmp -s scripts/clients/package.json "$place/package.json"; then
  cp scripts/clients/package.json "$place/wanted.json"
  (cd "$place" && rm -f package.json && cp wanted.json package.json &&
    npm install --silent --no-audit --no-fund --no-package-lock) >&2 || { rm -f "$place/package.json"; exit 1; }
fi
if ! "$place/py/bin/python" -c 'import mcp' 2>/dev/null; then
  { python3 -m venv "$place/py" && "$place/py/bin/pip" install --quiet mcp==2.3.0; } >&2
fi
echo "export CLIENTS='$place' PATH='$place/node_modules/node/bin:$place/node_modules/.bin:$place/py/bin':\"\$PATH\""
