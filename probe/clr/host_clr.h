/* SPDX-License-Identifier: MIT */
/* The .NET module's own files among themselves. Callbacks run on the program's threads. */
#ifndef PV_PROBE_HOST_CLR_H
#define PV_PROBE_HOST_CLR_H

#include <stdatomic.h>
#include <stdbool.h>

#include "common/format/event.h"
#include "probe/corprof/clr_api.h"
#include "probe/corprof/clr_args.h"
#include "probe/clr/clr_classes.h"
#include "probe/corprof/clr_flags.h"
#include "probe/core/registry.h"
#include "probe/core/writer.h"

enum {
	PVP_CLR_NAME = 4096,               /* bytes of a name; longer names are cut */
	PVP_CLR_UNKNOWN = PVP_MAX_REGIONS, /* the method of unknown code */
};

struct pvp_clr {
	struct pvp_clr_info *info;
	int version; /* of info, 4 to 15 */
	struct pvp_clr_options options;
	bool attached; /* to a running program */
	pvp_clr_slot slots[PVP_CLR_SLOTS];
};

extern struct pvp_clr pvp_clr;

/* Events asked for; clr_switch.c changes them while the writer and the program's threads read. */
static inline unsigned pvp_clr_groups(void)
{
	return __atomic_load_n(&pvp_clr.options.m.groups, __ATOMIC_RELAXED);
}

/* Likewise: enum pvp_clr_more. */
static inline unsigned pvp_clr_more(void)
{
	return __atomic_load_n(&pvp_clr.options.more, __ATOMIC_RELAXED);
}

/* Whether this process is a program of the SDK: `dotnet run`, `dotnet .../sdk/.../x.dll`. */
bool pvp_clr_is_sdks(void);

/* Each file sets its callbacks in pvp_clr.slots, by the options, and adds to the mask. */
struct pvp_clr_mask {
	uint32_t low, high;
};
void pvp_clr_meta_init(struct pvp_clr_mask *mask);
void pvp_clr_threads_init(struct pvp_clr_mask *mask);
void pvp_clr_events_init(struct pvp_clr_mask *mask);
void pvp_clr_calls_init(struct pvp_clr_mask *mask);
void pvp_clr_alloc_init(struct pvp_clr_mask *mask);
void pvp_clr_pipe_init(struct pvp_clr_mask *mask);
void pvp_clr_moves_init(struct pvp_clr_mask *mask);
void pvp_clr_crossings_init(struct pvp_clr_mask *mask);
void pvp_clr_samples_init(struct pvp_clr_mask *mask);
void pvp_clr_samples_begin(void); /* their timers, once more */
void pvp_clr_samples_tell(struct pvp_writer *w, struct pvp_out_buffer *page); /* the writer's */
void pvp_clr_samples_resolve(void); /* the agent's: whose code the addresses noted are */

/* The runtime's own events, once the mask is set: sampled allocations, locks. */
void pvp_clr_pipe_open(void);
void pvp_clr_pipe_close(void);

/* A later session begins with nothing of the earlier. */
void pvp_clr_events_forget(void);

/* After the mask is set, as required by the API; false: refused. */
bool pvp_clr_calls_hook(void);

/* The newest frame of the thread still to be unwound catches the exception. */
void pvp_clr_calls_caught(void);

/* Report things older than the recording: all of them, a module, a thread. */
void pvp_clr_tell_all(void);
void pvp_clr_module_there(uint64_t id);
void pvp_clr_thread_there(uint64_t id, uint32_t native);

/* The ids of the runtime's threads, at most `room`; their number. In stops and collections. */
size_t pvp_clr_threads_list(uint64_t *ret, size_t room);

/*
 * Keys: methods have small numbers, given at first sight and never again, however often the runtime
 * reuses an id; classes likewise (clr_classes.h). Other keys are the runtime's ids without the low
 * bits, always 0. 0: out of memory, or no such thing. The runtime is never called under our locks,
 * so these may be called wherever the runtime may be.
 */
uint64_t pvp_clr_method(uint64_t function);
/* The same, and notes whether calls are recorded, and whether the method is work (clr_files.c). */
uint64_t pvp_clr_method_hook(uint64_t function, bool traced, unsigned work);
uint64_t pvp_clr_method_if_hooked(
	uint64_t function, bool *ret_work); /* 0: calls are not reported */
uint64_t pvp_clr_domain(void);

/* The key of an id of the runtime's. */
static inline uint64_t pvp_clr_key(uint64_t id)
{
	return id >> 3;
}

/* The method of the address, also if precompiled; 0: none. */
uint64_t pvp_clr_method_at(uint64_t ip);
/* The same; hidden: left out by the runtime's walks, and without a function to ask about. */
uint64_t pvp_clr_method_in(uint64_t ip, bool *ret_hidden);
/* The runtime's function of a key; 0: gone. */
uint64_t pvp_clr_function(uint64_t key);

/*
 * Defines bodies of this method not known yet. took_ns: compile time of the newest body, 0:
 * unknown.
 */
void pvp_clr_compiled(uint64_t function, uint64_t took_ns);

/* Ids that end: the same id later is something else. */
void pvp_clr_method_gone(uint64_t function);
void pvp_clr_module_gone(uint64_t module);
void pvp_clr_forget(void); /* everything */

/* Names, UTF-8, cut at PVP_CLR_NAME; returns the length. An unknown name is "". */
size_t pvp_clr_class_name(uint64_t type, char name[PVP_CLR_NAME]);
size_t pvp_clr_method_name(uint64_t function, char name[PVP_CLR_NAME]);
/* The class that declares a method, as method names begin; 0: unknown. */
size_t pvp_clr_owner_name(
	uint64_t module, uint32_t method, uint32_t *ret_type, char name[PVP_CLR_NAME]);
size_t pvp_clr_utf8(const pvp_char *from, uint32_t n, char *to, size_t room);

/* The type of a field of `in`, from the field's signature; arguments without id stay "!0". */
size_t pvp_clr_field_type(
	const struct pvp_clr_type *in, const uint8_t *sig, uint32_t n, char name[PVP_CLR_NAME]);

/* The metadata of a module; to be released. NULL: none. */
struct pvp_clr_metadata *pvp_clr_metadata(uint64_t module);

/* The calling thread's managed frames, outermost first, as keys; at most options.frames. */
size_t pvp_clr_stack(uint64_t keys[PVP_MANAGED_FRAMES]);
/* The same; whether managed code of the library's tells of the event, not the runtime itself. */
size_t pvp_clr_stack_noted(uint64_t keys[PVP_MANAGED_FRAMES], bool *ret_managed);
/* The same without innermost frames that only report events. */
size_t pvp_clr_stack_of_work(uint64_t keys[PVP_MANAGED_FRAMES]);

/* An event about an object, with the stack put into *stack. */
void pvp_clr_with_stack(struct pv_event *ev, struct pv_span *stack, uint64_t object);
/* Frees what is remembered about methods. Thread-safe. */
void pvp_clr_stacks_forget(void);

#endif
