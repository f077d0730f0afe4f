/* SPDX-License-Identifier: MIT */
/*
 * The state of a text, and the events made from it. Private to this folder; one thread uses a
 * state. Out of memory is kept in stacks.nomem, and ends the stream.
 */
#ifndef PV_FORMAT_STACKS_STATE_H
#define PV_FORMAT_STACKS_STATE_H

#include "common/format/stacks/stack_line.h"
#include "common/format/stacks/stacks_look.h"
#include "common/format/stacks/stacks_names.h"

enum { BATCH_EVENTS = 4096, MOST_FRAMES = 1 << 16 };

struct stacks {
	struct pv_stream_window *in; /* the stream's */
	bool begun;
	enum pv_stack_text_kind kind;
	bool merged;       /* of several processes */
	char args[120];    /* the header's: options of the samples, or their meaning */
	char event[256];   /* cut; samples of others are counted */
	unsigned decimals; /* counts are times 10^decimals */
	uint64_t unit;     /* of periods, for a weight of 1; at least 1 */
	uint64_t carry;    /* rest of the last sample's period, below a unit */
	uint64_t weight;   /* of all samples so far */
	uint64_t self_ns;  /* of all calls so far */
	uint64_t first_ns; /* least time */
	bool skipping;     /* over the rest of a line that is too long */
	struct pv_stack_names names;
	PV_ARRAY(uint64_t) frame; /* of the current sample, innermost first */
	bool open;                /* a sample with frames still to come */
	bool unread;              /* of another event */
	uint64_t head_frame;      /* key of the frame in the head's line; 0: none */
	bool framed;              /* the previous line was a frame */
	struct pv_stack_head head;
	uint64_t thread; /* of the current batch */
	bool nomem;
};

/* The reader's state, owned by the stream. */
static inline struct stacks *st_of(const struct pv_stream *s)
{
	return s->state;
}

/* Whether lines are folded stacks; lines of an unknown kind are damage. */
static inline bool st_is_folded(const struct stacks *d)
{
	return d->kind == PV_STACK_FOLDED || d->kind == PV_STACK_NONE;
}

/* The current time: at least the least time of the text's beginning. */
static inline uint64_t st_now(const struct stacks *d)
{
	if (st_is_folded(d))
		return 1;
	return d->head.time_ns > d->first_ns ? d->head.time_ns : d->first_ns;
}

/* An event of the batch, good until the next one is added; NULL: out of memory. */
struct pv_event *st_event(struct pv_stream *s, uint8_t kind, uint64_t time);
/* The key of a method; a new method is named before. 0: out of memory. */
uint64_t st_method(struct pv_stream *s, struct pv_text name, struct pv_text object);
/* Adds a frame to the current sample, from the innermost on. */
void st_add_frame(struct pv_stream *s, uint64_t key);
/* The same for a line of perf's, which may have several frames. */
void st_take_frame(struct pv_stream *s, const struct pv_stack_frame *f);
/* Ends the current sample. */
void st_add_hit(struct pv_stream *s, uint64_t weight);
/* Names the current thread if its name is new or has changed. */
void st_name_thread(struct pv_stream *s);
/* Adds an event that is known but not read, by name, for the coverage. */
void st_say_unread(struct pv_stream *s, struct pv_text what);
/* Adds the number of events lost since the last call. */
void st_say_lost(struct pv_stream *s, uint64_t more);

#endif
