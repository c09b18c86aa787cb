#!/bin/sh
# Makes a Debian 13 with a Swift 6 compiler in it: swift.sh [ROOT]. Made once; ROOT/ready says that it is whole.
# Needs root, debootstrap, 2 GB of disk and a minute or five; with a `swift` on PATH it is not needed at all.
# ROOT/swift is then that compiler: it runs in the chroot, sees the same files under the same paths, and sees the
# machine's own programs below /host.
set -eu
root=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/turnwire/toolchains/swift}
if [ -f "$root/ready" ]; then exit 0; fi
for tool in debootstrap chroot unshare; do
    if ! command -v "$tool" >/dev/null; then
        echo "swift.sh: $tool is missing; install it, or Swift 5.9 or newer (https://swift.org/install)" >&2
        exit 1
    fi
done
rm -rf "$root"
mkdir -p "$root"
debootstrap --variant=minbase --include=ca-certificates trixie "$root" >&2
for file in /etc/resolv.conf /etc/ssl/certs/ca-certificates.crt; do
    if [ -f "$file" ]; then cp "$file" "$root$file"; fi
done
mkdir "$root/host"
cat >"$root/swift" <<'RUN'
#!/bin/sh
# Any program of the chroot beside this script, `swift` unless RUN names another one, in the present folder.
# Mounts are made in a namespace of their own, so that nothing is left mounted.
root=$(cd "$(dirname "$0")" && pwd) exec unshare --mount sh -eu -c '
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    for folder in /*; do
        case $folder in
            /bin | /boot | /dev | /etc | /host | /lib* | /proc | /run | /sbin | /sys | /usr | /var) ;;
            *) if [ -d "$folder" ]; then mkdir -p "$root$folder"; mount --bind "$folder" "$root$folder"; fi ;;
        esac
    done
    mount --rbind / "$root/host"
    exec chroot "$root" sh -c "cd \"\$0\" && exec \"\$@\"" "$PWD" "$@"
' sh "${RUN:-swift}" "$@"
RUN
chmod +x "$root/swift"
# The image's own packages come with settings that ask nobody anything.
export DEBIAN_FRONTEND=noninteractive
RUN=apt-get "$root/swift" install --yes --quiet --no-install-recommends swiftlang libc6-dev libstdc++-14-dev >&2
"$root/swift" --version >&2
rm -rf "$root"/var/cache/apt/archives/*.deb
touch "$root/ready"
