/* SPDX-License-Identifier: MIT */
/*
 * Functions of the host (the kind of program around the probe) that the core calls. Events go the
 * other way: the host calls emit.h. All run on the writer's thread, except heapshot, set and pause.
 * Times are ns.
 */
#ifndef PV_PROBE_HOST_H
#define PV_PROBE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pvp_writer;
struct pvp_out_buffer;

struct pvp_method {
	uint64_t code, size; /* 0 when not known */
	const char *name;    /* good until the host's next call */
	size_t name_len;
};

/* Outcome of a command of the control socket. */
enum pvp_reply {
	PVP_REPLY_OK,
	PVP_REPLY_ERROR,
	PVP_REPLY_UNKNOWN, /* unknown to the host: the core does what is possible */
};

struct pvp_host {
	const char *name; /* as the log's header says it */
	pid_t process;    /* the recorded process; 0: this process */
	uint64_t began;   /* CLOCK_MONOTONIC, when what is recorded began; 0: with the session */

	/* A session begins, ends. May be NULL. */
	void (*start)(void);
	void (*stop)(void);

	/* Ends the writer's thread, and the host's, until the next tell(). May be NULL. */
	void (*park)(void);

	/*
	 * Called before each round of writing. Reports address ranges of methods that are gone, so
	 * that reused keys get a new description. May be NULL.
	 */
	void (*refresh)(void (*gone)(void *ctx, uint64_t from, uint64_t to), void *ctx);

	/* False: the key is unknown, and the core writes the number. */
	bool (*method)(uint64_t key, struct pvp_method *ret);

	/* May be NULL. Else the core writes nothing for such a key: it is named later. */
	void (*unnamed)(uint64_t key);

	/*
	 * Writes the definitions since the last call as events into `page`, before any event that
	 * uses them; `again`: all living definitions, for a new reader. False: not written. May be
	 * NULL.
	 */
	bool (*tell)(struct pvp_writer *w, struct pvp_out_buffer *page, bool again);

	/* The events taken in this round are written: later events may be, too. May be NULL. */
	void (*on_flushed)(struct pvp_writer *w);

	/* The method of a key that is a place in the method's code; 0: the key is none. May be NULL. */
	uint64_t (*place)(uint64_t key);

	/* Events before this time, at which all threads stood still, are written. May be NULL. */
	void (*stood_still)(struct pvp_writer *w, uint64_t time);

	/*
	 * The log's name of a class registered under `name`; valid until the next call. May be
	 * NULL: the same name.
	 */
	const char *(*class_name)(const char *name);

	/*
	 * True: the pipe has had no reader for a second; false: there is a reader again. The host
	 * gets no other call in between. May be NULL.
	 */
	void (*on_reader_lost)(bool on);

	/*
	 * Children of another process, and the processor time in us of those that have ended. NULL: the
	 * core counts its own.
	 */
	uint64_t (*children)(uint64_t *ret_cpu_us);

	/* Heap shots given up so far. May be NULL. */
	uint64_t (*discarded_shots)(void);

	/* Heap shots may make the runtime collect: PVP_COUNTER_FORCED stands before each. */
	bool forces_collections;

	/* In a child of fork with its own sink: begins recording as the parent did. May be NULL. */
	void (*again)(void);

	/*
	 * Goes to the place of an enter event and back, and the same for a leave, `n` times,
	 * without writing: the runtime's own part of the cost. At the start. May be NULL.
	 */
	void (*calibrate)(unsigned n);

	/* Speed of the clock of events, as a multiple of the system's; for tests. May be NULL. */
	uint64_t (*speed)(void);

	/* Events listed in the header as recorded: "calls,alloc". NULL: the core's own list. */
	const char *(*enabled_events)(void);

	/*
	 * Commands of the control socket, in order. They run on the socket's thread, which has all
	 * signals blocked, is unknown to any runtime and must not wait for the program's threads.
	 * `say` takes the text after "ok " or "error ": a single line, may stay empty. Each may be
	 * NULL.
	 */

	/* Queues a heap shot: "shot=N", the number of the shot, from 0. */
	enum pvp_reply (*heapshot)(char *say, size_t room);

	/*
	 * "set KEY=VALUE". For calls, alloc and marks PVP_REPLY_UNKNOWN lets the core leave such
	 * events out (off) or take them again (on).
	 */
	enum pvp_reply (*set)(const char *key, const char *value, char *say, size_t room);

	/* The core drops events during a pause; a host may stop making them. */
	void (*pause)(bool on);

	/* The runtime announces its end; the log notes an exit without the announcement. */
	bool announced;
};

extern const struct pvp_host pvp_host_native, pvp_host_fake;

#endif
