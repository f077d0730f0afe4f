/* SPDX-License-Identifier: MIT */
/*
 * Numbers of methods. An id reused by the runtime gets another number, so that nothing of the new
 * owner is reported under the old name.
 */
#include <pthread.h>
#include <string.h>

#include "common/base/map.h"
#include "common/base/mem.h"
#include "probe/clr/clr_resolve.h"
#include "probe/clr/clr_runtime.h"
#include "probe/managed/code_ranges.h"
#include "probe/clr/host_clr.h"
#include "probe/managed/managed_names.h"
#include "probe/managed/managed_walk.h"

/* Regions of the core's have the numbers below; native functions in samples their addresses. */
enum {
	BODIES = 64,
	PIECES = 4,
	FIRST = PVP_CLR_UNKNOWN,
	ROW = 0xffffff /* of a token; 0: no metadata */
};

struct owned {
	uint64_t id, module;
	bool traced; /* calls are recorded */
	bool work;   /* work on files, recorded as spans */
};

struct numbers {
	struct pv_map of;            /* id -> number; 0: the id's owner is gone */
	PV_ARRAY(struct owned) list; /* by number; [0] unused */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct numbers methods;

/* Under the lock; 0: none. */
static uint32_t known_number(const struct numbers *n, uint64_t id)
{
	uint32_t at = pv_map_get(&n->of, id);
	return at == PV_MAP_NONE ? 0 : at;
}

/* Under the lock; 0: out of memory. */
static uint32_t add_owned(struct numbers *n, struct owned one)
{
	if (!pv_reserve(&n->list, 2))
		return 0;
	if (n->list.n == 0)
		n->list.v[n->list.n++] = (struct owned){ 0 };
	if (!pv_map_set(&n->of, one.id, (uint32_t)n->list.n))
		return 0;
	n->list.v[n->list.n] = one;
	return (uint32_t)n->list.n++;
}

static uint32_t look_up_number(const struct numbers *n, uint64_t id)
{
	pthread_mutex_lock(&lock);
	uint32_t number = known_number(n, id);
	pthread_mutex_unlock(&lock);
	return number;
}

/* --- methods */

static uint64_t key_of_number(uint32_t number)
{
	return number ? (uint64_t)number + FIRST : 0;
}

/* A piece of code, and the time of its compilation. */
struct piece {
	struct pvp_clr_code code;
	uint64_t took_ns;
};

static void define_method(uint32_t number, const char *name, size_t len, struct piece p)
{
	struct pv_event ev = { .kind = PV_KIND_METHOD_JIT,
		.jit = { .method = key_of_number(number),
			.code = p.code.start,
			.size = p.code.size,
			.started = p.took_ns,
			.name = { name, len } } };
	pvp_names_define(&ev);
}

/* Class and module of a method. */
struct owner {
	uint64_t class, module; /* class 0: code shared by several instances of a generic class */
	uint32_t method;        /* token */
};

static struct owner owner_of(uint64_t function)
{
	struct pvp_clr_info *info = pvp_clr.info;
	struct owner o = { 0, 0, 0 };
	uint32_t n;
	if (info->is->function_info(
		    info, function, 0, &o.class, &o.module, &o.method, 0, &n, NULL) < 0)
		return (struct owner){ 0, 0, 0 };
	return o;
}

/* Puts the module of a method, and so its assembly, into the log. */
static void tell_owner(const struct owner *o)
{
	char name[PVP_CLR_NAME];
	uint32_t token = 0;
	if (o->class)
		pvp_clr_class_note(o->class);
	size_t len = o->class ? 0 : pvp_clr_owner_name(o->module, o->method, &token, name);
	if (len)
		pvp_clr_class_open(o->module, token, name, len);
}

/* A method's number; written with its name before the first use. */
static uint64_t number_method(uint64_t function, const char *name, size_t len, struct piece p)
{
	struct owner owner = owner_of(function);
	struct owned one = { function, owner.module, false, false };
	pthread_mutex_lock(&lock);
	uint32_t number = known_number(&methods, function);
	bool fresh = !number;
	if (fresh)
		number = add_owned(&methods, one);
	if (number && (fresh || p.code.size || p.took_ns))
		define_method(number, name, len, p);
	pthread_mutex_unlock(&lock);
	if (fresh && number)
		tell_owner(&owner);
	return key_of_number(number);
}

uint64_t pvp_clr_method(uint64_t function)
{
	uint32_t number = function ? look_up_number(&methods, function) : 0;
	if (number || !function)
		return key_of_number(number);
	char name[PVP_CLR_NAME];
	size_t len = pvp_clr_method_name(function, name);
	return number_method(function, name, len, (struct piece){ { 0, 0 }, 0 });
}

uint64_t pvp_clr_method_hook(uint64_t function, bool traced, unsigned work)
{
	uint64_t key = pvp_clr_method(function);
	pthread_mutex_lock(&lock);
	if (key) {
		methods.list.v[key - FIRST].traced = traced;
		methods.list.v[key - FIRST].work = work != 0;
	}
	pthread_mutex_unlock(&lock);
	return key;
}

uint64_t pvp_clr_method_if_hooked(uint64_t function, bool *ret_work)
{
	pthread_mutex_lock(&lock);
	uint32_t number = known_number(&methods, function);
	bool traced = number && methods.list.v[number].traced;
	*ret_work = number && methods.list.v[number].work;
	pthread_mutex_unlock(&lock);
	return traced ? key_of_number(number) : 0;
}

/* A method has a body for each tier. */
void pvp_clr_compiled(uint64_t function, uint64_t took_ns)
{
	struct pvp_clr_info *info = pvp_clr.info;
	uint64_t starts[BODIES];
	uint32_t n = 0, pieces = 0;
	uint64_t key = key_of_number(look_up_number(&methods, function));
	struct pvp_clr_code piece[PIECES];
	char name[PVP_CLR_NAME];
	size_t len = pvp_clr_method_name(function, name);
	if (pvp_clr.version < 9 || info->is->code_starts(info, function, 0, BODIES, &n, starts) < 0)
		n = 0;
	for (uint32_t i = 0; i < n && i < BODIES; i++) {
		if (key && pvp_ranges_is(starts[i], key))
			continue;
		if (info->is->code_ranges(info, starts[i], PIECES, &pieces, piece) < 0)
			continue;
		for (uint32_t k = 0; k < pieces && k < PIECES; k++) {
			key = number_method(
				function, name, len, (struct piece){ piece[k], took_ns });
			pvp_ranges_add(piece[k].start, piece[k].size, key);
			took_ns = 0; /* said once */
		}
	}
	if (!key || took_ns)
		number_method(function, name, len, (struct piece){ { 0, 0 }, took_ns });
}

/* 0: no method known to the runtime. */
static uint64_t function_at(uint64_t ip)
{
	struct pvp_clr_info *info = pvp_clr.info;
	uint64_t function = 0, rejit;
	if (pvp_clr.version < 8 ? info->is->function_of_ip_2(info, ip, &function, &rejit) < 0
				: info->is->function_of_ip(info, ip, &function, &rejit) < 0)
		return 0;
	return function;
}

uint64_t pvp_clr_method_at(uint64_t ip)
{
	uint64_t method = pvp_ranges_find(ip), function = method ? 0 : function_at(ip);
	if (function)
		pvp_clr_compiled(function, 0); /* so the next search finds the code */
	return method ? method : pvp_clr_method(function);
}

uint64_t pvp_clr_method_in(uint64_t ip, bool *ret_hidden)
{
	/* Not by function_at(): in some callbacks the runtime refuses questions by address. */
	uint64_t key = pvp_clr_method_at(ip), function = key ? pvp_clr_function(key) : 0;
	*ret_hidden = function && !(owner_of(function).method & ROW);
	return function ? key : 0;
}

uint64_t pvp_clr_function(uint64_t key)
{
	pthread_mutex_lock(&lock);
	uint64_t i = key - FIRST, id = key > FIRST && i < methods.list.n ? methods.list.v[i].id : 0;
	bool there = id && known_number(&methods, id) == i;
	pthread_mutex_unlock(&lock);
	return there ? id : 0;
}

void pvp_clr_method_gone(uint64_t function)
{
	pthread_mutex_lock(&lock);
	uint32_t number = known_number(&methods, function);
	if (number)
		pv_map_set(&methods.of, function, 0);
	pthread_mutex_unlock(&lock);
	if (number) {
		pvp_ranges_drop(key_of_number(number));
		pvp_managed_walk_forget();
	}
}

/* --- modules */

static void forget_methods(uint64_t module)
{
	for (size_t i = 1; i < methods.list.n; i++) {
		struct owned *o = &methods.list.v[i];
		if (o->module != module || known_number(&methods, o->id) != i)
			continue;
		pv_map_set(&methods.of, o->id, 0);
		o->module = 0;
		pvp_ranges_drop(key_of_number((uint32_t)i));
	}
}

void pvp_clr_module_gone(uint64_t module)
{
	pthread_mutex_lock(&lock);
	if (module)
		forget_methods(module);
	pthread_mutex_unlock(&lock);
	pvp_managed_walk_forget();
	pvp_clr_classes_gone(module);
	pvp_clr_resolve_forget();
}

void pvp_clr_forget(void)
{
	pthread_mutex_lock(&lock);
	pv_map_finish(&methods.of);
	pv_array_finish(&methods.list);
	pthread_mutex_unlock(&lock);
	pvp_managed_walk_forget();
	pvp_clr_classes_forget();
	pvp_clr_resolve_forget();
	pvp_ranges_forget();
}
