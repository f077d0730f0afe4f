/* SPDX-License-Identifier: MIT */
/* Counts events of a log that were not read, or are known and not shown. */
#include <inttypes.h>
#include <stdio.h>

#include "common/base/text/units.h"
#include "common/base/utf8.h"
#include "common/model/model.h"
#include "common/query/coverage/coverage.h"

void pv_coverage_say_unread(const struct pv_model *m, struct pv_coverage *c, bool known)
{
	enum { NAMED = 3 };
	const struct pv_unread *most[NAMED] = { NULL };
	char digits[PV_UNIT_MAX], text[200] = "";
	uint64_t all = 0;
	size_t kinds = 0;
	for (size_t i = 0; i < m->notes.unread.n; i++) {
		const struct pv_unread *u = &m->notes.unread.v[i];
		if (u->known != known)
			continue;
		all += u->events;
		kinds++;
		for (size_t k = 0; k < NAMED && u; k++) {
			if (most[k] && most[k]->events >= u->events)
				continue;
			const struct pv_unread *next = most[k];
			most[k] = u;
			u = next;
		}
	}
	for (size_t k = 0, at = 0; k < NAMED && most[k] && at < sizeof text; k++)
		at += (size_t)snprintf(text + at, sizeof text - at, "%s%s %" PRIu64,
			k ? ", " : ": ", PV_FIT(pv_intern_text(&m->names.text, most[k]->name), 50),
			most[k]->events);
	if (!all)
		return;
	if (!known && c->state == PV_COMPLETE)
		c->state = PV_PARTIAL;
	pv_coverage_say(c, "%s %s %s%s%s", pv_units_exact(digits, sizeof digits, all),
		all == 1 ? "event" : "events", known ? "known and not shown" : "not read", text,
		kinds > NAMED ? " ..." : "");
}
