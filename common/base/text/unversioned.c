/* SPDX-License-Identifier: MIT */
/* Symbols without the versions that linkers add. */
#include "common/base/text/unversioned.h"

#include <string.h>

size_t pv_unversioned(const char *symbol)
{
	const char *at = strchr(symbol, '@');
	return at && at != symbol && strcmp(at, "@plt") != 0 ? (size_t)(at - symbol)
							     : strlen(symbol);
}
