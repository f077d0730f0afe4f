/* SPDX-License-Identifier: MIT */
/* Finds objects by address or size. */
#include "common/query/heap/heap_find.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/units.h"
#include "common/heap/heap.h"

static bool address(const char *text, uint64_t *ret)
{
	char *end;
	errno = 0;
	*ret = strtoull(text, &end, 16);
	return *end == 0 && end > text + 2 && errno == 0;
}

bool pv_find_parse(const char *text, struct pv_find *ret)
{
	if (strncmp(text, "0x", 2) == 0) {
		ret->what = PV_FIND_ADDRESS;
		return address(text, &ret->number);
	}
	ret->what = text[0] == '=' ? PV_FIND_EQUAL : text[0] == '>' ? PV_FIND_MORE : PV_FIND_LESS;
	return text[0] && strchr("=><", text[0]) && pv_units_parse_bytes(text + 1, &ret->number);
}

bool pv_find_is(const struct pv_find *f, const struct pv_heap *h, uint32_t node)
{
	uint64_t at = h->graph.address[node], size = h->graph.size[node];
	switch (f->what) {
	case PV_FIND_ADDRESS:
		return f->number == at || (f->number > at && f->number - at < size);
	case PV_FIND_EQUAL:
		return size == f->number;
	case PV_FIND_MORE:
		return size > f->number;
	default:
		return size < f->number;
	}
}
