/* SPDX-License-Identifier: MIT */
/* Applies heap shots: sums by class, and the limits on shots and class rows. */
#include "common/model/objects/shots.h"

#include <stdlib.h>
#include <string.h>

#include "common/format/batch_event.h"
#include "common/model/objects/address_region.h"
#include "common/model/objects/gc_parts.h"
#include "common/model/ground/model_parts.h"
#include "common/model/time/window_parts.h"

static struct pv_shot *open_shot(struct pv_heap_shots *s)
{
	return s->open ? &s->shot.v[s->open - 1] : NULL;
}

static int by_class(const void *a, const void *b)
{
	const struct pv_shot_class *x = a, *y = b;
	return (x->class_use > y->class_use) - (x->class_use < y->class_use);
}

/* Past PV_SHOTS_ROWS every second shot that still has rows gives them up, oldest first. */
static void drop_rows(struct pv_heap_shots *s)
{
	while (s->rows > s->cap) {
		uint64_t before = s->rows;
		bool drop = false;
		for (size_t i = 0; i + 2 < s->shot.n && s->rows > s->cap; i++) {
			struct pv_shot *x = &s->shot.v[i];
			if (x->open || x->classes.n == 0)
				continue;
			if (drop) {
				s->rows -= x->classes.n;
				pv_array_finish(&x->classes);
				x->classes_folded = true;
				s->folded++;
			}
			drop = !drop;
		}
		if (s->rows == before)
			return;
	}
}

/* Gives room to spare back: only rows are counted, and a closed shot gets no more. */
static void fit(struct pv_shot *x)
{
	size_t n = x->classes.n;
	void *v = n && n < x->classes.room ? realloc(x->classes.v, n * sizeof *x->classes.v) : NULL;
	if (!v)
		return;
	x->classes.v = v;
	x->classes.room = n;
}

static void close_shot(struct pv_heap_shots *s, int64_t time, bool torn)
{
	struct pv_shot *x = open_shot(s);
	if (!x)
		return;
	x->end_ns = torn ? PV_NEVER : time;
	x->open = false;
	x->torn = torn;
	for (size_t i = 0; i < x->classes.n; i++)
		s->row_of.v[x->classes.v[i].class_use] = 0;
	fit(x);
	if (x->classes.n)
		qsort(x->classes.v, x->classes.n, sizeof *x->classes.v, by_class);
	s->rows += x->classes.n;
	s->open = 0;
	s->skipping = false;
	drop_rows(s);
}

/* Drops every second shot; the first stays, and gaps in the numbers show the missing. */
static void thin_out(struct pv_heap_shots *s)
{
	size_t to = 0;
	for (size_t i = 0; i < s->shot.n; i++) {
		if (i % 2 == 0) {
			s->shot.v[to++] = s->shot.v[i];
			continue;
		}
		s->rows -= s->shot.v[i].classes.n;
		pv_array_finish(&s->shot.v[i].classes);
		s->folded++;
	}
	s->shot.n = to;
}

/* The summary of the same collection, or NULL: a log of 2007 may have both summary and objects. */
static struct pv_shot *said_already(const struct pv_heap_shots *s, const struct pv_event *e)
{
	struct pv_shot *last = s->shot.n ? &s->shot.v[s->shot.n - 1] : NULL;
	bool same =
		last && !last->torn && e->shot.collection && last->collection == e->shot.collection;
	return same && e->shot.summary != last->summary ? last : NULL;
}

/* Objects of a summarised shot: the summary has the figures, the objects add their references. */
static void reopen(struct pv_heap_shots *s, struct pv_shot *shot)
{
	shot->summary = false;
	shot->open = shot->summarised = true;
	s->rows -= shot->classes.n;
	s->open = (size_t)(shot - s->shot.v) + 1;
	s->skipping = false;
}

/* Notes the place for reading this shot again: later pieces of a buffer are no place to begin. */
static void place_shot(struct pv_context *x, struct pv_shot *shot)
{
	struct pv_heap_shots *s = &x->m->shots;
	if (s->batch_at != x->batch->offset)
		s->in_batch = 0;
	s->batch_at = x->batch->offset;
	shot->skip = s->in_batch++;
	shot->at = x->batch->continues || x->m->target.logging2007 || x->m->target.text
			   ? UINT64_MAX
			   : s->batch_at;
}

static bool shot_starts(struct pv_context *x, const struct pv_event *e)
{
	struct pv_heap_shots *s = &x->m->shots;
	close_shot(s, x->time, true);
	/* From data version 14 on roots lie within the shot, in a list of their own. */
	if (x->m->target.rules > 13)
		x->m->gc.roots_since_gc = 0;
	s->skipping = true;
	struct pv_shot *said = said_already(s, e);
	if (said && !e->shot.summary && x->counts)
		reopen(s, said);
	if (said)
		return true;
	uint32_t index = s->next_index++;
	struct pv_shot place;
	place_shot(x, &place);
	s->skipping = !x->counts;
	if (!x->counts)
		return true;
	if (s->shot.n >= s->list_cap)
		thin_out(s);
	if (!pv_reserve(&s->shot, 1))
		return false;
	/* Up to data version 13 the roots of a shot come before it, with the collection. */
	uint64_t roots = x->m->target.rules <= 13 ? x->m->gc.roots_since_gc : 0;
	s->shot.v[s->shot.n++] = (struct pv_shot){ .index = index,
		.start_ns = x->time,
		.end_ns = PV_NEVER,
		.collection = e->shot.collection,
		.at = place.at,
		.skip = place.skip,
		.summary = e->shot.summary,
		.roots = roots,
		.open = true };
	s->open = s->shot.n;
	return true;
}

/* Row of the class in the open shot. */
static struct pv_shot_class *row(struct pv_heap_shots *s, struct pv_shot *x, uint32_t class_use)
{
	while (s->row_of.n <= class_use) {
		if (!pv_reserve(&s->row_of, class_use + 1 - s->row_of.n))
			return NULL;
		s->row_of.v[s->row_of.n++] = 0;
	}
	if (!s->row_of.v[class_use]) {
		if (!pv_reserve(&x->classes, 1))
			return NULL;
		x->classes.v[x->classes.n++] = (struct pv_shot_class){ .class_use = class_use };
		s->row_of.v[class_use] = (uint32_t)x->classes.n;
	}
	return &x->classes.v[s->row_of.v[class_use] - 1];
}

/* The object is known from here on, unless the table will not be asked. */
static bool remember_shot_object(struct pv_context *x, uint64_t object, uint32_t class_use)
{
	if (x->m->only.address_log)
		return true;
	struct pv_addresses *a = &x->m->private->addresses;
	struct pv_address *known = pv_addresses_slot(a, object);
	uint32_t age = pv_addresses_age(a, x->time);
	if (known &&
		(known->object != object || known->class_use != class_use || known->age != age))
		pv_address_set(a->ousted, known, pv_address_of(object, class_use, age, false));
	return known != NULL;
}

/* --- objects in a row */

enum { LISTED = 64 };

/* Meaning of a class key. */
struct listed_class {
	uint64_t type;
	struct pv_class_use *use;
	struct pv_shot_class *sum;
	uint32_t id; /* 0: nothing is known */
};

/* Look-ups for a whole loop over objects. */
struct listed {
	struct listed_class of[LISTED], other; /* other: for a single use */
	/* Times from `from` to before `to` are in one cell of the timeline and have one age. */
	int64_t from, to;
	uint64_t count;   /* objects, which the timeline does not have yet */
	uint32_t age;     /* of addresses */
	bool generations; /* are in the log */
	bool old;         /* an object was of a generation above 0 */
	uint64_t objects, bytes, references;
	struct pv_region region; /* of the object at hand */
};

static void count_listed(struct pv_context *x, struct listed *l)
{
	if (l->count)
		pv_timeline_add(&x->m->timeline, PV_TRACK_EVENTS, l->from, l->count);
	l->count = 0;
}

/* Makes the range of times anew for a time in another cell or of another age. */
static void change_listed(struct pv_context *x, struct listed *l, int64_t time)
{
	const struct pv_addresses *a = &x->m->private->addresses;
	int64_t since = pv_addresses_since(a, time), until = pv_addresses_until(a, time);
	count_listed(x, l);
	pv_timeline_cell(&x->m->timeline, time, &l->from, &l->to);
	l->from = since > l->from ? since : l->from;
	l->to = until < l->to ? until : l->to;
	if (time < l->from || time >= l->to) { /* before all ages */
		l->from = time;
		l->to = time + (time < INT64_MAX);
	}
	l->age = pv_addresses_age(a, time);
}

/* Finds a class by key and makes its row; NULL: out of memory. */
static struct listed_class *list_class(struct pv_context *x, struct pv_shot *shot, struct listed *l,
	struct listed_class *of, uint64_t type, uint64_t time)
{
	struct pv_names *n = &x->m->names;
	const struct pv_class_use *uses = n->class_use.v;
	const struct pv_shot_class *rows = shot->classes.v;
	uint32_t id = pv_names_class(n, type, (int64_t)time);
	struct pv_shot_class *sum = id ? row(&x->m->shots, shot, id) : NULL;
	if (!sum)
		return NULL;
	if (uses != n->class_use.v || rows != shot->classes.v)
		memset(l->of, 0, sizeof l->of); /* the arrays have moved */
	struct pv_class_use *use = &n->class_use.v[id];
	/* Another time may have another meaning, or each use is to be counted. */
	if (use->ended || use->before || use->other)
		of = &l->other;
	*of = (struct listed_class){ type, use, sum, id };
	return of;
}

/* As remember_shot_object(), with a table that exists. */
static inline void remember_listed(
	struct pv_addresses *a, struct listed *l, uint64_t object, uint32_t id)
{
	pv_region_renew(&l->region, object);
	struct pv_address *known = pv_region_slot(&l->region, a->slot, object);
	if (known->object == object && known->class_use == id && known->age == l->age)
		return;
	if (known->object != object &&
		pv_region_ousted(&l->region, a->ousted, object)->object == object)
		known = pv_addresses_slot(a, object); /* takes up an ousted row */
	if (known->object != object || known->class_use != id || known->age != l->age)
		pv_address_set(a->ousted, known, pv_address_of(object, id, l->age, false));
}

static inline bool list(
	struct pv_context *x, struct pv_shot *shot, struct listed *l, const struct pv_event *e)
{
	uint64_t type = e->heap_object.type, size = e->heap_object.size;
	struct listed_class *of = &l->of[(type >> 3 ^ type >> 9) % LISTED];
	if (of->type != type || !of->id)
		of = list_class(x, shot, l, of, type, e->time);
	if (!of)
		return false;
	if ((int64_t)e->time > of->use->last_ns)
		of->use->last_ns = (int64_t)e->time;
	remember_listed(&x->m->private->addresses, l, e->heap_object.object, of->id);
	of->sum->objects++;
	of->sum->bytes += size;
	if (l->generations && e->heap_object.generation == 0) {
		of->sum->young_objects++;
		of->sum->young_bytes += size;
	} else {
		l->old = true;
	}
	l->objects++;
	l->bytes += size;
	return true;
}

enum { AHEAD = 12 /* events: as long as memory takes to answer */ };

static inline const struct pv_event *event_at(const struct pv_plain_event *e)
{
	return (const void *)e;
}

bool pv_shots_run(struct pv_context *x, size_t *at, size_t end, struct pv_plain_run *ret)
{
	const struct pv_batch *b = x->batch;
	struct pv_model *m = x->m;
	struct pv_shot *shot = open_shot(&m->shots);
	struct listed l = { .generations = m->target.rules >= 16 };
	struct pv_addresses *addresses = &m->private->addresses;
	bool ok = true;
	size_t i = *at;
	*ret = (struct pv_plain_run){ 0 };
	if (!shot || shot->summarised || m->only.address_log || m->target.logging2007)
		return true;
	if (!addresses->slot && !pv_addresses_make(addresses))
		return false;
	const struct pv_plain_event *v = b->plain_events.v, *all = v + b->plain_events.n;
	int64_t oldest = INT64_MAX, newest = INT64_MIN;
	for (; ok && i < end && b->kind[i] == PV_KIND_HEAP_OBJECT; i++) {
		const struct pv_plain_event *at_hand = &v[b->key[i]];
		const struct pv_event *e = event_at(at_hand);
		if (all - at_hand > AHEAD) /* the address is wrong for another kind, without harm */
			__builtin_prefetch(pv_region_slot(&l.region, addresses->slot,
						   event_at(at_hand + AHEAD)->heap_object.object),
				1);
		if (e->heap_object.unsized)
			break;
		if ((int64_t)e->time < l.from || (int64_t)e->time >= l.to)
			change_listed(x, &l, (int64_t)e->time);
		l.count++;
		l.references += e->heap_object.refs.n / 2;
		newest = (int64_t)e->time > newest ? (int64_t)e->time : newest;
		oldest = (int64_t)e->time < oldest ? (int64_t)e->time : oldest;
		ok = e->heap_object.size == 0 || list(x, shot, &l, e);
	}
	count_listed(x, &l);
	*ret = (struct pv_plain_run){ i - *at, oldest, newest };
	m->kinds[PV_KIND_HEAP_OBJECT] += ret->n;
	shot->generations |= l.generations && l.old;
	shot->references += l.references;
	shot->objects += l.objects;
	shot->bytes += l.bytes;
	if (ret->n && m->last_ns != PV_NEVER && ret->newest > m->last_ns)
		m->last_ns = ret->newest;
	*at = i;
	return ok;
}

/* Applies a single object. */
static bool object(struct pv_context *x, const struct pv_event *e)
{
	struct pv_model *m = x->m;
	struct pv_shot *shot = open_shot(&m->shots);
	uint64_t size = e->heap_object.size;
	if (shot)
		shot->references += e->heap_object.refs.n / 2;
	else if (!m->shots.skipping && x->counts)
		m->shots.stray_objects++;
	if (shot && e->heap_object.unsized) {
		shot->objects++;
		shot->unsized++;
	}
	if (size == 0)
		return true;
	uint32_t id = pv_names_class(&m->names, e->heap_object.type, x->time);
	if (!id || !remember_shot_object(x, e->heap_object.object, id))
		return false;
	if (!shot || shot->summarised)
		return true;
	struct pv_shot_class *c = row(&m->shots, shot, id);
	if (!c)
		return false;
	c->objects++;
	c->bytes += size;
	if (m->target.rules >= 16 && !m->target.logging2007) {
		bool young = e->heap_object.generation == 0;
		c->young_objects += young;
		c->young_bytes += young ? size : 0;
		shot->generations |= !young;
	}
	shot->objects++;
	shot->bytes += size;
	return true;
}

/* Adds figures of one class: an object met dead, or the line of a summary. */
static bool class_figures(struct pv_context *x, uint64_t type, const struct pv_shot_class *more)
{
	struct pv_model *m = x->m;
	struct pv_shot *shot = open_shot(&m->shots);
	if (!shot || shot->summarised)
		return true;
	uint32_t id = pv_names_class(&m->names, type, x->time);
	struct pv_shot_class *c = id ? row(&m->shots, shot, id) : NULL;
	if (!c)
		return false;
	c->objects += more->objects;
	c->bytes += more->bytes;
	c->dead_objects += more->dead_objects;
	c->dead_bytes += more->dead_bytes;
	shot->objects += more->objects;
	shot->bytes += more->bytes;
	shot->dead_objects += more->dead_objects;
	shot->dead_bytes += more->dead_bytes;
	return true;
}

static bool summary(struct pv_context *x, const struct pv_event *e)
{
	const struct pv_shot_class more = { .objects = e->heap_class.objects,
		.bytes = e->heap_class.bytes,
		.dead_objects = e->heap_class.dead_objects,
		.dead_bytes = e->heap_class.dead_bytes };
	return class_figures(x, e->heap_class.type, &more);
}

static bool dead(struct pv_context *x, const struct pv_event *e)
{
	const struct pv_shot_class more = { .dead_objects = 1, .dead_bytes = e->heap_object.size };
	return class_figures(x, e->heap_object.type, &more);
}

bool pv_shots_apply(struct pv_context *x, const struct pv_event *e)
{
	struct pv_model *m = x->m;
	switch (e->kind) {
	case PV_KIND_HEAP_START:
		return shot_starts(x, e);
	case PV_KIND_HEAP_DEAD:
		return dead(x, e);
	case PV_KIND_HEAP_SUMMARY:
		return summary(x, e);
	case PV_KIND_HEAP_END:
		if (open_shot(&m->shots))
			pv_allocs_note_shot(&m->allocs, open_shot(&m->shots));
		close_shot(&m->shots, x->time, false);
		m->shots.skipping = false;
		return true;
	case PV_KIND_HEAP_ROOTS: {
		if (!pv_roots_apply(x, e)) /* reads roots_since_gc from before */
			return false;
		uint64_t n = e->roots.roots.n / (e->roots.width ? e->roots.width : 1);
		m->gc.roots_since_gc += n;
		if (m->shots.open)
			open_shot(&m->shots)->roots += n;
		return true;
	}
	default:
		return object(x, e);
	}
}

const struct pv_shot *pv_shots_newest(const struct pv_heap_shots *s)
{
	for (size_t i = s->shot.n; i > 0; i--)
		if (!s->shot.v[i - 1].open && !s->shot.v[i - 1].torn)
			return &s->shot.v[i - 1];
	return NULL;
}

void pv_shots_finish(struct pv_heap_shots *s)
{
	for (size_t i = 0; i < s->shot.n; i++)
		pv_array_finish(&s->shot.v[i].classes);
	pv_array_finish(&s->shot);
	pv_array_finish(&s->row_of);
}

/* --- contents of shots */

static bool options_have_word(const char *args, const char *word)
{
	size_t len = strlen(word);
	for (const char *at = args; (at = strstr(at, word)) != NULL; at += len)
		if ((at[len] == 0 || at[len] == ',') && at > args &&
			(at[-1] == ',' || at[-1] == ':'))
			return true;
	return false;
}

enum pv_shots_content pv_shots_content(const struct pv_model *m)
{
	const char *args = m->target.args ? m->target.args : "";
	if (strncmp(args, "profview:", 9) != 0)
		return PV_SHOTS_UNSAID;
	if (options_have_word(args, "heapshot=live"))
		return PV_SHOTS_LIVE;
	/* Before there was a choice, .NET's shots without roots were made without a collection. */
	return options_have_word(args, "heapshot=nogc") || options_have_word(args, "nogcroot")
		       ? PV_SHOTS_GARBAGE
		       : PV_SHOTS_UNSAID;
}

bool pv_roots_are_statics(const struct pv_model *m)
{
	const char *args = m->target.args ? m->target.args : "";
	return strncmp(args, "profview:", 9) == 0 && options_have_word(args, "nogcroot");
}
