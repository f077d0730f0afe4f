/*
 * Numbers for methods. An id of the runtime that ends and comes again gets another number, so that
 * nothing is reported of the new owner under the old one's name.
 */
#include <pthread.h>
#include <string.h>

#include "common/base/map.h"
#include "common/base/mem.h"
#include "probe/clr/clr_resolve.h"
#include "probe/clr/clr_runtime.h"
#include "probe/code/unwind_compiled.h"
#include "probe/managed/code_ranges.h"
#include "probe/clr/host_clr.h"
#include "probe/managed/managed_names.h"

/* Regions of the core's have the numbers below; native functions in samples their addresses. */
enum { BODIES = 64, PIECES = 4, FIRST = PVP_CLR_UNKNOWN };

struct owned {
	uint64_t id, module;
	bool traced; /* its calls are recorded */
	bool work;   /* it is work on files, recorded as spans */
};

struct numbers {
	struct pv_map of;            /* id -> number; 0: that id's owner is gone */
	PV_ARRAY(struct owned) list; /* by number; [0] unused */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct numbers methods;

/* Under the lock; 0: none. */
static uint32_t known(const struct numbers *n, uint64_t id)
{
	uint32_t at = pv_map_get(&n->of, id);
	return at == PV_MAP_NONE ? 0 : at;
}

/* Under the lock; 0: out of memory. */
static uint32_t add(struct numbers *n, struct owned one)
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

static uint32_t look_up(const struct numbers *n, uint64_t id)
{
	pthread_mutex_lock(&lock);
	uint32_t number = known(n, id);
	pthread_mutex_unlock(&lock);
	return number;
}

/* --- methods */

static uint64_t key_of(uint32_t number)
{
	return number ? (uint64_t)number + FIRST : 0;
}

/* A piece of code, and how long it took to make. */
struct piece {
	struct pvp_clr_code code;
	uint64_t took_ns;
};

static void define_method(uint32_t number, const char *name, size_t len, struct piece p)
{
	struct pv_event ev = { .kind = PV_KIND_METHOD_JIT,
		.jit = { .method = key_of(number),
			.code = p.code.start,
			.size = p.code.size,
			.started = p.took_ns,
			.name = { name, len } } };
	pvp_names_define(&ev);
}

/* Class and module of a method. */
struct owner {
	uint64_t class, module; /* class 0: code that several instances of a generic one share */
	uint32_t method;        /* its token */
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

/* So that the log says which module, and so which assembly, the method is of. */
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

/* A method's number, which is written with its name before its first use. */
static uint64_t number_method(uint64_t function, const char *name, size_t len, struct piece p)
{
	struct owner owner = owner_of(function);
	struct owned one = { function, owner.module, false, false };
	pthread_mutex_lock(&lock);
	uint32_t number = known(&methods, function);
	bool fresh = !number;
	if (fresh)
		number = add(&methods, one);
	if (number && (fresh || p.code.size || p.took_ns))
		define_method(number, name, len, p);
	pthread_mutex_unlock(&lock);
	if (fresh && number)
		tell_owner(&owner);
	return key_of(number);
}

uint64_t pvp_clr_method(uint64_t function)
{
	uint32_t number = function ? look_up(&methods, function) : 0;
	if (number || !function)
		return key_of(number);
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
	uint32_t number = known(&methods, function);
	bool traced = number && methods.list.v[number].traced;
	*ret_work = number && methods.list.v[number].work;
	pthread_mutex_unlock(&lock);
	return traced ? key_of(number) : 0;
}

/* A method has a body for each tier. */
void pvp_clr_compiled(uint64_t function, uint64_t took_ns)
{
	struct pvp_clr_info *info = pvp_clr.info;
	uint64_t starts[BODIES];
	uint32_t n = 0, pieces = 0;
	uint64_t key = key_of(look_up(&methods, function));
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

uint64_t pvp_clr_method_at(uint64_t ip)
{
	struct pvp_clr_info *info = pvp_clr.info;
	uint64_t method = pvp_ranges_find(ip), function = 0, rejit;
	if (method)
		return method;
	if (pvp_clr.version < 8 ? info->is->function_of_ip_2(info, ip, &function, &rejit) < 0
				: info->is->function_of_ip(info, ip, &function, &rejit) < 0)
		return 0;
	if (function)
		pvp_clr_compiled(function, 0); /* so that the next look finds it */
	return pvp_clr_method(function);
}

void pvp_clr_method_gone(uint64_t function)
{
	pthread_mutex_lock(&lock);
	uint32_t number = known(&methods, function);
	if (number)
		pv_map_set(&methods.of, function, 0);
	pthread_mutex_unlock(&lock);
	if (number) {
		pvp_ranges_drop(key_of(number));
		pvp_unwind_unlearn();
	}
}

/* --- modules */

static void forget(uint64_t module)
{
	for (size_t i = 1; i < methods.list.n; i++) {
		struct owned *o = &methods.list.v[i];
		if (o->module != module || known(&methods, o->id) != i)
			continue;
		pv_map_set(&methods.of, o->id, 0);
		o->module = 0;
		pvp_ranges_drop(key_of((uint32_t)i));
	}
}

void pvp_clr_module_gone(uint64_t module)
{
	pthread_mutex_lock(&lock);
	if (module)
		forget(module);
	pthread_mutex_unlock(&lock);
	pvp_unwind_unlearn();
	pvp_clr_classes_gone(module);
	pvp_clr_resolve_forget();
}

void pvp_clr_forget(void)
{
	pthread_mutex_lock(&lock);
	pv_map_finish(&methods.of);
	pv_array_finish(&methods.list);
	pthread_mutex_unlock(&lock);
	pvp_clr_classes_forget();
	pvp_clr_resolve_forget();
	pvp_ranges_forget();
}
