/* SPDX-License-Identifier: MIT */
/* Whether more of a finished file is to come. */
#ifndef PV_IO_SOURCE_WRITTEN_H
#define PV_IO_SOURCE_WRITTEN_H

#include <stdbool.h>
#include <stdint.h>

struct pv_source;

/*
 * At the END of a file that is not followed: whether any process writes on, as far as this process
 * can see; `pid` is the one in the log's header, or 0. False for other sources. On the reading
 * thread.
 */
bool pv_source_is_written(const struct pv_source *s, uint32_t pid);

#endif
