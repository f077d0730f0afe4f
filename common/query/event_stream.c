#include "common/query/event_stream.h"

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
