#!/bin/sh
# Makes a build of the Dockerfile repeatable: refuses a base image that is not named by digest, and takes packages from the snapshot of Debian that this
# base image was made of, which its list of sources names in a comment.
#   NODE_IMAGE=node@sha256:... pin-base.sh [SOURCES [APT_CONFIGURATION]]
set -eu
sources=${1:-/etc/apt/sources.list.d/debian.sources}
configuration=${2:-/etc/apt/apt.conf.d/99snapshot}

if ! printf '%s\n' "${NODE_IMAGE:-}" | grep -Eq '@sha256:[0-9a-f]{64}$'; then
  echo "NODE_IMAGE=${NODE_IMAGE:-}: must name an image by digest: --build-arg NODE_IMAGE=node@sha256:..." >&2
  exit 1
fi
pinned=$(sed -n -e '/^URIs:/d' -e 's,^# *\(https*://.*/[0-9]\{8\}T[0-9]\{6\}Z/*\)$,URIs: \1,' -e p "$sources")
if [ "$(printf '%s\n' "$pinned" | grep -c '^URIs:')" != "$(grep -c '^URIs:' "$sources")" ]; then
  echo "$sources: names no snapshot for each source: use an image of Debian 12 or newer" >&2
  exit 1
fi
printf '%s\n' "$pinned" >"$sources"
# The index of a snapshot is as old as the snapshot.
echo 'Acquire::Check-Valid-Until "false";' >"$configuration"
