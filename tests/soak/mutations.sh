#!/bin/sh
# SPDX-License-Identifier: MIT
# 10,000 mutations of made and real logs, and of indexes, under ASan and UBSan; bounded ones are in the suite.
# usage: mutations.sh BUILD [COUNT [DONE]]
#        BUILD: a folder set up with -Db_sanitize=address,undefined -Db_lundef=false, for which the
#        source's `build` has the real programs that make the logs. DONE: a file that names the
#        parts that were run, so that a further run does the others
set -e
asan=$1 count=${2:-10000} done=${3:-/dev/null}
here=$(dirname "$0")/../..
programs=$here/build/tests/real
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

# mono NAME OPTIONS WORLD...
mono_log() {
	name=$1 options=$2
	shift 2
	mono --profile="log:nodefaults,$options,output=$logs/$name.mlpd" \
		"$programs/counted.exe" "$@" >/dev/null
}

mono_log calls calls,calldepth=100,callspec=program throws locks handles finalizers
mono_log alloc alloc,gcmove throws handles
mono_log sample sample=500 spin
mono_log heapshot heapshot=1gc,gcroot,gcmove heap
mono_log monitor monitor,exception locks throws threads
mono_log counter counter spin
mono_log domains alloc domains
mono_log zip zip,alloc,exception throws handles
mono_log everything calls,callspec=program,alloc,exception,monitor,counter,gchandle,\
finalization,heapshot=1gc,gcroot,gcmove,sample throws locks handles finalizers
"$programs/counted-native" "$logs/native.mlpd" calls >/dev/null

export CK_FORK=no UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1

# in_parts COUNT SEED PROGRAM [ARGUMENT...]
in_parts() {
	left=$1 seed=$2 program=$3
	shift 3
	while [ "$left" -gt 0 ]; do
		some=$((left < 500 ? left : 500))
		part="$program $some $seed"
		if ! grep -qxF "$part" "$done"; then
			echo "== $part"
			"$asan/tests/$program" "$some" "$seed" "$@"
			echo "$part" >>"$done"
		fi
		left=$((left - some)) seed=$((seed + some))
	done
}

in_parts $((count / 2)) 1 mutate
in_parts $((count - count / 2)) 100000 mutate "$logs"/* "$here"/tests/fuzz/corpus07/[ds]*
in_parts "$count" 1 mutate07
in_parts "$count" 1 mutate_index "$asan/profview"
