/* Private to the dump: finds the layout of a log before it is printed. On the caller's thread. */
#ifndef PV_REPORT_DUMP_LAYOUT_H
#define PV_REPORT_DUMP_LAYOUT_H

#include <stdbool.h>

#include "common/format/mlpd/mlpd.h"

struct pv_source;

/* Holds for headers that say this data version; 0: nothing was found. */
struct pv_dump_layout {
	uint8_t says;
	struct mlpd_format format;
};

/*
 * The layout that a file of a development build shows somewhere, which holds from its first event
 * on: reads a second source of the file whole if its header's data version has layouts, and else
 * only its beginning. What cannot be read is as if nothing was found.
 */
struct pv_dump_layout pv_dump_find_layout(const struct pv_source *file);

#endif
