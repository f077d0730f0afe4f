#!/bin/sh
# SPDX-License-Identifier: MIT
# The growth ladder's verdict with heap shots at every collection, each second and each ten seconds.
#
# usage: tests/soak/ladder.sh BUILD
set -e
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../real"
PROFVIEW_SOAK=1 exec python3 test_ladder.py "$build/profview" "$build/tests/real/leaky.exe"
