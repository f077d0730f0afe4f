/*
 * Reads a source, has its buffers decoded, and applies them to a model in file order on a thread of
 * its own (the ingest thread). Others learn of it through status(), the model's generation and one
 * descriptor.
 *
 * A model holds one recording. When the input begins another one, a fresh model is filled, and the
 * one the caller holds stays valid until it calls pv_ingest_adopt().
 */
#ifndef PV_INGEST_INGEST_H
#define PV_INGEST_INGEST_H

#include "common/io/source.h"
#include "common/model/model.h"

struct pv_ingest;

struct pv_ingest_options {
	unsigned jobs; /* threads that decode, the ingest thread included; 0 = as many as cores */
	bool follow;   /* an end of the input is waiting, not truncation, while it is live */
	bool give_way; /* its threads have a low priority */
	bool record;   /* the source was opened with a record: begin it at the first header */
	bool index;    /* begin with an index where there is one, and keep one; for files,
				  * without a restriction */
	uint64_t index_least; /* bytes of a log from which on; 0: 1 MiB, less in tests */
	bool ranges;          /* ranges will be asked for (range.h): keep a table of buffers */
	bool no_window;       /* the rolling window and buckets are not needed */
	const struct pv_model *names; /* NULL, or a model whose names and threads are known from the
				  * beginning on (persist.h); needed until start returns */
	struct pv_restrict only;      /* texts are borrowed until destroy */
};

enum pv_ingest_state {
	PV_INGEST_LOADING, /* reading what is already there */
	PV_INGEST_LIVE,    /* caught up; more may come */
	PV_INGEST_WAITING, /* nothing has come yet */
	PV_INGEST_ENDED,   /* the input is over (more may still come to a pipe) */
	PV_INGEST_FAILED,  /* error says why; the model holds what came before */
};

struct pv_ingest_status {
	enum pv_ingest_state state;
	struct pv_error error; /* FAILED: why */
	struct pv_source_info source;
	uint64_t stream_bytes;              /* inflated bytes framed so far */
	uint64_t bytes_per_s, events_per_s; /* over the last second */
	int64_t lag_ns;      /* age of the newest event when it was applied; -1 unknown */
	uint64_t recordings; /* headers read */
	uint64_t renewals;   /* of them those that began another recording than the one before */
	uint64_t models;     /* that took another one's place; see pv_ingest_adopt() */
	bool complete;       /* ended, without damage, at a buffer's end */
	bool damaged;        /* something of the present recording was lost or damaged */
	uint64_t places, lost_events; /* as the model counts them, without its lock */
	struct pv_damage_entry first; /* of the damaged places; all-zero when there is none */
	uint16_t port;                /* that the log names; 0: none */
};

/*
 * Takes over the source (closed by destroy, also after a failure here). Starts the threads. NULL:
 * PV_ENOMEM, or PV_EIO when a thread cannot be started.
 */
struct pv_ingest *pv_ingest_start(
	struct pv_source *source, const struct pv_ingest_options *options, struct pv_error *reterr);

/* Stops the threads, frees models and source. NULL is fine. */
void pv_ingest_destroy(struct pv_ingest *in);

/*
 * The model that is being filled, owned by the ingest, never NULL; frees the one returned before.
 * Another replaces it, as status.models says, with another recording, where an index is found, and
 * where the log is read again from its beginning. One caller thread.
 */
struct pv_model *pv_ingest_adopt(struct pv_ingest *in);

/*
 * The input once more, from its beginning (io/source.h); the ingest must outlive it where it is a
 * pipe. NULL: PV_EUSAGE when not all of it is kept. Any thread.
 */
struct pv_source *pv_ingest_again(const struct pv_ingest *in, struct pv_error *reterr);

/* Whether there is an index of that log. Any thread. */
bool pv_ingest_indexed(const char *path);

/*
 * Nothing more is read: what was read so far stays, as an input that ends there, and its coverage
 * says so. The state becomes ENDED soon after. Any thread.
 */
void pv_ingest_cut(struct pv_ingest *in);

/* A copy of the status. Any thread; waits while it is being changed. */
void pv_ingest_status(struct pv_ingest *in, struct pv_ingest_status *ret);
/* The same without waiting: false, and *ret is as it was, while it is being changed. */
bool pv_ingest_status_now(struct pv_ingest *in, struct pv_ingest_status *ret);

/*
 * Waits for the record, if one was asked for, and what the status says of it:
 * pv_source_record_wait().
 */
void pv_ingest_record_wait(struct pv_ingest *in);

/* An eventfd, readable when model or status may have changed; clear() empties it. */
int pv_ingest_fd(const struct pv_ingest *in);
void pv_ingest_clear(struct pv_ingest *in);

#endif
