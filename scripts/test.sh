#!/usr/bin/env bash
# All tests: formatting, lints, unit, property, crash and transcript tests, documentation, and hewto's own specs.
# Needs a Rust toolchain and nothing else; what other programs a test drives, this script installs by name.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$1"; }

step "formatting"
cargo fmt --all --check

step "lints"
cargo clippy --workspace --all-targets --locked -- -D warnings

step "tests"
cargo test --workspace --locked --no-fail-fast

step "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet

step "hewto's own workspace"
cargo run --quiet --locked -p hewto -- validate --strict
