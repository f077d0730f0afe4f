/* SPDX-License-Identifier: MIT */
/* The rows of views.def: plain data, linked without the views' code. */
#include "common/query/coverage/coverage.h"
#include "common/query/views.h"

#define GROUP(x)   PV_GROUP_##x
#define ON(x)      (1u << PV_WHAT_##x)
#define TRAIT(x)   PV_TRAIT_##x
#define SECTION(x) PV_SECTION_##x

const struct pv_view_row pv_view_rows[PV_VIEW_COUNT] = {
#define VIEW(symbol, text, ...)                                                                    \
	[PV_VIEW_##symbol] = { .view = PV_VIEW_##symbol, .name = #text, __VA_ARGS__ },
#include "common/query/views.def"
#undef VIEW
};

const char *pv_view_name(enum pv_view view)
{
	return pv_view_rows[view].name;
}

bool pv_view_is(enum pv_view view, unsigned flags)
{
	return view < PV_VIEW_COUNT && pv_view_rows[view].flags & flags;
}
