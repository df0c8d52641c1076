#!/usr/bin/env bash
# Long mode: processes that write, die and meet faults at random calls, against a model; servers that are killed over both
# transports; lists under churn, against a fresh process. For as long as is asked for.
#   scripts/prove.sh                     an hour
#   scripts/prove.sh 300                 five minutes
#   HEWTO_PROVE_SEED=7 …                 the same dice again
#   HEWTO_CHURN_SPECS=40 …               a smaller workspace under churn (4,000 specs)
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-3600}
# Three fifths for deaths and faults at every call, the rest for servers and for churn.
churn=$((seconds / 5))
servers=$((seconds / 5))
echo "proving for $seconds seconds, seed ${HEWTO_PROVE_SEED:-17}"
# All crates are selected each time, so that what the tests have built serves here too.
prove() { cargo test --workspace --locked --test it -- --exact --nocapture "$1"; }
HEWTO_PROVE_SECONDS=$((seconds - churn - servers)) prove \
    prove::whatever_dies_or_fails_what_was_acknowledged_is_there_and_nothing_is_half
HEWTO_CHURN_SECONDS=$churn HEWTO_CHURN_SPECS=${HEWTO_CHURN_SPECS:-4000} prove \
    churn::lists_under_churn_are_those_of_a_fresh_process_when_it_is_quiet
HEWTO_PROVE_SERVER_SECONDS=$servers prove \
    prove::servers_that_are_killed_over_both_transports_lose_nothing_they_have_acknowledged
