/*
 * Classes of objects that an event names by address only, the holder of a lock and what the runtime
 * knows it by, said by the events directly before it in its buffer: good for that event and for no
 * other, as the object may move or die.
 */
#include "common/model/objects/gc_parts.h"
#include "common/model/objects/address_log_parts.h"

static bool holds(const struct pv_context *x, uint64_t object)
{
	const struct pv_said *s = &x->m->private->said;
	return (s->type || s->holder || s->lock) && s->object == object && s->place + 1 == x->place;
}

uint64_t pv_said_type(const struct pv_context *x, uint64_t object)
{
	return holds(x, object) ? x->m->private->said.type : 0;
}

uint64_t pv_said_holder(const struct pv_context *x, uint64_t object)
{
	return holds(x, object) ? x->m->private->said.holder : 0;
}

uint64_t pv_said_lock(const struct pv_context *x, uint64_t object)
{
	return holds(x, object) ? x->m->private->said.lock : 0;
}

/* All that is known of the object so far, good for one event more. */
static struct pv_said *add_to(const struct pv_context *x, uint64_t object)
{
	struct pv_said *s = &x->m->private->said;
	if (!holds(x, object))
		*s = (struct pv_said){ .object = object };
	s->place = x->place;
	return s;
}

bool pv_said_apply(struct pv_context *x, const struct pv_event *e)
{
	struct pv_said *s = &x->m->private->said;
	if (e->kind == PV_KIND_EXT_CLASS_OF) {
		*s = (struct pv_said){ x->place, e->class_of.object, e->class_of.type, 0, 0 };
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
	if (!holds(x, e->string.object) || !s->type)
		return true; /* nothing says whose message it is */
	s->place = x->place;
	if (!x->counts)
		return true;
	uint32_t class_use = pv_names_class(&x->m->names, s->type, x->time);
	return class_use && pv_messages_add(&x->m->throws.messages, class_use, x->time,
				    e->string.text, e->string.length);
}
