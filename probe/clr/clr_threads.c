/* Names of threads: the runtime tells them by its own id, from any thread. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "probe/clr/clr_runtime.h"
#include "probe/core/emit.h"
#include "probe/code/sample_rings.h"
#include "probe/clr/host_clr.h"

/* A few thousand at most are alive. */
struct known {
	uint64_t id;
	uint32_t native; /* 0: not reported yet */
	char name[PVP_NAME_MAX];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static PV_ARRAY(struct known) known;

/* Under the lock; made when new, NULL when out of memory. */
static struct known *find(uint64_t id)
{
	for (size_t i = 0; i < known.n; i++)
		if (known.v[i].id == id)
			return &known.v[i];
	if (!pv_reserve(&known, 1))
		return NULL;
	known.v[known.n] = (struct known){ .id = id };
	return &known.v[known.n++];
}

/* Under the lock. The core writes the name with the thread's next events. */
static void give_name(const struct known *k)
{
	if (!k->native || !k->name[0] || !pvp_lock())
		return;
	struct pvp_thread *t = pvp_core.threads;
	while (t && (t->tid != k->native || t->exited))
		t = t->next;
	if (t) {
		memcpy(t->name, k->name, sizeof k->name);
		t->name_new = true;
	}
	pvp_unlock();
}

static pvp_hr assigned(void *self, uint64_t id, uint32_t native)
{
	(void)self;
	if (native == (uint32_t)gettid()) {
		pvp_thread_began();
		pvp_rings_thread_begins(0);
	}
	pthread_mutex_lock(&lock);
	struct known *k = find(id);
	if (k) {
		k->native = native;
		give_name(k);
	}
	pthread_mutex_unlock(&lock);
	return 0;
}

static pvp_hr named(void *self, uint64_t id, uint32_t n, const pvp_char *text)
{
	(void)self;
	if (!text || !n)
		return 0;
	pthread_mutex_lock(&lock);
	struct known *k = find(id);
	if (k) {
		pvp_clr_utf8(text, n, k->name, sizeof k->name);
		give_name(k);
	}
	pthread_mutex_unlock(&lock);
	return 0;
}

static pvp_hr created(void *self, uint64_t id)
{
	(void)self, (void)id;
	pvp_clr_count_threads(1);
	return 0;
}

static pvp_hr destroyed(void *self, uint64_t id)
{
	(void)self;
	pvp_clr_count_threads(-1);
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < known.n; i++) {
		if (known.v[i].id == id) {
			known.v[i] = known.v[--known.n];
			break;
		}
	}
	pthread_mutex_unlock(&lock);
	return 0;
}

void pvp_clr_thread_there(uint64_t id, uint32_t native)
{
	pvp_clr_count_threads(1);
	pthread_mutex_lock(&lock);
	struct known *k = find(id);
	if (k)
		k->native = native;
	pthread_mutex_unlock(&lock);
}

void pvp_clr_threads_forget(void)
{
	pthread_mutex_lock(&lock);
	pv_array_finish(&known);
	pthread_mutex_unlock(&lock);
}

void pvp_clr_threads_init(struct pvp_clr_mask *mask)
{
	mask->low |= PVP_CLR_THREADS;
	pvp_clr.slots[PVP_CLR_ThreadCreated] = (pvp_clr_slot)created;
	pvp_clr.slots[PVP_CLR_ThreadAssignedToOSThread] = (pvp_clr_slot)assigned;
	pvp_clr.slots[PVP_CLR_ThreadNameChanged] = (pvp_clr_slot)named;
	pvp_clr.slots[PVP_CLR_ThreadDestroyed] = (pvp_clr_slot)destroyed;
}
