/* SPDX-License-Identifier: MIT */
/* Words for the attributes by which rows are grouped. */
#include <string.h>

#include "common/query/views.h"

static const char *const by_text[PV_BY_COUNT] = { [PV_BY_NAME] = "name",
	[PV_BY_NAMESPACE] = "namespace",
	[PV_BY_CLASS] = "class",
	[PV_BY_IMAGE] = "image",
	[PV_BY_ASSEMBLY] = "assembly",
	[PV_BY_DOMAIN] = "domain",
	[PV_BY_CONTEXT] = "context" };

const char *pv_by_name(enum pv_by by)
{
	return by_text[by];
}

bool pv_by_of(const char *text, size_t len, enum pv_by *ret)
{
	for (unsigned i = 0; i < PV_BY_COUNT; i++) {
		if (strlen(by_text[i]) != len || strncmp(by_text[i], text, len) != 0)
			continue;
		*ret = (enum pv_by)i;
		return true;
	}
	return false;
}
