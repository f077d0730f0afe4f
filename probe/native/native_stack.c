/* SPDX-License-Identifier: MIT */
/* Walks the stack of an allocation, with a memory of the thread's last walk. */
#include "probe/native/native_stack.h"

#include <stdatomic.h>
#include <string.h>

#include "probe/code/stack_ends.h"
#include "probe/unwind/unwind_walk.h"
#include "probe/core/writer.h"

enum { MEMORIES = 256 };

/* Of threads, by number; two threads at the same place take turns. */
static struct memory {
	_Atomic uint64_t taken; /* by a walking thread */
	uint64_t owner;
	struct pvp_walk_memory walk;
} memory[MEMORIES];

static _Atomic uint64_t threads;
static _Thread_local uint64_t me __attribute__((tls_model("initial-exec")));

/* NULL: in use by another thread. */
static struct memory *claim_memory(void)
{
	uint64_t free_one = 0;
	if (!me)
		me = atomic_fetch_add(&threads, 1) + 1;
	struct memory *m = &memory[me % MEMORIES];
	if (!atomic_compare_exchange_strong(&m->taken, &free_one, me))
		return NULL;
	if (m->owner != me) {
		m->owner = me;
		m->walk.n = 0;
		m->walk.low = m->walk.high = 0;
	}
	return m;
}

static unsigned walk_stack(
	const struct pvp_registers *from, uint64_t *to, unsigned most, struct pvp_walk_stop *stop)
{
	struct memory *m = claim_memory();
	if (!m)
		return pvp_unwind_walk(from, to, most, stop);
	unsigned n = pvp_unwind_walk_again(from, &m->walk, to, most, stop);
	atomic_store_explicit(&m->taken, 0, memory_order_release);
	return n;
}

unsigned pvp_native_stack(uint64_t *at, unsigned most, uintptr_t site, uintptr_t frame)
{
	enum { OURS = 4, WORD = sizeof(uintptr_t) };
	struct pvp_walk_stop stop;
	const uintptr_t *saved = (const uintptr_t *)frame; /* the caller's, then the return place */
	const struct pvp_registers caller = { saved[1], frame + 2 * WORD, saved[0], true };
	unsigned ours = 0, n = 1;
	at[0] = caller.pc;
	n += walk_stack(&caller, at + 1, most - 1, &stop);
	pvp_stack_ends_note(&stop);
	if (stop.end == PVP_WALK_CHANGED)
		pvp_writer_hurry();
	while (ours < n && ours < OURS && at[ours] != site)
		ours++;
	if (ours == n || ours == OURS)
		ours = 0;
	memmove(at, at + ours, (n - ours) * sizeof *at);
	at[0] = site;
	return n - ours;
}
