/* SPDX-License-Identifier: MIT */
/*
 * The newest message of the exceptions of each class, for logs whose probe writes them. A message
 * is foreign text, kept as in the log, cut. Part of the model: written by the ingest thread, read
 * under the lock. Times are ns on the log's clock.
 */
#ifndef PV_MODEL_MESSAGES_H
#define PV_MODEL_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/format/event.h"

enum { PV_MESSAGES_MOST = 4096, PV_MESSAGE_BYTES = 240 };

struct pv_message {
	int64_t time_ns;
	uint32_t class_use;
	uint32_t cut;                /* 1: the message was longer */
	char text[PV_MESSAGE_BYTES]; /* UTF-8 as far as the log's text is; ends with a zero */
};

/* Valid when zeroed. */
struct pv_messages {
	PV_ARRAY(struct pv_message) one;
	struct pv_map of; /* class use -> index */
};

/* Replaces the message of a class; beyond the limit nothing is kept. False when out of memory. */
bool pv_messages_add(struct pv_messages *m, uint32_t class_use, int64_t time_ns,
	struct pv_text text, uint64_t length);
void pv_messages_finish(struct pv_messages *m);

#endif
