/*
 * Private to the files of convert: what is known of the log, and of its new form. One thread. Times
 * are ns on the log's clock.
 */
#ifndef PV_INGEST_CONVERT_PARTS_H
#define PV_INGEST_CONVERT_PARTS_H

#include <string.h>

#include "common/base/intern.h"
#include "common/base/map.h"
#include "common/ingest/convert/convert.h"
#include "common/ingest/again/reread.h"

struct pv_convert_counter {
	uint64_t index, type, value; /* as summed up so far */
	PV_ARRAY(char) text;         /* of one that is text, with its NUL */
};

/* A thread from its start to its end; `before` is an earlier one of the same native id. */
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
	uint64_t id;       /* of the thread to keep, where it was asked for by_id */
	bool by_id, named; /* named: a thread of the name was met */
	PV_ARRAY(struct pv_convert_life) lives;
	struct pv_map life_of; /* native id > place of the newest in lives */
	struct pv_intern text;
	struct pv_map jit_names; /* method > name, where it comes apart from the code */
	/* Of a log of 2007: when methods were compiled and classes loaded; key > place in times. */
	struct pv_map compiled, loaded;
	PV_ARRAY(uint64_t) times;
	struct pv_map vtables; /* vtable > place in owners */
	PV_ARRAY(uint64_t) owners;
	struct pv_map absolute; /* counters whose samples are values, not differences */

	/* of the second */
	struct mlpd_format found;       /* the rules that the first reading ended with */
	struct mlpd_format rules, says; /* of the input's events, of the output's */
	struct pv_map counter_at;       /* index > place in counters */
	PV_ARRAY(struct pv_convert_counter) counters;
	uint64_t copies;       /* of samples that stand for several, written */
	bool counted;          /* a sample was written */
	bool zeroed;           /* no buffer is needed only for zero */
	struct pv_map in_shot; /* thread > 1: in a shot that is kept, 2: in one that is not */
	struct mlpd_buffer_header head;
	struct mlpd_bases bases;
	PV_ARRAY(uint8_t) events;
	struct pv_batch pools;               /* of an event that was changed */
	PV_ARRAY(struct pv_event) held;      /* roots that wait for the start of their shot, */
	struct pv_batch held_values;         /* their lists, */
	struct mlpd_buffer_header held_head; /* and the buffer of the first */
};

/* Whether this event of the batch is written. Sums counters up and follows shots. */
bool pv_convert_keeps(struct pv_convert *c, const struct pv_batch *b, struct pv_event *e);

/*
 * Rewrites the event for the output's data version. *pools may become c->pools; *more is a
 * further event, or one of kind PV_KIND_COUNT, as *e may become. False: out of memory.
 */
bool pv_convert_event(struct pv_convert *c, const struct pv_batch *b, struct pv_event *e,
	const struct pv_batch **pools, struct pv_event *more);

/* --- convert_lives.c: for a thread asked for by name */

/* A start, an end or a name of a thread, in the first reading. False: out of memory. */
bool pv_convert_live(struct pv_convert *c, const struct pv_event *e);
/* Whether the thread that had this native id at a time is kept. */
bool pv_convert_thread(const struct pv_convert *c, uint64_t id, uint64_t time);

#endif
