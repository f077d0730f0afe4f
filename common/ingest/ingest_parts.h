/* SPDX-License-Identifier: MIT */
/*
 * Private to the files of the ingest. All run on the ingest thread. Functions that return bool are
 * false when reading cannot go on (the state is FAILED), unless said otherwise.
 */
#ifndef PV_INGEST_INGEST_PARTS_H
#define PV_INGEST_INGEST_PARTS_H

#include <pthread.h>
#include <stddef.h>

#include "common/format/mlpd/framer.h"
#include "common/format/readers/readers.h"
#include "common/ingest/ground/buffers.h"
#include "common/ingest/decode_pool.h"
#include "common/ingest/reorder.h"
#include "common/ingest/ingest.h"
#include "common/ingest/ground/meter.h"
#include "common/io/thread_numbers.h"

struct pv_ingest {
	struct pv_source *source;
	struct pv_source *replay; /* bytes of a pipe, read again before new ones; or NULL */
	struct pv_ingest_options options;
	pthread_t thread;
	bool started;
	int changed_fd;
	int stop_fd;  /* readable: stop; for waits, and ... */
	bool stop;    /* ... set before, atomically, for everything else */
	int cut_fd;   /* readable: stop reading */
	long process; /* atomic: the program's pid here; 0: as found by the source */

	/* ingest thread only */
	struct pv_stream stream;
	struct pv_decode_pool *pool;
	struct mlpd_format format;
	uint8_t says;    /* the data version in the header */
	unsigned trials; /* left */
	/* A layout found after the beginning: read again with it if the header says found_says. */
	struct mlpd_format found;
	uint8_t found_says;
	bool again;                /* to be read again; happens once */
	struct pv_reorder reorder; /* batches decoded and not applied yet */
	ptrdiff_t credit;          /* due batches that may be applied */
	bool as_run;               /* the current run is applied whole, and not kept */
	struct mlpd_bases bases;   /* of a buffer that comes in pieces */
	PV_ARRAY(uint8_t) carry;   /* the buffer's bytes not decoded yet */
	bool live;                 /* caught up at least once */
	uint64_t pieces;           /* given by the framer or decoder so far */
	/* at the present end: silence; events or damage that growth would make untrue */
	bool quiet, closed;
	bool written;         /* a finished file that somebody still writes: more comes */
	int64_t signalled_ns; /* time of the last signal */
	bool signalled;       /* all progress was signalled */
	bool skip_pieces;     /* the rest of this buffer follows damage */
	bool recording;       /* the source knows the record's beginning */
	uint64_t indexed;     /* bytes covered by the last index read or written */
	int64_t indexed_ns;   /* time of that index */
	struct pv_thread_numbers numbers;

	/*
	 * Held by other threads than the ingest's while reading a model or the table, and by the
	 * ingest thread while replacing these. Taken before `lock`, which is never held for long
	 * since the screen waits for it.
	 */
	pthread_mutex_t life;

	/* under `lock` */
	pthread_mutex_t lock;
	struct pv_model *model;   /* being filled */
	struct pv_model *shown;   /* the caller's model; often the same */
	struct pv_buffers *table; /* of `model`, changed under its lock; NULL: no table */
	struct pv_meter meter;
	struct pv_ingest_status status;
};

/* The ingest thread: reads until stopped; returns NULL. */
void *pv_ingest_thread(void *arg);
/* Frees the memory of reading, after its end. */
void pv_ingest_leave(struct pv_ingest *in);

/* --- ingest_state.c */

/* Sets the state, and signals it. */
void pv_ingest_set_state(struct pv_ingest *in, enum pv_ingest_state state);
/* Sets the state to FAILED; returns false. */
bool pv_ingest_fail(struct pv_ingest *in, const struct pv_error *error);
bool pv_ingest_fail_nomem(struct pv_ingest *in);
static inline bool pv_ingest_stopping(const struct pv_ingest *in)
{
	return __atomic_load_n(&in->stop, __ATOMIC_ACQUIRE);
}
void pv_ingest_signal(int fd); /* an eventfd becomes readable */

/* Creates a table of buffers, if wanted, for the model filled from now on. */
bool pv_ingest_renew_table(struct pv_ingest *in);

/* Begins a recording, in a new model unless `same` as before. */
bool pv_ingest_begin(struct pv_ingest *in, const struct pv_target_info *t, bool same);

/* --- ingest_keep.c */

/*
 * Copies the model's counts, for callers that may not wait for the model. Needs the ingest's lock.
 */
void pv_ingest_note_model(struct pv_ingest *in);
void pv_ingest_damage(struct pv_ingest *in, uint64_t offset, uint64_t bytes, const char *reason);

/* Applies the kept batches that are due, or all of them. */
bool pv_ingest_flush(struct pv_ingest *in, bool all);
/* Applies the batch at once, after all kept batches. */
bool pv_ingest_apply(void *in, const struct pv_batch *b);
/* Decides how to apply the batches of a decoded run, before the first one is taken. */
bool pv_ingest_begin_run(struct pv_ingest *in, struct pv_decode_task *t, size_t n);
/* Applies or keeps the batch; *b may then be used for another. */
bool pv_ingest_take(struct pv_ingest *in, struct pv_batch *b);

/* --- ingest_index.c */

enum pv_indexed {
	PV_INDEXED_NOT,    /* no index: everything must be read */
	PV_INDEXED_SO_FAR, /* the model is filled, reading goes on from there */
	PV_INDEXED_ALL,    /* everything is known */
};

/* Called before the first byte is read. */
enum pv_indexed pv_ingest_load_index(struct pv_ingest *in);
/*
 * Saves the index, after all framed buffers were applied. `finished`: the input's end was dealt
 * with. False: the stream has no place at present to go on from.
 */
bool pv_ingest_save_index(struct pv_ingest *in, bool finished);
bool pv_ingest_index_due(const struct pv_ingest *in);

/* --- ingest_source.c */

/* Copies the source's state into the status. */
void pv_ingest_note_source(struct pv_ingest *in);
/* Gives the threads of a program in another pid namespace their numbers here, now and then. */
void pv_ingest_note_numbers(struct pv_ingest *in);
/* Adds unreadable compressed data as damage at its place in the stream. */
void pv_ingest_stored_damage(struct pv_ingest *in);
void pv_ingest_note_layout(struct pv_ingest *in);

#endif
