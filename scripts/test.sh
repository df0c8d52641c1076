#!/usr/bin/env bash
# All tests: formatting, lints, unit, property, crash and transcript tests, documentation, and hewto's own specs.
# Needs a Rust toolchain; what other programs the tests drive (Node.js for OpenSpec, the reference of the differential
# test; MCP clients in Node.js and Python) this script and the tests install by name.
set -euo pipefail
cd "$(dirname "$0")/.."

# Nobody debugs here: without debug information and incremental caches, building takes half the time and space.
export CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=0

step() { printf '\n== %s\n' "$1"; }

if ! command -v npm >/dev/null; then
  step "Node.js"
  apt-get update -qq && apt-get install -y -qq nodejs npm
  # Debian's own may be older than what OpenSpec asks for.
  npm install --silent --no-audit --no-fund --prefix target/node node@22
fi
if [ -d target/node/node_modules/node/bin ]; then
  export PATH="$PWD/target/node/node_modules/node/bin:$PATH"
fi

step "formatting"
cargo fmt --all --check

step "lints"
cargo clippy --workspace --all-targets --locked -- -D warnings

step "tests"
HEWTO_FUZZ_SECONDS=${HEWTO_FUZZ_SECONDS:-20} cargo test --workspace --locked --no-fail-fast

step "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet

step "real clients and the conformance suite"
scripts/clients/run.sh

step "packages"
scripts/package/build.sh "${CARGO_TARGET_DIR:-target}/debug/hewto"

step "hewto's own workspace"
cargo run --quiet --locked -p hewto -- validate --strict
