/* SPDX-License-Identifier: MIT */
/*
 * Parts of a .nettrace stream as the runtime writes them, version 4, for events of our own: whole
 * objects, with blocks aligned in the stream. The caller provides the room: nothing fails. Async-
 * signal-safe; any thread.
 */
#ifndef PV_TARGET_EVENT_WRITE_H
#define PV_TARGET_EVENT_WRITE_H

#include <stddef.h>
#include <stdint.h>

enum {
	PV_EVENT_OBJECT = 64, /* bytes of an object at most, without its body */
	PV_EVENT_HEAD = 20    /* of the body of a block of events or descriptions */
};

/*
 * The beginning of an object with a body of `n` bytes, written at `offset` of its stream, up to the
 * body; returns the place of the body. PV_EVENT_OBJECT_END follows the body.
 */
uint8_t *pv_event_put_object(uint8_t *to, const char *name, int version, size_t n, uint64_t offset);
/* Likewise for an object without a length: the trace. */
uint8_t *pv_event_put_type(uint8_t *to, const char *name, int version);
enum { PV_EVENT_OBJECT_END = 6 };

/*
 * The head of a block's body, events compressed, all of `time` (ticks); `more` bytes longer. Never
 * NULL.
 */
uint8_t *pv_event_put_head(uint8_t *to, uint64_t time, unsigned more);

/* UTF-16 with a final zero, from ASCII: other bytes become '?'. Never NULL. */
uint8_t *pv_event_put_wide(uint8_t *to, const char *text, size_t n);

#endif
