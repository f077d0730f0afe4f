/* SPDX-License-Identifier: MIT */
/*
 * Reads a source, has its buffers decoded, and applies them to a model in file order, on a thread
 * of its own (the ingest thread). Other threads use status(), the model's generation and one
 * descriptor.
 *
 * A model holds one recording. When the input begins another recording, a fresh model is filled,
 * and the caller's stays valid until the caller uses pv_ingest_adopt().
 */
#ifndef PV_INGEST_INGEST_H
#define PV_INGEST_INGEST_H

#include "common/io/source.h"
#include "common/model/model.h"

struct pv_ingest;

struct pv_ingest_options {
	unsigned jobs; /* threads that decode, the ingest thread included; 0 = as many as cores */
	bool follow;   /* while live, an end of the input means waiting, not truncation */
	bool give_way; /* threads of low priority */
	bool record;   /* the source was opened with a record: begin it at the first header */
	/* begin with an index if there is one, and keep one; for files, without a restriction */
	bool index;
	uint64_t index_least; /* shortest log, in bytes; 0: 1 MiB, less in tests */
	bool ranges;          /* for ranges (range.h): keep a table of buffers */
	bool no_window;       /* the rolling window and buckets are not needed */
	/*
	 * NULL, or a model with names and threads known from the beginning (persist.h); needed
	 * until start returns
	 */
	const struct pv_model *names;
	struct pv_restrict only; /* texts are borrowed until destroy */
};

enum pv_ingest_state {
	PV_INGEST_LOADING, /* reading existing bytes */
	PV_INGEST_LIVE,    /* caught up; more may come */
	PV_INGEST_WAITING, /* no bytes yet */
	PV_INGEST_ENDED,   /* the input is over (more may still come to a pipe) */
	PV_INGEST_FAILED,  /* error says why; the model holds everything before */
};

struct pv_ingest_status {
	enum pv_ingest_state state;
	struct pv_error error; /* FAILED: why */
	struct pv_source_info source;
	uint64_t stream_bytes;              /* inflated bytes framed so far */
	uint64_t bytes_per_s, events_per_s; /* over the last two seconds */
	int64_t lag_ns;                     /* age of the newest event when applied; -1 unknown */
	uint64_t recordings;                /* headers read */
	uint64_t renewals;            /* headers that began a recording other than the previous */
	uint64_t models;              /* replacements of a model; see pv_ingest_adopt() */
	bool complete;                /* ended, without damage, at a buffer's end */
	bool damaged;                 /* part of the present recording was lost or damaged */
	uint64_t places, lost_events; /* as the model counts them, without its lock */
	struct pv_damage_entry first; /* of the damaged places; all-zero: none */
	uint16_t port;                /* named in the log; 0: none */
};

/*
 * Takes over the source (closed by destroy, also after a failure here). Starts the threads. NULL:
 * PV_ENOMEM (out of memory, threads or descriptors).
 */
struct pv_ingest *pv_ingest_start(
	struct pv_source *source, const struct pv_ingest_options *options, struct pv_error *reterr);

/* Stops the threads, frees models and source. NULL is fine. */
void pv_ingest_destroy(struct pv_ingest *in);

/*
 * The model being filled, owned by the ingest, never NULL; frees the one returned before. A new
 * model (status.models) comes with another recording, after an index was found, and when the log is
 * read again from its beginning. One caller thread.
 */
struct pv_model *pv_ingest_adopt(struct pv_ingest *in);

/*
 * The input once more, from its beginning (io/source.h); for a pipe the ingest must outlive the
 * result. NULL: PV_EUSAGE when not everything is kept. Any thread.
 */
struct pv_source *pv_ingest_again(const struct pv_ingest *in, struct pv_error *reterr);

/* Whether there is an index of the log at `path`. Any thread. */
bool pv_ingest_indexed(const char *path);

/*
 * Stops reading: the model stays as of an input that ends here, and its coverage says so. The state
 * becomes ENDED soon after. Any thread.
 */
void pv_ingest_cut(struct pv_ingest *in);

/* Sets the program's process id here, whatever its log says. Any thread. */
void pv_ingest_process(struct pv_ingest *in, long pid);

/* A copy of the status. Any thread; waits during changes. */
void pv_ingest_status(struct pv_ingest *in, struct pv_ingest_status *ret);
/* The same without waiting: false during a change, and *ret is unchanged. */
bool pv_ingest_status_now(struct pv_ingest *in, struct pv_ingest_status *ret);

/* Waits for the record, if any, and for the status about it: pv_source_record_wait(). */
void pv_ingest_record_wait(struct pv_ingest *in);

/* An eventfd, readable when model or status may have changed; clear() empties it. */
int pv_ingest_fd(const struct pv_ingest *in);
void pv_ingest_clear(struct pv_ingest *in);

#endif
