/* SPDX-License-Identifier: MIT */
/*
 * Private to the files of convert: facts about the log, and the state of the output. One thread.
 * Times are ns on the log's clock.
 */
#ifndef PV_INGEST_CONVERT_PARTS_H
#define PV_INGEST_CONVERT_PARTS_H

#include <string.h>

#include "common/base/intern.h"
#include "common/base/map.h"
#include "common/ingest/convert/convert.h"
#include "common/ingest/again/reread.h"

struct pv_convert_counter {
	uint64_t index, type, value; /* summed up so far */
	PV_ARRAY(char) text;         /* of a text counter, with its NUL */
};

/* A thread from start to end; `before` is an earlier life of the same native id. */
struct pv_convert_life {
	int64_t from;
	uint32_t before;
	bool started, ended, wanted;
};

struct pv_convert {
	const struct pv_convert_options *options;
	const struct pv_reread *reread;
	FILE *out;
	struct pv_error *err;
	struct pv_convert_totals totals;

	/* of the first reading; absolute ns */
	struct mlpd_header header;
	uint64_t headers, buffers;
	int64_t zero, last, from, to;
	bool have_zero, begun;
	uint64_t id;       /* of the thread to keep, with by_id */
	bool by_id, named; /* named: a thread of this name was met */
	PV_ARRAY(struct pv_convert_life) lives;
	struct pv_map life_of; /* native id > index of the newest in lives */
	struct pv_intern text;
	struct pv_map jit_names; /* method > name, for a name apart from the code */
	/*
	 * Of a log of 2007: times of compiling methods and loading classes; key > index in times.
	 */
	struct pv_map compiled, loaded;
	PV_ARRAY(uint64_t) times;
	struct pv_map vtables; /* vtable > index in owners */
	PV_ARRAY(uint64_t) owners;
	struct pv_map absolute; /* counters whose samples are values, not differences */

	/* of the second reading */
	struct mlpd_format found;       /* the rules at the end of the first reading */
	struct mlpd_format rules, says; /* of the input's events, of the output's */
	struct pv_map counter_at;       /* index > index in counters */
	PV_ARRAY(struct pv_convert_counter) counters;
	uint64_t copies;       /* written copies of weighted samples */
	bool counted;          /* a sample was written */
	bool zeroed;           /* no buffer is needed only for zero */
	struct pv_map in_shot; /* thread > 1: in a kept shot, 2 or 3: in another one */
	struct mlpd_buffer_header head;
	struct mlpd_bases bases;
	PV_ARRAY(uint8_t) events;
	struct pv_batch pools;               /* of a changed event */
	PV_ARRAY(struct pv_event) held;      /* roots waiting for the start of their shot, */
	struct pv_batch held_values;         /* their lists, */
	struct mlpd_buffer_header held_head; /* and the buffer of the first one */
};

/* Whether the event of the batch is written. Sums counters up and follows shots. */
bool pv_convert_keeps(struct pv_convert *c, const struct pv_batch *b, struct pv_event *e);

/*
 * Rewrites the event for the output's data version. *pools may become c->pools; *more is a further
 * event, or has kind PV_KIND_COUNT, as may *e. False: out of memory.
 */
bool pv_convert_event(struct pv_convert *c, const struct pv_batch *b, struct pv_event *e,
	const struct pv_batch **pools, struct pv_event *more);

/* --- convert_lives.c: for a thread given by name */

/* Takes a start, an end or a name of a thread, in the first reading. False: out of memory. */
bool pv_convert_live(struct pv_convert *c, const struct pv_event *e);
/* Whether the thread with this native id at this time is kept. */
bool pv_convert_thread(const struct pv_convert *c, uint64_t id, uint64_t time);

#endif
