/* SPDX-License-Identifier: MIT */
#ifndef PV_TESTS_BENCH_PROBE_WORK_H
#define PV_TESTS_BENCH_PROBE_WORK_H

#ifndef WORK
#define WORK(name) plain_##name
#endif

long plain_fib(int n);
long plain_chain(int n);
long hooked_fib(int n);
long hooked_chain(int n);

#endif
