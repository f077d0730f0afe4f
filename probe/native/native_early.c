/* SPDX-License-Identifier: MIT */
/* A list of blocks from before the library's constructor, filled without locks. */
#include "probe/native/native_early.h"

#include <stdatomic.h>

enum { MOST = 1024 };

static struct {
	_Atomic uint64_t object; /* written last; 0: freed */
	size_t bytes;
	uintptr_t site;
} block[MOST];

static _Atomic unsigned used;

static unsigned early_count(void)
{
	unsigned n = atomic_load(&used);
	return n < MOST ? n : MOST;
}

void pvp_early_add(uint64_t object, size_t bytes, uintptr_t site)
{
	if (atomic_load(&used) >= MOST)
		return;
	unsigned i = atomic_fetch_add(&used, 1);
	if (i >= MOST)
		return;
	block[i].bytes = bytes;
	block[i].site = site;
	atomic_store(&block[i].object, object);
}

void pvp_early_remove(uint64_t object)
{
	for (unsigned i = early_count(); i-- > 0;) {
		uint64_t expected = object;
		if (atomic_compare_exchange_strong(&block[i].object, &expected, 0))
			return;
	}
}

void pvp_early_take(void (*each)(uint64_t object, size_t bytes, uintptr_t site))
{
	for (unsigned i = 0, n = early_count(); i < n; i++) {
		uint64_t object = atomic_exchange(&block[i].object, 0);
		if (object)
			each(object, block[i].bytes, block[i].site);
	}
}

void pvp_early_drop(void)
{
	for (unsigned i = 0, n = early_count(); i < n; i++)
		atomic_store(&block[i].object, 0);
}
