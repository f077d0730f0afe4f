/* SPDX-License-Identifier: MIT */
/*
 * `profview dump`: every event of a log as a line, with an offset in the inflated stream, for
 * repairs of logs. Header, buffers and damage have lines of their own. One thread uses a dump.
 */
#ifndef PV_REPORT_DUMP_H
#define PV_REPORT_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/status.h"

struct pv_source;
struct pv_dump;

struct pv_dump_totals {
	uint64_t events, buffers, damages;
	uint64_t bytes; /* of the inflated stream */
	bool complete;  /* no damage, and the end is a buffer's end */
	struct {
		uint64_t offset, bytes;
		char reason[80];
	} first; /* of all damages */
};

/*
 * A dump that writes to `out` (borrowed). Bytes are pushed as they come; whole buffers are printed
 * and flushed at once. NULL when out of memory. push returns false when `out` cannot be written
 * (PV_EIO), the bytes are no log (PV_ECORRUPT, PV_EVERSION) or memory is short. end prints the
 * events of a cut tail.
 */
struct pv_dump *pv_dump_create(FILE *out);
void pv_dump_destroy(struct pv_dump *d); /* NULL is fine */
bool pv_dump_push(struct pv_dump *d, const void *bytes, size_t n, struct pv_error *reterr);
bool pv_dump_gap(struct pv_dump *d, uint64_t bytes, struct pv_error *reterr);
bool pv_dump_end(struct pv_dump *d, struct pv_error *reterr);
void pv_dump_totals(const struct pv_dump *d, struct pv_dump_totals *ret);

struct pv_dump_input {
	const char *path; /* "-": standard input */
	bool follow;
	const volatile int *stop;        /* may be NULL; a signal handler may set it */
	void (*waits)(const char *path); /* called once if nothing comes; may be NULL */
};

/*
 * Dumps a file to the end; with `follow`, waits for more (and for the file to appear) until the
 * writer has gone or *stop becomes non-zero. Forks a drainer for pipes: call before any thread
 * exists. On failure ret_totals, which may be NULL, still has the counts so far.
 */
bool pv_dump_path(const struct pv_dump_input *in, FILE *out, struct pv_dump_totals *ret_totals,
	struct pv_error *reterr);

#endif
