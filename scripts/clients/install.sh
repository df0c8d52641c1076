#!/usr/bin/env bash
# Puts what the tests drive into target/clients, by name from the registries: PostgreSQL (Debian's), Node.js 22, the official SDKs, the
# Inspector, the conformance suite, axe-core, and a Python with `mcp`. Does nothing when it is there already. Prints how to find it.
#
# A machine that has no npm or no Python 3.10 gets them from its package manager first; how old that Node.js is does not
# matter, because it only has to install the one that is used.
set -euo pipefail
cd "$(dirname "$0")/../.."
place=${CARGO_TARGET_DIR:-$PWD/target}/clients
mcp=2.3.0

have() { command -v "$1" >/dev/null; }
have_python() { python3 -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; }

# Debian's packages, as root or with sudo.
get() {
  local as=()
  if [ "$(id -u)" != 0 ]; then
    have sudo || { echo "install these first, or run as root: $*" >&2; exit 1; }
    as=(sudo)
  fi
  have apt-get || { echo "install these first: $*" >&2; exit 1; }
  "${as[@]}" apt-get update -qq >&2
  "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
}

have git && have flock && have script || get git util-linux bsdutils
# The tests of the hub make a cluster of their own; the one that Debian would start is not wanted.
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || { mkdir -p /etc/postgresql-common 2>/dev/null && echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf 2>/dev/null || true; get postgresql; }
have node || get nodejs ca-certificates
# Some packages of Node.js bring npm along and conflict with the other.
have npm || get npm
have_python || get python3 python3-venv
# The dashboard is looked at in a real browser.
have chromium && have chromedriver || get chromium chromium-driver
have_python || { echo "Python 3.10 or newer is needed, found: $(python3 --version 2>&1)" >&2; exit 1; }

mkdir -p "$place"
if ! cmp -s scripts/clients/package.json "$place/installed.json"; then
  # npm cannot go on where another one broke off.
  rm -rf "$place/node_modules"
  cp scripts/clients/package.json "$place/package.json"
  (cd "$place" && npm install --loglevel=error --no-audit --no-fund --no-package-lock) >&2
  cp "$place/package.json" "$place/installed.json"
fi
if ! "$place/py/bin/python" -c "from importlib.metadata import version; assert version('mcp') == '$mcp'" 2>/dev/null; then
  rm -rf "$place/py"
  { python3 -m venv "$place/py" && "$place/py/bin/pip" install --quiet "mcp==$mcp"; } >&2
fi
echo "export CLIENTS='$place' PATH='$place/node_modules/node/bin:$place/node_modules/.bin:$place/py/bin':\"\$PATH\""
