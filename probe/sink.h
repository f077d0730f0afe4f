/*
 * Where the log goes: a regular file or a named pipe. One owner, the writer thread, which has all
 * signals blocked. Writing waits for room in short steps and asks between them whether to go on.
 */
#ifndef PV_PROBE_SINK_H
#define PV_PROBE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

enum pvp_sent {
	PVP_SENT,
	PVP_READER_GONE, /* a pipe's reader left, or there is none yet; the stream begins anew */
	PVP_GAVE_UP,     /* `patience` said so; what was begun is taken back where it can be */
};

enum { PVP_MAX_PARTS = 4 };

struct pvp_sink {
	const char *path; /* borrowed */
	int fd;           /* -1: a pipe that waits for a reader */
	bool pipe;
	dev_t device;     /* what fd must still be: programs close descriptors they do not know */
	ino_t inode;
	uint64_t written; /* bytes, in all */
	uint64_t whole; /* bytes of a file up to the end of the last complete piece */
	bool dead;      /* the descriptor was closed or reused by the program */
	bool leaving;   /* set by patience when it gives up, to go on with another sink */

	/*
	 * Called while nothing can be written; `moved` says that some bytes went out since the
	 * last call. Returns the ms to wait before the next try, negative to give up.
	 */
	int (*patience)(void *ctx, bool moved);
	/* Waits so many ms, or less when there is news for patience. Files on a full disk. */
	void (*rest)(void *ctx, int ms);
	void *ctx;
};

/*
 * Opens path; a regular file is made anew. A pipe without a reader is no error. `path` stays
 * borrowed. Returns an errno value. The callbacks are the caller's to set.
 */
int pvp_sink_open(struct pvp_sink *s, const char *path);

/* Tries to open the pipe for a reader; true when there is one. */
bool pvp_sink_reopen(struct pvp_sink *s);

/* Whether a pipe's reader has left; what comes next is then PVP_READER_GONE. */
bool pvp_sink_alone(struct pvp_sink *s);

/* Writes all parts, n <= PVP_MAX_PARTS, as one piece. */
enum pvp_sent pvp_sink_send(struct pvp_sink *s, const struct iovec *parts, int n);

void pvp_sink_close(struct pvp_sink *s);

#endif
