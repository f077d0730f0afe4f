/* SPDX-License-Identifier: MIT */
/*
 * Source of a log's bytes: a finished file, a growing file, a named pipe or standard input (both
 * through the drainer's spool), each plain or gzip. Sequential; one thread reads. Gzip is found by
 * its first two bytes and inflated here, tolerating a missing end: the layers above see the
 * inflated stream.
 */
#ifndef PV_IO_SOURCE_H
#define PV_IO_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"

struct pv_source;

/* Without a first byte: worth a line to the user. Without growth or a known writer: an end. */
enum { PV_SOURCE_SILENCE_MS = 2000, PV_SOURCE_QUIET_MS = 10000 };
/* GROWING is any followed file; it turns into PIPE if a named pipe appears where it is awaited. */
enum pv_source_kind { PV_SOURCE_FILE, PV_SOURCE_GROWING, PV_SOURCE_PIPE, PV_SOURCE_STDIN };

struct pv_source_options {
	bool follow;          /* a file may grow, be replaced, or not exist yet */
	const char *record;   /* NULL, or a file to keep a pipe's bytes in (must not exist) */
	uint64_t spool_limit; /* bytes; 0 = default (1 GiB), at least 64 KiB */
	bool patient; /* of a pipe no byte is dropped: when the spool is full its writer waits */
	uint64_t access_spacing; /* inflated bytes between pv_source_points of gzip; 0: 16 MiB */
};

/*
 * Opens `path` ("-" is standard input). For pipes and stdin this forks the drainer: to be called
 * before any thread is started; descriptor 0 is /dev/null afterwards. Standard input that is a file
 * is that file. (A pipe that only appears while it is followed is forked for in pv_source_read().)
 * NULL on failure: PV_EIO (cannot open), PV_EBUSY (another viewer holds the pipe; *reterr names
 * its pid), PV_EUSAGE (record exists, or there is no pipe to record; stdin is a terminal),
 * PV_ENOMEM.
 */
struct pv_source *pv_source_open(
	const char *path, const struct pv_source_options *options, struct pv_error *reterr);
void pv_source_close(struct pv_source *s); /* NULL is fine; ends the drainer and reaps it */

/*
 * The same input once more, from its beginning, for a second reading on any one thread; also when
 * its name is gone. What is read is what is there now; of a pipe what was read so far, where what
 * is not kept any more is a GAP, and `s` must outlive it. NULL: PV_EUSAGE when there is nothing
 * yet, or the beginning of compressed data is gone; PV_ENOMEM. The caller closes it. Any thread.
 */
struct pv_source *pv_source_again(const struct pv_source *s, struct pv_error *reterr);

/* All bytes read from there on can be read again; UINT64_MAX: none. Any thread. */
uint64_t pv_source_floor(const struct pv_source *s);

enum pv_read {
	PV_READ_BYTES,   /* n bytes came, at least 1 */
	PV_READ_NOTHING, /* nothing now; wait_fd becomes readable when that may have changed */
	PV_READ_END,     /* no more will come (finished file; its writer exited; none is left).
			  * For pipes and followed files, later calls may still give bytes; until
			  * then they give END. A pipe's END stands where the writer left, also if
			  * another has written since: then wait_fd is readable at once. */
	PV_READ_QUIET,   /* NOTHING for PV_SOURCE_QUIET_MS, from a file of an unknown writer */
	PV_READ_GAP,     /* n bytes are missing: beyond the spool's limit, or a hole in a file */
	PV_READ_RESTART, /* the file shrank, was written anew or replaced: what follows is a new
			  * stream, and its target is to be set again */
	PV_READ_ERROR,   /* *reterr; calling again is allowed and mostly gives it again */
};

/* `size` must not be 0. */
enum pv_read pv_source_read(
	struct pv_source *s, void *to, size_t size, uint64_t *ret_n, struct pv_error *reterr);

/*
 * An epoll descriptor for poll(2) or libevent, readable when pv_source_read() may have something
 * new; -1 for finished files. pv_source_wait_clear() empties what made it readable: call it
 * first, then read until NOTHING or END. Both may be called from another thread.
 */
int pv_source_wait_fd(const struct pv_source *s);
void pv_source_wait_clear(struct pv_source *s);

/*
 * The pid in the log's header, of the writer's namespace. The process of this machine with this pid
 * that writes a followed file is its writer, whose exit ends the stream; without such a process the
 * writer is unknown. On the reading thread; ignored for pipes and finished files.
 */
void pv_source_set_target(struct pv_source *s, uint32_t pid);

/*
 * Begins the record that the options asked for: `head` (n bytes, at most 4096; a header made up
 * after joining in its middle), then the stored stream from offset `from` on, counted in bytes
 * given by pv_source_read() and without gaps. A stream that begins with its own header: from 0, no
 * head. A compressed stream can only begin at 0. Until this is called nothing is recorded, and the
 * bytes since `from` must fit into a quarter of the spool. Call from the reading thread, once.
 * False: PV_EUSAGE (nothing to begin, or not there), PV_EIO (after its time); the info says so too.
 */
bool pv_source_record(
	struct pv_source *s, uint64_t from, const void *head, size_t n, struct pv_error *reterr);

/* Waits (a minute at most) until the record has everything so far, or has stopped. Any thread. */
void pv_source_record_wait(struct pv_source *s);

/*
 * The next byte read is the one at `offset` of the inflated stream. PV_EUSAGE for pipes not read
 * again, PV_EIO beyond the end or where nothing is kept. Call from the reading thread.
 */
bool pv_source_seek(struct pv_source *s, uint64_t offset, struct pv_error *reterr);

/*
 * From here on (the next byte read is the one at `offset`) the last `bytes` bytes are kept, so that
 * a seek within them in a compressed file is quick. False when out of memory.
 */
bool pv_source_remember(struct pv_source *s, size_t bytes, uint64_t offset);

/*
 * Position from which inflating can begin without the bytes before it, taken while a gzip file is
 * read (twice as far apart each time there are too many). Kept in an index they make seeks quick.
 */
enum { PV_GZIP_WINDOW = 32768, PV_SOURCE_POINTS = 512 };
struct pv_source_point {
	uint64_t out, in; /* offsets: in the inflated stream, of the first whole byte stored */
	uint32_t bits;    /* of the byte before `in` that still belong to this point: 0 to 7 */
	uint32_t window_n;
	uint8_t window[PV_GZIP_WINDOW]; /* the bytes before `out`, window_n of them */
};

/* Points so far, owned by the source; good until the next read or seek. Reading thread only. */
size_t pv_source_points(const struct pv_source *s, const struct pv_source_point **ret);
/* Copies points of the same file, before the first read. False when out of memory. */
bool pv_source_set_points(struct pv_source *s, const struct pv_source_point *points, size_t n);

struct pv_source_info {
	enum pv_source_kind kind;
	const char *path; /* as opened; valid while the source is */
	bool waiting;     /* the file does not exist yet, or the pipe has had no writer yet */
	bool compressed;
	bool compressed_cut; /* the gzip stream has no valid end (seen at END) or is damaged */
	const char *compressed_damage; /* NULL, or the fault of the gzip data (a constant), */
	uint64_t damaged_at;           /* at this stored byte, */
	uint64_t damaged_bytes;        /* and so many stored bytes could not be read, so far */
	uint64_t file_bytes;           /* size of the input as stored, as known now */
	uint64_t input_read;           /* stored (not inflated) bytes read so far, for progress */
	long writer;                   /* of a followed file, in our own numbers; 0: not known */
	uint64_t dropped;              /* bytes lost to the spool limit, reported by a GAP or not */
	const char *record_error; /* NULL, or why nothing more is recorded; lives as the source */
	const char *spool_error;  /* NULL, or why bytes were dropped before the limit; likewise */
};

/* The damage in words, with the place; false when there is none. */
bool pv_source_damage(const struct pv_source_info *info, char *to, size_t size);
void pv_source_info(const struct pv_source *s, struct pv_source_info *ret); /* any thread */

#endif
