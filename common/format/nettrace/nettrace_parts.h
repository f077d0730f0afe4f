/* SPDX-License-Identifier: MIT */
/*
 * Functions that the files of the reader share, private to this folder. Out of memory is kept in
 * nettrace.nomem, and ends the stream.
 */
#ifndef PV_FORMAT_NETTRACE_PARTS_H
#define PV_FORMAT_NETTRACE_PARTS_H

#include "common/format/nettrace/nettrace_state.h"

enum {
	NT_KINDS = 1 << 16,        /* descriptions of events */
	NT_FIELDS = 1 << 20,       /* of all descriptions */
	NT_METHODS = 1000000,      /* the same limit holds for pieces of code */
	NT_ADDRESSES = 1000000,    /* waiting for a name */
	NT_STACK_WORDS = 16 << 20, /* frames of the current stacks */
	NT_NAMES = 1000000,
	NT_THREADS = 1 << 16,
	NT_COUNTERS_MOST = 16384, /* with series of meters: a name with its tags */
	NT_CUT = 100,             /* frames: the runtime's limit, so such stacks are cut */
	NT_SHOT_WAITS = 1 << 24,  /* objects, or references, of a shot in waiting */
	NT_SHOT_AREAS = 1 << 15,  /* statics, and methods with roots */
	NT_FRAMES = 1024,         /* of a stack, the innermost ones; further ones are cut here */
};
#define NT_NAME_BYTES ((size_t)256 << 20)

/* Keys of classes: this, or-ed with the name's number. */
#define NT_CLASS (UINT64_C(1) << 62)
/* Keys of objects without an address: this, or-ed with a number. */
#define NT_OBJECT (UINT64_C(1) << 62)
#define NT_OUTER  (UINT64_C(1) << 61) /* stands for cut frames */

/* The reader's state, owned by the stream. */
static inline struct nettrace *nt_of(const struct pv_stream *s)
{
	return s->state;
}

/* Little endian, in the size of the program's pointers. */
uint64_t nt_pointer(const struct nettrace *d, struct pv_cursor *c);
/* Interns a text in UTF-16 up to its zero or the end. 0: empty, or too many texts. */
uint32_t nt_text(struct nettrace *d, struct pv_cursor *c);
void nt_skip_text(struct pv_cursor *c);
/* The same into room; returns the length, cut if too long. */
size_t nt_text_into(struct pv_cursor *c, char *to, size_t room);
uint32_t nt_intern(struct nettrace *d, const char *text, size_t len);

/* An event at nettrace.now, good until the next one is added to the batch; NULL: out of memory. */
struct pv_event *nt_add(struct pv_stream *s, uint8_t kind, uint64_t offset);
/* Adds the definition of a class with this key. */
void nt_say_class(struct pv_stream *s, uint64_t key, uint32_t name, uint64_t offset);
/* The key of a class by its interned name; the class is defined at first use. */
uint64_t nt_class_key(struct pv_stream *s, uint32_t name, uint64_t offset);
/* A thread's state, good until the next call; NULL: too many threads, or no memory. */
struct nt_thread *nt_thread_of(struct nettrace *d, uint64_t id);
/* Adds the name of a thread, once. */
void nt_say_thread(struct pv_stream *s, uint64_t thread, uint64_t offset);
/* A mark in time, for people. */
void nt_mark(struct pv_stream *s, const char *text, size_t n, uint64_t offset);
/* An interned text, the stream's. */
struct pv_text nt_text_of(const struct nettrace *d, uint32_t id);

/* --- nettrace_block.c: events of a block, some at a time */

/* `n` bytes at `at` of the stream are a block of events. */
void nt_block_begin(struct nettrace *d, const uint8_t *bytes, size_t n, uint64_t at);
/* Decodes the next events into nettrace.blob; false: no more. */
bool nt_block_next(struct nettrace *d);
/* Takes descriptions of events; NULL, or a literal: the fault of the rest. */
const char *nt_metadata(struct nettrace *d, const uint8_t *bytes, size_t n);
/* Takes the number of events that each thread has written so far: the missing ones were lost. */
void nt_sequence(struct nettrace *d, const uint8_t *bytes, size_t n);

/* --- nettrace_meta.c */

/* Takes the description of an event from the whole cursor. */
void nt_describe(struct nettrace *d, struct pv_cursor *c);
/* Keeps a description by its number, unless the number is in use. */
void nt_keep_kind(struct nettrace *d, uint32_t id, struct nt_kind *k);
void nt_forget_kinds(struct nettrace *d);

/* --- nettrace_stack.c */

/* Takes a block of stacks; NULL, or a literal: the fault of the rest. */
const char *nt_stacks(struct nettrace *d, const uint8_t *bytes, size_t n);
/* From here on stacks are numbered anew. */
void nt_forget_stacks(struct nettrace *d);
/* Adds the keys of the event's frames to the batch's pool, innermost or outermost first. */
struct pv_span nt_stack(struct pv_stream *s, const struct nt_blob *b, bool outermost_first);
/* The number of frames; 0: none known. */
uint32_t nt_stack_depth(const struct nettrace *d, const struct nt_blob *b);
/* Adds a method's code; size 0: up to the next code. */
void nt_add_code(struct nettrace *d, uint64_t key, uint64_t start, uint32_t size, uint32_t name);
/* The key of a method; if the method is unknown, the key of the code at `address`. */
uint64_t nt_method_key(struct pv_stream *s, uint64_t method, uint64_t address, uint64_t offset);
/* Names the addresses whose methods became known; `all`: however few. */
void nt_name_addresses(struct pv_stream *s, uint64_t offset, bool all);

/* --- nettrace_name.c */

/* Class and method in the probes' notation: `Space.Outer/Inner<A>:Do (int)`; interned. */
uint32_t nt_method_name(struct nettrace *d, struct pv_cursor *c);
uint32_t nt_class_name(struct nettrace *d, struct pv_cursor *c);

/* --- nettrace_events.c, _thrown.c, _counters.c, _meters.c, _heap.c */

/* Adds an event to the batch as neutral events. */
void nt_event(struct pv_stream *s, const struct nt_blob *b);
/* The same for an EventSource's counter; for a meter's instrument. */
void nt_counters(struct pv_stream *s, const struct nt_blob *b);
void nt_meter(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c);

struct nt_counter {
	uint32_t section, name, unit; /* interned */
	bool grows;                   /* never decreases */
	bool adds;                    /* values are increments */
};

/* Adds a value of a counter, described at first use. */
void nt_put_counter(struct pv_stream *s, uint64_t offset, const struct nt_counter *k, double v);
/* Workers that .NET's thread pool wants from now on, a counter for each reason; current workers. */
void nt_pool_adjusted(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c);
void nt_pool_workers(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c);
void nt_settings(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c);
/* An exception is thrown; a handler begins to run; a catching handler ends. */
void nt_thrown(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c);
void nt_handled(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c);
void nt_catch_ends(struct nettrace *d, const struct nt_blob *b);
/* The same for a part of a heap shot; and the shot's end, if nothing is missing. */
void nt_heap(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c);
void nt_end_shot(struct pv_stream *s, uint64_t offset);
/* Adds the number of lost events since the last call, and of gaps between streams. */
void nt_tell_lost(struct pv_stream *s, uint64_t offset);
/* --- nettrace_process.c */

/* Whether the event is of another process than the one shown; then it is counted. */
bool nt_is_other(struct nettrace *d, const struct nt_blob *b);
/* Adds a mark that there are other processes; `end`: with the number of events of each. */
void nt_tell_others(struct pv_stream *s, uint64_t offset, bool end);

/* --- nettrace_sample.c */

/* Takes a sample of a thread, held until the thread's next sample shows the weight. */
void nt_sample(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c);
/* Takes a reading of a thread's CPU time. */
void nt_thread_time(struct nettrace *d, const struct nt_blob *b, struct pv_cursor *c);
/* Gives out the last samples, one thread at a time; false: no more. */
bool nt_flush_sample(struct pv_stream *s, uint64_t *ret_thread);
/* Gives out the end of a collection without the heap's size. */
void nt_flush_end(struct pv_stream *s, uint64_t offset);
#endif
