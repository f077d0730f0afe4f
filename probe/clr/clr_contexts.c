/* SPDX-License-Identifier: MIT */
/*
 * Assembly load contexts, unknown to the profiling interface: the loader's events name the context
 * of each assembly found, on the searching thread, before or after the callback of the load. A
 * context ends with its last assembly.
 */
#include <pthread.h>
#include <string.h>

#include "common/base/map.h"
#include "common/base/mem.h"
#include "probe/clr/clr_runtime.h"
#include "probe/clr/host_clr.h"
#include "probe/managed/managed_names.h"

enum { NAME = 256, SHORT = 96, MOST = 1 << 16 };

struct context {
	char name[NAME];
	uint64_t assemblies;
	bool alive;
};

struct member {
	uint64_t assembly;
	uint32_t context; /* place in contexts */
	char name[SHORT];
	bool placed;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static PV_ARRAY(struct context) contexts; /* a key is a place + 1, never given again */
static PV_ARRAY(struct member) members;   /* assemblies alive */

/* Full names begin with the plain name. */
static void shorten(char to[SHORT], const char *name)
{
	size_t n = strcspn(name, ",");
	n = n < SHORT - 1 ? n : SHORT - 1;
	memcpy(to, name, n);
	to[n] = 0;
}

/* Under the lock; MOST: there is no room. */
static uint32_t find_context(const char *name)
{
	for (size_t i = contexts.n; i-- > 0;)
		if (contexts.v[i].alive && strncmp(contexts.v[i].name, name, NAME - 1) == 0)
			return (uint32_t)i;
	if (contexts.n == MOST || !pv_reserve(&contexts, 1))
		return MOST;
	struct context *c = &contexts.v[contexts.n];
	*c = (struct context){ .alive = true };
	memcpy(c->name, name, strnlen(name, NAME - 1));
	struct pv_event load = { .kind = PV_KIND_CONTEXT_LOAD,
		.meta = { .key = contexts.n + 1, .domain = pvp_clr_domain() } };
	struct pv_event named = { .kind = PV_KIND_EXT_CONTEXT_NAME,
		.meta = { .key = contexts.n + 1, .name = { c->name, strlen(c->name) } } };
	pvp_names_define(&load);
	pvp_names_define(&named);
	return (uint32_t)contexts.n++;
}

/*
 * The assembly last found by this thread, about to be loaded: if an assembly refers to another, the
 * loader's event comes before the callback.
 */
struct found {
	uint64_t name;    /* hash: thread-local room is small */
	uint32_t context; /* place in contexts, + 1; 0: none */
};

static _Thread_local struct found found __attribute__((tls_model("initial-exec")));

static uint64_t context_hash(const char *name)
{
	uint64_t h = 0;
	for (; *name; name++)
		h = pv_hash(h ^ (uint8_t)*name);
	return h;
}

/* Under the lock. */
static void place_assembly(struct member *m, uint32_t context)
{
	if (context >= contexts.n || !contexts.v[context].alive)
		return;
	m->placed = true;
	m->context = context;
	contexts.v[context].assemblies++;
	struct pv_event ev = { .kind = PV_KIND_EXT_ASSEMBLY_IN,
		.meta = { .key = pvp_clr_key(m->assembly), .owner = context + 1 } };
	pvp_names_define(&ev);
}

void pvp_clr_contexts_loaded(uint64_t assembly, const char *name)
{
	if (!(pvp_clr_more() & PVP_CLR_CONTEXTS))
		return;
	pthread_mutex_lock(&lock);
	if (pv_reserve(&members, 1)) {
		struct member *m = &members.v[members.n++];
		*m = (struct member){ .assembly = assembly };
		shorten(m->name, name);
		if (strcmp(m->name, "System.Private.CoreLib") == 0)
			place_assembly(
				m, find_context("Default")); /* no load asks for this assembly */
		else if (found.context && context_hash(m->name) == found.name)
			place_assembly(m, found.context - 1);
		found.context = 0;
	}
	pthread_mutex_unlock(&lock);
}

/* The newest assembly of this name without a context was loaded for this; else it comes next. */
void pvp_clr_contexts_found(const char *name, const char *context)
{
	char plain[SHORT];
	shorten(plain, name);
	found.context = 0;
	pthread_mutex_lock(&lock);
	uint32_t at = find_context(context);
	for (size_t i = members.n; i-- > 0;) {
		struct member *m = &members.v[i];
		if (m->placed || strcmp(m->name, plain) != 0)
			continue;
		place_assembly(m, at);
		pthread_mutex_unlock(&lock);
		return;
	}
	pthread_mutex_unlock(&lock);
	if (at != MOST) {
		found.name = context_hash(plain);
		found.context = at + 1;
	}
}

/* Under the lock. */
static void leave_context(uint32_t context)
{
	struct context *c = &contexts.v[context];
	if (--c->assemblies > 0)
		return;
	c->alive = false;
	struct pv_event ev = { .kind = PV_KIND_CONTEXT_UNLOAD,
		.meta = { .key = context + 1, .domain = pvp_clr_domain() } };
	pvp_names_end(&ev);
}

void pvp_clr_contexts_unloading(uint64_t assembly)
{
	if (!(pvp_clr_more() & PVP_CLR_CONTEXTS))
		return;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < members.n; i++) {
		if (members.v[i].assembly != assembly)
			continue;
		if (members.v[i].placed)
			leave_context(members.v[i].context);
		members.v[i] = members.v[--members.n];
		break;
	}
	pthread_mutex_unlock(&lock);
}

void pvp_clr_contexts_forget(void)
{
	pthread_mutex_lock(&lock);
	pv_array_finish(&contexts);
	pv_array_finish(&members);
	pthread_mutex_unlock(&lock);
}
