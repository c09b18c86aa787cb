#!/bin/sh
# Makes a Debian 13 with a Python that is new enough for vv-agent: trixie.sh ROOT PACKAGE==VERSION NEEDED…
# Needs root and debootstrap. Made once; ROOT/ready says that it is whole. The first package comes without what it
# requires, since part of that has no wheels; the others come as wheels only.
set -eu
root=$1 package=$2
shift 2
rm -rf "$root"
mkdir -p "$root"
debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates trixie "$root" >&2
# What this machine uses to reach a package index is good inside too: names, settings, and whom it trusts.
trusted=/etc/ssl/certs/ca-certificates.crt
for file in /etc/resolv.conf /etc/pip.conf "$trusted"; do
    if [ -f "$file" ]; then cp "$file" "$root$file"; fi
done
pip="chroot $root /opt/vv-agent/bin/pip install --quiet --disable-pip-version-check --cert $trusted"
chroot "$root" python3 -m venv /opt/vv-agent
$pip --no-deps "$package"
$pip --only-binary :all: "$@"
touch "$root/ready"
