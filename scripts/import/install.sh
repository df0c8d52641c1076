#!/bin/sh
# Fetches the templates that tools bring along, for the test that imports them: MADR's from npm, spec-kit's from PyPI.
# The first argument is the folder they go to. Does nothing when these releases are already there.
set -eu

madr=4.0.0
specify=1.2.3
folder=$1
done=$folder/$madr-$specify

if [ -f "$done" ]; then
    exit 0
fi
mkdir -p "$folder/madr" "$folder/specify"
(cd "$folder" && tar xzf "$(npm pack --silent "madr@$madr" 2>/dev/null | tail -n 1)" -C madr)
python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$folder" "specify-cli==$specify"
python3 -m zipfile -e "$folder"/specify_cli-"$specify"-*.whl "$folder/specify"
touch "$done"
