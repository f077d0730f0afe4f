/*
 * The names under which rows of two logs are matched: canonical ones (base/readable_name.h),
 * without what differs from build to build or from run to run. Of native symbols that is what
 * compilers append (".constprop.0", ".isra.1", ".part.2", ".cold"), an offset ("+0x1a"), and the
 * whole of a bare address.
 */
#ifndef PV_COMPARE_MATCH_KEY_H
#define PV_COMPARE_MATCH_KEY_H

#include "common/query/readable.h"

/* The key of all names that are bare addresses. */
#define PV_MATCH_ADDRESSES "0x*"

/*
 * The key of a name, or of one frame, of `len` bytes: `room`, which is the caller's, never NULL.
 * `column` says whether it is a method's or a class's. A name that does not fit is cut. Pure: any
 * thread.
 */
const char *pv_match_key(
	const struct pv_column *column, const char *raw, size_t len, char room[PV_READABLE_MAX]);

/* Bytes of a key before its parameters; 0: it has none. Pure. */
size_t pv_match_stem(const char *key);

#endif
