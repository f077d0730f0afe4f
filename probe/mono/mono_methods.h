/* SPDX-License-Identifier: MIT */
/*
 * The log's keys of methods: small numbers, given in the order of first use, so that methods called
 * together have close numbers, and most steps from a call to the next take a single byte. A method
 * keeps its number as long as its address; a method at a dead one's address gets the same number,
 * and is defined again.
 */
#ifndef PV_PROBE_MONO_METHODS_H
#define PV_PROBE_MONO_METHODS_H

#include <mono/metadata/profiler.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct pvp_numbered {
	_Atomic uint64_t method; /* address, stored last; 0: a free place */
	uint64_t key;
};

/* Grows by replacement; readers may go on with the old table. */
struct pvp_numbers {
	unsigned shift; /* of a hash to a place; a free place follows the last */
	struct pvp_numbered at[];
};
extern struct pvp_numbers *_Atomic pvp_numbers; /* not NULL after init */

/* The hash of a method's address. */
static inline uint64_t pvp_numbers_hash(uint64_t address)
{
	return address * UINT64_C(0x9e3779b97f4a7c15);
}

/* False: out of memory. */
bool pvp_mono_numbers_init(void);

/* Any thread; not in a signal's handler. calls: the method's code calls us, or will. */
uint64_t pvp_mono_number(const MonoMethod *method, bool calls);

/* The key of a method whose code calls us; of any method. */
static inline uint64_t pvp_mono_called(const MonoMethod *method)
{
	uint64_t address = (uint64_t)(uintptr_t)method;
	const struct pvp_numbers *t = atomic_load_explicit(&pvp_numbers, memory_order_acquire);
	const struct pvp_numbered *n = &t->at[pvp_numbers_hash(address) >> t->shift];
	if (__builtin_expect(atomic_load_explicit(&n->method, memory_order_acquire) == address, 1))
		return n->key;
	n++; /* a fifth are at the next place */
	if (__builtin_expect(atomic_load_explicit(&n->method, memory_order_acquire) == address, 1))
		return n->key;
	return pvp_mono_number(method, true);
}

/* Likewise, of any method. */
static inline uint64_t pvp_mono_method(const MonoMethod *method)
{
	return pvp_mono_number(method, false);
}

/* The runtime's method of this key, maybe freed already; NULL: none. */
MonoMethod *pvp_mono_method_of(uint64_t key);

/* Around fork, so that no lock is held in a child by a missing thread. */
void pvp_mono_numbers_wait(void);
void pvp_mono_numbers_release(void);

#endif
