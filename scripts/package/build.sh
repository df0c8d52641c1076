#!/usr/bin/env bash
# Builds everything hewto is installed from, into target/package, and checks each against its schema and by starting it:
# server.json for the registry, the .mcpb bundle, the Claude Code plugin, the npm package and the Python wheel.
#
#   scripts/package/build.sh [BINARY]     BINARY is built with the profile `dist` unless given
set -euo pipefail
cd "$(dirname "$0")/../.."
target=${CARGO_TARGET_DIR:-$PWD/target}
if [ $# -gt 0 ]; then
  binary=$1
else
  cargo build --profile dist --locked -p hewto
  binary=$target/dist/hewto
fi
clients=$(scripts/clients/install.sh)
eval "$clients"
rm -rf "$target/package"
python3 scripts/package/build.py "$binary" "$target/package"
node scripts/package/check.mjs "$target/package"
python3 scripts/package/try.py "$target/package"
