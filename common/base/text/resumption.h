/* SPDX-License-Identifier: MIT */
/*
 * Frames in which a runtime resumes an async method that had waited. Frames above are plumbing and
 * methods that have just completed: the resumed method awaits them, and none of them called it.
 */
#ifndef PV_BASE_RESUMPTION_H
#define PV_BASE_RESUMPTION_H

#include <stdbool.h>
#include <stddef.h>

/* The common name of all such frames. */
#define PV_RESUMED "[resumed]"

/* Whether the name (of a method or symbol, from the log) is such a frame's. Pure; any thread. */
bool pv_is_resumption(const char *name, size_t len);

#endif
