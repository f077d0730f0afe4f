/* The .NET module's own files among themselves. Callbacks run on the program's threads. */
#ifndef PV_PROBE_HOST_CLR_H
#define PV_PROBE_HOST_CLR_H

#include <stdatomic.h>
#include <stdbool.h>

#include "common/format/event.h"
#include "probe/clr/clr_api.h"
#include "probe/clr/clr_args.h"
#include "probe/clr/clr_classes.h"
#include "probe/clr/clr_flags.h"
#include "probe/core/registry.h"
#include "probe/core/writer.h"

enum {
	PVP_CLR_NAME = 4096,               /* bytes of a name; longer ones are cut */
	PVP_CLR_UNKNOWN = PVP_MAX_REGIONS, /* the method of unknown code */
};

struct pvp_clr {
	struct pvp_clr_info *info;
	int version; /* of info, 4 to 15 */
	struct pvp_clr_options options;
	bool attached; /* to a program that ran already */
	pvp_clr_slot slots[PVP_CLR_SLOTS];
};

extern struct pvp_clr pvp_clr;

/* Events asked for; clr_switch.c changes it while the writer and the program's threads look. */
static inline unsigned pvp_clr_groups(void)
{
	return __atomic_load_n(&pvp_clr.options.m.groups, __ATOMIC_RELAXED);
}

/* Likewise: enum pvp_clr_more. */
static inline unsigned pvp_clr_more(void)
{
	return __atomic_load_n(&pvp_clr.options.more, __ATOMIC_RELAXED);
}

/* Whether this process is one of the SDK's: `dotnet run`, `dotnet .../sdk/.../x.dll`. */
bool pvp_clr_is_sdks(void);
bool pvp_clr_words_are_sdks(const char *words, size_t n);

/* Each file puts its callbacks into pvp_clr.slots, as the options say, and adds to the mask. */
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

/* Once the mask is set, as the API wants it; false: refused. */
bool pvp_clr_calls_hook(void);

/* The thread's newest frame that was to be unwound catches the exception. */
void pvp_clr_calls_caught(void);

/* Report things that existed before the probe came: all of them, a module, a thread. */
void pvp_clr_tell_all(void);
void pvp_clr_module_there(uint64_t id);
void pvp_clr_thread_there(uint64_t id, uint32_t native);

/*
 * Keys: methods have small numbers, given at first sight and never again, however often the runtime
 * uses an id again; classes likewise (clr_classes.h). The rest are the runtime's ids without the
 * bits that are always 0. 0: out of memory, or no such thing. None of the runtime is called under a
 * lock of ours, so these may be asked for wherever the runtime may.
 */
uint64_t pvp_clr_method(uint64_t function);
/* The same, and notes whether its calls are recorded, and whether it is work (clr_files.c). */
uint64_t pvp_clr_method_hook(uint64_t function, bool traced, unsigned work);
uint64_t pvp_clr_method_if_hooked(
	uint64_t function, bool *ret_work); /* 0: its calls are not reported */
uint64_t pvp_clr_domain(void);

/* The key of an id of the runtime's. */
static inline uint64_t pvp_clr_key(uint64_t id)
{
	return id >> 3;
}

/* The method whose code holds the address, also one that was compiled before we came; 0: none. */
uint64_t pvp_clr_method_at(uint64_t ip);

/*
 * Bodies of this method that are not known yet: definitions with their code. took_ns: how long the
 * newest took to compile, 0: not known.
 */
void pvp_clr_compiled(uint64_t function, uint64_t took_ns);

/* Ids that end: what comes with them later is something else. */
void pvp_clr_method_gone(uint64_t function);
void pvp_clr_module_gone(uint64_t module);
void pvp_clr_forget(void); /* everything */

/* Names, UTF-8, cut at PVP_CLR_NAME; the length. A name that cannot be had is "". */
size_t pvp_clr_class_name(uint64_t type, char name[PVP_CLR_NAME]);
size_t pvp_clr_method_name(uint64_t function, char name[PVP_CLR_NAME]);
/* The definition that a method is declared in, as method names begin; 0: it cannot be had. */
size_t pvp_clr_owner_name(
	uint64_t module, uint32_t method, uint32_t *ret_type, char name[PVP_CLR_NAME]);
size_t pvp_clr_utf8(const pvp_char *from, uint32_t n, char *to, size_t room);

/* The type that a field's signature says, of a field of `in`; arguments without id stay "!0". */
size_t pvp_clr_field_type(
	const struct pvp_clr_type *in, const uint8_t *sig, uint32_t n, char name[PVP_CLR_NAME]);

/* The metadata of a module; release it. NULL: it has none. */
struct pvp_clr_metadata *pvp_clr_metadata(uint64_t module);

/* The calling thread's managed frames, outermost first, as keys; at most options.frames. */
size_t pvp_clr_stack(uint64_t keys[PVP_MANAGED_FRAMES]);
/* The same; whether managed code of the library's tells of the event, not the runtime itself. */
size_t pvp_clr_stack_noted(uint64_t keys[PVP_MANAGED_FRAMES], bool *ret_managed);
/* The same without the innermost ones that only tell of events. */
size_t pvp_clr_stack_of_work(uint64_t keys[PVP_MANAGED_FRAMES]);

/* An event about an object, with the stack it happens on put where `stack` points. */
void pvp_clr_with_stack(struct pv_event *ev, struct pv_span *stack, uint64_t object);
/* Frees what is remembered about methods. Thread-safe. */
void pvp_clr_stacks_forget(void);

#endif
