#!/bin/sh
# 10,000 mutations of made and real logs under ASan and UBSan.
# usage: mutations.sh BUILD [LOG]...   BUILD: a folder set up with -Db_sanitize=address,undefined
set -e
build=$1
shift
export CK_FORK=no UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
"$build/tests/mutate" 5000 1
if [ $# -gt 0 ]; then
	"$build/tests/mutate" 5000 100000 "$@"
else
	"$build/tests/mutate" 5000 100000
fi
