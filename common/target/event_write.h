/*
 * Parts of a .nettrace stream as the runtime writes them, version 4, for events of our own: whole
 * objects, with the blocks that are in them aligned in the stream.
 * The caller has the room: nothing fails. Async-signal-safe; any thread.
 */
#ifndef PV_TARGET_EVENT_WRITE_H
#define PV_TARGET_EVENT_WRITE_H

#include <stddef.h>
#include <stdint.h>

enum {
	PV_EVENT_OBJECT = 64, /* bytes that an object has at most, its body left out */
	PV_EVENT_HEAD = 20    /* of the body of a block of events or descriptions */
};

/*
 * The beginning of an object that is written at `offset` of its stream and has a body of `n` bytes,
 * up to that body; returns what follows. After the body comes PV_EVENT_OBJECT_END.
 */
uint8_t *pv_event_put_object(uint8_t *to, const char *name, int version, size_t n, uint64_t offset);
/* Likewise, of one whose length is not said: that of the trace. */
uint8_t *pv_event_put_type(uint8_t *to, const char *name, int version);
enum { PV_EVENT_OBJECT_END = 6 };

/* The head of a block's body, its events compressed, all of that time (ticks); `more` bytes longer. Never NULL. */
uint8_t *pv_event_put_head(uint8_t *to, uint64_t time, unsigned more);

/* UTF-16 with its zero, of bytes that are ASCII: others become '?'. Never NULL. */
uint8_t *pv_event_put_wide(uint8_t *to, const char *text, size_t n);

#endif
