#!/usr/bin/env bash
# Installs what is missing on a Debian machine, builds profview, tests it and shows it off.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

BUILD_PACKAGES=(meson ninja-build scdoc gcc libc6-dev pkg-config libncurses-dev libevent-dev
	libcjson-dev check zlib1g-dev libsodium-dev libiberty-dev libdw-dev python3)
# Without the headers meson leaves out the Mono module, without mcs what attaches it.
MONO_PACKAGES=(mono-runtime mono-mcs libmono-2.0-dev)
DEMO_PACKAGES=(libmono-profiler)
TEST_PACKAGES=(tmux valgrind ccache clang-format-19 clang-tidy-19 mono-utils libmono-profiler
	libjemalloc2 libtcmalloc-minimal4 libmimalloc2.0 sqlite3 zstd zsh fish git nginx perl xz-utils bindfs)
SOME_RELEASES_HAVE=(mono-profiler) # not every Debian: what needs them is skipped there
FUZZ_PACKAGES=(clang)

usage() {
	cat <<'END'
usage: ./bootstrap.sh build              build profview into build/
       ./bootstrap.sh test [--all]       build, run every test, those of suite `long` last, units again
                                         under sanitizers, and fuzz; --all: also what is
                                         distributed, clang-tidy, and hostile logs of more events
       ./bootstrap.sh demo [SECONDS]     watch a C# program under Mono's own log profiler
       ./bootstrap.sh demo native [SECONDS]
                                         watch a C program under profview's probe
Missing Debian packages are installed first, as root or through sudo.
Without a terminal on standard output the demos run to their end and print the overview.
END
}

say() {
	printf 'bootstrap: %s\n' "$*" >&2
}

# ---- packages

missing_of() {
	local package
	for package; do
		case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) in
		installed) ;;
		*) printf '%s\n' "$package" ;;
		esac
	done
}

# Those that this release has; all, where the lists of packages were never fetched.
known_of() {
	local package lists=
	! apt-cache show libc6-dev >/dev/null 2>&1 || lists=1
	for package; do
		if [ -z "$lists" ] || apt-cache show "$package" >/dev/null 2>&1; then
			printf '%s\n' "$package"
		fi
	done
}

# Sets `renewed` when something was installed: a build folder may have been set up without it.
renewed=

need_packages() {
	local missing as_root=()
	mapfile -t missing < <(missing_of "$@")
	[ ${#missing[@]} -gt 0 ] || return 0
	local install=(apt-get install -y --no-install-recommends "${missing[@]}")
	if [ "$(id -u)" -ne 0 ]; then
		if ! sudo -n true 2>/dev/null; then
			say 'these packages are missing and there are no rights to install them; run:'
			printf 'sudo apt-get update && sudo %s\n' "${install[*]}" >&2
			exit 2
		fi
		as_root=(sudo -n)
	fi
	say "installing ${missing[*]}"
	"${as_root[@]}" apt-get update -q >&2
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "${install[@]}" -q >&2
	renewed=1
}

# A Debian without Mono still gets the rest.
need_to_build() {
	local known
	mapfile -t known < <(known_of "${MONO_PACKAGES[@]}")
	need_packages "${BUILD_PACKAGES[@]}" "${known[@]}" "$@"
}

# ---- building and testing

# set_up DIR [meson options]; its words go to standard error, so that a demo prints only frames
set_up() {
	if [ ! -f "$1/build.ninja" ]; then
		meson setup "$@" >&2
	elif [ -n "$renewed" ]; then
		meson setup --reconfigure "$@" >&2
	fi
}

build_in() {
	set_up "$@"
	ninja -C "$1" >&2
}

# The tests of a suite in a build folder. One that fails is run again alone; the summary tells.
run_tests() {
	run_part "$1" testlog "${@:2}"
}

# run_part DIR PART [meson options]; the part is the name of the log that meson writes.
run_part() {
	local dir=$1 part=$2 unsteady
	shift 2
	say "testing in $dir: $*"
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
	need_packages "${FUZZ_PACKAGES[@]}"
	need_packages "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
}

# What is distributed has all that it takes to build and test it.
test_dist() {
	local name dir=build/meson-dist
	say 'building what is distributed'
	rm -rf "$dir"
	meson dist -C build --no-tests --allow-dirty --formats xztar >&2
	name=$(basename "$dir"/*.tar.xz .tar.xz)
	tar -C "$dir" -xf "$dir/$name.tar.xz"
	build_in "$dir/$name/build" "$dir/$name"
	run_tests "$dir/$name/build" --no-rebuild --suite unit --suite style
}

# The worked examples of the developers' page do what it says, all of them together.
test_examples() {
	local dir=build/examples
	say 'building the worked examples'
	rm -rf "$dir"
	mkdir -p "$dir"
	git ls-files -z | xargs -0 cp --parents -t "$dir"
	python3 "$dir/tests/tools/check_examples.py" "$dir" apply
	build_in "$dir/build" "$dir"
	run_tests "$dir/build" --no-rebuild test_codec test_persist test_query_runtime test_column_help \
		'report formats' test_commands test_keys test_idle_keys manual
}

do_test() {
	local known all= folders=(build build-asan build-tsan build-fuzz)
	case ${1:-} in
	'') ;;
	--all) all=1 ;;
	*)
		usage >&2
		exit 2
		;;
	esac
	mapfile -t known < <(known_of "${SOME_RELEASES_HAVE[@]}")
	need_to_build "${TEST_PACKAGES[@]}" "${known[@]}"
	need_fuzzer
	failed=0
	# What is distributed and the worked examples are compiled with the same words in other folders.
	[ -z "$all" ] || export CCACHE_NOHASHDIR=1
	build_in build
	# Those on real programs wait for them half of the time; of the long ones one builds all along.
	run_tests build --no-rebuild --no-suite long --num-processes $((2 * $(nproc)))
	run_part build long --no-rebuild --suite long --num-processes $(($(nproc) + 1))
	if [ -n "$all" ] && [ -e .git ]; then # it lists the files that git knows
		test_dist
		test_examples
		folders+=(build/meson-dist/*/build build/examples/build)
	fi
	if [ -n "$all" ]; then
		say 'clang-tidy reads the whole tree; what hostile logs cost is counted at more events,'
		say 'and hostile strings are looked for everywhere'
		python3 tests/tools/check_tidy.py . build || failed=1
		python3 tests/program/test_hostile_time.py build/tests/hostile every 250 || failed=1
		python3 tests/program/test_foreign.py logs build/profview \
			build/tests/{make_log,b07_write,report_lists,frames_print} every || failed=1
		say 'exports are opened by the programs that they are for, as far as these can be had'
		python3 tests/soak/viewers.py build/profview tests/golden/shop.mlpd.gz build/viewers || failed=1
	fi
	export CK_FORK=no
	# Meson builds what these tests need and no more: that is half of all.
	set_up build-asan -Db_sanitize=address,undefined -Db_lundef=false
	UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 run_tests build-asan --suite unit
	set_up build-tsan -Db_sanitize=thread -Db_lundef=false
	TSAN_OPTIONS=halt_on_error=1 run_tests build-tsan --suite threaded
	CC=clang set_up build-fuzz -Dfuzz=enabled -Db_sanitize=address,undefined -Db_lundef=false
	ninja -C build-fuzz fuzzers >&2
	run_tests build-fuzz --no-rebuild --suite fuzz
	python3 tests/tools/summary.py tests/tools/skips.txt "${folders[@]}" || failed=1
	exit "$failed"
}

# ---- demos

scratch=
target=

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
		build/profview --follow "$scratch/pipe" || status=$?
	else
		timeout $((seconds + 60)) \
			build/profview --follow "$scratch/pipe" --dump --size 120x36 || status=$?
		[ "$status" -ne 0 ] || wait "$target" || status=$?
	fi
	stop_target
	[ ! -s "$scratch/said" ] || sed 's/^/bootstrap: the program said: /' "$scratch/said" >&2
	return "$status"
}

demo_mono() {
	local seconds=$1
	need_to_build "${DEMO_PACKAGES[@]}"
	build_in build
	mcs -out:"$scratch/demo.exe" tests/real/demo.cs >&2
	# Calls of the program's own methods only: tracing the class library too is 28 times slower.
	follow "$seconds" mono --profile=log:nodefaults,calls,callspec=program,sample=200,alloc,\
exception,monitor,counter,gchandle,finalization,heapshot=8000ms,output="$scratch/pipe" \
		"$scratch/demo.exe" "$seconds"
}

demo_native() {
	local seconds=$1
	need_to_build
	build_in build
	follow "$seconds" build/tests/real/demo-native "$scratch/pipe" "$seconds"
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
	"demo_$kind" "$seconds"
}

case ${1:-} in
build)
	need_to_build
	build_in build
	;;
test)
	shift
	do_test "$@"
	;;
demo)
	shift
	do_demo "$@"
	;;
-h | --help | help)
	usage
	;;
*)
	usage >&2
	exit 2
	;;
esac
