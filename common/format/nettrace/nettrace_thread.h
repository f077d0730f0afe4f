/* All that is kept of threads while a stream is read. Private to the files of this folder. */
#ifndef PV_FORMAT_NETTRACE_THREAD_H
#define PV_FORMAT_NETTRACE_THREAD_H

#include "common/base/map.h"
#include "common/base/mem.h"

/* A sample stands for the time until its thread's next one: until that is known it waits. */
struct nt_sample {
	PV_ARRAY(uint64_t) frame; /* keys, innermost first */
	uint64_t time;            /* ns */
	uint64_t offset;
	uint64_t carry; /* ns that were no whole weight yet */
	bool waits;
};

/* A thread and all that is open on it. */
struct nt_thread {
	uint64_t id;
	uint64_t lock;                               /* waited for; 0: none */
	uint64_t jit_method, jit_from;               /* compiled since, ns */
	uint64_t stop_from, stop_stood, stop_reason; /* that it makes the others stand for */
	struct nt_sample sample; /* the newest, until the next one says how long it held */
	uint32_t seq;            /* of its newest event, as a writer */
	uint32_t name;           /* interned; 0: not known */
	bool named;              /* its name was given out */
};

/* A thread by its number in a stream of version 6. */
struct nt_index {
	uint64_t thread;
	uint32_t pid, seq;
};

/* Only streams of version 6 have these. */
struct nt_six {
	PV_ARRAY(struct nt_index) index;
	struct pv_map index_of;
	PV_ARRAY(uint32_t) free; /* in index: of threads that are gone */
	PV_ARRAY(uint8_t) label; /* lists as they came, one after the other */
	struct pv_map label_of;  /* the first byte of each */
};

#endif
