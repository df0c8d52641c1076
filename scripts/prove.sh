#!/usr/bin/env bash
# Long mode: processes that write, die and meet faults at random calls, against a model, for as long as is asked for.
#   scripts/prove.sh            an hour
#   scripts/prove.sh 300        five minutes
#   HEWTO_PROVE_SEED=7 …        the same dice again
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-3600}
echo "proving for $seconds seconds, seed ${HEWTO_PROVE_SEED:-17}"
HEWTO_PROVE_SECONDS=$seconds cargo test -p hewto-store --test it -- --exact --nocapture \
    prove::whatever_dies_or_fails_what_was_acknowledged_is_there_and_nothing_is_half
