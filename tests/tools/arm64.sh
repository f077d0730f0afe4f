#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Tests for arm64 on another processor, under qemu-user. Needs a cross compiler and qemu, no rights.
#
# usage: arm64.sh root FOLDER PACKAGE...   Debian's arm64 packages and what they depend on, unpacked
#                                          into FOLDER/root, and FOLDER/cross.ini for Meson
#        arm64.sh wrap FOLDER BUILD        programs in BUILD start by themselves, so that tests in
#                                          Python need not know of qemu; units (test_*) stay as they
#                                          are, since some look at their own file
set -euo pipefail
verb=$1
folder=$(mkdir -p "$2" && cd "$2" && pwd)
shift 2
root=$folder/root
if ! qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64) || ! command -v aarch64-linux-gnu-gcc >/dev/null; then
	echo 'there is no qemu-user here, or no compiler for arm64'
	exit 1
fi

apt() {
	apt-get -q -o Dir::State="$folder/state" -o Dir::State::status="$folder/state/status" \
		-o Dir::Cache="$folder/cache" -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
		-o APT::Sandbox::User="$(id -un)" "$@"
}

# Absolute links of a package lead out of the root.
link_inside() {
	local link
	find "$root" -type l -lname '/*' | while IFS= read -r link; do
		ln -sfn "$(realpath -m --relative-to="${link%/*}" "$root$(readlink "$link")")" "$link"
	done
}

fetch() {
	local package
	rm -rf "$root" "$folder"/{state,cache}
	mkdir -p "$root" "$folder"/{state/lists,cache/archives}/partial
	: >"$folder/state/status"
	apt update || true # a foreign source need not have this processor
	apt install --yes --no-install-recommends --download-only "$@"
	for package in "$folder"/cache/archives/*.deb; do
		dpkg -x "$package" "$root"
	done
	link_inside
	rm -rf "$folder"/{state,cache}
}

# What Meson starts: a program as it was linked, or one that is wrapped.
describe() {
	local libraries=$root/usr/lib/aarch64-linux-gnu cache=
	cat >"$folder/run" <<-END
		#!/bin/sh
		case \$(head -c 2 "\$1") in
		'#!') exec "\$@" ;;
		esac
		exec '$qemu' -L '$root' "\$@"
	END
	chmod +x "$folder/run"
	! command -v ccache >/dev/null || cache="'ccache', "
	cat >"$folder/cross.ini" <<-END
		[binaries]
		c = [$cache'aarch64-linux-gnu-gcc', '--sysroot=$root']
		ar = 'aarch64-linux-gnu-gcc-ar'
		strip = 'aarch64-linux-gnu-strip'
		objcopy = 'aarch64-linux-gnu-objcopy'
		nm = 'aarch64-linux-gnu-nm'
		pkgconfig = 'pkg-config'
		exe_wrapper = ['$folder/run']
		[host_machine]
		system = 'linux'
		cpu_family = 'aarch64'
		cpu = 'aarch64'
		endian = 'little'
		[properties]
		sys_root = '$root'
		pkg_config_libdir = ['$libraries/pkgconfig', '$root/usr/share/pkgconfig']
	END
}

wrap() {
	local file
	find "$1" -type f -executable ! -name '*.so*' ! -name '*.elf' ! -name 'test_*' | while IFS= read -r file; do
		[ "$(head -c 4 "$file" | tr -d '\0')" = $'\x7fELF' ] || continue
		mv "$file" "$file.elf"
		cat >"$file" <<-END
			#!/bin/sh
			exec '$qemu' -L '$root' -0 "\$0" "\$0.elf" "\$@"
		END
		chmod +x "$file"
	done
}

case $verb in
root)
	# What was fetched for these words before stays.
	if [ "$(cat "$folder/packages" 2>/dev/null)" != "$*" ]; then
		fetch "$@"
		printf '%s\n' "$*" >"$folder/packages"
	fi
	describe
	;;
wrap)
	wrap "$@"
	;;
esac
