/* SPDX-License-Identifier: MIT */
/* Lookups in a page of events. */
#include "common/query/event_stream.h"

#include <string.h>

#include "common/model/model.h"
#include "common/model/event_page.h"

uint64_t pv_event_page_here(const struct pv_event_page *p)
{
	return p->at < p->rows ? p->row[p->at].id : 0;
}

bool pv_event_page_more(const struct pv_event_page *p, bool before)
{
	return before ? p->more_before : p->more_after;
}

uint64_t pv_event_page_next(const struct pv_event_page *p, int dir)
{
	if (dir > 0)
		return pv_event_page_here(p);
	return p->at > 0 && p->at <= p->rows ? p->row[p->at - 1].id : 0;
}

uint64_t pv_event_page_hit(const struct pv_event_page *p, uint64_t id, int dir, const char *text)
{
	size_t at = 0;
	while (at < p->rows && p->row[at].id != id)
		at++;
	for (size_t i = at + (size_t)dir; at < p->rows && i < p->rows; i += (size_t)dir)
		if (strcasestr(p->row[i].line, text))
			return p->row[i].id;
	return 0;
}

bool pv_event_page_find(const struct pv_event_page *p, uint64_t id, struct pv_event_facts *ret)
{
	for (size_t i = 0; i < p->rows; i++) {
		const struct pv_event_row *r = &p->row[i];
		if (r->id != id)
			continue;
		*ret = (struct pv_event_facts){ r->time_ns, pv_kind_name(r->kind), r->thread };
		return true;
	}
	return false;
}
