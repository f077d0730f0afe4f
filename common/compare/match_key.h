/* SPDX-License-Identifier: MIT */
/*
 * Names that match rows of two logs: canonical names (base/readable_name.h), without parts that
 * differ by build or by run. In native symbols these are suffixes of compilers (".constprop.0",
 * ".isra.1", ".part.2", ".cold"), an offset ("+0x1a"), and all of a bare address.
 */
#ifndef PV_COMPARE_MATCH_KEY_H
#define PV_COMPARE_MATCH_KEY_H

#include "common/query/groups/readable.h"

/* The common key of all bare addresses. */
#define PV_MATCH_ADDRESSES "0x*"

/*
 * The key of a name or a frame, of `len` bytes: `room`, the caller's, never NULL. `column` says
 * whether a method or a class is named. Longer names are cut. Pure: any thread.
 */
const char *pv_match_key(
	const struct pv_column *column, const char *raw, size_t len, char room[PV_READABLE_MAX]);

/* Bytes of a key before the parameters; 0: no parameters. Pure. */
size_t pv_match_stem(const char *key);

#endif
