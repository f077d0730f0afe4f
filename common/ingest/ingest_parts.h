/*
 * Private to the files of the ingest. All run on the ingest thread. Functions that return bool are
 * false when reading cannot go on (the state is FAILED), unless said otherwise.
 */
#ifndef PV_INGEST_INGEST_PARTS_H
#define PV_INGEST_INGEST_PARTS_H

#include <pthread.h>
#include <stddef.h>

#include "common/format/block07/block07.h"
#include "common/format/mlpd/framer.h"
#include "common/ingest/ground/buffers.h"
#include "common/ingest/decode_pool.h"
#include "common/ingest/reorder.h"
#include "common/ingest/ingest.h"
#include "common/ingest/ground/meter.h"

struct pv_ingest {
	struct pv_source *source;
	struct pv_source
		*replay; /* bytes that a pipe gave, read again before more of it; or NULL */
	struct pv_ingest_options options;
	pthread_t thread;
	bool started;
	int changed_fd;
	int stop_fd; /* readable: stop; for waits, and ... */
	bool stop;   /* ... set before it, atomically, for all else */
	int cut_fd;  /* readable: nothing more is to be read */

	/* ingest thread only */
	struct mlpd_framer framer;
	struct pv_decode_pool *pool;
	struct mlpd_format format;
	uint8_t says;    /* the data version in the header */
	unsigned trials; /* left */
	struct mlpd_format
		found; /* a layout found after the beginning; the log is read with it from its
				     * beginning on, where its header says found_says */
	uint8_t found_says;
	bool again;                /* that is to begin; it does so once */
	struct pv_reorder reorder; /* batches decoded and not applied yet */
	ptrdiff_t credit;          /* batches that may be applied of what is due */
	bool as_run;               /* the run at hand is applied whole, and not kept */
	struct mlpd_bases bases;   /* of a buffer that comes in pieces */
	PV_ARRAY(uint8_t) carry;   /* its bytes not decoded yet */
	struct b07_stream old;     /* a log of 2007 is read with this instead of the framer */
	bool chosen, is_old;       /* which of the two it is */
	bool live;                 /* caught up at least once */
	uint64_t pieces;           /* given by the framer or decoder so far */
	bool quiet, closed; /* the present end: is silence; gave pieces that growth makes untrue */
	int64_t signalled_ns; /* when progress was, last */
	bool signalled;       /* and all of it was */
	bool skip_pieces;     /* the rest of this buffer comes after damage */
	bool recording;       /* the source knows where its record begins */
	uint64_t indexed;     /* covered by the index that was read or written last */
	int64_t indexed_ns;   /* when that was */

	/*
	 * Held by another thread than the ingest's while it reads a model or the table, and while
	 * these are replaced. Taken before `lock`, which the screen waits for and which is
	 * therefore never held for long.
	 */
	pthread_mutex_t life;

	/* under `lock` */
	pthread_mutex_t lock;
	struct pv_model *model;   /* being filled */
	struct pv_model *shown;   /* the caller's; often the same */
	struct pv_buffers *table; /* of `model`, changed under its lock; NULL: none is kept */
	struct pv_meter meter;
	struct pv_ingest_status status;
};

/* The ingest thread: reads until it is to stop; NULL. */
void *pv_ingest_thread(void *arg);
/* Nothing more is read: frees the memory that reading took. */
void pv_ingest_leave(struct pv_ingest *in);

/* --- ingest_state.c */

/* Sets the state, and signals it. */
void pv_ingest_set_state(struct pv_ingest *in, enum pv_ingest_state state);
/* The state becomes FAILED; these return false. */
bool pv_ingest_fail(struct pv_ingest *in, const struct pv_error *error);
bool pv_ingest_fail_nomem(struct pv_ingest *in);
bool pv_ingest_stopping(const struct pv_ingest *in);
void pv_ingest_signal(int fd); /* an eventfd becomes readable */

/* A table of buffers, where wanted, for the model that is filled from now on. */
bool pv_ingest_renew_table(struct pv_ingest *in);

/* A recording begins, in a new model unless `same` as before. */
bool pv_ingest_begin(struct pv_ingest *in, const struct pv_target_info *t, bool same);

/* --- ingest_keep.c */

/* Copies the model's counts, for callers that may not wait for it. Needs the ingest's lock. */
void pv_ingest_note_model(struct pv_ingest *in);
void pv_ingest_damage(struct pv_ingest *in, uint64_t offset, uint64_t bytes, const char *reason);

/* Applies what is kept and due, or all of it. */
bool pv_ingest_flush(struct pv_ingest *in, bool all);
/* Applies the batch at once, after everything that is kept. */
bool pv_ingest_apply(void *in, const struct pv_batch *b);
/* Decides how the batches of a decoded run are applied. Before the first one is taken. */
bool pv_ingest_begin_run(struct pv_ingest *in, struct pv_decode_task *t, size_t n);
/* Applies it or keeps it; what is left in *b may be used for the next one. */
bool pv_ingest_take(struct pv_ingest *in, struct pv_batch *b);

/* --- ingest_index.c */

enum pv_indexed {
	PV_INDEXED_NOT,    /* no index: everything is to be read */
	PV_INDEXED_SO_FAR, /* the model is filled, reading goes on after it */
	PV_INDEXED_ALL,    /* everything is known */
};

/* Before the first byte was read. */
enum pv_indexed pv_ingest_load_index(struct pv_ingest *in);
/*
 * All that was framed is applied. `finished`: the input's end was dealt with. False: there is no
 * place in the stream at present that reading could go on from.
 */
bool pv_ingest_save_index(struct pv_ingest *in, bool finished);
bool pv_ingest_index_due(const struct pv_ingest *in);

/* --- ingest_source.c */

/*
 * The batch has the payload that the framer has just given, and what is carried over to it. Pieces
 * of a buffer are copied: they are decoded before it is known what follows. False: out of memory.
 */
bool pv_ingest_fill(const struct pv_ingest *in, struct pv_batch *b);
void pv_ingest_note_source(struct pv_ingest *in);
/* Compressed data that could not be read becomes damage where it would have come in the stream. */
void pv_ingest_stored_damage(struct pv_ingest *in);
void pv_ingest_note_layout(struct pv_ingest *in);

/* --- input07.c */

/*
 * Finds the kind of log by the first bytes in the framer; those of a log of 2007 are moved to its
 * decoder. False: more bytes are needed.
 */
bool pv_input07_choose(struct pv_ingest *in, bool ended);
/* Everything the blocks at hand can give now. */
bool pv_input07_frame(struct pv_ingest *in);

#endif
