/*
 * Names that the Mono runtime gave for methods, classes, images ...: copied at first sight, since
 * nothing of the runtime may be touched afterwards, and written by the writer before the events
 * that use them. One copy while it is alive; freed once it is unloaded and that is written.
 */
#ifndef PV_PROBE_MANAGED_NAMES_H
#define PV_PROBE_MANAGED_NAMES_H

#include "probe/core/writer.h"

/* Pointers of the runtime stand in the log without the bits that are always 0. */
static inline uint64_t pvp_managed_key(const void *p)
{
	return (uint64_t)(uintptr_t)p >> 3;
}

/*
 * Any thread of the program that does not hold the world still. `ev` is a definition: its texts
 * are copied, its time is set here. A second definition of a key takes the place of the first.
 */
void pvp_names_define(const struct pv_event *ev);

/* One with a list: copied likewise. */
void pvp_names_define_list(const struct pv_event *ev, const struct pv_batch *pools);

/* The same for an unload; the definition it ends dies with it. */
void pvp_names_end(const struct pv_event *ev);

/* Whether the fields of this class are yet to be written; from here on they are not. again: all. */
bool pvp_names_fields_new(uint64_t klass);
void pvp_names_fields_again(void);

/* News that is no definition: said once. */
static inline void pvp_names_say(const struct pv_event *ev)
{
	pvp_names_end(ev);
}

/* Whether the method has a definition. Any thread that does not hold the world still. */
bool pvp_names_knows(uint64_t method);

/* Notes that its code calls us where it begins and ends; whether it does. The same threads. */
void pvp_names_set_calling(uint64_t method);
bool pvp_names_calls(uint64_t method);

/* A method is gone, for which the log has no event: its key may be used again. */
void pvp_names_free_method(uint64_t key);

/*
 * Methods that only ever stood on a stack: of them the runtime tells nothing by itself. The writer
 * notes them; a thread of the program that may ask takes one after the other: false when there is
 * none (left). What is freed meanwhile is not among them any more.
 */
void pvp_names_unnamed(uint64_t key);
bool pvp_names_take_unnamed(uint64_t *ret_key);

/* As in struct pvp_host, false likewise; the writer's thread. */
bool pvp_names_tell(struct pvp_writer *w, struct pvp_out_buffer *page, bool again);
void pvp_names_flushed(struct pvp_writer *w);
bool pvp_names_method(uint64_t key, struct pvp_method *ret);

/* After the writer's end. */
void pvp_names_forget(void);

/* Around fork, so that the child finds them whole. */
void pvp_names_hold(void);
void pvp_names_release(void);

#endif
