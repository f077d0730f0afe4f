/* SPDX-License-Identifier: MIT */
/*
 * Classes of objects that an event names by address only, the holder of a lock and the runtime's
 * number of a lock, stated by the events directly before in the same buffer: valid for a single
 * event, as the object may move or die.
 */
#include "common/model/objects/gc_parts.h"
#include "common/model/objects/address_log_parts.h"

static uint64_t place_in(const struct pv_batch *b, size_t at)
{
	return b->offset + pv_batch_number(b, at);
}

/*
 * True if the event comes directly after. A buffer may end between the two: then the event is the
 * first in the thread's next buffer.
 */
static bool follows(const struct pv_said *s, const struct pv_context *x)
{
	return s->place + 1 == x->place ||
	       (s->last && s->thread == x->batch->thread && x->place == place_in(x->batch, 0));
}

static bool said_holds(const struct pv_context *x, uint64_t object)
{
	const struct pv_said *s = &x->m->private->said;
	return (s->type || s->holder || s->lock) && s->object == object && follows(s, x);
}

static void note_place(struct pv_said *s, const struct pv_context *x)
{
	s->place = x->place;
	s->thread = x->batch->thread;
	s->last = x->place == place_in(x->batch, x->batch->n - 1);
}

uint64_t pv_said_type_here(const struct pv_context *x, uint64_t object)
{
	return said_holds(x, object) ? x->m->private->said.type : 0;
}

uint64_t pv_said_holder(const struct pv_context *x, uint64_t object)
{
	return said_holds(x, object) ? x->m->private->said.holder : 0;
}

uint64_t pv_said_lock(const struct pv_context *x, uint64_t object)
{
	return said_holds(x, object) ? x->m->private->said.lock : 0;
}

/* The facts known of the object so far, valid for one event more. */
static struct pv_said *add_to(const struct pv_context *x, uint64_t object)
{
	struct pv_said *s = &x->m->private->said;
	if (!said_holds(x, object))
		*s = (struct pv_said){ .object = object };
	note_place(s, x);
	return s;
}

bool pv_said_apply(struct pv_context *x, const struct pv_event *e)
{
	struct pv_said *s = &x->m->private->said;
	if (e->kind == PV_KIND_EXT_CLASS_OF) {
		*s = (struct pv_said){ .object = e->class_of.object, .type = e->class_of.type };
		note_place(s, x);
		return true;
	}
	if (e->kind == PV_KIND_EXT_HOLDER) {
		add_to(x, e->holder.object)->holder = e->holder.thread;
		return true;
	}
	if (e->kind == PV_KIND_EXT_LOCK) {
		add_to(x, e->lock.object)->lock = e->lock.id;
		return true;
	}
	if (!said_holds(x, e->string.object) || !s->type)
		return true; /* the class of the message is not known */
	note_place(s, x);
	if (!x->counts)
		return true;
	uint32_t class_use = pv_names_class(&x->m->names, s->type, x->time);
	return class_use && pv_messages_add(&x->m->throws.messages, class_use, x->time,
				    e->string.text, e->string.length);
}
