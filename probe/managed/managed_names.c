/* SPDX-License-Identifier: MIT */
/* Copies of definitions and unloads, written by the writer in the order they came. */
#include "probe/managed/managed_names.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/map.h"
#include "common/base/mem.h"
#include "probe/ground/probe_clock.h"

/* A definition or unload, followed by its texts. */
struct def {
	struct pv_event ev;
	uint64_t *list; /* elements of the span, or NULL */
	size_t list_n;
	bool dead; /* replaced or unloaded */
	char text[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* In the order of arrival; freed definitions are NULL until the list is packed. */
static PV_ARRAY(struct def *) defs;
static size_t written;      /* of these, how many the log has */
static size_t holes, dying; /* freed definitions; dead ones not yet known to the log */
static size_t dead_from;    /* first place to search for dead ones, while dying > 0 */
enum { UNNAMED = 4096 };
static uint64_t unnamed[UNNAMED];
static _Atomic size_t missing;    /* of these */
static struct pv_map with_fields; /* classes whose fields are reported -> 1 */
static struct pv_map calling;     /* methods whose code calls us -> 1 */
static struct pv_map at;          /* kind and key -> place in defs */
static uint64_t last;             /* time of the newest */

static uint64_t place_key(uint8_t kind, uint64_t key)
{
	return key ^ (uint64_t)kind << 56;
}

static uint64_t definition_key(const struct pv_event *ev)
{
	switch (ev->kind) {
	case PV_KIND_METHOD_JIT:
		return ev->jit.method;
	case PV_KIND_JIT_HELPER:
		return ev->helper.address;
	case PV_KIND_HEAP_ROOT_REGISTER:
	case PV_KIND_HEAP_ROOT_UNREGISTER:
		return ev->root_area.start;
	case PV_KIND_EXT_FIELD: /* a class has many */
		return pv_hash(
			ev->field.owner ^ (ev->field.offset << 1 | ev->field.is_static) << 40);
	case PV_KIND_EXT_PARENT:
		return ev->class_parent.owner;
	case PV_KIND_EXT_ELEMENTS:
		return ev->elements.owner;
	case PV_KIND_EXT_IL_MAP: /* a method has several */
		return ev->il_map.code;
	default:
		return ev->meta.key;
	}
}

/* An event that ends no definition: written once. */
static bool is_news(uint8_t kind)
{
	switch (kind) {
	case PV_KIND_EXT_JIT_FAILED:
	case PV_KIND_EXT_LOAD_FAILED:
	case PV_KIND_EXT_COVERED_ASSEMBLY:
	case PV_KIND_EXT_COVERED_CLASS:
	case PV_KIND_EXT_COVERED_METHOD:
	case PV_KIND_EXT_COVERED_STATEMENT:
		return true;
	default:
		return false;
	}
}

/* The kind of definition ended by an unload; a definition's own kind. */
static uint8_t ended_kind(uint8_t kind)
{
	switch (kind) {
	case PV_KIND_IMAGE_UNLOAD:
		return PV_KIND_IMAGE_LOAD;
	case PV_KIND_ASSEMBLY_UNLOAD:
		return PV_KIND_ASSEMBLY_LOAD;
	case PV_KIND_DOMAIN_UNLOAD:
		return PV_KIND_DOMAIN_LOAD;
	case PV_KIND_CONTEXT_UNLOAD:
		return PV_KIND_CONTEXT_LOAD;
	case PV_KIND_HEAP_ROOT_UNREGISTER:
		return PV_KIND_HEAP_ROOT_REGISTER;
	default:
		return kind;
	}
}

static void copy_text(struct pv_text *t, char **to)
{
	if (t->len)
		memcpy(*to, t->at, t->len);
	(*to)[t->len] = 0;
	t->at = *to;
	*to += t->len + 1;
}

/* Offsets of an event's texts, from the row in the format. */
static size_t texts_of(const struct pv_event *ev, size_t ret_at[MLPD_MAX_FIELDS])
{
	static const struct mlpd_format format = { MLPD_NEWEST, 3, 8, 0 };
	const struct mlpd_row *row = mlpd_row_for(ev, &format);
	size_t n = 0;
	for (const struct mlpd_field *f = row ? row->field : NULL; f && f->type; f++)
		if (f->type == MLPD_CSTR || f->type == MLPD_HELPER_NAME)
			ret_at[n++] = f->member;
	return n;
}

static struct pv_text *text_at(struct pv_event *ev, size_t offset)
{
	return (void *)((char *)ev + offset);
}

static struct def *copy_definition(const struct pv_event *ev)
{
	size_t place[MLPD_MAX_FIELDS], n = texts_of(ev, place), bytes = 0;
	struct pv_event e = *ev;
	for (size_t i = 0; i < n; i++)
		bytes += text_at(&e, place[i])->len + 1;
	struct def *d = malloc(sizeof *d + bytes);
	if (!d)
		return NULL;
	*d = (struct def){ .ev = e };
	char *to = d->text;
	for (size_t i = 0; i < n; i++)
		copy_text(text_at(&d->ev, place[i]), &to);
	return d;
}

static void destroy_definition(struct def *d)
{
	if (d)
		free(d->list);
	free(d);
}

static void note_dead(size_t place)
{
	if (!dying++ || place < dead_from)
		dead_from = place;
}

static void kill_place(uint64_t place)
{
	uint32_t i = pv_map_get(&at, place);
	if (i == PV_MAP_NONE || i >= defs.n || !defs.v[i] || defs.v[i]->dead)
		return;
	defs.v[i]->dead = true;
	note_dead(i);
}

static void append(struct def *d)
{
	uint64_t place = place_key(ended_kind(d->ev.kind), definition_key(&d->ev));
	uint64_t now = pvp_monotonic();
	last = now > last ? now : last;
	d->ev.time = last;
	if (d->ev.kind != PV_KIND_DOMAIN_NAME && !is_news(d->ev.kind))
		kill_place(place);
	if (!pv_reserve(&defs, 1)) {
		destroy_definition(d);
		return;
	}
	if (d->dead)
		note_dead(defs.n);
	if (!d->dead && d->ev.kind != PV_KIND_DOMAIN_NAME)
		pv_map_set(&at, place, (uint32_t)defs.n);
	defs.v[defs.n++] = d;
}

void pvp_names_define(const struct pv_event *ev)
{
	/* Without a writer (in a child of fork) they would only pile up. */
	bool recording = atomic_load_explicit(&pvp_core.session, memory_order_relaxed);
	struct def *d = recording ? copy_definition(ev) : NULL;
	if (!d)
		return; /* the key stands for the name then */
	pthread_mutex_lock(&lock);
	append(d);
	pthread_mutex_unlock(&lock);
}

void pvp_names_define_list(const struct pv_event *ev, const struct pv_batch *pools)
{
	bool recording = atomic_load_explicit(&pvp_core.session, memory_order_relaxed);
	struct def *d = recording ? copy_definition(ev) : NULL;
	if (!d)
		return;
	d->list_n = pools->pool.n;
	d->list = malloc(pools->pool.n * sizeof *d->list);
	if (!d->list) {
		free(d);
		return;
	}
	memcpy(d->list, pools->pool.v, pools->pool.n * sizeof *d->list);
	pthread_mutex_lock(&lock);
	append(d);
	pthread_mutex_unlock(&lock);
}

void pvp_names_end(const struct pv_event *ev)
{
	bool recording = atomic_load_explicit(&pvp_core.session, memory_order_relaxed);
	struct def *d = recording ? copy_definition(ev) : NULL;
	if (!d)
		return;
	d->dead = true;
	pthread_mutex_lock(&lock);
	append(d);
	pthread_mutex_unlock(&lock);
}

/* Under the lock. */
static const struct def *living(uint64_t method)
{
	uint32_t i = pv_map_get(&at, place_key(PV_KIND_METHOD_JIT, method));
	return i != PV_MAP_NONE && i < defs.n && defs.v[i] && !defs.v[i]->dead ? defs.v[i] : NULL;
}

bool pvp_names_knows(uint64_t method)
{
	pthread_mutex_lock(&lock);
	bool known = living(method);
	pthread_mutex_unlock(&lock);
	return known;
}

bool pvp_names_fields_new(uint64_t klass)
{
	pthread_mutex_lock(&lock);
	bool fresh = pv_map_get(&with_fields, klass) == PV_MAP_NONE &&
		     pv_map_set(&with_fields, klass, 1);
	pthread_mutex_unlock(&lock);
	return fresh;
}

/* Another class may get the place of an unloaded class. */
void pvp_names_fields_again(void)
{
	pthread_mutex_lock(&lock);
	pv_map_clear(&with_fields);
	pthread_mutex_unlock(&lock);
}

void pvp_names_set_calling(uint64_t method)
{
	pthread_mutex_lock(&lock);
	pv_map_set(&calling, method, 1);
	pthread_mutex_unlock(&lock);
}

bool pvp_names_calls(uint64_t method)
{
	pthread_mutex_lock(&lock);
	bool yes = pv_map_get(&calling, method) == 1;
	pthread_mutex_unlock(&lock);
	return yes;
}

void pvp_names_free_method(uint64_t key)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < atomic_load_explicit(&missing, memory_order_relaxed); i++)
		if (unnamed[i] == key)
			unnamed[i] = 0;
	kill_place(place_key(PV_KIND_METHOD_JIT, key));
	kill_place(place_key(PV_KIND_EXT_LINES, key));
	if (pv_map_get(&calling, key) == 1)
		pv_map_set(&calling, key, 0);
	pthread_mutex_unlock(&lock);
}

void pvp_names_unnamed(uint64_t key)
{
	pthread_mutex_lock(&lock);
	size_t n = atomic_load_explicit(&missing, memory_order_relaxed);
	if (n < UNNAMED) {
		unnamed[n] = key;
		atomic_store_explicit(&missing, n + 1, memory_order_relaxed);
	}
	pthread_mutex_unlock(&lock);
}

bool pvp_names_take_unnamed(uint64_t *ret_key)
{
	if (atomic_load_explicit(&missing, memory_order_relaxed) == 0)
		return false;
	*ret_key = 0;
	pthread_mutex_lock(&lock);
	size_t n = atomic_load_explicit(&missing, memory_order_relaxed);
	while (n > 0 && *ret_key == 0)
		*ret_key = unnamed[--n];
	atomic_store_explicit(&missing, n, memory_order_relaxed);
	pthread_mutex_unlock(&lock);
	return *ret_key;
}

/* --- the writer's side: only the writer frees, so definitions found stay without the lock */

/* The time of compiling, if recorded. */
static bool tell_time(struct pvp_writer *w, struct pvp_out_buffer *page, const struct pv_event *jit)
{
	struct pv_event ev = { .kind = PV_KIND_EXT_JIT_TIME,
		.time = jit->time,
		.jit = { .method = jit->jit.method, .started = jit->jit.started } };
	return jit->kind != PV_KIND_METHOD_JIT || !jit->jit.started ||
	       pvp_out_buffer_add(w, page, &ev, NULL);
}

static bool tell_definition(struct pvp_writer *w, struct pvp_out_buffer *page, const struct def *d)
{
	if (d->ev.kind == PV_KIND_METHOD_JIT && !pv_map_set(&w->described, d->ev.jit.method, 1))
		return false;
	const struct pv_batch pools = { .pool = { d->list, d->list_n, d->list_n } };
	if (!pvp_out_buffer_add(w, page, &d->ev, d->list ? &pools : NULL) ||
		!tell_time(w, page, &d->ev))
		return false;
	/*
	 * The stock reader expects a second text after an image's unload, where the format has
	 * none, and loses its place. At the end of a buffer that does no harm.
	 */
	return d->ev.kind != PV_KIND_IMAGE_UNLOAD || pvp_out_buffer_send(w, page);
}

bool pvp_names_tell(struct pvp_writer *w, struct pvp_out_buffer *page, bool again)
{
	bool ok = true;
	size_t i = again ? 0 : written;
	for (;; i++) {
		pthread_mutex_lock(&lock);
		struct def *d = i < defs.n && (!again || i < written) ? defs.v[i] : NULL;
		bool more = again ? i < written : i < defs.n;
		bool dead = d && d->dead;
		if (more && !again)
			written = i + 1;
		pthread_mutex_unlock(&lock);
		if (!more || !ok)
			return ok;
		/* The core rewrites methods, and knows the used ones. */
		if (d && !(again && (dead || d->ev.kind == PV_KIND_METHOD_JIT)))
			ok = tell_definition(w, page, d);
	}
}

static void pack(void)
{
	size_t n = 0;
	pv_map_clear(&at);
	for (size_t i = 0; i < defs.n; i++) {
		struct def *d = defs.v[i];
		if (!d)
			continue;
		if (!d->dead && d->ev.kind != PV_KIND_DOMAIN_NAME)
			pv_map_set(&at, place_key(d->ev.kind, definition_key(&d->ev)), (uint32_t)n);
		defs.v[n++] = d;
	}
	written -= holes;
	defs.n = n;
	holes = 0;
}

void pvp_names_flushed(struct pvp_writer *w)
{
	(void)w;
	pthread_mutex_lock(&lock);
	for (size_t i = dead_from; dying && i < written; i++) {
		if (!defs.v[i] || !defs.v[i]->dead)
			continue;
		destroy_definition(defs.v[i]);
		defs.v[i] = NULL;
		holes++;
		dying--;
	}
	if (holes > 1024 && holes > defs.n / 2)
		pack();
	dead_from = written; /* the others come with a later round */
	pthread_mutex_unlock(&lock);
}

bool pvp_names_method(uint64_t key, struct pvp_method *ret)
{
	pthread_mutex_lock(&lock);
	uint32_t i = pv_map_get(&at, place_key(PV_KIND_METHOD_JIT, key));
	struct def *d = i != PV_MAP_NONE && i < defs.n ? defs.v[i] : NULL;
	pthread_mutex_unlock(&lock);
	if (!d || d->ev.kind != PV_KIND_METHOD_JIT || d->ev.jit.method != key)
		return false;
	*ret = (struct pvp_method){ .code = d->ev.jit.code,
		.size = d->ev.jit.size,
		.name = d->ev.jit.name.at,
		.name_len = d->ev.jit.name.len };
	return true;
}

void pvp_names_forget(void)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < defs.n; i++)
		destroy_definition(defs.v[i]);
	pv_array_finish(&defs);
	pv_map_finish(&at);
	pv_map_finish(&calling);
	pv_map_finish(&with_fields);
	written = holes = dying = 0;
	pthread_mutex_unlock(&lock);
}

void pvp_names_hold(void)
{
	pthread_mutex_lock(&lock);
}

void pvp_names_release(void)
{
	pthread_mutex_unlock(&lock);
}
