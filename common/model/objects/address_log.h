/* SPDX-License-Identifier: MIT */
/*
 * Log of the address table's answers while a whole log was read, by place in the log. A second
 * reading that leaves buffers out has not met all allocations and moves, so the answers come from
 * here: the class of an object that only its address names, and the new addresses of contended
 * objects that moved.
 *
 * A place is the offset of the event's buffer in the inflated stream plus the event's number in the
 * buffer; an event takes more than a byte, so places are distinct and ascend with the log. Times
 * are ns on the log's clock. The ingest thread writes the log of answers; copies are the reader's.
 */
#ifndef PV_MODEL_ADDRESS_LOG_H
#define PV_MODEL_ADDRESS_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/mem.h"

enum { PV_ADDRESS_LOG_MOST = 1 << 20 }; /* entries of each list */

struct pv_address_log_class {
	uint64_t place;
	uint64_t class_use; /* id in names of the model that recorded; in a copy: the wire key */
};

struct pv_address_log_move {
	uint64_t place, from, to; /* addresses; to 0: the object is gone */
	uint64_t class_use;       /* not 0: unmoved; the allocation came after the use */
	int64_t time_ns;          /* of this allocation */
};

/* Valid when zeroed. */
struct pv_address_log {
	PV_ARRAY(struct pv_address_log_class)
	classes; /* by place; objects of no known class have none */
	PV_ARRAY(struct pv_address_log_move) moves; /* by place, of objects with a row in locks */
	bool full;                                  /* something did not fit: not to be used */
};

void pv_address_log_finish(struct pv_address_log *r); /* frees the lists; *r is empty and usable */

#endif
