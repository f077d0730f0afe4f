/* SPDX-License-Identifier: MIT */
/*
 * Destination of the log: a file, a named pipe, a command's input, or a descriptor given by number;
 * compressed or not, bounded or not. Owned by the writer's thread, with all signals blocked.
 * Writing waits for room in short steps, and asks between them whether to go on.
 */
#ifndef PV_PROBE_SINK_H
#define PV_PROBE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "probe/ground/probe_args.h"

struct pvp_gzip;

enum pvp_sent {
	PVP_SENT,
	PVP_READER_GONE, /* a pipe's reader left, or there is none yet, or a segment is full; the
			  * stream begins anew */
	PVP_GAVE_UP,     /* by `patience`; an unfinished piece is removed if possible */
	PVP_FULL,        /* maxsize= is reached */
};

enum { PVP_MAX_PARTS = 4, PVP_LAST_WORDS = 16 << 10 };

struct pvp_sink {
	const char *path; /* borrowed */
	char place[32];   /* "", or the path opened for a pipe given by number */
	int fd;           /* -1: a pipe without a reader yet */
	int alive;        /* hangs up when the command has ended; -1: there is none */
	bool pipe;        /* a reader may leave and another come */
	int watch;        /* reports opens and closes of a pipe; -1: not watched */
	unsigned readers; /* readers that have the pipe open, as far as known */
	bool socket;
	/* identity of fd's file: programs close descriptors unknown to them */
	dev_t device;
	ino_t inode;
	uint64_t written;           /* bytes, in all */
	uint64_t whole;             /* bytes of a file up to the end of the last complete piece */
	uint64_t most;              /* maxsize=; 0: no bound */
	uint64_t segment, head_end; /* ring=: bytes of a segment; end of header and names */
	bool amid;                  /* no segment ends in what is sent now; the caller's */
	bool last_words;            /* PVP_LAST_WORDS bytes are kept for these */
	bool dead; /* the descriptor was closed or reused by the program, or there will be no reader
		    */
	bool leaving;         /* set by patience to go on with another sink */
	struct pvp_gzip *zip; /* NULL: plain */
	bool member;          /* the stream's gzip header is written */
	uint8_t *packed, *unpacked;

	/*
	 * Called while nothing can be written; `moved`: some bytes went out since the last call.
	 * Returns the ms to wait before the next try, negative to give up.
	 */
	int (*patience)(void *ctx, bool moved);
	/* Waits so many ms, or less when there is news for patience. Files on a full disk. */
	void (*rest)(void *ctx, int ms);
	void *ctx;
};

/*
 * Opens the output: "PATH", made anew if a file; "#N", a descriptor; "|COMMAND", run by the shell.
 * A pipe without a reader is no error. Of the options zip, maxsize and ring count; ring needs a
 * named file (else EINVAL). `output` stays borrowed. Returns an errno value. The callbacks are the
 * caller's to set.
 */
int pvp_sink_open(struct pvp_sink *s, const char *output, const struct pvp_config *options);

/*
 * Before a process's first recording: if an earlier image of the process, before exec, left its log
 * at the path, makes the path the next, "1234-2.mlpd" after "1234.mlpd". One call at a time.
 */
void pvp_sink_next_image(char output[PVP_PATH_MAX]);

/* Tries to open the pipe for a reader, or the next segment; true: open. */
bool pvp_sink_reopen(struct pvp_sink *s);

/* Whether a pipe's reader has left, or another has taken his place: the stream begins anew. */
bool pvp_sink_is_unread(struct pvp_sink *s);

/* Writes all parts, n <= PVP_MAX_PARTS, as a single piece. */
enum pvp_sent pvp_sink_send(struct pvp_sink *s, const struct iovec *parts, int n);

/* The header and names of a segment are written: bytes count for the segment from here. */
void pvp_sink_head_ends(struct pvp_sink *s);

/* Ends the stream; may wait for a command to end, as long as patience lasts. Then as forget. */
void pvp_sink_close(struct pvp_sink *s, bool wait);

/* Writes and waits for nothing: in a child of fork, or where there will be no reader. May be
 * repeated. */
void pvp_sink_forget(struct pvp_sink *s);

/* --- between the sink's files --- */

/* Begins to watch a pipe just opened for writing. No effect on failure. */
void pvp_sink_watch(struct pvp_sink *s);
void pvp_sink_unwatch(struct pvp_sink *s);
/* Whether the reader left, and another came before the absence could be seen. */
bool pvp_sink_replaced(struct pvp_sink *s);

/*
 * The program has closed the sink's descriptor, or reused the number: the number's new file is
 * kept; a file is reopened at its end, a pipe as for a new reader. False: neither is possible.
 */
bool pvp_sink_regain(struct pvp_sink *s);

/* Moves fd away from numbers that programs rely on, such as the next after 2. */
int pvp_sink_move_up(int fd);

/*
 * The file becomes the older segment, PATH.1; the next reopen makes a new file. If renaming fails
 * the file is truncated: the bound holds.
 */
void pvp_sink_rotate(struct pvp_sink *s);

#endif
