#!/bin/sh
# A container image with Baton's Debian package, from nothing: mmdebstrap makes the root, buildah the image.
# Usage: build_image.sh PACKAGE.deb ARCHIVE.tar [SUITE]. The archive is for `podman load -i`, `docker load -i` and the like.
set -e
deb=$1
archive=$2
suite=${3:-bookworm}
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
mmdebstrap --variant=minbase --quiet "$suite" "$context/root.tar"
cp "$deb" "$context/baton.deb"
rm -f "$archive"
# The file system of this kind works wherever root may build, also inside another container.
buildah --storage-driver vfs --root "$context/storage" --runroot "$context/run" build --isolation chroot --quiet --layers=false \
  --tag baton --file "$here/Containerfile" "$context"
buildah --storage-driver vfs --root "$context/storage" --runroot "$context/run" push --quiet baton "oci-archive:$archive:baton"
