/*
 * Destination of the log: a file, a named pipe, a command's input, or a descriptor that was handed
 * in; compressed or not, bounded or not. One owner, the writer thread, which has all signals
 * blocked. Writing waits for room in short steps and asks between them whether to go on.
 */
#ifndef PV_PROBE_SINK_H
#define PV_PROBE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "probe/core/probe_args.h"

struct pvp_gzip;

enum pvp_sent {
	PVP_SENT,
	PVP_READER_GONE, /* a pipe's reader left, or there is none yet, or a segment is full; the
			  * stream begins anew */
	PVP_GAVE_UP,     /* `patience` said so; what was begun is taken back where it can be */
	PVP_FULL,        /* maxsize= is reached */
};

enum { PVP_MAX_PARTS = 4, PVP_LAST_WORDS = 16 << 10 };

struct pvp_sink {
	const char *path; /* borrowed */
	char place[32];   /* "", or what is opened for a pipe that was handed in */
	int fd;           /* -1: a pipe that waits for a reader */
	int alive;        /* hangs up when the command has ended; -1: there is none */
	bool pipe;        /* a reader may leave and another come */
	int watch;        /* reports who opens and closes it; -1: not watched */
	unsigned readers; /* that have it open, as far as that is known */
	bool socket;
	/* identity that fd must still have: programs close descriptors they do not know */
	dev_t device;
	ino_t inode;
	uint64_t written;           /* bytes, in all */
	uint64_t whole;             /* bytes of a file up to the end of the last complete piece */
	uint64_t most;              /* maxsize=; 0: no bound */
	uint64_t segment, head_end; /* ring=: bytes of one segment; its header and names */
	bool amid;                  /* no segment ends in what is sent now; the caller's */
	bool last_words;            /* PVP_LAST_WORDS bytes are kept for these */
	bool dead; /* the descriptor was closed or reused by the program, or there will be no reader
		    */
	bool leaving;         /* set by patience when it gives up, to go on with another sink */
	struct pvp_gzip *zip; /* NULL: plain */
	bool member;          /* the stream's gzip header is written */
	uint8_t *packed, *unpacked;

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
 * Opens the output: "PATH", made anew if it is a file; "#N", a descriptor; "|COMMAND", run by the
 * shell. A pipe without a reader is no error. Of the options zip, maxsize and ring count; ring asks
 * for a file with a name (else EINVAL). `output` stays borrowed. Returns an errno value. The
 * callbacks are the caller's to set.
 */
int pvp_sink_open(struct pvp_sink *s, const char *output, const struct pvp_config *options);

/*
 * Before a process's first recording is opened: where an image of it before exec left its log, the
 * path becomes that of the next image, "1234-2.mlpd" after "1234.mlpd". One call at a time.
 */
void pvp_sink_next_image(char output[PVP_PATH_MAX]);

/* Tries to open the pipe for a reader, or the next segment; true when there is one. */
bool pvp_sink_reopen(struct pvp_sink *s);

/* Whether a pipe's reader has left, or another has taken his place: the stream begins anew. */
bool pvp_sink_is_unread(struct pvp_sink *s);

/* Writes all parts, n <= PVP_MAX_PARTS, as one piece. */
enum pvp_sent pvp_sink_send(struct pvp_sink *s, const struct iovec *parts, int n);

/* Header and names, which every segment has, are written: its bytes count from here. */
void pvp_sink_head_ends(struct pvp_sink *s);

/* Ends the stream; may wait for a command to end, as long as patience lasts. Then as forget. */
void pvp_sink_close(struct pvp_sink *s, bool wait);

/* Writes and waits for nothing: in a child of fork, or where there will be no reader. May be
 * repeated. */
void pvp_sink_forget(struct pvp_sink *s);

/* --- between the sink's files --- */

/* Begins to watch a pipe that has just been opened for writing. Without effect where that fails. */
void pvp_sink_watch(struct pvp_sink *s);
void pvp_sink_unwatch(struct pvp_sink *s);
/* Whether its reader left, and another came before its absence could be seen. */
bool pvp_sink_replaced(struct pvp_sink *s);

/*
 * The program has closed our descriptor, or has its number for something else: that is left as it
 * is, a file is opened again where it was left, a pipe as for a new reader. False: neither can be
 * done.
 */
bool pvp_sink_regain(struct pvp_sink *s);

/* Away from the numbers that programs count on, such as the next one after 2. */
int pvp_sink_move_up(int fd);

/*
 * The file becomes the older segment, PATH.1; another takes its place at the next reopen. Where
 * that cannot be done it is begun anew: the bound holds.
 */
void pvp_sink_rotate(struct pvp_sink *s);

#endif
