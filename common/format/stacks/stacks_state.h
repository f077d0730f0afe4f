/*
 * The state of a text that is read, and the events that are made of it. Private to the files of this
 * folder; one thread uses it. Out of memory is kept in stacks.nomem, and ends the stream.
 */
#ifndef PV_FORMAT_STACKS_STATE_H
#define PV_FORMAT_STACKS_STATE_H

#include "common/format/block07/other_window.h"
#include "common/format/stacks/stack_line.h"
#include "common/format/stacks/stacks_look.h"
#include "common/format/stacks/stacks_names.h"

enum { BATCH_EVENTS = 4096, MOST_FRAMES = 1 << 16 };

struct stacks {
	struct b07_window in; /* first */
	bool begun;
	enum pv_stack_text_kind kind;
	bool merged;       /* of several processes */
	char args[120];    /* the header's: options of the samples, or what they stand for */
	char event[256];   /* the one whose samples are read, cut; others are counted */
	unsigned decimals; /* counts are times 10^decimals */
	uint64_t unit;     /* periods that are one of the weight, 1 at least */
	uint64_t carry;    /* of the last sample's period, less than a unit */
	uint64_t weight;   /* of all samples so far */
	uint64_t self_ns;  /* of all calls so far */
	uint64_t first_ns; /* least time */
	bool skipping;     /* the rest of a line that is too long */
	struct pv_stack_names names;
	PV_ARRAY(uint64_t) frame; /* of the sample at hand, innermost first */
	bool open;                /* a sample whose frames still come */
	bool unread;              /* it is of another event */
	uint64_t head_frame;      /* key of the frame on its head's line; 0: none */
	bool framed;              /* the line before was a frame */
	struct pv_stack_head head;
	uint64_t thread; /* of the batch that is filled */
	bool nomem;
};

/* The reader's own, owned by the stream. */
static inline struct stacks *st_of(const struct b07_stream *s)
{
	return s->other;
}

/* Whether lines are folded stacks; those of no known kind are damage. */
static inline bool st_is_folded(const struct stacks *d)
{
	return d->kind == PV_STACK_FOLDED || d->kind == PV_STACK_NONE;
}

/* Samples before the least time of the text's beginning have that time. */
static inline uint64_t st_now(const struct stacks *d)
{
	if (st_is_folded(d))
		return 1;
	return d->head.time_ns > d->first_ns ? d->head.time_ns : d->first_ns;
}

/* An event of the batch, good until the next one is added; NULL: out of memory. */
struct pv_event *st_event(struct b07_stream *s, uint8_t kind, uint64_t time);
/* Key of a method; one that is new is said before it is used. 0: out of memory. */
uint64_t st_method(struct b07_stream *s, struct pv_text name, struct pv_text object);
/* One frame more of the sample at hand, whose frames come from the innermost on. */
void st_add_frame(struct b07_stream *s, uint64_t key);
/* The same of a line of perf's, which may have several. */
void st_take_frame(struct b07_stream *s, const struct pv_stack_frame *f);
/* Ends the sample at hand. */
void st_add_hit(struct b07_stream *s, uint64_t weight);
/* The name of the thread at hand, where it is new or another one. */
void st_name_thread(struct b07_stream *s);
/* Something that is known and not read: its name, for the coverage. */
void st_say_unread(struct b07_stream *s, struct pv_text what);
/* How many events were lost since that was said last. */
void st_say_lost(struct b07_stream *s, uint64_t more);

#endif
