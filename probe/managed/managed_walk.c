/* SPDX-License-Identifier: MIT */
/* Managed frames by unwinding, held against the runtime's own walk. */
#include "probe/managed/managed_walk.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "probe/unwind/unwind_compiled.h"
#include "probe/unwind/unwind_set.h"
#include "probe/unwind/unwind_walk.h"
#include "probe/core/thread_buf.h"
#include "probe/managed/managed_args.h"

enum {
	PLACES_BITS = 15,
	PLACES = 1 << PLACES_BITS,
	FRAMES = PVP_MANAGED_FRAMES + 64, /* native and runtime frames included */
	ROUNDS = 64,                      /* places learned in a walk */
	PATIENCE = 64,                    /* failures in a row before most walks are not tried */
	/* Bits of a place, below the bits of the address not given by its index: */
	KEY_BITS = 24,
	AGREED = 1 << 0, /* with the runtime's walk */
	WRONG = 1 << 1,
	HIDDEN = 1 << 2,
	LEAVES = 1 << 3,
	FRAMELESS = 1 << 4,
	GATE = 1 << 5, /* native code called by a frameless method */
	THROWS = 1 << 6,
	FLAGS = 7,
	WORD = sizeof(uintptr_t),
};

static _Atomic uint64_t learned[PLACES];
static _Atomic uint32_t forgotten; /* how often */

struct memory {
	struct pvp_walk_memory walk;
	uint64_t pc[FRAMES]; /* the last walk, innermost first */
	unsigned n, failed;
	uint32_t forgotten;
	/* The keys of this walk, if reliable. */
	bool relied;
	size_t keys;
	uint64_t key[PVP_MANAGED_FRAMES], place[PVP_MANAGED_FRAMES];
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t memory; /* of each thread */

static _Atomic uint64_t *place_slot(uintptr_t pc)
{
	return &learned[(pc ^ pc >> PLACES_BITS) % PLACES];
}

/* 0: not known. */
static uint64_t place_at(uintptr_t pc)
{
	uint64_t p = atomic_load_explicit(place_slot(pc), memory_order_relaxed);
	return p >> (KEY_BITS + FLAGS) == pc >> PLACES_BITS ? p : 0;
}

static uint64_t key_in_place(uint64_t p)
{
	return p >> FLAGS & ((UINT64_C(1) << KEY_BITS) - 1);
}

static bool learn_code(const struct pvp_managed_walker *host, uintptr_t pc)
{
	struct pvp_managed_code code;
	struct pvp_compiled_frame f;
	if (!host->code(pc, &code) || code.key >> KEY_BITS || pc >> 47 ||
		!pvp_unwind_learn_caller(pc, code.start))
		return false;
	bool frameless = pvp_unwind_learned(pc, &f) && f.words;
	uint64_t p = place_at(pc) & (AGREED | WRONG);
	p |= (uint64_t)pc >> PLACES_BITS << (KEY_BITS + FLAGS) | code.key << FLAGS |
	     (code.hidden ? HIDDEN : 0u) | (code.leaves ? LEAVES : 0u) |
	     (frameless ? FRAMELESS : 0u) | (code.throws ? THROWS : 0u);
	atomic_store_explicit(place_slot(pc), p, memory_order_relaxed);
	return true;
}

/* The innermost `n` frames of the walk. */
static void mark(const struct memory *m, unsigned n, unsigned flag)
{
	for (unsigned i = 0; i < n; i++) {
		uint64_t p = place_at(m->pc[i]);
		if (p && !(p & (AGREED | WRONG)))
			atomic_compare_exchange_strong(place_slot(m->pc[i]), &p, p | flag);
	}
}

/* False: the walk does not end reliably. */
static bool walk_frames(const struct pvp_managed_walker *host, struct memory *m, uintptr_t frame,
	uint64_t *to, unsigned *ret_n)
{
	const uintptr_t *saved = (const uintptr_t *)frame; /* the caller's, then the return place */
	const struct pvp_registers caller = { saved[1], frame + 2 * WORD, saved[0], true };
	struct pvp_walk_stop stop;
	struct pvp_compiled_frame f;
	for (unsigned i = 0; i < ROUNDS; i++) {
		*ret_n = pvp_unwind_walk_again(&caller, &m->walk, to, FRAMES, &stop);
		if (stop.end != PVP_WALK_GENERATED)
			return stop.end == PVP_WALK_WHOLE || stop.end == PVP_WALK_DEEP;
		/* A known frame that still ends the walk was interrupted, and calls nothing. */
		if (pvp_unwind_learned((uintptr_t)stop.pc + 1, &f) ||
			!learn_code(host, (uintptr_t)stop.pc + 1))
			return false;
	}
	return false;
}

/* Whether native code: a file without a table may hold methods compiled ahead. */
static bool is_native(uintptr_t pc)
{
	bool changed;
	const struct pvp_unwind_set *set = pvp_unwind_enter();
	const struct pvp_unwind_module *f =
		set ? pvp_unwind_module_at(set, pc - 1, &changed) : NULL;
	bool is = f && !changed && f->table;
	pvp_unwind_leave();
	return is;
}

struct frames {
	uint64_t key[PVP_MANAGED_FRAMES]; /* innermost first */
	unsigned at[PVP_MANAGED_FRAMES];  /* in the walk */
	bool hidden[PVP_MANAGED_FRAMES];
	size_t n;
	bool agreed;
};

/*
 * A fault resembles a call with a wrong stack pointer, which leads astray without a frame pointer.
 * So the native code apparently called must agree by itself. False: it did not.
 */
static bool through_gate(uintptr_t pc, bool *ret_agreed)
{
	uint64_t p = place_at(pc), none = 0; /* never replaces a method's place */
	if (!p)
		atomic_compare_exchange_strong(place_slot(pc), &none,
			(uint64_t)pc >> PLACES_BITS << (KEY_BITS + FLAGS) | GATE);
	*ret_agreed &= (p & AGREED) != 0;
	return !(p & WRONG);
}

/* False: some place is not known, or was wrong before. */
static bool frames_of(const struct memory *m, struct frames *f, size_t most, bool thrown)
{
	bool native = true;
	*f = (struct frames){ .n = 0, .agreed = true };
	for (unsigned i = 0; i < m->n && f->n < most; i++) {
		uint64_t p = place_at(m->pc[i]), key = key_in_place(p);
		if (p & GATE || (!p && is_native(m->pc[i]))) {
			native = true;
			continue;
		}
		if (!p || p & WRONG || (native && !(p & LEAVES)) || (p & THROWS && !thrown))
			return false;
		if (native && (thrown || p & FRAMELESS) && i &&
			!through_gate(m->pc[i - 1], &f->agreed))
			return false;
		native = false;
		/* The last frame need not lead on. */
		f->agreed &= p & AGREED || (key && f->n && f->n + 1 == most);
		f->hidden[f->n] = p & HIDDEN;
		f->at[f->n] = i;
		f->key[f->n] = key;
		f->n += key != 0;
	}
	return f->n == most || m->n < FRAMES;
}

/* Number of innermost frames up to the last that differs from the runtime's walk; 0: all agree. */
static unsigned differs(const struct frames *f, const uint64_t *keys, size_t n, size_t most)
{
	size_t i = f->n;
	bool full = f->n == most; /* and may lack the outermost frames */
	for (size_t k = 0, t = 0; full && k < f->n; k++)
		if (!f->hidden[k] && (t == n || keys[t++] != f->key[k]))
			full = false;
	if (full)
		return 0;
	for (; i > 0; i--)
		if (!f->hidden[i - 1] && (n == 0 || keys[--n] != f->key[i - 1]))
			break;
	return i ? f->at[i - 1] + 1 : n ? f->at[0] + 1 : 0;
}

/*
 * The innermost frames may be the runtime's own at a throw, left out by its walk: from now on this
 * walk leaves them out, too. False: they are not.
 */
static bool leave_out_throw(
	const struct memory *m, struct frames *f, const uint64_t *keys, size_t n, size_t most)
{
	enum { MOST_LEFT = 4 };
	for (size_t k = 1; k <= MOST_LEFT && k < f->n && f->n < most; k++) {
		struct frames rest = { .n = f->n - k };
		memcpy(rest.key, f->key + k, rest.n * sizeof *rest.key);
		memcpy(rest.hidden, f->hidden + k, rest.n * sizeof *rest.hidden);
		memcpy(rest.at, f->at + k, rest.n * sizeof *rest.at);
		if (!n || differs(&rest, keys, n, most))
			continue;
		for (size_t i = 0; i < k; i++) {
			uint64_t p = place_at(m->pc[f->at[i]]);
			if (p)
				atomic_compare_exchange_strong(place_slot(m->pc[f->at[i]]), &p,
					p & ~(((UINT64_C(1) << KEY_BITS) - 1) << FLAGS));
		}
		*f = rest;
		return true;
	}
	return false;
}

static size_t turned(uint64_t *keys, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint64_t k = keys[i];
		keys[i] = keys[n - 1 - i];
		keys[n - 1 - i] = k;
	}
	return n;
}

static size_t by_runtime(
	const struct pvp_managed_walker *host, uint64_t *keys, uint64_t *places, size_t most)
{
	size_t n = host->runtime(keys, places, most);
	turned(places, n);
	return turned(keys, n);
}

/* Of the stack in the memory. */
static size_t held_against(const struct pvp_managed_walker *host, struct memory *m, uint64_t *keys,
	uint64_t *places, size_t most)
{
	struct frames f;
	bool good = frames_of(m, &f, most, host->thrown);
	if (good && !f.agreed) {
		size_t n = host->runtime(keys, places, most);
		unsigned wrong = differs(&f, keys, n, most);
		if (wrong && leave_out_throw(m, &f, keys, n, most))
			wrong = 0;
		good = wrong == 0;
		/* The runtime's walk does not say where the last of several leads. */
		unsigned seen = f.n && f.n == most ? f.at[f.n - 1] + (most == 1) : m->n;
		mark(m, good ? seen : wrong, good ? AGREED : WRONG);
	}
	if (!good) {
		m->failed++;
		return by_runtime(host, keys, places, most);
	}
	m->relied = true;
	m->failed = 0;
	m->keys = turned(f.key, f.n);
	for (size_t i = 0; i < f.n; i++)
		m->place[i] = m->pc[f.at[f.n - 1 - i]];
	memcpy(m->key, f.key, f.n * sizeof *keys);
	memcpy(keys, f.key, f.n * sizeof *keys);
	memcpy(places, m->place, f.n * sizeof *places);
	return f.n;
}

static void make_key(void)
{
	if (pthread_key_create(&memory, free) != 0)
		memory = PTHREAD_KEYS_MAX;
}

static struct memory *create_memory(void)
{
	struct memory *m = calloc(1, sizeof *m);
	if (m && pthread_setspecific(memory, m) == 0)
		return m;
	free(m);
	return NULL;
}

/* NULL: no memory, or no use here. */
static struct memory *memory_here(void)
{
	if (pvp_tls.hurried)
		return NULL;
	pthread_once(&once, make_key);
	struct memory *m = pthread_getspecific(memory);
	m = m ? m : create_memory();
	uint32_t now = atomic_load_explicit(&forgotten, memory_order_acquire);
	if (!m)
		return NULL;
	if (m->forgotten != now) {
		m->walk.n = 0;
		m->relied = false;
	}
	m->forgotten = now;
	m->walk.no_guess = true;
	if (m->failed >= PATIENCE && ++m->failed % PATIENCE)
		return NULL;
	return m;
}

#if defined(__x86_64__)

__attribute__((noinline)) size_t pvp_managed_stack(
	const struct pvp_managed_walker *host, uint64_t *keys, uint64_t *places, size_t most)
{
	uint64_t pc[FRAMES];
	unsigned n;
	struct memory *m = most ? memory_here() : NULL;
	if (!most)
		return 0;
	if (!m || !walk_frames(host, m, (uintptr_t)__builtin_frame_address(0), pc, &n)) {
		if (m)
			m->failed++;
		return by_runtime(host, keys, places, most);
	}
	if (m->relied && n == m->n && memcmp(pc, m->pc, n * sizeof *pc) == 0) {
		memcpy(keys, m->key, m->keys * sizeof *keys);
		memcpy(places, m->place, m->keys * sizeof *places);
		return m->keys;
	}
	m->relied = false;
	m->n = n;
	memcpy(m->pc, pc, n * sizeof *pc);
	return held_against(host, m, keys, places, most);
}

#else

size_t pvp_managed_stack(
	const struct pvp_managed_walker *host, uint64_t *keys, uint64_t *places, size_t most)
{
	return most ? by_runtime(host, keys, places, most) : 0;
}

#endif

void pvp_managed_walk_forget(void)
{
	for (size_t i = 0; i < PLACES; i++)
		atomic_store_explicit(&learned[i], 0, memory_order_relaxed);
	pvp_unwind_unlearn();
	atomic_fetch_add_explicit(&forgotten, 1, memory_order_release);
}
