/* SPDX-License-Identifier: MIT */
/* Chooses the names of frames and classes in exports. */
#include "common/export/frame_name.h"

#include <string.h>

#include "common/query/groups/readable.h"

/* The frame of the readable name; a filter tests both names. */
static bool readable_frame(
	struct pv_profile *p, const struct pv_column *column, const char *raw, uint32_t *ret)
{
	char room[PV_READABLE_MAX];
	const char *name = raw;
	if (!p->raw_names)
		name = pv_readable_text(column, raw, PV_NAME_READABLE, room);
	if (!pv_profile_frame(p, name[0] ? name : "(no name)", ret))
		return false;
	return !p->filter ||
	       pv_profile_holds(p, *ret, pv_name_bits(p->filter, column, raw, NULL, &p->places));
}

bool pv_export_frame(struct pv_profile *p, const char *raw, uint32_t *ret)
{
	static const struct pv_column method = { .unit = PV_UNIT_TEXT, .flags = PV_COLUMN_METHOD };
	return readable_frame(p, &method, raw, ret);
}

bool pv_export_class(struct pv_profile *p, const char *raw, uint32_t *ret)
{
	static const struct pv_column class = { .unit = PV_UNIT_TEXT, .flags = PV_COLUMN_CLASS };
	if (!readable_frame(p, &class, raw, ret))
		return false;
	*ret |= PV_FRAME_CLASS;
	return true;
}
