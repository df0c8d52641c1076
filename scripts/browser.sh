#!/usr/bin/env bash
# The dashboard in a real browser: the stories, axe-core on every page, narrow screens. Takes the binary as its argument.
# Pictures of the pages stay in target/screenshots; HEWTO_PICTURES=docs/images makes those of the README anew.
set -euo pipefail
cd "$(dirname "$0")/.."
HEWTO_TARGET=$(realpath -m "${CARGO_TARGET_DIR:-target}")
export HEWTO_TARGET
HEWTO_BINARY=$(realpath "${1:-$HEWTO_TARGET/debug/hewto}")
export HEWTO_BINARY
if [ -n "${HEWTO_PICTURES:-}" ]; then
  HEWTO_PICTURES=$(realpath -m "$HEWTO_PICTURES")
  export HEWTO_PICTURES
fi
CARGO_TARGET_DIR="$HEWTO_TARGET/browser" cargo test --quiet --locked --manifest-path crates/web/browser/Cargo.toml -- --test-threads=2
