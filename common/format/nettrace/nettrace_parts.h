/*
 * The parts of the reader. Private to the files of this folder. Out of memory is kept in
 * nettrace.nomem, and ends the stream.
 */
#ifndef PV_FORMAT_NETTRACE_PARTS_H
#define PV_FORMAT_NETTRACE_PARTS_H

#include "common/format/nettrace/nettrace_state.h"

enum {
	NT_KINDS = 1 << 16,        /* descriptions of events */
	NT_FIELDS = 1 << 20,       /* of all of them */
	NT_METHODS = 1000000,      /* and as many pieces of code */
	NT_ADDRESSES = 1000000,    /* that wait for a name */
	NT_STACK_WORDS = 16 << 20, /* frames of the stacks that are alive */
	NT_NAMES = 1000000,
	NT_THREADS = 1 << 16,
	NT_COUNTERS_MOST = 16384, /* series of meters among them: a name with its tags */
	NT_CUT = 100,             /* frames: a stack that has as many is cut at its outer end */
	NT_SHOT_WAITS = 1 << 24,  /* objects, or references, of a shot that wait for the others */
	NT_SHOT_AREAS = 1 << 15,  /* statics, and methods with roots */
	NT_FRAMES = 128,          /* of a stack, the innermost ones, whatever it says */
};
#define NT_NAME_BYTES ((size_t)256 << 20)

/* Keys of classes: or-ed with their name's number. */
#define NT_CLASS (UINT64_C(1) << 62)
/* Keys of objects without an address: or-ed with a number. */
#define NT_OBJECT (UINT64_C(1) << 62)
#define NT_OUTER  (UINT64_C(1) << 61) /* the frames that were cut */

/* The reader's own, owned by the stream. */
static inline struct nettrace *nt_of(const struct b07_stream *s)
{
	return s->other;
}

/* Little endian, as many bytes as a pointer of the program has. */
uint64_t nt_pointer(const struct nettrace *d, struct pv_cursor *c);
/* A text of UTF-16 up to its zero or the end, interned. 0: it is empty, or there are too many. */
uint32_t nt_text(struct nettrace *d, struct pv_cursor *c);
void nt_skip_text(struct pv_cursor *c);
/* The same into room; its length, cut where there is too much. */
size_t nt_text_into(struct pv_cursor *c, char *to, size_t room);
uint32_t nt_intern(struct nettrace *d, const char *text, size_t len);

/* An event at nettrace.now, good until the next one is added to the batch; NULL: out of memory. */
struct pv_event *nt_add(struct b07_stream *s, uint8_t kind, uint64_t offset);
/* Says that there is a class of that key. */
void nt_say_class(struct b07_stream *s, uint64_t key, uint32_t name, uint64_t offset);
/* The key of a class by its interned name; it is said to be one when it is met first. */
uint64_t nt_class_key(struct b07_stream *s, uint32_t name, uint64_t offset);
/* A thread and what is open on it: good until the next call; NULL: too many, or no memory. */
struct nt_thread *nt_thread_of(struct nettrace *d, uint64_t id);
/* Says how a thread is called, if that was not said yet. */
void nt_say_thread(struct b07_stream *s, uint64_t thread, uint64_t offset);
/* A mark in time, for people. */
void nt_mark(struct b07_stream *s, const char *text, size_t n, uint64_t offset);
/* An interned text, the stream's. */
struct pv_text nt_text_of(const struct nettrace *d, uint32_t id);

/* --- nettrace_block.c: events of a block, some at a time */

/* `n` bytes at `at` of the stream are a block of events. */
void nt_block_begin(struct nettrace *d, const uint8_t *bytes, size_t n, uint64_t at);
/* The next ones into nettrace.blob; false: there are none. */
bool nt_block_next(struct nettrace *d);
/* Descriptions of events; NULL, or a literal: what is wrong with the rest. */
const char *nt_metadata(struct nettrace *d, const uint8_t *bytes, size_t n);
/* How many events each thread has written until here: those that did not come were lost. */
void nt_sequence(struct nettrace *d, const uint8_t *bytes, size_t n);

/* --- nettrace_meta.c */

/* The description of an event, which is all of the cursor. */
void nt_describe(struct nettrace *d, struct pv_cursor *c);
/* A description under its number, unless there is one. */
void nt_keep_kind(struct nettrace *d, uint32_t id, struct nt_kind *k);
void nt_forget_kinds(struct nettrace *d);

/* --- nettrace_stack.c */

/* A block of stacks; NULL, or a literal: what is wrong with the rest. */
const char *nt_stacks(struct nettrace *d, const uint8_t *bytes, size_t n);
/* Their numbers mean others from here on. */
void nt_forget_stacks(struct nettrace *d);
/* Keys of its frames into the batch's pool, innermost or outermost first. */
struct pv_span nt_stack(struct b07_stream *s, const struct nt_blob *b, bool outermost_first);
/* How many frames it has; 0: none are known. */
uint32_t nt_stack_depth(const struct nettrace *d, const struct nt_blob *b);
/* A method's code is here from now on; size 0: up to the next one. */
void nt_add_code(struct nettrace *d, uint64_t key, uint64_t start, uint32_t size, uint32_t name);
/* The key of a method, or of the one at an address in it while nothing says where it is. */
uint64_t nt_method_key(struct b07_stream *s, uint64_t method, uint64_t address, uint64_t offset);
/* Names addresses that methods became known at; `all`: however few. */
void nt_name_addresses(struct b07_stream *s, uint64_t offset, bool all);

/* --- nettrace_name.c */

/* Class and method as the probes write them: `Space.Outer/Inner<A>:Do (int)`; interned. */
uint32_t nt_method_name(struct nettrace *d, struct pv_cursor *c);
uint32_t nt_class_name(struct nettrace *d, struct pv_cursor *c);

/* --- nettrace_events.c, nettrace_thrown.c, nettrace_counters.c, nettrace_meters.c, nettrace_heap.c */

/* Says an event in the batch, by neutral ones. */
void nt_event(struct b07_stream *s, const struct nt_blob *b);
/* Likewise, of an EventSource's counter; of a meter's instrument. */
void nt_counters(struct b07_stream *s, const struct nt_blob *b);
void nt_meter(struct b07_stream *s, const struct nt_blob *b, struct pv_cursor *c);

struct nt_counter {
	uint32_t section, name, unit; /* interned */
	bool grows;                   /* it never becomes less */
	bool adds;                    /* values are what was added since the one before */
};

/* A value of a counter, which is described when it is met first. */
void nt_put_counter(struct b07_stream *s, uint64_t offset, const struct nt_counter *k, double v);
/* How many workers .NET's thread pool wants from now on, a counter for each reason; and has now. */
void nt_pool_adjusted(struct b07_stream *s, const struct nt_blob *b, struct pv_cursor *c);
void nt_pool_workers(struct b07_stream *s, const struct nt_blob *b, struct pv_cursor *c);
/* An exception is thrown; a handler of one begins to run; one that caught is at its end. */
void nt_thrown(struct b07_stream *s, const struct nt_blob *b, struct pv_cursor *c);
void nt_handled(struct b07_stream *s, const struct nt_blob *b, struct pv_cursor *c);
void nt_catch_ends(struct nettrace *d, const struct nt_blob *b);
/* Likewise, of a part of a heap shot; and its end, if nothing of it is missing. */
void nt_heap(struct b07_stream *s, const struct nt_blob *b, struct pv_cursor *c);
void nt_end_shot(struct b07_stream *s, uint64_t offset);
/* Events that the runtime lost since the last time, and gaps between streams. */
void nt_tell_lost(struct b07_stream *s, uint64_t offset);
/* --- nettrace_process.c */

/* Whether it is of another process than the one that is shown; counted if it is. */
bool nt_is_other(struct nettrace *d, const struct nt_blob *b);
/* Says that there are others; `end`: how many events each of them had. */
void nt_tell_others(struct b07_stream *s, uint64_t offset, bool end);

/* --- nettrace_sample.c */

/* A sample of a thread, which waits until the next one says how long it held. */
void nt_sample(struct b07_stream *s, const struct nt_blob *b, struct pv_cursor *c);
/* How long a thread has run. */
void nt_thread_time(struct nettrace *d, const struct nt_blob *b, struct pv_cursor *c);
/* Samples that no other one follows, one thread's at a time; false: there are none. */
bool nt_flush_sample(struct b07_stream *s, uint64_t *ret_thread);
/* A collection's end whose heap size does not come. */
void nt_flush_end(struct b07_stream *s, uint64_t offset);

#endif
