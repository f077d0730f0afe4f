/*
 * FILE.idx: what was found out about a log, kept beside it (or, where its folder cannot be written,
 * in the user's cache). This file knows names, fingerprints and checksums; what is inside is up to
 * ingest_index.c. An index that is foreign, damaged, or of another log is as good as none.
 *
 * Layout: struct pv_index_head, then head.bytes bytes whose CRC is head.crc. In the byte order and
 * for the very build that wrote it (head.layout).
 */
#ifndef PV_INGEST_INDEX_FILE_H
#define PV_INGEST_INDEX_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pv_index_head {
	char magic[8];
	uint64_t layout;     /* of the build that wrote it */
	uint64_t covers;     /* stored bytes of the log that it speaks of */
	uint64_t print[3];   /* hashes of the first, middle and last 64 KiB of those */
	uint64_t bytes;
	uint32_t crc;
	uint32_t head_crc;   /* of everything above */
};

/* One thread each. Zeroed ones may be closed. */
struct pv_index_out {
	int fd;
	char *temporary, *path;
	uint8_t *block;
	size_t filled;
	uint64_t bytes;
	uint32_t crc;
	bool failed;
};

struct pv_index_in {
	int fd;
	const bool *stop;
	struct pv_index_head head;
	uint8_t *block;
	size_t at, filled;
	uint64_t left; /* bytes not yet in the block */
};

/*
 * Hashes of the first, middle and last 64 KiB of the first `covers` bytes of a log. False when it
 * is shorter, or cannot be read.
 */
bool pv_index_print(const char *log, uint64_t covers, uint64_t ret_print[3]);

/* A new index, which nobody sees before commit(). False when it can be written nowhere. */
bool pv_index_create(struct pv_index_out *out, const char *log);
bool pv_index_write(void *out, const void *bytes, size_t n); /* as pv_archive_write_fn */
/* Takes the place of an earlier one at once, or not at all. `layout` and `covers` are used. */
bool pv_index_commit(struct pv_index_out *out, const struct pv_index_head *head, const char *log);
void pv_index_abandon(struct pv_index_out *out); /* also after a commit */

/*
 * An index of this log, from beside it or from the cache: ours, of this layout, with right sums,
 * and the log still begins as it did. False when there is none. Another thread may set *stop
 * (atomically; NULL: nobody will): then this and reading fail soon.
 */
bool pv_index_open(struct pv_index_in *in, const char *log, uint64_t layout, const bool *stop);
bool pv_index_read(void *in, void *to, size_t n); /* as pv_archive_read_fn */
void pv_index_close(struct pv_index_in *in);

#endif
