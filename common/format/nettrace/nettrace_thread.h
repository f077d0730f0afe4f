/* SPDX-License-Identifier: MIT */
/* The state of threads while a stream is read. Private to this folder. */
#ifndef PV_FORMAT_NETTRACE_THREAD_H
#define PV_FORMAT_NETTRACE_THREAD_H

#include "common/base/map.h"
#include "common/base/mem.h"

/* A sample stands for the time until its thread's next one, and waits until then. */
struct nt_sample {
	PV_ARRAY(uint64_t) frame; /* keys, innermost first */
	uint64_t time;            /* ns */
	uint64_t offset;
	uint64_t carry; /* ns left over from whole weights */
	bool waits;
	uint8_t may; /* enum nt_may */
};

/* Whether a thread can have waited at a sample. */
enum nt_may {
	NT_RUNS,     /* in managed code, or in runtime code that counts as such */
	NT_MAY_WAIT, /* in native code, called by a method that also runs itself */
	NT_WAITS     /* in native code, called by a method rarely seen outside */
};

/* Samples with a method as the innermost one. */
struct nt_leaf {
	uint32_t managed, native;
};

/* Between two readings of CPU time: the rest of the time, as far as no sample took it. */
struct nt_interval {
	uint64_t from, to;     /* ns */
	int64_t waits, queued; /* ns; waits: with the time suspended by the sampler, */
	int64_t waits_least;   /* and without */
};

/* The newest intervals: samples come some tenths of a second after they were taken. */
enum { NT_INTERVALS = 8 };
struct nt_times {
	uint64_t time, ran, queued; /* the newest reading, ns; time 0: none */
	unsigned next;
	struct nt_interval interval[NT_INTERVALS];
};

/* The sampler suspends all threads for each sample: the share of time suspended. */
struct nt_stood {
	uint64_t ns, last_ns, last_time; /* until now; at the last reading */
	double share;                    /* between the last two readings */
};

/*
 * The newest exceptions, oldest first: not caught yet, and caught, with handlers that may still
 * run.
 */
enum { NT_THROWS_OPEN = 8 };
struct nt_throw {
	uint64_t object, type; /* keys; 0: none */
	uint32_t depth;        /* frames of the stack where it was caught */
};
struct nt_throws {
	struct nt_throw open[NT_THROWS_OPEN], caught[NT_THROWS_OPEN];
	unsigned n, caught_n;
};

/* A thread, with everything open on it. */
struct nt_thread {
	uint64_t id;
	uint64_t lock;                               /* waited for; 0: none */
	uint64_t jit_method, jit_from;               /* compiled since, ns */
	uint64_t stop_from, stop_stood, stop_reason; /* of the suspension by this thread */
	struct nt_sample sample; /* the newest, until the next one shows its weight */
	struct nt_times times;
	struct nt_throws throws;
	uint32_t seq;  /* number of its newest event, as a writer */
	uint32_t name; /* interned; 0: not known */
	bool named;    /* its name was given out */
};

/* A thread by its number in a stream of version 6. */
struct nt_index {
	uint64_t thread;
	uint32_t pid, seq;
};

/* One process of a stream is shown; events of the others are counted. */
enum { NT_PROCESSES = 16 /* processes with counts of their own */ };
struct nt_processes {
	uint32_t shown;      /* 0: not known yet */
	uint64_t left, said; /* events of other processes */
	uint32_t n;
	struct {
		uint32_t pid;
		uint64_t events;
	} other[NT_PROCESSES];
	bool ended; /* their numbers of events were given out */
};

/* Only in streams of version 6. */
struct nt_six {
	PV_ARRAY(struct nt_index) index;
	struct pv_map index_of;
	PV_ARRAY(uint32_t) free; /* in index: of finished threads */
	PV_ARRAY(uint8_t) label; /* lists as read, one after the other */
	struct pv_map label_of;  /* the first byte of each list */
};

#endif
