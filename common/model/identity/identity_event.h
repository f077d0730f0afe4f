/* SPDX-License-Identifier: MIT */
/*
 * Events that identity.h is fed with. Plain values; times are ns on the log's clock, sizes bytes.
 */
#ifndef PV_MODEL_IDENTITY_EVENT_H
#define PV_MODEL_IDENTITY_EVENT_H

#include <stdint.h>

struct pv_allocation_event {
	uint64_t address, size;
	int64_t time_ns;
	uint32_t class_use, stack, thread; /* as in struct pv_life_site */
};

struct pv_listed_object {
	uint64_t address, size, generation; /* generation: 0 where shots do not say it */
	uint32_t class_use;
};

#endif
