/* SPDX-License-Identifier: MIT */
/*
 * An event of a decoded buffer as a line of text: "System.Byte[] 262160 B at 0x7f21 <- Decode <-
 * Load". Names are the model's, wherever the log has them.
 */
#ifndef PV_MODEL_EVENT_LINE_H
#define PV_MODEL_EVENT_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "common/format/batch.h"

struct pv_model;

enum { PV_EVENT_LINE_MAX = 1024, PV_EVENT_LINE_FRAMES = 12 };

/* The thread of event i: the sampled thread, else the writer of the buffer. */
uint64_t pv_event_thread(const struct pv_batch *b, size_t i);

/*
 * Both need the model's lock and cut the text to `size`. The thread at a time in ns since zero:
 * name, else id. `readable`: names as a C# programmer writes them.
 */
void pv_event_thread_text(
	const struct pv_model *m, uint64_t thread, int64_t time, char *to, size_t size);
void pv_event_line(const struct pv_model *m, const struct pv_batch *b, size_t i, bool readable,
	char *to, size_t size);

#endif
