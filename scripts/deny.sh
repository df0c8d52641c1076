#!/usr/bin/env bash
# Checks licences, sources and bans of the dependencies with cargo-deny, where it is installed (`cargo install --locked cargo-deny`).
# With HEWTO_INSTALL_DENY=1 it is installed first, into target/deny; that takes minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=$PWD/${CARGO_TARGET_DIR:-target}/deny
export PATH=$tools/bin:$PATH
if ! command -v cargo-deny >/dev/null; then
  if [ -z "${HEWTO_INSTALL_DENY:-}" ]; then
    echo "cargo-deny is not installed; the dependencies are not checked"
    exit 0
  fi
  cargo install --quiet --locked --root "$tools" cargo-deny
fi
cargo deny --all-features check bans licenses sources
