/* SPDX-License-Identifier: MIT */
/* Table of loaded classes: their keys, types and shapes, and their names for the log. */
#include "probe/clr/clr_classes.h"

#include <pthread.h>
#include <time.h>

#include "common/base/map.h"
#include "common/base/mem.h"
#include "probe/clr/clr_runtime.h"
#include "probe/clr/host_clr.h"
#include "probe/managed/managed_names.h"

enum {
	DEPTH = 8,            /* of arguments within arguments */
	MOST = 1 << 20,       /* classes kept; further classes are not found again */
	UNLOAD_WAIT_MS = 500, /* the most an unload is held off */
};

struct class
{
	uint64_t id, module; /* id 0: unloaded */
	uint64_t shape;      /* 0: not known yet */
	uint32_t token;
	bool learned; /* module, token and shape are the runtime's answer */
	bool queued;  /* to be named */
	bool named;   /* in the log */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static PV_ARRAY(struct class) list; /* by number; [0] unused */
static struct pv_map of_id;         /* id -> number; 0: the id's owner is gone */
static struct pv_map of_type;       /* hash of a type with arguments, or shape -> number */
static PV_ARRAY(uint32_t) nameless; /* numbers; to be named by the agent */

static pthread_mutex_t unloads = PTHREAD_MUTEX_INITIALIZER;

/* --- the table; under the lock */

static uint32_t known_class(uint64_t id)
{
	uint32_t at = pv_map_get(&of_id, id);
	return at == PV_MAP_NONE ? 0 : at;
}

/* 0: out of memory. */
static uint32_t new_class(uint64_t id)
{
	if (list.n > MOST || !pv_reserve(&list, 2))
		return 0;
	if (list.n == 0)
		list.v[list.n++] = (struct class){ 0 };
	if (!pv_map_set(&of_id, id, (uint32_t)list.n))
		return 0;
	list.v[list.n] = (struct class){ .id = id };
	return (uint32_t)list.n++;
}

static uint32_t known_or_new(uint64_t id)
{
	uint32_t number = known_class(id);
	return number ? number : new_class(id);
}

static void end_class(uint32_t number)
{
	pv_map_set(&of_id, list.v[number].id, 0);
	list.v[number].id = list.v[number].module = 0;
}

/* --- types */

enum { EXACT = 1, ALIKE = 2 };

static uint64_t begin_hash(uint64_t module, uint32_t token, uint64_t kind)
{
	return pv_hash(module ^ pv_hash(token ^ pv_hash(kind)));
}

uint64_t pvp_clr_shape(const struct pvp_clr_type *t)
{
	uint64_t h = begin_hash(t->module, t->token, ALIKE);
	for (uint32_t i = 0; i < t->n; i++) {
		if (!t->of[i].shape)
			return 0;
		h = pv_hash(h ^ t->of[i].shape);
	}
	return h > PVP_CLR_REFERENCE ? h : PVP_CLR_REFERENCE + 1;
}

/* 0: an argument's id is not known. */
static uint64_t exact_hash(const struct pvp_clr_type *t)
{
	uint64_t h = begin_hash(t->module, t->token, EXACT);
	for (uint32_t i = 0; i < t->n; i++) {
		if (!t->of[i].id)
			return 0;
		h = pv_hash(h ^ t->of[i].id);
	}
	return h;
}

static uint64_t find_class(uint64_t hash, uint64_t module, uint32_t token)
{
	pthread_mutex_lock(&lock);
	uint32_t at = hash ? pv_map_get(&of_type, hash) : PV_MAP_NONE;
	const struct class *c = at != PV_MAP_NONE ? &list.v[at] : NULL;
	uint64_t id = c && c->module == module && c->token == token ? c->id : 0;
	pthread_mutex_unlock(&lock);
	return id;
}

uint64_t pvp_clr_class_find(const struct pvp_clr_type *t)
{
	return find_class(exact_hash(t), t->module, t->token);
}

uint64_t pvp_clr_class_alike(uint64_t module, uint32_t token, uint64_t shape)
{
	return find_class(shape, module, token);
}

static struct pvp_clr_argument learn_class(uint64_t id, unsigned depth);

static bool class_type(uint64_t id, struct pvp_clr_type *ret, unsigned depth)
{
	struct pvp_clr_info *info = pvp_clr.info;
	uint64_t parent, types[PVP_CLR_ARGUMENTS];
	*ret = (struct pvp_clr_type){ .id = id };
	if (!id || info->is->class_info(info, id, &ret->module, &ret->token, &parent,
			   PVP_CLR_ARGUMENTS, &ret->n, types) < 0)
		return false;
	if (ret->n > PVP_CLR_ARGUMENTS)
		ret->n = PVP_CLR_ARGUMENTS;
	for (uint32_t i = 0; i < ret->n; i++)
		ret->of[i] = depth ? learn_class(types[i], depth - 1)
				   : (struct pvp_clr_argument){ types[i], 0 };
	return true;
}

bool pvp_clr_type_of(uint64_t id, struct pvp_clr_type *ret)
{
	return class_type(id, ret, DEPTH);
}

/* Under the lock. */
static void keep_type(uint32_t number, const struct pvp_clr_type *t)
{
	struct class *c = &list.v[number];
	uint64_t exact = exact_hash(t);
	c->module = t->module;
	c->token = t->token;
	if (exact)
		pv_map_set(&of_type, exact, number);
	if (c->shape > PVP_CLR_REFERENCE)
		pv_map_set(&of_type, c->shape, number);
}

/* Asks the runtime once for a class, its elements, arguments and ancestors. */
static struct pvp_clr_argument learn_class(uint64_t id, unsigned depth)
{
	struct pvp_clr_info *info = pvp_clr.info;
	struct pvp_clr_type t = { 0 };
	uint64_t element = 0, shape = PVP_CLR_REFERENCE;
	uint32_t rank, kind, head;
	pthread_mutex_lock(&lock);
	uint32_t number = id ? known_or_new(id) : 0;
	struct class c = number ? list.v[number] : (struct class){ 0 };
	pthread_mutex_unlock(&lock);
	if (!number || c.learned)
		return (struct pvp_clr_argument){ id, c.shape };
	bool array = info->is->array_class(info, id, &kind, &element, &rank) == 0;
	bool whole = !array && class_type(id, &t, depth);
	if (array && element && depth)
		learn_class(element, depth - 1);
	if (whole && info->is->box_layout(info, id, &head) >= 0)
		shape = pvp_clr_shape(&t);
	pthread_mutex_lock(&lock);
	struct class *mine = &list.v[number];
	if (number < list.n && mine->id == id && (array || whole)) {
		mine->shape = shape;
		mine->learned = true;
		if (whole)
			keep_type(number, &t);
	}
	pthread_mutex_unlock(&lock);
	return (struct pvp_clr_argument){ id, shape };
}

/* --- names */

static void define_class(uint32_t number, uint64_t module, const char *name, size_t len)
{
	struct pv_event class = { .kind = PV_KIND_CLASS_LOAD,
		.meta = { .key = number,
			.image = pvp_clr_key(module),
			.name = { name, len },
			.mvid = { "", 0 } } };
	struct pv_event table = { .kind = PV_KIND_VTABLE_LOAD,
		.meta = { .key = number,
			.domain = pvp_clr_domain(),
			.owner = number,
			.name = { "", 0 },
			.mvid = { "", 0 } } };
	pvp_names_define(&class);
	pvp_names_define(&table);
}

/* Names a number once, by the first thread: the name comes before any use. */
static bool define_once(uint32_t number, uint64_t id, const char *name, size_t len)
{
	pthread_mutex_lock(&lock);
	struct class *c = number < list.n ? &list.v[number] : NULL;
	bool fresh = c && c->id == id && !c->named;
	if (fresh) {
		c->named = true;
		define_class(number, c->module, name, len);
	}
	pthread_mutex_unlock(&lock);
	return fresh;
}

static void name(uint32_t number, uint64_t id)
{
	char text[PVP_CLR_NAME];
	learn_class(id, DEPTH);
	size_t len = pvp_clr_class_name(id, text);
	if (define_once(number, id, text, len))
		pvp_clr_fields(id, number);
}

uint64_t pvp_clr_class(uint64_t id)
{
	pthread_mutex_lock(&lock);
	uint32_t number = id ? known_or_new(id) : 0;
	bool named = number && list.v[number].named;
	pthread_mutex_unlock(&lock);
	if (number && !named)
		name(number, id);
	return number;
}

uint64_t pvp_clr_class_if_met(uint64_t id)
{
	pthread_mutex_lock(&lock);
	uint32_t number = id ? known_class(id) : 0;
	pthread_mutex_unlock(&lock);
	return number;
}

uint64_t pvp_clr_class_reserve(uint64_t id)
{
	pthread_mutex_lock(&lock);
	uint32_t number = id && pv_reserve(&nameless, 1) ? known_or_new(id) : 0;
	struct class *c = &list.v[number];
	if (number && !c->named && !c->queued) {
		c->queued = true;
		nameless.v[nameless.n++] = number;
	}
	pthread_mutex_unlock(&lock);
	return number;
}

uint64_t pvp_clr_class_note(uint64_t id)
{
	uint64_t number = pvp_clr_class_reserve(id);
	learn_class(id, DEPTH);
	return number;
}

void pvp_clr_class_open(uint64_t module, uint32_t token, const char *text, size_t len)
{
	/* Ids of the runtime's are even. */
	uint64_t id = begin_hash(module, token, 0) | 1;
	pthread_mutex_lock(&lock);
	uint32_t number = known_class(id) ? 0 : new_class(id);
	if (number) {
		list.v[number] = (struct class){ id, module, PVP_CLR_REFERENCE, token,
			.learned = true, .named = true };
		define_class(number, module, text, len);
	}
	pthread_mutex_unlock(&lock);
}

bool pvp_clr_class_at(uint64_t key, struct pvp_clr_type *ret)
{
	pthread_mutex_lock(&lock);
	const struct class *c = key && key < list.n ? &list.v[key] : NULL;
	bool is = c && c->token && c->id && !(c->id & 1);
	if (is)
		*ret = (struct pvp_clr_type){ .id = c->id, .module = c->module, .token = c->token };
	pthread_mutex_unlock(&lock);
	return is;
}

uint64_t pvp_clr_classes_newest(void)
{
	pthread_mutex_lock(&lock);
	uint64_t newest = list.n ? list.n - 1 : 0;
	pthread_mutex_unlock(&lock);
	return newest;
}

bool pvp_clr_classes_waiting(void)
{
	pthread_mutex_lock(&lock);
	bool some = nameless.n > 0;
	pthread_mutex_unlock(&lock);
	return some;
}

/* The id of the i-th, 0: unloaded; false: no more. */
static bool nameless_at(size_t i, uint32_t *ret_number, uint64_t *ret_id)
{
	pthread_mutex_lock(&lock);
	bool some = i < nameless.n;
	*ret_number = some ? nameless.v[i] : 0;
	*ret_id = some ? list.v[*ret_number].id : 0;
	pthread_mutex_unlock(&lock);
	return some;
}

/* So that a structure is known before a class with a field of it is reported. */
static void learn_nameless(void)
{
	uint32_t number;
	uint64_t id = 0;
	bool more = true;
	for (size_t i = 0; more; i++) {
		pvp_clr_unloads_hold();
		more = nameless_at(i, &number, &id);
		if (id)
			learn_class(id, DEPTH);
		pvp_clr_unloads_release();
	}
}

static bool take_nameless(uint32_t *ret_number, uint64_t *ret_id)
{
	pthread_mutex_lock(&lock);
	bool some = nameless.n > 0;
	*ret_number = some ? nameless.v[--nameless.n] : 0;
	*ret_id = some ? list.v[*ret_number].id : 0;
	pthread_mutex_unlock(&lock);
	return some;
}

void pvp_clr_classes_name(void)
{
	uint32_t number;
	uint64_t id;
	bool more = true;
	learn_nameless();
	while (more) {
		pvp_clr_unloads_hold();
		more = take_nameless(&number, &id);
		if (id)
			name(number, id);
		pvp_clr_unloads_release();
	}
}

/* --- unloads */

void pvp_clr_unloads_hold(void)
{
	pthread_mutex_lock(&unloads);
}

void pvp_clr_unloads_release(void)
{
	pthread_mutex_unlock(&unloads);
}

/* Returns once questions about an unloading class are answered, or have had their time. */
static void wait_for_answers(void)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += UNLOAD_WAIT_MS * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	if (pthread_mutex_timedlock(&unloads, &until) == 0)
		pthread_mutex_unlock(&unloads);
}

void pvp_clr_class_gone(uint64_t id)
{
	pthread_mutex_lock(&lock);
	uint32_t number = known_class(id);
	if (number)
		end_class(number);
	pthread_mutex_unlock(&lock);
	wait_for_answers();
}

void pvp_clr_classes_gone(uint64_t module)
{
	pthread_mutex_lock(&lock);
	for (uint32_t i = 1; module && i < list.n; i++)
		if (list.v[i].module == module && list.v[i].id)
			end_class(i);
	pthread_mutex_unlock(&lock);
	wait_for_answers();
}

void pvp_clr_classes_forget(void)
{
	pthread_mutex_lock(&lock);
	pv_map_finish(&of_id);
	pv_map_finish(&of_type);
	pv_array_finish(&list);
	pv_array_finish(&nameless);
	pthread_mutex_unlock(&lock);
}
