/*
 * Facts about logs, kept between runs: one sealed file an entry, in the folder `index` of the
 * user's cache, and nowhere else. This file knows names, prints, seals and room; the content is
 * that of ingest_index.c. An entry that is foreign, damaged, or of another log is as good as none,
 * and so is a cache that cannot be used.
 *
 * An entry is called NAME.RANDOM, after the log's name (log_print.h). It says of itself (sealed.h):
 * 8 bytes for the layout of the build that wrote it, then the packed print of the log.
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

/* One thread each. Zeroed ones may be closed. */
struct pv_index_out {
	int folder; /* + 1; 0 = none */
	int fd;     /* likewise */
	char temporary[PV_INDEX_ENTRY];
	struct pv_sealed_out sealed;
};

struct pv_index_in {
	int fd;          /* + 1 */
	uint64_t covers; /* bytes of the log that it speaks of */
	uint64_t bytes;  /* to be read */
	struct pv_sealed_in *sealed;
};

/* A new entry, not visible before commit(). False when there is no place to write it. */
bool pv_index_create(struct pv_index_out *out);
bool pv_index_write(void *out, const void *bytes, size_t n); /* as pv_archive_write_fn */
/*
 * Replaces earlier ones of this log at once; false: not at all. Those used least recently are
 * removed, until all have room.
 */
bool pv_index_commit(struct pv_index_out *out, uint64_t layout, uint64_t covers, const char *log);
void pv_index_abandon(struct pv_index_out *out); /* also after a commit */

/*
 * The entry of this log that covers most of it: sealed by us, of this layout, and the log still
 * begins as it did. False when there is none. Another thread may set *stop (atomically; NULL: no
 * one will): then this and reading fail soon.
 */
bool pv_index_open(struct pv_index_in *in, const char *log, uint64_t layout, const bool *stop);
/* As pv_archive_read_fn. False where the seal is broken, too. */
bool pv_index_read(void *in, void *to, size_t n);
void pv_index_close(struct pv_index_in *in);

/* Entries used least recently are removed until the rest has at most so many bytes. */
void pv_index_trim(int folder, uint64_t room);

#endif
