/* SPDX-License-Identifier: MIT */
/* One event of an MLPD log as text: kind, then every field by name. One thread uses a structure. */
#ifndef PV_REPORT_DUMP_EVENT_H
#define PV_REPORT_DUMP_EVENT_H

#include <stdio.h>

#include "common/base/intern.h"
#include "common/base/map.h"
#include "common/format/mlpd/mlpd.h"

/* Latest meaning of each key, as far as the log was read. Empty when zeroed. */
struct pv_dump_names {
	struct pv_intern text;
	struct pv_map methods, entities; /* key -> interned name */
};

void pv_dump_names_finish(struct pv_dump_names *n); /* frees the names */

/* Remembers the names in an event. False when out of memory. */
bool pv_dump_learn(struct pv_dump_names *n, const struct pv_event *e);

struct pv_dump_line {
	FILE *out;
	const struct pv_dump_names *names;
	const struct pv_batch *pools; /* of the event */
	uint8_t version;              /* data version, by whose rules the event is read */
};

/* Writes the event without its time and without a line break. */
void pv_dump_event(const struct pv_dump_line *d, const struct pv_event *e);

#endif
