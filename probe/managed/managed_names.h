/* SPDX-License-Identifier: MIT */
/*
 * Names given by the managed runtime for methods, classes, images ...: copied at first sight, since
 * the runtime may not be asked afterwards, and written by the writer before the events that use
 * them. A single copy while alive; freed after the unload is written.
 */
#ifndef PV_PROBE_MANAGED_NAMES_H
#define PV_PROBE_MANAGED_NAMES_H

#include "probe/core/writer.h"

/* Pointers of the runtime go into the log without the low bits, always 0. */
static inline uint64_t pvp_managed_key(const void *p)
{
	return (uint64_t)(uintptr_t)p >> 3;
}

/*
 * Any thread of the program, except while it stops the world. `ev` is a definition: texts are
 * copied, the time is set here. A second definition of a key replaces the first.
 */
void pvp_names_define(const struct pv_event *ev);

/* A definition with a list, copied likewise. */
void pvp_names_define_list(const struct pv_event *ev, const struct pv_batch *pools);

/* The same for an unload; the definition ended dies with the unload. */
void pvp_names_end(const struct pv_event *ev);

/* Whether the fields of this class are yet to be written; from here on they are not. again: all. */
bool pvp_names_fields_new(uint64_t klass);
void pvp_names_fields_again(void);

/* An event that is no definition, written once. */
static inline void pvp_names_say(const struct pv_event *ev)
{
	pvp_names_end(ev);
}

/* Whether the method has a definition. Any thread, except while it stops the world. */
bool pvp_names_knows(uint64_t method);

/* Notes that the method's code calls us at begin and end; whether it does. The same threads. */
void pvp_names_set_calling(uint64_t method);
bool pvp_names_calls(uint64_t method);

/* A method is gone, without an event in the log: its key may be reused. */
void pvp_names_free_method(uint64_t key);

/*
 * Methods only seen on stacks, which the runtime never reports. The writer notes them; a thread of
 * the program that may ask the runtime takes one at a time: false: none left. Methods freed
 * meanwhile are removed.
 */
void pvp_names_unnamed(uint64_t key);
bool pvp_names_take_unnamed(uint64_t *ret_key);

/* As in struct pvp_host, false likewise; the writer's thread. */
bool pvp_names_tell(struct pvp_writer *w, struct pvp_out_buffer *page, bool again);
void pvp_names_flushed(struct pvp_writer *w);
bool pvp_names_method(uint64_t key, struct pvp_method *ret);

/* After the writer's end. */
void pvp_names_forget(void);

/* Around fork, so that the tables are whole in the child. */
void pvp_names_hold(void);
void pvp_names_release(void);

#endif
