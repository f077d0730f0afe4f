/* SPDX-License-Identifier: MIT */
/* Finds mutex and owner by the words at the address of a futex. */
#include "probe/outside/mutexes.h"

#include <linux/futex.h>

#include "probe/unwind/own_memory.h"

/* The futex word and two more words: glibc has the owner (__owner) in the last. */
enum { WORDS = 3, OWNER = 2, WORD = sizeof(uint32_t), CONTENDED = 2 };

/* The owner is in the futex word: musl's mutexes, priority inheritance, robust mutexes. */
static struct pvo_mutex by_word(
	uint64_t at, const uint32_t word[WORDS], bool (*is_thread)(pid_t tid))
{
	pid_t holder = (pid_t)(word[0] & FUTEX_TID_MASK);
	struct pvo_mutex m = { .address = at, .holder = holder };
	if (!(word[0] & FUTEX_WAITERS) || !is_thread(holder))
		return (struct pvo_mutex){ .address = 0 };
	if ((pid_t)word[OWNER] != holder) /* musl: a word with the kind comes before */
		m.address -= WORD;
	return m;
}

struct pvo_mutex pvo_mutex_of(const struct pvp_waiting *w, bool (*is_thread)(pid_t tid))
{
	static const struct pvo_mutex none = { .address = 0 };
	uint32_t word[WORDS];
	int what = (int)w->futex.operation & FUTEX_CMD_MASK;
	bool waits = what == FUTEX_WAIT || what == FUTEX_WAIT_BITSET;
	bool inherits = what == FUTEX_LOCK_PI || what == FUTEX_LOCK_PI2;
	if (!w->in_futex || !(waits || inherits) ||
		!pvp_memory_read(word, w->futex.address, sizeof word))
		return none;
	if (inherits || w->futex.value & FUTEX_WAITERS)
		return by_word(w->futex.address, word, is_thread);
	if (w->futex.value != CONTENDED || word[0] != CONTENDED || !is_thread((pid_t)word[OWNER]))
		return none;
	return (struct pvo_mutex){ w->futex.address, (pid_t)word[OWNER] };
}
