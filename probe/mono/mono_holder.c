/* SPDX-License-Identifier: MIT */
/*
 * Finds the holder of a monitor that another thread is about to wait for. Mono keeps the holder's
 * small id in the object's lock word, or in the structure there; the program is locking the object,
 * so both can be read. Threads register their id at their start and before waits.
 */
#include "probe/mono/mono_holder.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	NUMBERS = 65536, /* as many as a lock can distinguish */
	INFLATED = 2,    /* bits of the word */
	WORD_BITS = 3,
	FLAT_SHIFT = 10,
	OWNER = 0xffff,
};

struct word_of { /* how an object begins */
	void *vtable;
	_Atomic uintptr_t lock;
};

typedef int number_of_thread(void);

/* By small id: the thread's native id, 0: not met. */
static _Atomic uint32_t thread_of[NUMBERS];
static number_of_thread *_Atomic number_of;

void pvp_mono_holder_init(void)
{
	number_of_thread *found =
		(number_of_thread *)(uintptr_t)dlsym(RTLD_DEFAULT, "mono_thread_info_get_small_id");
	atomic_store(&number_of, found);
}

void pvp_mono_holder_met(void)
{
	number_of_thread *ask = atomic_load_explicit(&number_of, memory_order_relaxed);
	int number = ask ? ask() : -1;
	if (number > 0 && number < NUMBERS)
		atomic_store_explicit(
			&thread_of[number], (uint32_t)syscall(SYS_gettid), memory_order_relaxed);
}

static uintptr_t word_of(MonoObject *object)
{
	struct word_of *at = (struct word_of *)object;
	if (!object || !atomic_load_explicit(&number_of, memory_order_relaxed))
		return 0;
	return atomic_load_explicit(&at->lock, memory_order_relaxed);
}

uint64_t pvp_mono_lock(MonoObject *object)
{
	uintptr_t word = word_of(object);
	return word & INFLATED ? word & ~(uintptr_t)WORD_BITS : 0;
}

uint64_t pvp_mono_holder(MonoObject *object)
{
	uintptr_t word = word_of(object);
	uintptr_t owner = word >> FLAT_SHIFT & OWNER;
	if (word & INFLATED) {
		const _Atomic uint32_t *status =
			(const _Atomic uint32_t *)(word & ~(uintptr_t)WORD_BITS);
		owner = status ? atomic_load_explicit(status, memory_order_relaxed) & OWNER : 0;
	}
	return owner ? atomic_load_explicit(&thread_of[owner], memory_order_relaxed) : 0;
}
