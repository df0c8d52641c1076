#!/bin/sh
# Installs the OpenSpec release that hewto is compared with, into the folder given as the first argument.
# Does nothing when that release is already there.
set -eu

version=1.13.2
folder=$1
package=$folder/node_modules/@fission-ai/openspec/package.json

if [ -f "$package" ] && grep -q "\"version\": \"$version\"" "$package"; then
    exit 0
fi
mkdir -p "$folder"
npm install --prefix "$folder" --no-audit --no-fund --no-save --loglevel=error "@fission-ai/openspec@$version"
