/* SPDX-License-Identifier: MIT */
/*
 * Frames between profview and its relay on another machine, over the standard input and output of
 * the command that leads there. A frame is 13 bytes, little endian, and its payload:
 *
 *	u32 bytes of the payload, at most PV_FRAME_MOST
 *	u8  kind
 *	u64 a number, by kind
 *
 * A length that is too large or an unknown kind ends the connection. Functions
 * keep no state of their own; one thread a reader.
 */
#ifndef PV_REMOTE_RELAY_FRAMES_H
#define PV_REMOTE_RELAY_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pv_frame_kind {
	/* To the relay. */
	PV_FRAME_RUN =
		1,       /* number: an id; words of profview's command line, each ends with a NUL */
	PV_FRAME_RECORD, /* likewise; the recorded log comes as BYTES */
	PV_FRAME_FOLLOW, /* number: first wanted byte; '+' (keeps growing) or '.', the path */
	PV_FRAME_STOP,   /* end what runs, and yourself; number: 1 with a recording's program */
	/* From the relay. */
	PV_FRAME_OUT,    /* number: the id; output of the command */
	PV_FRAME_ERR,    /* likewise, on standard error */
	PV_FRAME_EXITED, /* number: the id << 8, with the exit code */
	PV_FRAME_BYTES,  /* number: place of the first byte; of the followed log */
	PV_FRAME_ENDED,  /* number: the log's size; no more come */
	PV_FRAME_FAILED, /* a text: why no more come */
	/* Of a recording whose line breaks (keeper.h). */
	PV_FRAME_KEPT,   /* from the relay; number: seconds without a line, the recording's id */
	PV_FRAME_RESUME, /* to the relay, in place of RECORD; number: first wanted byte, the id */
	PV_FRAME_KINDS
};

enum { PV_FRAME_HEAD = 13, PV_FRAME_MOST = 64 << 10 };

struct pv_frame {
	enum pv_frame_kind kind;
	uint64_t number;
	const uint8_t *bytes; /* borrowed from the reader until the next read */
	size_t n;
};

/* The first PV_FRAME_HEAD bytes of a frame, for a payload of n <= PV_FRAME_MOST bytes. */
void pv_frame_head(uint8_t to[PV_FRAME_HEAD], enum pv_frame_kind kind, uint64_t number, size_t n);

/*
 * Writes everything, however long that takes; false: the other end is gone (errno). n <=
 * PV_FRAME_MOST.
 */
bool pv_frame_put(int fd, enum pv_frame_kind kind, uint64_t number, const void *bytes, size_t n);

struct pv_frames {
	size_t n, used; /* bytes received, and bytes of frames already taken */
	uint8_t buf[2 * (PV_FRAME_HEAD + PV_FRAME_MOST)];
};

enum pv_frames_state { PV_FRAMES_NONE, PV_FRAMES_ONE, PV_FRAMES_BAD };

/* Reads once; false: the end, or an error (errno; 0 at the end). EINTR and EAGAIN are no error. */
bool pv_frames_read(struct pv_frames *f, int fd);

/* The next whole frame. BAD stays BAD. */
enum pv_frames_state pv_frames_next(struct pv_frames *f, struct pv_frame *ret);

/* Writes `n` bytes to a descriptor, blocking or not. False: errno. */
bool pv_remote_write(int fd, const void *bytes, size_t n);

#endif
