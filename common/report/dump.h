/*
 * `profview dump`: every event of a log as a line, with its offset in the inflated stream, for
 * people who repair logs. Header, buffers and damage have lines of their own. One thread uses a
 * dump.
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
	bool complete;  /* nothing damaged and the end is a buffer's end */
	struct {
		uint64_t offset, bytes;
		char reason[80];
	} first; /* of the damages */
};

/*
 * A dump that writes to `out` (borrowed). Bytes are pushed as they come; whole buffers are printed
 * and flushed at once. NULL when out of memory. push returns false when `out` cannot be written
 * (PV_EIO), the bytes are no log (PV_ECORRUPT, PV_EVERSION) or memory is short. end prints what a
 * cut tail holds.
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
	void (*waits)(const char *path); /* called once where nothing comes; may be NULL */
};

/*
 * Dumps a file to its end; with `follow`, waits for more (and for the file to appear) until its
 * writer has gone or *stop becomes non-zero. Forks a drainer for pipes: call before any thread
 * exists. On failure ret_totals, which may be NULL, still has how much was done until then.
 */
bool pv_dump_path(const struct pv_dump_input *in, FILE *out, struct pv_dump_totals *ret_totals,
	struct pv_error *reterr);

#endif
