/* SPDX-License-Identifier: MIT */
/* A ring of words with notes of variable length, for one writing and one reading thread. */
#include "probe/outside/watch_notes.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
	WORDS = 1 << 19,
	HEAD = 6,
	NAME_WORDS = PVO_NAME / 8,
	KIND_BITS = 4,
	TID_SHIFT = 32,
	/* Parts of a word: end of the walk, state of the wait, times. */
	STATE_SHIFT = 8,
	TIMES_SHIFT = 32,
	BYTE = 0xff,
};

/* A note: kind, words of the rest, thread; time; end of the walk, 2 words; lock, 2; the rest. */
static uint64_t *words;
static _Atomic uint64_t written, taken, lost;

bool pvo_notes_begin(void)
{
	words = words ? words : malloc(WORDS * sizeof *words);
	return words;
}

static uint64_t *at(uint64_t i)
{
	return &words[i % WORDS];
}

static bool has_frames(enum pvo_kind kind)
{
	return kind == PVO_NOTE_SAMPLE || kind == PVO_NOTE_PAGES || kind == PVO_NOTE_WAIT ||
	       kind == PVO_NOTE_LOCK;
}

static uint32_t words_of(const struct pvo_note *n)
{
	return has_frames(n->kind) ? n->n : n->kind == PVO_NOTE_NAME ? (uint32_t)NAME_WORDS : 0;
}

void pvo_notes_lose(uint64_t samples)
{
	atomic_fetch_add_explicit(&lost, samples, memory_order_relaxed);
}

bool pvo_notes_put(const struct pvo_note *n)
{
	uint64_t to = atomic_load_explicit(&written, memory_order_relaxed);
	uint64_t from = atomic_load_explicit(&taken, memory_order_acquire);
	uint64_t name[NAME_WORDS];
	uint32_t rest = words_of(n);
	if (WORDS - (to - from) < HEAD + rest) {
		pvo_notes_lose(n->kind == PVO_NOTE_WAIT ? n->times : 1);
		return false;
	}
	*at(to) = (uint64_t)n->kind | (uint64_t)rest << KIND_BITS | (uint64_t)n->tid << TID_SHIFT;
	*at(to + 1) = n->time;
	*at(to + 2) = (uint64_t)n->stop.end | (uint64_t)n->state << STATE_SHIFT |
		      (uint64_t)n->times << TIMES_SHIFT;
	*at(to + 3) = n->stop.pc;
	*at(to + 4) = n->object;
	*at(to + 5) = (uint64_t)n->holder;
	memcpy(name, n->name, sizeof name);
	const uint64_t *more = n->kind == PVO_NOTE_NAME ? name : n->at;
	for (uint32_t i = 0; i < rest; i++)
		*at(to + HEAD + i) = more[i];
	atomic_store_explicit(&written, to + HEAD + rest, memory_order_release);
	return true;
}

bool pvo_notes_take(struct pvo_note *ret)
{
	uint64_t from = atomic_load_explicit(&taken, memory_order_relaxed);
	uint64_t name[NAME_WORDS] = { 0 };
	if (from == atomic_load_explicit(&written, memory_order_acquire))
		return false;
	uint64_t first = *at(from);
	uint32_t rest = (uint32_t)first >> KIND_BITS;
	ret->kind = (enum pvo_kind)(first & ((1 << KIND_BITS) - 1));
	ret->tid = (pid_t)(first >> TID_SHIFT);
	ret->time = *at(from + 1);
	uint64_t end = *at(from + 2);
	ret->stop = (struct pvp_walk_stop){ (enum pvp_walk_end)(end & BYTE), *at(from + 3) };
	ret->state = (enum pv_wait_state)(end >> STATE_SHIFT & BYTE);
	ret->times = (uint32_t)(end >> TIMES_SHIFT);
	ret->object = *at(from + 4);
	ret->holder = (pid_t)*at(from + 5);
	ret->n = has_frames(ret->kind) ? rest : 0;
	uint64_t *more = ret->kind == PVO_NOTE_NAME ? name : ret->at;
	for (uint32_t i = 0; i < rest; i++)
		more[i] = *at(from + HEAD + i);
	memcpy(ret->name, name, sizeof ret->name);
	atomic_store_explicit(&taken, from + HEAD + rest, memory_order_release);
	return true;
}

uint64_t pvo_notes_lost(void)
{
	return atomic_exchange_explicit(&lost, 0, memory_order_relaxed);
}
