/* SPDX-License-Identifier: MIT */
/* Private to the dump: finds the layout of a log before printing. On the caller's thread. */
#ifndef PV_REPORT_DUMP_LAYOUT_H
#define PV_REPORT_DUMP_LAYOUT_H

#include <stdbool.h>

#include "common/format/mlpd/mlpd.h"

struct pv_source;

/* For headers with this data version; 0: nothing found. */
struct pv_dump_layout {
	uint8_t says;
	struct mlpd_format format;
};

/*
 * The layout that a development build's file shows somewhere, valid from the first event on. Reads
 * a second source of the file, whole if the header's data version has several layouts, else only
 * the beginning. Unreadable data count as nothing found.
 */
struct pv_dump_layout pv_dump_find_layout(const struct pv_source *file);

#endif
