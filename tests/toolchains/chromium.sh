#!/bin/sh
# Installs a browser, in which the TypeScript client is tried too, as a package of Debian. Needs root and the network;
# where a Chromium or a Chrome is on PATH already it does nothing.
set -eu
for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null; then exit 0; fi
done
if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
    echo "chromium.sh: apt-get or root is missing; install a Chromium" >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update >&2
apt-get -qq install --yes --no-install-recommends chromium >&2
