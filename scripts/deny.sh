#!/usr/bin/env bash
# Checks licences, sources and bans of the dependencies with cargo-deny. Where it is missing it is installed into target/deny, without
# optimisation: about two minutes on two cores, once. HEWTO_INSTALL_DENY=0 leaves that, and the check, out.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=$PWD/${CARGO_TARGET_DIR:-target}/deny
export PATH=$tools/bin:$PATH
if ! command -v cargo-deny >/dev/null; then
  if [ "${HEWTO_INSTALL_DENY:-1}" = 0 ]; then
    echo "cargo-deny is not installed; the dependencies are not checked"
    exit 0
  fi
  echo "installing cargo-deny into $tools"
  if ! CARGO_TARGET_DIR=$tools/build CARGO_PROFILE_DEV_DEBUG=0 \
    cargo install --quiet --debug --locked --no-default-features --root "$tools" cargo-deny@0.20.2; then
    echo "cargo-deny cannot be installed here; the dependencies are not checked"
    exit 0
  fi
  rm -rf "$tools/build"
fi
cargo deny --locked --all-features check bans licenses sources
