#!/usr/bin/env bash
# hewto proves that it keeps its own specs: it runs the tests that are linked to them, and holds the badge and the table in README
# to what came out. Usage: scripts/proof.sh [HEWTO]; with HEWTO_REGENERATE=1 it writes badge and table anew.
set -euo pipefail
cd "$(dirname "$0")/.."

# What may run here: the SHA-256 of .hewto/proof.toml. Whoever changes that file changes this line, so both are reviewed.
trusted=ded82e50802c80ecbbb66cb5d2333a40ca0f94bc1d6013b34296f7f00d5f2bda
hewto=${1:-${CARGO_TARGET_DIR:-target}/debug/hewto}
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

"$hewto" proof --run --trust "$trusted"

# The run above answers these: nothing is run again.
"$hewto" proof --run --trust "$trusted" --format badge > "$made/proof.svg"
# Lines move with every edit; files and states are what the table is about.
"$hewto" proof store --run --trust "$trusted" --format md | sed -E 's/(\.[a-z]+):[0-9]+/\1/g' > "$made/table.md"
awk -v table="$made/table.md" '
  /<!-- proof: store -->/ { print; print ""; while ((getline line < table) > 0) print line; print ""; skip = 1; next }
  /<!-- \/proof -->/ { skip = 0 }
  !skip { print }
' README.md > "$made/README.md"

if [ -n "${HEWTO_REGENERATE:-}" ]; then
  cp "$made/proof.svg" docs/proof.svg
  cp "$made/README.md" README.md
  exit
fi
for page in docs/proof.svg README.md; do
  diff -u "$page" "$made/${page##*/}" || {
    echo "$page does not show what the run has shown: HEWTO_REGENERATE=1 scripts/proof.sh writes it anew" >&2
    exit 1
  }
done
