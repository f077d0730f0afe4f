#!/bin/sh
# SPDX-License-Identifier: MIT
# The proofs of the Mono module, LONGER times as long (default 50: about an hour), again and again
# until one fails or all have passed.
#
# usage: tests/soak/mono.sh BUILD [LONGER]
set -e
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../real"
export PROFVIEW_SOAK="${2:-50}" PROFVIEW_TEST_DEADLINE=7200
for case in leaves library same many loss readers ctl killed exits; do
	python3 test_mono_proof.py $case "$build/profview" "$build/tests/real/proof.exe" \
		"$build/tests/real/monolog.exe" "$build/tests/real/counted.exe" \
		"$build/probe/libmono-profiler-profview.so"
done
