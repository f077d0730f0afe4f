/* SPDX-License-Identifier: MIT */
/*
 * The last described name of each method, to notice where decoded a description that gives a key
 * another meaning. Used by one thread at a time.
 */
#ifndef PV_CALLS_DESCRIBED_H
#define PV_CALLS_DESCRIBED_H

#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/format/event.h"

enum { PV_DESCRIBED_MOST = 1 << 20 }; /* keys; 28 bytes each with their place in the map */

struct pv_described {
	struct pv_map of;        /* method -> name */
	PV_ARRAY(uint64_t) name; /* hashes */
	bool unsure;             /* keys missing here may have been described, too */
	bool over;               /* definitions are read ahead now: changes are not reported */
};

/* True if the event describes a method by name. */
static inline bool pv_is_description(const struct pv_event *e)
{
	return e->kind == PV_KIND_METHOD_JIT || e->kind == PV_KIND_METHOD_NAME ||
	       (e->kind == PV_KIND_METHOD_JIT_START && e->jit.name.at);
}

void pv_described_finish(struct pv_described *d); /* valid when zeroed */

/*
 * Notes the description (METHOD_JIT, METHOD_JIT_START or METHOD_NAME). True: the key may mean
 * something else from here on. Out of memory: `unsure` from then on, and true more often.
 */
bool pv_described_changes(struct pv_described *d, const struct pv_event *e);

#endif
