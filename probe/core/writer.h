/*
 * The writer: one thread with all signals blocked that wakes every 80 ms, or earlier when chunks
 * pile up, at what the threads have published, so that it is in the log within 100; it writes names
 * first, then the events, and says what was lost. It never calls the program's code.
 */
#ifndef PV_PROBE_WRITER_H
#define PV_PROBE_WRITER_H

#include "common/base/map.h"
#include "common/format/mlpd/mlpd.h"
#include "probe/core/children.h"
#include "probe/core/host.h"
#include "probe/core/probe_args.h"
#include "probe/core/probe_clock.h"
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
	char args[PVP_PATH_MAX + 768];
	uint8_t head[PVP_PATH_MAX + 1024];
	struct pvp_calibrator calibrator;
	struct pvp_tree_page *tree;        /* NULL until a thread has a call tree */
	uint64_t tree_ns;                  /* when trees were written last */
	struct pvp_out_buffer page, hello; /* hello: the names for a pipe's new reader */
	struct pvp_thread *threads;        /* taken in this round, linked by w.next */

	struct pv_batch scratch; /* for reading what threads have published */
	struct pv_map described; /* method key -> 1 described, 0 to be described again */
	uint64_t seen[PVP_SEEN]; /* described keys: scan.h */
	uint32_t classes;        /* written so far */
	uint64_t first_class;    /* key of the first one in the log; others lie near it */
	uint64_t orphans, discarded, last_sync;
	uint32_t pauses;                  /* said so far */
	uint64_t lost;                    /* events said to be lost */
	struct pvp_tally tally;           /* of what was read or made */
	uint64_t round_ns, soon_until_ns; /* its begin; sooner rounds, the host's to set */
	uint64_t rounds, fences;          /* the latter: those dealt with */
	bool last, asked, wrote; /* this round is the session's last; a flush; it wrote events */
	uint64_t streams;        /* begun so far; more than one when a pipe's reader left */
	bool began;              /* the stream's header is written */
	bool greeting;           /* and now the names, for its reader */
	bool failed;             /* nothing more can be written */
	bool amid;               /* new events belong to those that the same reader had before */
	bool full;               /* because of maxsize= */
	bool said;               /* the log has the count of events left out */
	bool abrupt;             /* the process exits, and its runtime has not announced that */
	struct pvp_children children;
	char comm[16]; /* the process's name, which threads have before they get their own */

	/* under the core's lock */
	bool stopping;
	uint64_t flush_wanted, flush_done;
	uint64_t stop_since;
	bool hello_wanted;
	bool moving; /* to this sink, next: */
	struct pvp_sink next;
	char next_path[PVP_PATH_MAX];
	struct pvp_stats stats; /* as of the last round */

	uint64_t unread_since; /* ns: since when the pipe has no reader; 0: it has one */
	bool unread_reported;  /* the host knows */
	uint64_t stuck_since;  /* ns: since when the reader takes nothing; 0: it does */
};

/* Starts a session for this host. An errno value. */
int pvp_writer_start(const struct pvp_config *config, const struct pvp_host *host);

/* Ends it, with all that was published before written. ETIMEDOUT: not all was. EALREADY: none. */
int pvp_writer_stop(void);

/* Waits until what was recorded before is written. An errno value. */
int pvp_writer_flush(void);

/* A round soon: what is loaded has changed. Any thread outside signal handlers; takes no lock. */
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

/* Appends an event, sending the page when it is full. */
bool pvp_out_buffer_add(struct pvp_writer *w, struct pvp_out_buffer *p, const struct pv_event *ev,
	const struct pv_batch *pools);
bool pvp_out_buffer_send(struct pvp_writer *w, struct pvp_out_buffer *p);

/* A round: takes what the threads have published and writes it. `last` ends the session. */
void pvp_round(struct pvp_writer *w, bool last);

/* Names, into w->page, or into the page that the events which use them go into, before these. */
void pvp_tell_method(struct pvp_writer *w, uint64_t key, uint64_t time);
void pvp_tell_name(struct pvp_writer *w, struct pvp_out_buffer *p, uint64_t key, uint64_t time);
void pvp_tell_classes(struct pvp_writer *w);
void pvp_tell_counters(struct pvp_writer *w);
/* The log has reached its size; the farewell, without which a log was cut off. */
void pvp_tell_full(struct pvp_writer *w);
void pvp_tell_ended(struct pvp_writer *w);
/* All definitions so far, for a new reader, through w->hello; false: it is gone as well. */
bool pvp_tell_again(struct pvp_writer *w);

#endif
