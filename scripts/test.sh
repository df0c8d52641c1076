#!/usr/bin/env bash
# All tests: formatting, lints, unit, property, crash and transcript tests, documentation, and hewto's own specs.
# Needs a Rust toolchain; what other programs the tests drive (Node.js for OpenSpec, the reference of the differential
# test; MCP clients in Node.js and Python) is installed first, by name.
set -euo pipefail
cd "$(dirname "$0")/.."

# Nobody debugs here: without debug information and incremental caches, building takes half the time and space.
export CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=0
# What cannot be compared, because something could not be installed, fails here instead of being passed over.
export CI=true

step() { printf '\n== %s\n' "$1"; }

step "Node.js, Python and the clients"
clients=$(scripts/clients/install.sh)
eval "$clients"

step "formatting"
cargo fmt --all --check

step "lints"
cargo clippy --workspace --all-targets --locked -- -D warnings

step "dependencies"
scripts/deny.sh

step "tests"
HEWTO_FUZZ_SECONDS=${HEWTO_FUZZ_SECONDS:-20} cargo test --workspace --locked --no-fail-fast

step "deaths, faults and churn for five minutes, beside the steps below"
proof_of_writes=$(mktemp)
scripts/prove.sh "${HEWTO_PROVE_SECONDS:-300}" > "$proof_of_writes" 2>&1 &
proving=$!
trap 'kill "$proving" 2> /dev/null || true; rm -f "$proof_of_writes"' EXIT

step "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet

step "real clients and the conformance suite"
scripts/clients/run.sh

step "the dashboard in a browser"
scripts/browser.sh "${CARGO_TARGET_DIR:-target}/debug/hewto"

step "packages"
scripts/package/build.sh "${CARGO_TARGET_DIR:-target}/debug/hewto"

step "hewto's own workspace"
cargo run --quiet --locked -p hewto -- validate --strict

step "hewto's own promises"
scripts/proof.sh "${CARGO_TARGET_DIR:-target}/debug/hewto"

step "deaths, faults and churn"
outcome=0
wait "$proving" || outcome=$?
grep -vE '^$|running 0 tests|test result: ok. 0 passed' "$proof_of_writes"
exit "$outcome"
