/* SPDX-License-Identifier: MIT */
/*
 * Objects moved and kept by collections. The runtime reports ranges of adjacent objects while
 * nothing may be read; at the end of the collection, with all threads still stopped, the objects
 * are read one by one at their new places, since logs have moves object by object.
 */
#include <pthread.h>

#include "common/base/mem.h"
#include "probe/clr/clr_runtime.h"
#include "probe/core/emit.h"
#include "probe/clr/host_clr.h"

enum { RANGES = 1 << 20, PAIRS = 64 };

struct range {
	uint64_t from, to, length;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* several threads collect at once */
static PV_ARRAY(struct range) moved;
static struct pv_event sum;

static bool wanted(void)
{
	return pvp_clr_groups() & PVP_MANAGED_MOVES;
}

/* Under the lock. */
static void survives(uint64_t from, uint64_t to, uint64_t length)
{
	sum.survived.ranges++;
	sum.survived.bytes += length;
	if (from == to)
		return;
	sum.survived.moved_ranges++;
	sum.survived.moved_bytes += length;
	if (moved.n < RANGES && pv_reserve(&moved, 1))
		moved.v[moved.n++] = (struct range){ from, to, length };
}

static pvp_hr moving(
	void *self, uint32_t n, const uint64_t *from, const uint64_t *to, const uint64_t *length)
{
	(void)self;
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < n; i++)
		survives(from[i], to[i], length[i]);
	pthread_mutex_unlock(&lock);
	return 0;
}

static pvp_hr surviving(void *self, uint32_t n, const uint64_t *from, const uint64_t *length)
{
	(void)self;
	pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < n; i++)
		survives(from[i], from[i], length[i]);
	pthread_mutex_unlock(&lock);
	return 0;
}

struct pairs {
	uint64_t v[2 * PAIRS];
	size_t n;
};

static void tell_moves(struct pairs *p)
{
	const struct pv_batch pools = { .pool = { p->v, p->n, p->n } };
	struct pv_event ev = { .kind = PV_KIND_GC_MOVE, .moves = { { 0, (uint32_t)p->n } } };
	if (p->n)
		pvp_event(&ev, &pools, p->v[0]);
	p->n = 0;
}

/* The objects of a range, where they are now. */
static void walk_range(struct pairs *p, const struct range *r)
{
	struct pvp_clr_info *info = pvp_clr.info;
	uint64_t size = 0;
	for (uint64_t at = 0; at < r->length; at += (size + 7) & ~(uint64_t)7) {
		if (info->is->object_size_2(info, r->to + at, &size) < 0 || !size ||
			size > r->length - at)
			return;
		p->v[p->n++] = r->from + at;
		p->v[p->n++] = r->to + at;
		if (p->n == 2 * PAIRS)
			tell_moves(p);
	}
}

void pvp_clr_moves_begin(void)
{
	if (!wanted())
		return;
	pthread_mutex_lock(&lock);
	moved.n = 0;
	sum = (struct pv_event){ .kind = PV_KIND_EXT_SURVIVED };
	pthread_mutex_unlock(&lock);
}

void pvp_clr_moves_end(unsigned generation)
{
	struct pairs p = { .n = 0 };
	if (!wanted())
		return;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < moved.n; i++)
		walk_range(&p, &moved.v[i]);
	tell_moves(&p);
	sum.survived.generation = generation;
	if (pvp_clr_groups() & PVP_MANAGED_RUNTIME && sum.survived.ranges)
		pvp_event(&sum, NULL, 0);
	moved.n = 0;
	sum.survived.ranges = 0;
	pthread_mutex_unlock(&lock);
}

/*
 * A bit exists for moves only, but runtimes that accept the bit report none (seen on 10.0): all
 * events of collections must be on, and no collection is concurrent then.
 */
void pvp_clr_moves_init(struct pvp_clr_mask *mask)
{
	if (!wanted())
		return;
	mask->low |= PVP_CLR_GC;
	pvp_clr.slots[PVP_CLR_MovedReferences2] = (pvp_clr_slot)moving;
	pvp_clr.slots[PVP_CLR_SurvivingReferences2] = (pvp_clr_slot)surviving;
}
