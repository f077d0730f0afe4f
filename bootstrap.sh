#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what is missing on a Debian machine, builds profview, tests it and shows it off.
set -euo pipefail
shopt -s lastpipe # `logged` keeps the count of its loop
cd "$(dirname "${BASH_SOURCE[0]}")"

# A word is a package, or several of which one is enough: `name|name of other releases`.
BUILD_PACKAGES=(meson ninja-build gcc libc6-dev 'pkg-config|pkgconf' libncurses-dev libevent-dev
	libcjson-dev zlib1g-dev libsodium-dev python3)
TEST_PACKAGES=(check)
# Not every release has all of these; what needs one that is missing is left out, or skipped.
# Without Mono's headers meson leaves out the Mono module, without mcs what attaches it.
BUILD_WISHES=(scdoc libiberty-dev libdw-dev mono-runtime 'mono-mcs|mono-devel' 'libmono-2.0-dev|mono-devel')
PACKAGE_PACKAGES=(debhelper)
PACKAGE_WISHES=(lintian) # for their test
DEMO_WISHES=(libiberty-dev libdw-dev)
MONO_WISHES=(mono-runtime 'mono-mcs|mono-devel' 'libmono-profiler|mono-devel')
TEST_WISHES=(g++ make tmux valgrind ccache sqlite3 zstd zsh fish git perl xz-utils clang libxml2-utils
	procps bindfs musl-tools
	'libmono-profiler|mono-devel' 'mono-utils|mono-devel' mono-profiler clang-format-19 clang-tidy-19
	libjemalloc2 'libtcmalloc-minimal4|libtcmalloc-minimal4t64' 'libmimalloc2.0|libmimalloc3')
# Another processor's tests, which `test --all` has.
ARM64_WISHES=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross 'qemu-user-static|qemu-user')
# What the one file takes besides: a C library for static programs, and what its libraries are built with.
STATIC_PACKAGES=(musl-tools dpkg-dev patch make autoconf automake libtool m4 bison flex)
LOG=build/bootstrap.log

usage() {
	cat <<'END'
usage: ./bootstrap.sh build              build profview into build/
       ./bootstrap.sh test [--all]       build, run every test, those of suite `long` last, units again
                                         under sanitizers, and fuzz; --all: also what is
                                         distributed, clang-tidy, hostile logs of more events,
                                         and units and screens for arm64 under qemu
       ./bootstrap.sh demo [SECONDS]     watch a C# program under Mono's own log profiler
       ./bootstrap.sh demo native [SECONDS]
                                         watch a C program under profview's probe
       ./bootstrap.sh package [VIEWER]   Debian packages of this release, into build/packages/; with a
                                         viewer that has all it needs inside, or a folder with it:
                                         a Debian package for any release, a .NET tool, npm's;
                                         "all" builds that viewer first (static)
       ./bootstrap.sh static             build build-static/profview: one file that runs on any Linux of
                                         x86-64, with the probes in it
Missing Debian packages are installed first, as root or through sudo.
Without a terminal on standard output the demos run to their end and print the overview.
END
}

say() {
	printf 'bootstrap: %s\n' "$*" >&2
}

# ---- what takes long

# shown TEXT: the line of progress, on a terminal.
shown() {
	[ ! -t 2 ] || printf '\r\033[K%s' "${1:+bootstrap: $1}" >&2
}

log_begun=

# logged WHAT COMMAND...: what it prints goes to the log; how far apt or ninja is, to one line.
logged() {
	local what=$1 line count= status=0 begun=$SECONDS
	shift
	[ -t 2 ] || say "$what"
	shown "$what"
	mkdir -p build
	[ -n "$log_begun" ] || : >"$LOG"
	log_begun=1
	printf '\n$ %s\n' "$*" >>"$LOG"
	NINJA_STATUS='[%f of %t] ' "$@" 2>&1 | while IFS= read -r line; do
		case $line in
		dlstatus:* | pmstatus:*)
			line=${line#*:*:}
			shown "$what: ${line%%[.:]*} %"
			continue
			;;
		'['[0-9]*' of '[0-9]*'] '*)
			count=${line%%]*}
			count=${count#[}
			shown "$what: $count"
			;;
		*' newly installed, '*)
			count=${line%% newly installed*}
			count=${count##* }
			;;
		esac
		printf '%s\n' "$line" >>"$LOG"
	done || status=$?
	shown ''
	if [ "$status" -ne 0 ]; then
		tail -n 15 "$LOG" | cut -c 1-400 >&2
		say "$what: failed; $LOG has all that was said"
	elif [ -t 2 ] || [ $((SECONDS - begun)) -gt 1 ]; then
		say "$what: ${count:+$count, }$((SECONDS - begun)) s"
	fi
	return "$status"
}

# ---- packages

# Those words of which no package is installed, by its own name or as what another one provides.
missing_of() {
	local there word package
	there=$(dpkg-query -W -f '${db:Status-Status} ${Package}, ${Provides}\n' 2>/dev/null |
		awk 'sub(/^installed /, "") { gsub(/\([^)]*\)|,/, " "); for (i = 1; i <= NF; i++) print $i }') || true
	for word; do
		for package in ${word//|/ }; do
			! grep -qxF "$package" <<<"$there" || continue 2
		done
		printf '%s\n' "$word"
	done
}

# Of each word the first package that apt could install; with -v the words without one.
# `apt-cache show` answers for names that others only mention, and, where no list was ever fetched,
# from what is installed.
available() {
	local word package names without=
	if [ "${1:-}" = -v ]; then
		without=1
		shift
	fi
	[ $# -gt 0 ] || return 0
	# shellcheck disable=SC2046
	names=$(LC_ALL=C apt-cache policy $(printf '%s ' "${@//|/ }") 2>/dev/null |
		awk '/^[^ ]/ { name = $1; sub(/:$/, "", name) } /^  Candidate: [^(]/ { print name }') || true
	for word; do
		for package in ${word//|/ }; do
			if grep -qxF "$package" <<<"$names"; then
				[ -n "$without" ] || printf '%s\n' "$package"
				continue 2
			fi
		done
		[ -z "$without" ] || printf '%s\n' "$word"
	done
}

# Madison reads lists only, not what is installed.
lists_are_there() {
	[ -n "$(apt-cache madison libc6 2>/dev/null)" ]
}

as_root=()

# Sets as_root. Fails without rights; sudo asks for its password where somebody can type it.
may_install() {
	[ "$(id -u)" -ne 0 ] || return 0
	command -v sudo >/dev/null || return 1
	as_root=(sudo)
	sudo -n true 2>/dev/null || { [ -t 0 ] && [ -t 2 ] && sudo -v; }
}

# A list that cannot be fetched, of a foreign source, need not be one that is needed.
updated=
update_lists() {
	[ -z "$updated" ] || return 0
	updated=1
	logged 'lists of packages' "${as_root[@]}" apt-get update -q ||
		say 'not every list of packages could be fetched; going on with the others'
}

# Sets `renewed`: a build folder may have been set up without what is installed now.
renewed=

# Apt 3 closes the descriptor of its status to the scripts of packages: that of their output is another.
install() {
	# shellcheck disable=SC2016
	logged packages "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive sh -c 'exec apt-get install "$@" 3>&1' sh -y -q \
		--no-install-recommends -o APT::Status-Fd=3 -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120 "$@" || return
	renewed=1
}

# tell_command NEEDED [WISHED]: the command to copy. Without lists nobody knows which wishes there are.
tell_command() {
	local by= needed=$1 wished=${2:-}
	! command -v sudo >/dev/null || by='sudo '
	if ! lists_are_there; then
		[ -z "$wished" ] || say "of use, as far as this release has them: $wished"
		wished=
	fi
	[ -n "$needed$wished" ] || return 0
	say 'there are no rights to install what is missing. With them this does it:'
	printf '%sapt-get update; %sapt-get install -y --no-install-recommends %s\n' "$by" "$by" \
		"$needed${wished:+ $wished}" >&2
}

tell_missing() {
	[ $# -eq 0 ] || say 'this release has no' "${@%%|*}"
}

# need_packages WORD... [-- WORD...]: those behind -- where this release has them.
need_packages() {
	local needed=() wished=() names
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		needed+=("$1")
		shift
	done
	wished=("${@:2}")
	if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
		say 'there is no apt-get here, so nothing is installed. What is used, as Debian calls it:' \
			"${needed[@]%%|*}" "${wished[@]%%|*}"
		return 0
	fi
	mapfile -t needed < <(missing_of "${needed[@]}")
	mapfile -t wished < <(missing_of "${wished[@]}")
	if lists_are_there; then
		mapfile -t names < <(available -v "${wished[@]}")
		tell_missing "${names[@]}"
		mapfile -t wished < <(available "${wished[@]}")
	fi
	[ $((${#needed[@]} + ${#wished[@]})) -gt 0 ] || return 0
	if ! may_install; then
		tell_command "${needed[*]%%|*}" "${wished[*]%%|*}"
		[ ${#needed[@]} -eq 0 ] && return
		exit 2
	fi
	update_lists
	if lists_are_there; then
		mapfile -t names < <(available -v "${needed[@]}" "${wished[@]}")
		tell_missing "${names[@]}"
	else
		say "no list of packages could be fetched; $LOG says why"
	fi
	mapfile -t names < <(available -v "${needed[@]}")
	[ ${#names[@]} -eq 0 ] || exit 2
	mapfile -t needed < <(available "${needed[@]}")
	mapfile -t wished < <(available "${wished[@]}")
	[ $((${#needed[@]} + ${#wished[@]})) -eq 0 ] || install "${needed[@]}" "${wished[@]}" && return
	say 'going on without' "${wished[@]}"
	[ ${#needed[@]} -eq 0 ] || install "${needed[@]}"
}

# ---- building and testing

# set_up DIR [meson options]
set_up() {
	if [ ! -f "$1/build.ninja" ]; then
		logged "setting up $1" meson setup "$@"
	elif [ -n "$renewed" ] || { [[ " $* " == *' -Dtests=true '* ]] && ! grep -q ' tests/biglog:' "$1/build.ninja"; }; then
		logged "setting up $1" meson setup --reconfigure "$@"
	fi
}

# build_in DIR [TARGET...]
build_in() {
	logged "files of $1" ninja -C "$@"
}

# Newer Meson builds what is for tests alone only when they are asked for.
build_tests() {
	build_in "$1" all meson-test-prereq
}

# What somebody runs who does not test.
build_program() {
	need_packages "${BUILD_PACKAGES[@]}" -- "${BUILD_WISHES[@]}" "$@"
	if [ -f build/build.ninja ]; then
		set_up build # with its tests, if it has them
	else
		set_up build -Dtests=false
	fi
	build_in build program
}

# Where nothing is built yet a demo gets what it runs, optimised less: two thirds of the work.
build_demo() {
	if [ -f build/build.ninja ]; then
		build_program "$@"
		return
	fi
	demo=build-demo
	need_packages "${BUILD_PACKAGES[@]}" -- "${DEMO_WISHES[@]}" "$@"
	set_up "$demo" -Dtests=false -Dmono=disabled -Dcoreclr=disabled -Doptimization=1 -Ddebug=false
	build_in "$demo" profview demo-native
	say 'built in haste, for this demo alone: ./bootstrap.sh build makes the one to keep'
}

# A copy is built, with debian/ where the tools look for it.
make_debian() {
	local source=build/package/source
	need_packages "${BUILD_PACKAGES[@]}" "${PACKAGE_PACKAGES[@]}" -- "${BUILD_WISHES[@]}"
	rm -rf build/package build/packages
	mkdir -p build/packages
	python3 .packaging/make.py debian . "$source"
	# Its helpers give the build a home of its own, in which no compilation is known.
	! command -v ccache >/dev/null || export CCACHE_DIR="${CCACHE_DIR:-$(ccache -k cache_dir)}"
	DEB_BUILD_OPTIONS="noautodbgsym parallel=$(nproc)" logged 'Debian packages' \
		env -C "$source" dpkg-buildpackage -b -d -us -uc
	mv build/package/*.deb build/packages/
}

# make_portable VIEWER: packages that depend on no other.
make_portable() {
	python3 .packaging/make.py portable . "$1" build/packages
}

do_package() {
	make_debian
	[ "${1:-}" != all ] || do_static
	[ "${1:-}" != all ] || set -- build-static/profview
	[ -z "${1:-}" ] || make_portable "$1"
	say "in build/packages:" "$(cd build/packages && echo *)"
}

# The tests of a suite in a build folder. One that fails is run again alone; the summary tells.
run_tests() {
	run_part "$1" testlog "${@:2}"
}

# run_part DIR PART [meson options]; the part is the name of the log that meson writes.
run_part() {
	local dir=$1 part=$2 unsteady what
	shift 2
	what=$*
	[ $# -lt 20 ] || what="$# words"
	say "testing in $dir: $what"
	rm -f "$dir/meson-logs/$part"{,-again}.json
	meson test -C "$dir" --print-errorlogs --logbase "$part" "$@" && return
	mapfile -t unsteady < <(python3 tests/tools/summary.py --failed "$dir" "$part")
	if [ ${#unsteady[@]} -eq 0 ]; then # meson itself failed
		failed=1
		return
	fi
	say "once more, alone: ${unsteady[*]}"
	meson test -C "$dir" --no-rebuild --num-processes 1 --logbase "$part-again" "${unsteady[@]}" ||
		failed=1
}

# clang's fuzzer is in a package whose name holds clang's version.
need_fuzzer() {
	! command -v clang >/dev/null || need_packages -- "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
}

# Debian's nginx would serve from now on: its program alone is taken, out of its package.
need_nginx() {
	local dir=build/nginx
	export PATH=$PATH:/usr/sbin:$PWD/$dir/usr/sbin
	if command -v nginx >/dev/null || ! command -v apt-get >/dev/null; then
		return 0
	fi
	rm -rf "$dir"
	mkdir -p "$dir"
	lists_are_there || ! may_install || update_lists
	logged 'the program of nginx' sh -c 'cd "$0" && apt-get download -q nginx && dpkg -x nginx_*.deb .' "$dir" ||
		say 'there is no nginx here, and its package cannot be fetched'
}

do_test() {
	local all= folders=(build build-asan build-tsan build-fuzz)
	case ${1:-} in
	'') ;;
	--all) all=1 ;;
	*)
		usage >&2
		exit 2
		;;
	esac
	need_packages "${BUILD_PACKAGES[@]}" "${TEST_PACKAGES[@]}" -- "${BUILD_WISHES[@]}" "${TEST_WISHES[@]}"
	need_fuzzer
	need_nginx
	failed=0
	# What is distributed and the worked examples are compiled with the same words in other folders.
	[ -z "$all" ] || export CCACHE_NOHASHDIR=1
	set_up build -Dtests=true
	build_tests build
	# Those on real programs wait for them half of the time; of the long ones one builds all along.
	run_tests build --no-rebuild --no-suite long --no-suite packages --num-processes $((2 * $(nproc)))
	run_part build long --no-rebuild --suite long --num-processes $(($(nproc) + 1))
	if [ -n "$all" ]; then
		# shellcheck source=tests/all.sh
		. tests/all.sh
		test_all
	fi
	export CK_FORK=no
	# Meson builds what these tests need and no more: that is half of all.
	set_up build-asan -Db_sanitize=address,undefined -Db_lundef=false
	UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 run_tests build-asan --suite unit
	set_up build-tsan -Db_sanitize=thread -Db_lundef=false
	TSAN_OPTIONS=halt_on_error=1 run_tests build-tsan --suite threaded
	if command -v clang >/dev/null; then
		CC=clang set_up build-fuzz -Dfuzz=enabled -Db_sanitize=address,undefined -Db_lundef=false
		build_in build-fuzz fuzzers
		run_tests build-fuzz --no-rebuild --suite fuzz
	fi
	python3 tests/tools/summary.py tests/tools/skips.txt "${folders[@]}" || failed=1
	exit "$failed"
}

# ---- the one file

# musl.ini for Meson: a static program with the libraries that lie in $1.
describe_musl() {
	local cache=
	! command -v ccache >/dev/null || cache="'ccache', "
	cat <<END
[binaries]
c = [$cache'musl-gcc']
[properties]
pkg_config_libdir = ['$1/pkgconfig']
[built-in options]
c_args = ['-DPV_MIMALLOC', '-Wno-sign-conversion', '-Wno-format-truncation', '-ffunction-sections', '-fdata-sections', '-idirafter', '$1/include']
c_link_args = ['-static', '-L$1/lib', '$1/lib/mimalloc.o', '-Wl,--gc-sections', '-Wl,-z,stack-size=8388608']
END
}

do_static() {
	local dir=$PWD/build-static
	if [ "$(uname -m)" != x86_64 ]; then
		say 'the one file is made on x86-64 alone: old C libraries of other processors are not known'
		exit 2
	fi
	need_packages "${BUILD_PACKAGES[@]}" "${STATIC_PACKAGES[@]}" -- "${BUILD_WISHES[@]}"
	logged 'libraries of the one file' .packaging/static/libraries.sh "$dir"
	set_up build-static/probes -Dtests=false -Dbuildtype=release -Dold_glibc=true
	build_in build-static/probes probes
	rm -rf "$dir/carried"
	mkdir "$dir/carried"
	cp "$dir"/probes/probe/*.so "$dir/carried"
	[ ! -e "$dir/probes/probe/profview-attach.exe" ] || cp "$dir/probes/probe/profview-attach.exe" "$dir/carried"
	describe_musl "$dir/musl" >"$dir/musl.ini"
	# A program, which no other is loaded into: it can be whole, as the viewer is.
	set_up build-static/outside --native-file "$dir/musl.ini" -Dprefer_static=true -Dbuildtype=release \
		-Dtests=false -Dmono=disabled -Dcoreclr=disabled -Dnative=disabled -Delfutils=disabled -Ddemangle=disabled
	build_in build-static/outside probe/profview-outside
	cp "$dir/outside/probe/profview-outside" "$dir/carried"
	strip "$dir"/carried/*.so "$dir/carried/profview-outside"
	python3 probe/native/platforms.py "$dir/carried/platforms" libprofview-native.so
	set_up build-static/viewer --native-file "$dir/musl.ini" \
		-Dprefer_static=true -Dbuildtype=release -Dtests=false -Dmono=disabled -Dcoreclr=disabled \
		-Dnative=disabled -Delfutils=enabled -Ddemangle=enabled -Dprobe=disabled "-Dcarry=$dir/carried"
	build_in build-static/viewer profview
	strip -o build-static/profview.new build-static/viewer/profview
	mv build-static/profview.new build-static/profview
	say "build-static/profview: $(stat -c %s build-static/profview) bytes"
}

# ---- demos

scratch=
target=
demo=build # the folder with what a demo runs

stop_target() {
	[ -n "$target" ] || return 0
	kill "$target" 2>/dev/null || true
	wait "$target" 2>/dev/null || true
	target=
}

clean_up() {
	trap - EXIT INT TERM HUP
	stop_target
	[ -z "$scratch" ] || rm -rf "$scratch"
}

# follow SECONDS PROGRAM...: starts the program, which writes into $scratch/pipe, and watches it.
follow() {
	local seconds=$1 status=0
	shift
	mkfifo -m 600 "$scratch/pipe"
	"$@" >"$scratch/said" 2>&1 </dev/null &
	target=$!
	if [ -t 1 ]; then
		"$demo/profview" --follow "$scratch/pipe" || status=$?
	else
		timeout $((seconds + 60)) \
			"$demo/profview" --follow "$scratch/pipe" --dump --size 120x36 || status=$?
		[ "$status" -ne 0 ] || wait "$target" || status=$?
	fi
	stop_target
	[ ! -s "$scratch/said" ] || sed 's/^/bootstrap: the program said: /' "$scratch/said" >&2
	return "$status"
}

demo_mono() {
	local seconds=$1
	mcs -out:"$scratch/demo.exe" tests/real/demo.cs >&2
	# Calls of the program's own methods only: tracing the class library too is 28 times slower.
	follow "$seconds" mono --profile=log:nodefaults,calls,callspec=program,sample=200,alloc,\
exception,monitor,counter,gchandle,finalization,heapshot=8000ms,output="$scratch/pipe" \
		"$scratch/demo.exe" "$seconds"
}

demo_native() {
	local seconds=$1
	follow "$seconds" "$demo/demo-native" "$scratch/pipe" "$seconds"
}

do_demo() {
	local kind=mono
	if [ "${1:-}" = native ]; then
		kind=native
		shift
	fi
	local seconds=${1:-60}
	case $seconds in
	'' | *[!0-9]*)
		usage >&2
		exit 2
		;;
	esac
	scratch=$(mktemp -d)
	trap clean_up EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	trap 'exit 129' HUP
	if [ "$kind" = mono ]; then
		build_demo "${MONO_WISHES[@]}"
	else
		build_demo
	fi
	if [ "$kind" = mono ] && ! { command -v mcs && command -v mono; } >/dev/null; then
		say 'there is no Mono here: this is the demo of a C program'
		kind=native
	fi
	"demo_$kind" "$seconds"
}

case ${1:-} in
build)
	build_program
	;;
test)
	shift
	do_test "$@"
	;;
demo)
	shift
	do_demo "$@"
	;;
package)
	shift
	do_package "$@"
	;;
static)
	do_static
	;;
-h | --help | help)
	usage
	;;
*)
	usage >&2
	exit 2
	;;
esac
