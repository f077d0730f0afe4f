/* SPDX-License-Identifier: MIT */
/*
 * Facts about logs, kept between runs: one sealed file per entry, in the folder `index` of the
 * user's cache, and nowhere else. This file knows names, prints, seals and room; ingest_index.c
 * knows the content. An entry that is foreign, damaged, or of another log counts as none, and so
 * does an unusable cache.
 *
 * An entry is called NAME.RANDOM, after the log's name (log_print.h). In front (sealed.h) stand 8
 * bytes for the layout of the writer's build, then the packed print of the log.
 */
#ifndef PV_INGEST_INDEX_FILE_H
#define PV_INGEST_INDEX_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/io/log_print.h"
#include "common/io/sealed.h"

#define PV_INDEX_ROOM (UINT64_C(2) << 30) /* bytes of all entries together */
enum { PV_INDEX_ENTRY = PV_PRINT_NAME + PV_PRIVATE_RANDOM, PV_INDEX_SAME_NAME = 64 };

/* One thread each. Zeroed structures may be closed. */
struct pv_index_out {
	int folder; /* + 1; 0 = none */
	int fd;     /* likewise */
	char temporary[PV_INDEX_ENTRY];
	struct pv_sealed_out sealed;
};

struct pv_index_in {
	int fd;          /* + 1 */
	uint64_t covers; /* bytes of the log described */
	uint64_t bytes;  /* to be read */
	struct pv_sealed_in *sealed;
};

/* Begins an entry, invisible before commit(). False when there is no place to write. */
bool pv_index_create(struct pv_index_out *out);
bool pv_index_write(void *out, const void *bytes, size_t n); /* as pv_archive_write_fn */
/*
 * Replaces earlier entries of this log at once; false: nothing replaced. Removes the least recently
 * used entries until all have room.
 */
bool pv_index_commit(struct pv_index_out *out, uint64_t layout, uint64_t covers, const char *log);
void pv_index_abandon(struct pv_index_out *out); /* also after a commit */

/*
 * Opens the entry that covers most of this log: sealed by us, of this layout, and the log still
 * begins as before. False when there is none. Another thread may set *stop (atomically; NULL:
 * never): then opening and reading fail soon.
 */
bool pv_index_open(struct pv_index_in *in, const char *log, uint64_t layout, const bool *stop);
/* As pv_archive_read_fn. False also when the seal is broken. */
bool pv_index_read(void *in, void *to, size_t n);
void pv_index_close(struct pv_index_in *in);

/* Removes the least recently used entries until the rest has at most `room` bytes. */
void pv_index_trim(int folder, uint64_t room);

#endif
