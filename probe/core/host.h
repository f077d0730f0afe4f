/*
 * Functions that the probe's core calls in the kind of program it sits in. Events come the other
 * way: the host calls emit.h. All of this runs on the writer's thread, except the last three. Times
 * are ns.
 */
#ifndef PV_PROBE_HOST_H
#define PV_PROBE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	PVP_REPLY_UNKNOWN, /* not the host's: the core does what it can */
};

struct pvp_host {
	const char *name; /* as the log's header says it */

	/* A session begins, ends. May be NULL. */
	void (*start)(void);
	void (*stop)(void);

	/* The writer's thread ends for a moment, and so do the host's, until the next tell(). May be NULL. */
	void (*park)(void);

	/*
	 * Called before each round of writing. Reports address ranges whose methods are gone, so
	 * that keys used again get a new description. May be NULL.
	 */
	void (*refresh)(void (*gone)(void *ctx, uint64_t from, uint64_t to), void *ctx);

	/* False: nothing is known of the key; the core then writes its number. */
	bool (*method)(uint64_t key, struct pvp_method *ret);

	/* May be NULL. Else the core writes nothing for such a key: its name will come later. */
	void (*unnamed)(uint64_t key);

	/*
	 * Definitions that have come since the last call, as events into `page`, before any event
	 * that may use them; `again`: all that are alive, for a new reader. False: it could not be
	 * written. May be NULL.
	 */
	bool (*tell)(struct pvp_writer *w, struct pvp_out_buffer *page, bool again);

	/*
	 * The events taken in this round are written: so may be what came after them. May be NULL.
	 */
	void (*on_flushed)(struct pvp_writer *w);

	/* Events before this time, at which all threads stood still, are written. May be NULL. */
	void (*stood_still)(struct pvp_writer *w, uint64_t time);

	/*
	 * The log's name of a class that the registry has under this name; good until the next
	 * call. May be NULL: the same.
	 */
	const char *(*class_name)(const char *name);

	/*
	 * For a second the pipe has had no reader; it has one again. Nothing else is asked in
	 * between. May be NULL.
	 */
	void (*on_reader_lost)(bool on);

	/* Heap shots given up so far. May be NULL. */
	uint64_t (*discarded_shots)(void);

	/* Heap shots may make the runtime collect: PVP_COUNTER_FORCED stands before each. */
	bool forces_collections;

	/* In a child of fork that has a sink of its own: begins as it was begun. May be NULL. */
	void (*again)(void);

	/*
	 * Goes the way that leads to an event and back, without one, twice for each pair: what the
	 * runtime takes from the program besides us. At the start; for the clock. May be NULL.
	 */
	void (*calibrate)(unsigned n);

	/*
	 * How many times as fast as the system's the time of events runs; for tests. May be NULL.
	 */
	uint64_t (*speed)(void);

	/* Events that the header lists as recorded: "calls,alloc". NULL: the core's own list. */
	const char *(*enabled_events)(void);

	/*
	 * Commands of the control socket, one at a time. They run on its own thread, which has all
	 * signals blocked, is unknown to any runtime and must not wait for the program's threads.
	 * `say` takes the text after "ok " or "error ": one line, may stay empty. Each may be
	 * NULL.
	 */

	/* Queues a heap shot: "shot=N", the number it will have, from 0. */
	enum pvp_reply (*heapshot)(char *say, size_t room);

	/*
	 * "set KEY=VALUE". For calls, alloc and marks PVP_REPLY_UNKNOWN lets the core leave such
	 * events out (off) or take them again (on).
	 */
	enum pvp_reply (*set)(const char *key, const char *value, char *say, size_t room);

	/* The core drops events while it pauses; a host may stop making them. */
	void (*pause)(bool on);

	/* The runtime announces its end; where the process exits without that, the log says so. */
	bool announced;
};

extern const struct pvp_host pvp_host_native, pvp_host_fake;

#endif
