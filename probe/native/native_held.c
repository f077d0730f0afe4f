/* SPDX-License-Identifier: MIT */
/* Sums of memory by allocating stack, in hash tables, and their events. */
#include "probe/native/native_held.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "probe/ground/probe_clock.h"
#include "probe/core/registry.h"
#include "probe/core/writer.h"
#include "probe/native/native_args.h"
#include "probe/profview_probe.h"

enum {
	SHARD_BITS = 5, /* all locks are held together; TSan allows 64 a thread */
	SHARDS = 1 << SHARD_BITS,
	INDEX_BITS = 15,
	MOST_STACKS = 1 << INDEX_BITS, /* of a shard, the first of them for what has no room */
	FIRST_STACKS = 64,
	ARENA = 256 << 10, /* bytes of frames mapped at once */
	PIECE = 64,        /* stacks copied under the lock at once */
	WORD = sizeof(uint64_t),
};

struct sums {
	uint64_t got, got_bytes, gone, gone_bytes, most_bytes, at_once;
};

struct stack {
	uint64_t hash;
	const uint64_t *frame; /* in an arena; innermost first */
	struct sums sums;
	uint32_t n;
	bool changed, sent; /* since the writer's last look; frames are in the log */
};

struct arena {
	struct arena *before;
	size_t used; /* words */
	uint64_t word[ARENA / WORD - 2];
};

static struct shard {
	_Alignas(64) pthread_mutex_t lock;
	struct stack *stack;
	uint32_t n, room;
	uint32_t *slot; /* index by hash, 0: free; twice as many as stacks */
	struct arena *arena;
} shard[SHARDS] = { [0 ... SHARDS - 1] = { .lock = PTHREAD_MUTEX_INITIALIZER } };

static _Atomic uint64_t live_bytes, most_bytes; /* of all stacks */

static void *map(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}

/* ---- a shard, under its lock */

static uint32_t *stack_slot(
	const struct shard *s, uint64_t hash, const uint64_t *frames, unsigned n)
{
	uint32_t mask = 2 * s->room - 1, i = (uint32_t)hash & mask;
	for (; s->slot[i]; i = (i + 1) & mask) {
		const struct stack *k = &s->stack[s->slot[i]];
		if (k->hash == hash && k->n == n && memcmp(k->frame, frames, n * WORD) == 0)
			break;
	}
	return &s->slot[i];
}

/* Room for twice as many stacks; stack 0 is for all without room. */
static bool grow_shard(struct shard *s)
{
	uint32_t room = s->room ? 2 * s->room : FIRST_STACKS;
	if (room > MOST_STACKS)
		return false;
	struct stack *stack = map(room * sizeof *stack);
	uint32_t *slot = map(2 * room * sizeof *slot), mask = 2 * room - 1;
	if (!stack || !slot) {
		if (stack)
			munmap(stack, room * sizeof *stack);
		if (slot)
			munmap(slot, 2 * room * sizeof *slot);
		return false;
	}
	if (s->room) {
		memcpy(stack, s->stack, s->n * sizeof *stack);
		munmap(s->stack, s->room * sizeof *stack);
		munmap(s->slot, 2 * s->room * sizeof *slot);
	}
	s->n += s->room == 0;
	s->stack = stack;
	s->slot = slot;
	s->room = room;
	for (uint32_t i = 1; i < s->n; i++) {
		uint32_t at = (uint32_t)stack[i].hash & mask;
		while (slot[at])
			at = (at + 1) & mask;
		slot[at] = i;
	}
	return true;
}

static const uint64_t *keep_frames(struct shard *s, const uint64_t *frames, unsigned n)
{
	struct arena *a = s->arena;
	if (!a || n > PV_COUNT_OF(a->word) - a->used) {
		a = map(sizeof *a);
		if (!a)
			return NULL;
		a->before = s->arena;
		s->arena = a;
	}
	uint64_t *at = a->word + a->used;
	memcpy(at, frames, n * WORD);
	a->used += n;
	return at;
}

/* 0: there is no place. */
static uint32_t find_stack(struct shard *s, uint64_t hash, const uint64_t *frames, unsigned n)
{
	if (s->room) {
		uint32_t at = *stack_slot(s, hash, frames, n);
		if (at)
			return at;
	}
	if (s->n >= s->room && !grow_shard(s))
		return 0;
	const uint64_t *kept = keep_frames(s, frames, n);
	if (!kept)
		return 0;
	*stack_slot(s, hash, frames, n) = s->n;
	s->stack[s->n] = (struct stack){ .hash = hash, .frame = kept, .n = n };
	return s->n++;
}

/* NULL: from a recording that has ended. */
static struct stack *numbered(struct shard *s, uint32_t index)
{
	return index < s->n ? &s->stack[index] : NULL;
}

static uint64_t held(const struct sums *s)
{
	return s->got_bytes - s->gone_bytes;
}

static void more(struct stack *k, uint64_t bytes)
{
	struct sums *s = &k->sums;
	if (held(s) > s->most_bytes)
		s->most_bytes = held(s);
	k->changed = true;
	uint64_t all = atomic_fetch_add_explicit(&live_bytes, bytes, memory_order_relaxed) + bytes;
	uint64_t most = atomic_load_explicit(&most_bytes, memory_order_relaxed);
	while (all > most && !atomic_compare_exchange_weak_explicit(&most_bytes, &most, all,
				     memory_order_relaxed, memory_order_relaxed))
		;
}

/* ---- any thread */

static uint64_t frames_hash(const uint64_t *frames, unsigned n)
{
	uint64_t h = n;
	for (unsigned i = 0; i < n; i++) {
		h = (h ^ frames[i]) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	return h;
}

static struct shard *shard_of(uint32_t stack)
{
	return &shard[(stack - 1) >> INDEX_BITS];
}

uint32_t pvp_held_got(const uint64_t *frames, unsigned n, uint64_t bytes)
{
	uint64_t hash = frames_hash(frames, n);
	struct shard *s = &shard[hash >> (64 - SHARD_BITS)];
	pthread_mutex_lock(&s->lock);
	uint32_t at = find_stack(s, hash, frames, n);
	struct stack *k = numbered(s, at);
	if (k) {
		k->sums.got++;
		k->sums.got_bytes += bytes;
		more(k, bytes);
	}
	pthread_mutex_unlock(&s->lock);
	return k ? (uint32_t)((s - shard) << INDEX_BITS) + at + 1 : 0;
}

void pvp_held_gone(uint32_t stack, uint64_t bytes, bool at_once)
{
	if (!stack)
		return;
	struct shard *s = shard_of(stack);
	pthread_mutex_lock(&s->lock);
	struct stack *k = numbered(s, (stack - 1) % MOST_STACKS);
	if (k) {
		k->sums.gone++;
		k->sums.gone_bytes += bytes;
		k->sums.at_once += at_once;
		k->changed = true;
		atomic_fetch_sub_explicit(&live_bytes, bytes, memory_order_relaxed);
	}
	pthread_mutex_unlock(&s->lock);
}

void pvp_held_stays(uint32_t stack, uint64_t bytes)
{
	if (!stack)
		return;
	struct shard *s = shard_of(stack);
	pthread_mutex_lock(&s->lock);
	struct stack *k = numbered(s, (stack - 1) % MOST_STACKS);
	if (k) {
		k->sums.gone--;
		k->sums.gone_bytes -= bytes;
		more(k, bytes);
	}
	pthread_mutex_unlock(&s->lock);
}

void pvp_held_hold(void)
{
	for (int i = 0; i < SHARDS; i++)
		pthread_mutex_lock(&shard[i].lock);
}

void pvp_held_release(void)
{
	for (int i = SHARDS; i-- > 0;)
		pthread_mutex_unlock(&shard[i].lock);
}

static void clear(struct shard *s)
{
	if (s->room) {
		munmap(s->stack, s->room * sizeof *s->stack);
		munmap(s->slot, 2 * s->room * sizeof *s->slot);
	}
	for (struct arena *a = s->arena, *before; a; a = before) {
		before = a->before;
		munmap(a, sizeof *a);
	}
	s->stack = NULL;
	s->slot = NULL;
	s->arena = NULL;
	s->n = s->room = 0;
}

void pvp_held_clear(void)
{
	pvp_held_hold();
	for (int i = 0; i < SHARDS; i++)
		clear(&shard[i]);
	atomic_store(&live_bytes, 0);
	atomic_store(&most_bytes, 0);
	pvp_held_release();
}

/* ---- the writer */

struct piece {
	uint32_t n, number[PIECE];
	struct stack stack[PIECE];
};

/* Changed stacks from *from on; the frames stay in place during the recording. */
static void take_piece(struct shard *s, uint32_t *from, bool all, struct piece *to)
{
	to->n = 0;
	pthread_mutex_lock(&s->lock);
	for (; *from < s->n && to->n < PIECE; (*from)++) {
		struct stack *k = &s->stack[*from];
		if (!k->changed && !(all && k->sums.got))
			continue;
		to->number[to->n] = (uint32_t)((s - shard) << INDEX_BITS) + *from + 1;
		to->stack[to->n++] = *k;
		k->changed = false;
		k->sent = true;
	}
	pthread_mutex_unlock(&s->lock);
}

static bool put_held(struct pvp_writer *w, struct pvp_out_buffer *page, uint32_t number,
	const struct stack *k, bool all)
{
	uint64_t keys[PVP_NATIVE_FRAMES], now = pvp_monotonic();
	uint32_t n = k->sent && !all ? 0 : k->n;
	for (uint32_t i = 0; i < n; i++) { /* outermost first; inside the call, a function's last */
		keys[i] = k->frame[n - 1 - i] - 1;
		pvp_tell_name(w, page, keys[i], now);
	}
	const struct sums *s = &k->sums;
	const struct pv_batch pools = { .pool = { keys, n, n } };
	struct pv_event ev = { .kind = PV_KIND_EXT_HELD,
		.time = now,
		.held = { .number = number,
			.allocations = s->got,
			.bytes = s->got_bytes,
			.live = s->got - s->gone,
			.live_bytes = held(s),
			.most_bytes = s->most_bytes,
			.at_once = s->at_once,
			.stack = { 0, n } } };
	return pvp_out_buffer_add(w, page, &ev, &pools);
}

/* The same over time, for charts. */
static void tell_course(void)
{
	static struct profview_counter *course;
	if (!course)
		course = pvp_counter_of_writer(
			"held by the program", (uint64_t)PROFVIEW_BYTES << 24);
	if (!course)
		return;
	atomic_store_explicit(
		&course->value, (int64_t)atomic_load(&live_bytes), memory_order_relaxed);
	atomic_store_explicit(&course->given, true, memory_order_release);
}

static bool put_all(struct pvp_writer *w, struct pvp_out_buffer *page)
{
	tell_course();
	struct pv_event ev = { .kind = PV_KIND_EXT_HELD_ALL,
		.time = pvp_monotonic(),
		.held = { .live_bytes = atomic_load(&live_bytes),
			.most_bytes = atomic_load(&most_bytes) } };
	return pvp_out_buffer_add(w, page, &ev, NULL);
}

bool pvp_held_tell(struct pvp_writer *w, struct pvp_out_buffer *page, bool all)
{
	static struct piece piece;
	bool ok = true;
	for (int i = 0; i < SHARDS && ok; i++) {
		uint32_t from = 0;
		do {
			take_piece(&shard[i], &from, all, &piece);
			for (uint32_t k = 0; k < piece.n && ok; k++)
				ok = put_held(w, page, piece.number[k], &piece.stack[k], all);
		} while (ok && piece.n == PIECE);
	}
	return ok && put_all(w, page);
}
