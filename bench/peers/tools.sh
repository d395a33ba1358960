#!/bin/sh
# Installs the peers that are no wheels into the folder $1, where their tools
# are there; a peer that cannot be installed is not measured.
XAN=0.61.0 ZSV=0.3.3
if command -v cargo >/dev/null; then
  cargo install -q xan --version $XAN --locked --root "$1/cargo" || echo "xan cannot be built" >&2
fi
if command -v npm >/dev/null; then
  npm install --silent --no-save --prefix "$1" zsv-lib@$ZSV >/dev/null || echo "zsv-lib cannot be installed" >&2
fi
exit 0
