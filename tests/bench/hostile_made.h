/* SPDX-License-Identifier: MIT */
/* Private to the hostile logs that are made up event by event. */
#ifndef PV_TESTS_BENCH_HOSTILE_MADE_H
#define PV_TESTS_BENCH_HOSTILE_MADE_H

#include "tests/bench/hostile_log.h"
#include "tests/kit/wire.h"

enum {
	HOSTILE_KEYS = 1000, /* of a benign log */
	HOSTILE_CLASS = 0x10000,
	HOSTILE_THREAD = 0x40000000,
	HOSTILE_OBJECT = 0x50000000,
};

struct made {
	struct wire w;
	struct pv_batch pools;
	char text[40];
};

struct hostile_family {
	const char *name;
	void (*make)(struct made *x, bool benign, unsigned n);
	bool heap; /* it is of a heap shot's graph, or shots */
};

/* hostile_ext.c: what extension events say of locks and collections; ends with a name of NULL. */
extern const struct hostile_family hostile_ext[];

/* Into the buffer that is open, or a new one when it is full; then the pools are empty. */
void hostile_put(struct made *x, const struct pv_event *e);
/* A list of one pair, or of one more, for the next event. */
struct pv_span hostile_pair(struct made *x, uint64_t a, uint64_t b);
/* The load of a class, an image and so on; its name is made of a number. */
void hostile_put_load(struct made *x, uint8_t kind, uint64_t key, uint64_t owner, unsigned name);

/* hostile_heap.c: what is hard in the graph of a heap shot, n times. */
void hostile_inherited_fields(struct made *x, bool benign, unsigned n);
void hostile_chain_of_classes(struct made *x, bool benign, unsigned n);
void hostile_fields_of_one_key(struct made *x, bool benign, unsigned n);
void hostile_statics_of_one_class(struct made *x, bool benign, unsigned n);
void hostile_nested_classes(struct made *x, bool benign, unsigned n);
void hostile_linked_classes(struct made *x, bool benign, unsigned n);
void hostile_shots_of_classes(struct made *x, bool benign, unsigned n);

#endif
