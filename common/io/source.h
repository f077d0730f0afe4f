/*
 * Where a log's bytes come from: a finished file, a growing file, a named pipe or standard input
 * (both through the drainer's spool), each plain or gzip. Sequential; one thread reads. Gzip is
 * found by its first two bytes and inflated here, tolerating a missing end: everything above sees
 * the inflated stream.
 */
#ifndef PV_IO_SOURCE_H
#define PV_IO_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"

struct pv_source;

enum pv_source_kind { PV_SOURCE_FILE, PV_SOURCE_GROWING, PV_SOURCE_PIPE, PV_SOURCE_STDIN };

struct pv_source_options {
	bool follow;            /* a file may grow, be replaced, or not exist yet */
	const char *record;     /* NULL, or a file to keep a pipe's bytes in (must not exist) */
	uint64_t spool_limit;   /* bytes; 0 = default (1 GiB) */
};

/*
 * Opens `path` ("-" is standard input). For pipes and stdin this forks the drainer, so it must
 * run before the process starts any thread. NULL on failure: PV_EIO (cannot open), PV_EBUSY
 * (another viewer holds the pipe; *reterr names its pid), PV_EUSAGE (record exists), PV_ENOMEM.
 */
struct pv_source *pv_source_open(const char *path, const struct pv_source_options *options,
	struct pv_error *reterr);
void pv_source_close(struct pv_source *s); /* NULL is fine; ends the drainer */

enum pv_read {
	PV_READ_BYTES,   /* n bytes came */
	PV_READ_NOTHING, /* nothing now; wait_fd becomes readable when that may have changed */
	PV_READ_END,     /* no more will come (finished file; target exited; no writer is left).
			  * For pipes and followed files, later calls may still give bytes when
			  * somebody writes again. */
	PV_READ_GAP,     /* n64 bytes of the stream were dropped unread (spool limit) */
	PV_READ_RESTART, /* the file shrank or was replaced: what follows is a new stream */
	PV_READ_ERROR,   /* *reterr */
};

enum pv_read pv_source_read(struct pv_source *s, void *to, size_t size, uint64_t *ret_n,
	struct pv_error *reterr);

/*
 * An epoll descriptor for poll(2) or libevent, readable when pv_source_read() may have something
 * new; -1 for finished files. pv_source_wait_clear() empties what made it readable. Both may be
 * called from another thread than the reading one.
 */
int pv_source_wait_fd(const struct pv_source *s);
void pv_source_wait_clear(struct pv_source *s);

/*
 * The log's header named this pid: when that process (local, older than the log) exits, a
 * followed file has ended. Call from the reading thread; pid 0 and foreign pids are ignored.
 */
void pv_source_set_target(struct pv_source *s, uint32_t pid, uint64_t start_time_ms);

struct pv_source_info {
	enum pv_source_kind kind;
	const char *path; /* as opened; valid while the source is */
	bool compressed;
	bool compressed_cut;  /* the gzip member has no valid end (seen at END) */
	uint64_t file_bytes;  /* size of the input as stored, as known now */
	uint64_t input_read;  /* stored (not inflated) bytes read so far, for progress */
	uint64_t dropped;     /* bytes lost to the spool limit */
	const char *record_error; /* NULL, or why recording stopped (valid while the source is) */
};

/* Any thread. */
void pv_source_info(const struct pv_source *s, struct pv_source_info *ret);

#endif
