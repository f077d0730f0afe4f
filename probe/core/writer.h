/* SPDX-License-Identifier: MIT */
/*
 * The writer: a thread with all signals blocked that writes what the threads have published: every
 * 80 ms, or earlier when chunks pile up, so that an event is in the log within 100 ms. Names are
 * written first, then events, and losses. Never calls the program's code.
 */
#ifndef PV_PROBE_WRITER_H
#define PV_PROBE_WRITER_H

#include "common/base/map.h"
#include "common/format/mlpd/mlpd.h"
#include "probe/core/children.h"
#include "probe/ground/host.h"
#include "probe/ground/probe_args.h"
#include "probe/ground/probe_clock.h"
#include "probe/core/scan.h"
#include "probe/sink/sink.h"
#include "probe/core/thread_buf.h"
#include "probe/core/writer_stats.h"
#include "probe/core/worker.h"

enum { PVP_TICK_MS = 100, PVP_PAGE = 64 << 10 };

/* The probe's own counters. FULL: maxsize= was reached, so often. ENDED: the farewell. */
enum {
	PVP_COUNTER_LOST = 1,
	PVP_COUNTER_DISCARDED = 2,
	PVP_COUNTER_PAUSED = 3,
	PVP_COUNTER_FULL = 4,
	PVP_COUNTER_ENDED = 5,
	PVP_COUNTER_FORCED = 6,
	PVP_COUNTER_CHILDREN = 7,
	PVP_COUNTER_CHILD_LOGS = 12,
	PVP_COUNTER_CHILD_TIME = 13
};

/* A buffer of events of the writer's own: names, counters, sync points. */
struct pvp_out_buffer {
	struct mlpd_buffer_header header;
	struct mlpd_bases bases;
	size_t n;
	uint8_t bytes[PVP_PAGE];
};

struct pvp_writer {
	struct pvp_worker worker;
	uint64_t tid, start_ns;
	struct pvp_config config;
	const struct pvp_host *host;
	struct pvp_sink sink;
	struct mlpd_header header;
	char args[PVP_PATH_MAX + 1280];
	uint8_t head[PVP_PATH_MAX + 1536];
	struct pvp_calibrator calibrator;
	struct pvp_tree_page *tree;        /* NULL until a thread has a call tree */
	uint64_t tree_ns;                  /* when trees were written last */
	struct pvp_out_buffer page, hello; /* hello: the names for a pipe's new reader */
	struct pvp_thread *threads;        /* taken in this round, linked by w.next */

	struct pv_batch scratch; /* for reading what threads have published */
	struct pv_map described; /* method key -> 1 described, 0 to be described again */
	uint64_t seen[PVP_SEEN]; /* described keys: scan.h */
	uint32_t classes;        /* written so far */
	uint64_t first_class;    /* key of the first class in the log; other keys lie near */
	uint64_t orphans, discarded, last_sync;
	uint32_t pauses;                  /* said so far */
	uint64_t lost;                    /* events said to be lost */
	struct pvp_tally tally;           /* of what was read or made */
	uint64_t round_ns, soon_until_ns; /* its start; until when rounds are sooner, by the host */
	uint64_t rounds, fences;          /* rounds begun; fences dealt with */
	bool last, asked, wrote; /* this round is the session's last; a flush; wrote events */
	uint64_t streams;        /* begun so far; more than 1 when a pipe's reader has left */
	bool began;              /* the stream's header is written */
	bool greeting;           /* writes the names for the stream's reader */
	bool failed;             /* nothing more can be written */
	bool amid;               /* the same reader has the events before these */
	bool full;               /* because of maxsize= */
	bool said;               /* the log has the count of events left out */
	bool abrupt;             /* the process exits, without the runtime's announcement */
	struct pvp_children children;
	char comm[16]; /* the process's name, and a thread's until the thread has its own */

	/* under the core's lock */
	bool stopping;
	uint64_t flush_wanted, flush_done;
	uint64_t stop_since;
	bool hello_wanted;
	bool moving; /* to this sink, next: */
	struct pvp_sink next;
	char next_path[PVP_PATH_MAX];
	struct pvp_stats stats; /* as of the last round */

	uint64_t unread_since; /* ns: since when the pipe has no reader; 0: has a reader */
	bool unread_reported;  /* the host knows */
	uint64_t stuck_since;  /* ns: since when the reader takes nothing; 0: takes */
};

/* Starts a session for this host. An errno value. */
int pvp_writer_start(const struct pvp_config *config, const struct pvp_host *host);

/* Ends the session, published events written. ETIMEDOUT: some are not. EALREADY: no session. */
int pvp_writer_stop(void);

/* Waits until everything recorded before the call is written. An errno value. */
int pvp_writer_flush(void);

/* A round soon, and some more: new code, or maybe the last event. Not in signal handlers; takes no lock. */
void pvp_writer_hurry(void);

/* For the control socket's thread. EALREADY: not recording. */
int pvp_writer_stats(struct pvp_stats *ret);
/* With the next flush: header and names once more; or into another sink, begun with the same. */
int pvp_writer_hello(void);
int pvp_writer_move(const char *path);

/* The session's writer, NULL while there is none; under the core's lock. */
struct pvp_writer *pvp_writer_now(void);

/* Figures of stats(), as of now; under the core's lock. */
void pvp_writer_note(struct pvp_writer *w);
/* The session's end comes with the process's, and not from the host. */
void pvp_writer_exits(void);

/* In a child of fork: the parent's writer and sink are not here. Frees what may be freed. */
void pvp_writer_forget(void);

/* --- between the writer's files --- */

/* Sends parts, beginning anew for a new reader as often as needed; false: w->failed. */
bool pvp_writer_send(struct pvp_writer *w, const struct iovec *parts, int n);

/* Appends an event; a full page is sent. */
bool pvp_out_buffer_add(struct pvp_writer *w, struct pvp_out_buffer *p, const struct pv_event *ev,
	const struct pv_batch *pools);
bool pvp_out_buffer_send(struct pvp_writer *w, struct pvp_out_buffer *p);

/* A round: takes what the threads have published, and writes. `last` ends the session. */
void pvp_round(struct pvp_writer *w, bool last);

/* Names, into w->page, or into the page of the events that use them, before these. */
void pvp_tell_method(struct pvp_writer *w, uint64_t key, uint64_t time);
void pvp_tell_name(struct pvp_writer *w, struct pvp_out_buffer *p, uint64_t key, uint64_t time);
void pvp_tell_classes(struct pvp_writer *w);
void pvp_tell_counters(struct pvp_writer *w);
/* The log has reached its size; the farewell, missing in a log that was cut off. */
void pvp_tell_full(struct pvp_writer *w);
void pvp_tell_ended(struct pvp_writer *w);
/* All definitions so far, for a new reader, through w->hello; false: the reader is gone, too. */
bool pvp_tell_again(struct pvp_writer *w);

#endif
