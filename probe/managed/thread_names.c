/* SPDX-License-Identifier: MIT */
/* A list of the runtime's threads, with names to be given to the core. */
#include "probe/managed/thread_names.h"

#include <pthread.h>
#include <string.h>

#include "common/base/mem.h"
#include "probe/core/emit.h"

/* A few thousand at most are alive. */
struct known {
	uint64_t id, tid;
	char name[PVP_NAME_MAX];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static PV_ARRAY(struct known) known;

/* Under the lock; made when new, NULL when out of memory. */
static struct known *known_thread(uint64_t id)
{
	for (size_t i = 0; i < known.n; i++)
		if (known.v[i].id == id)
			return &known.v[i];
	if (!pv_reserve(&known, 1))
		return NULL;
	known.v[known.n] = (struct known){ .id = id };
	return &known.v[known.n++];
}

/* Under the lock. */
static void give_name(const struct known *k)
{
	if (!k->tid || !k->name[0] || !pvp_lock())
		return;
	struct pvp_thread *t = pvp_core.threads;
	while (t && (t->tid != k->tid || t->exited))
		t = t->next;
	if (t) {
		memcpy(t->name, k->name, sizeof k->name);
		t->name_new = true;
	}
	pvp_unlock();
}

void pvp_thread_names_began(uint64_t id, uint64_t tid)
{
	pthread_mutex_lock(&lock);
	struct known *k = known_thread(id);
	if (k) {
		k->tid = tid;
		give_name(k);
	}
	pthread_mutex_unlock(&lock);
}

void pvp_thread_names_set(uint64_t id, const char *name)
{
	pthread_mutex_lock(&lock);
	struct known *k = known_thread(id);
	if (k) {
		size_t n = strnlen(name, sizeof k->name - 1);
		memcpy(k->name, name, n);
		memset(k->name + n, 0, sizeof k->name - n);
		give_name(k);
	}
	pthread_mutex_unlock(&lock);
}

void pvp_thread_names_ended(uint64_t id)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < known.n; i++) {
		if (known.v[i].id == id) {
			known.v[i] = known.v[--known.n];
			break;
		}
	}
	pthread_mutex_unlock(&lock);
}

size_t pvp_thread_names_ids(uint64_t *ret, size_t room)
{
	size_t n = 0;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < known.n && n < room; i++)
		if (known.v[i].tid)
			ret[n++] = known.v[i].id;
	pthread_mutex_unlock(&lock);
	return n;
}

void pvp_thread_names_hold(void)
{
	pthread_mutex_lock(&lock);
}

void pvp_thread_names_release(void)
{
	pthread_mutex_unlock(&lock);
}

void pvp_thread_names_forget(void)
{
	pthread_mutex_lock(&lock);
	pv_array_finish(&known);
	pthread_mutex_unlock(&lock);
}
