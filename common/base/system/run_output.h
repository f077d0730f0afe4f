/* SPDX-License-Identifier: MIT */
/* The output of another program, started without a shell. Any thread. */
#ifndef PV_BASE_RUN_OUTPUT_H
#define PV_BASE_RUN_OUTPUT_H

#include <stddef.h>

/*
 * Runs argv[0], found by PATH, to its end, with no input, and without its standard error. Returns
 * what it printed, `*ret_n` bytes and a NUL, to be freed. NULL with errno: ENOENT no such program,
 * ETIME not done within `most_ms`, EFBIG more than `most` bytes, EIO it failed, or others. It is
 * killed where its output is not taken.
 */
char *pv_run_output(const char *const *argv, size_t most, int most_ms, size_t *ret_n);

#endif
