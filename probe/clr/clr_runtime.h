/* SPDX-License-Identifier: MIT */
/* The runtime's state shared by the .NET module's files: on the program's threads. */
#ifndef PV_PROBE_CLR_RUNTIME_H
#define PV_PROBE_CLR_RUNTIME_H

#include "common/base/text/span_source.h"
#include "probe/ground/host.h"
#include "probe/clr/host_clr.h"

/* clr_contexts.c: assembly load contexts, where they are asked for. */
void pvp_clr_contexts_loaded(uint64_t assembly, const char *name);
void pvp_clr_contexts_unloading(uint64_t assembly);
/* The runtime has found an assembly of this full name for this context. */
void pvp_clr_contexts_found(const char *name, const char *context);

void pvp_clr_contexts_forget(void); /* all of them */

/* clr_spans.c: sources of spans, to be asked for where spans are; false: there is no i-th. */
enum { PVP_CLR_SPAN_SOURCES = PV_SPAN_SOURCES };
struct pvp_payload;
bool pvp_clr_spans_provider(size_t i, pvp_char *name, size_t room, uint64_t *ret_keywords);
/* An event with its activity and the enclosing activity, or NULL; false: no source of spans. */
bool pvp_clr_spans_take(uint64_t provider, uint32_t id, struct pvp_payload p,
	const struct pvp_guid *activity, const struct pvp_guid *related);
/* Reports the span of the present event on this thread, if its activity has a span. */
void pvp_clr_spans_goes_on(const struct pvp_guid *activity);
void pvp_clr_spans_forget(void);

/*
 * clr_files.c: work on files, reported by the library's own methods. The kind of work of a method,
 * 0: none; the begin of the work, at this place of the stack, and the end (failed: left by an
 * exception).
 */
struct pvp_clr_hooked;
unsigned pvp_clr_file_work(uint64_t function);
void pvp_clr_file_begins(unsigned work, const struct pvp_clr_hooked *at);
void pvp_clr_file_ends(bool failed);
bool pvp_clr_files_init(void); /* false: the runtime does not say where strings have their text */

/*
 * Without a reader (clr_leave.c). The writer's: the pipe's reader is gone, or there; the session
 * has ended. The agent's: sleeping and leaving.
 */
void pvp_clr_leave_begin(void); /* before the session: what the agent does waits for ready() */
void pvp_clr_leave_mask(const struct pvp_clr_mask *mask); /* in between: what sleep gives up */
void pvp_clr_leave_ready(void);
void pvp_clr_leave_ending(void); /* the process ends, or we are refused: nothing of the kind */
void pvp_clr_reader_lost(bool unread);
void pvp_clr_stopped(void);
void pvp_clr_sleep(bool on);
void pvp_clr_leave(void);
pvp_hr pvp_clr_detached(void *self);
void pvp_clr_agent_sleep(bool on);
void pvp_clr_agent_leave(void);

/* clr_switch.c: "set KEY=VALUE" of the control socket. */
enum pvp_reply pvp_clr_switch(const char *key, const char *value, char *say, size_t room);
/* clr_leave.c, the agent's: the mask and the events asked for follow the options. */
void pvp_clr_adjust(void);

/* An assembly was not found. */
void pvp_clr_not_found(const char *name);

/* clr_moves.c: a collection begins; is over, with all threads still stopped. */
void pvp_clr_moves_begin(void);
void pvp_clr_moves_end(unsigned generation);

/*
 * clr_counters.c: resets, before the writer runs; counts; writes, on the writer's thread (false:
 * not written).
 */
void pvp_clr_counters_begin(void);
void pvp_clr_count_collection(unsigned generation, const struct pvp_clr_range *ranges, uint32_t n);
void pvp_clr_count_threads(int more);
bool pvp_clr_counters_tell(struct pvp_writer *w, struct pvp_out_buffer *page, bool again);

/*
 * clr_said.c: an event about an object with the stack and, if asked for, the object's class (and an
 * exception's message) directly before the event.
 */
void pvp_clr_said_thrown(struct pv_event *ev, uint64_t object);
/* lock: the runtime's lock number; holder: native id of the holding thread; 0: unknown. */
struct pvp_clr_contended {
	uint64_t object, lock, holder;
	bool is_object;
};
void pvp_clr_said_contended(struct pv_event *ev, const struct pvp_clr_contended *c);
void pvp_clr_said_handle(struct pv_event *ev, uint64_t object);
void pvp_clr_said_finalized(struct pv_event *ev, uint64_t object);
void pvp_clr_said_forget(void);

/* clr_fields.c: reports the fields of a class under the class's key, if asked for. */
void pvp_clr_fields(uint64_t type, uint64_t key);
/* Offset in an object of a class's own field of this name; 0: none. */
uint32_t pvp_clr_field_offset(uint64_t type, const char *name);

#endif
