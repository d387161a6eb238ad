#!/bin/sh
# Has a question asked and answered by the image in an archive, as its own user, on a root that nothing can be written to:
# `try.sh ARCHIVE ROOT RUNROOT`, with the places where buildah keeps containers. Needs root.
set -eu
try=$(dirname "$0")/../try.sh
images() {
  buildah --root "$2" --runroot "$3" "$1" "$4"
}
container=$(images from "$2" "$3" "docker-archive:$1" | tail -n 1)
trap 'images rm "$2" "$3" "$container" > /dev/null' EXIT
root=$(images mount "$2" "$3" "$container")
unshare --mount sh -eu -c '
  mount --bind "$1" "$1"
  # As every container gets them. A static program has its random numbers from there.
  mkdir -p "$1/dev"
  mount --bind /dev "$1/dev"
  mount -o remount,ro,bind "$1"
  mount -t tmpfs -o mode=0700,uid=65532,gid=65532 tmpfs "$1/data"
  DATA=/data SQLITE_TMPDIR=/data exec "$2" chroot --userspec=65532:65532 "$1" /handraise
' sh "$root" "$try"
