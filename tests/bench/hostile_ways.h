/* SPDX-License-Identifier: MIT */
/*
 * The ways in which a hostile log is read, each with one worker and to its very end:
 *
 *	read		a report, as `profview report --no-index --jobs 1` makes it; the suite
 *			counts each family and each pattern, and one in 18 of their pairs
 *	every		likewise, and all pairs are counted, by `test --all`
 *	ask		likewise, and every list, the first heap shot and a dump
 *	heap		likewise, and the first heap shot and grouped tables of all
 *	follow		while it grows piece by piece, each of which is waited for
 *	range		its middle, by the table of buffers and by a reading of its own
 *	convert		into each of some data versions, and its end
 *	reopen		twice with an index, which the first reading leaves to the second
 *	identity	of the objects of its first and its last heap shot
 *	export		its last heap shot as a file of another format
 */
#ifndef PV_TESTS_BENCH_HOSTILE_WAYS_H
#define PV_TESTS_BENCH_HOSTILE_WAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tests/bench/hostile_log.h"

/* Output goes to `out`. False: it could not be read. */
typedef bool hostile_read(const char *path, FILE *out);

/* NULL: there is no such way. */
hostile_read *hostile_way(const char *name);

/* Whether the suite counts what the shape takes in that way. */
bool hostile_is_counted(size_t family, enum hostile_pattern p, const char *way);

#endif
