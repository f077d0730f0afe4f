#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# bootstrap.sh on a machine that nobody has touched: a minimal Debian or Ubuntu, made by debootstrap.
#
# usage: fresh.sh [-l] [-g] [-u] FOLDER RELEASE [WORDS OF BOOTSTRAP...]
# The release's root is made once in FOLDER (FOLDER/RELEASE); each call has a copy-on-write copy with
# the files that git knows, runs `./bootstrap.sh WORDS` there (demo 10) and says time and exit code.
#   -l  lists of packages are there (else none was ever fetched, as in a container's image)
#   -g  a compiler was installed before
#   -u  as a user that sudo knows without a password
# Root runs it; debootstrap and a mirror are needed (MIRROR=http://...). The copy is kept with KEEP=1.
set -euo pipefail

lists= compiler= user=
while getopts lgu o; do
	case $o in
	l) lists=1 ;;
	g) compiler=1 ;;
	u) user=1 ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -ge 2 ] || { sed -n '2,/^set/{/^#/p}' "$0" >&2; exit 2; }
source=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mkdir -p "$1" && cd "$1" && pwd) release=$2
shift 2
[ $# -gt 0 ] || set -- demo 10

root=$folder/$release
if [ ! -e "$root/.made" ]; then
	debootstrap --variant=minbase "$release" "$root" ${MIRROR:+"$MIRROR"} >&2
	touch "$root/.made"
fi
copy=$(mktemp -d "$folder/$release.XXXXXX")
mkdir "$copy"/{up,work,root}
[ -n "${KEEP:-}" ] || trap 'rm -rf "$copy"' EXIT

cat >"$copy/prepare" <<'END'
set -e
rm -f /etc/resolv.conf
cat >/etc/resolv.conf
export DEBIAN_FRONTEND=noninteractive
{
	case $1 in *[lgu]*) apt-get update ;; esac
	case $1 in *g*) apt-get install -y --no-install-recommends gcc libc6-dev ;; esac
	case $1 in *u*)
		apt-get install -y --no-install-recommends sudo
		useradd -m -s /bin/bash somebody
		echo 'somebody ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/somebody
		chown -R somebody /profview
		;;
	esac
	case $1 in *l*) ;; *) rm -rf /var/lib/apt/lists/* ;; esac
} >/dev/null
END
mkdir "$copy/up/profview"
(cd "$source" && git ls-files -z | xargs -0 cp --parents -t "$copy/up/profview")
cp "$copy/prepare" "$copy/up/profview/.prepare"

# Mounts and processes are gone with the namespaces.
unshare --mount --pid --fork --kill-child --propagation private bash -c '
	set -e
	copy=$1 root=$2 how=$3 user=$4
	shift 4
	at=$copy/root
	mount -t overlay overlay -o "lowerdir=$root,upperdir=$copy/up,workdir=$copy/work" "$at"
	mount -t proc proc "$at/proc"
	mount --rbind /dev "$at/dev"
	mount -t sysfs sysfs "$at/sys"
	enter=(env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM="${TERM:-dumb}")
	"${enter[@]}" chroot "$at" /bin/bash /profview/.prepare "$how" </etc/resolv.conf
	rm "$at/profview/.prepare"
	[ -z "$user" ] || user="--userspec=somebody:somebody"
	status=0
	TIMEFORMAT="fresh: %1R s, of processors %1U + %1S s"
	time "${enter[@]}" chroot ${user:+"$user"} "$at" /bin/bash -c "cd /profview && exec ./bootstrap.sh \"\$@\"" bootstrap "$@" || status=$?
	echo "fresh: exit code $status" >&2
	exit "$status"
' fresh "$copy" "$root" "-${lists:+l}${compiler:+g}${user:+u}" "$user" "$@"
