/* SPDX-License-Identifier: MIT */
/*
 * Small programs' logs, made through the encoder in any data version and for both pointer sizes:
 * what `make_log` writes and the Python tests know the figures of. Addresses are made from H, the
 * top of the profiled process's memory; times are us since the log's zero.
 */
#ifndef PV_TESTS_WORLDS_H
#define PV_TESTS_WORLDS_H

#include "tests/kit/wire.h"

struct world {
	struct wire w;
	struct pv_batch pools; /* of the event being made */
	uint64_t high;         /* H */
	bool leaves_out;       /* without the events that end the stock reader */
};

enum { WORLD_MAIN = 0x9100, WORLD_WORKER = 0x9200 };

/* `layout`: bits of enum mlpd_layout, of a log whose header says data version `says`. */
void world_init(struct world *x, const struct mlpd_format *f, uint8_t says);
void world_finish(struct world *x);

/* A buffer of this thread (H + thread) begins. */
void world_buffer(struct world *x, uint64_t thread, int64_t us);

/* The event at a time; left out where the data version has none of its kind. */
void world_put(struct world *x, int64_t us, struct pv_event e);

/* A list of the next event. */
struct pv_span world_list(struct world *x, const uint64_t *values, size_t n);
#define WORLD_LIST(x, ...)                                                                         \
	world_list(x, (const uint64_t[]){ __VA_ARGS__ },                                           \
		sizeof(const uint64_t[]){ __VA_ARGS__ } / sizeof(uint64_t))

/* Method n, object n, and the type that an allocation of class n (1, 2) names. */
uint64_t world_method(const struct world *x, unsigned n);
uint64_t world_object(const struct world *x, unsigned n);
uint64_t world_type(const struct world *x, unsigned n);
void world_jit(struct world *x, int64_t us, unsigned method, uint64_t size, const char *name);
void world_class(struct world *x, int64_t us, unsigned n, const char *name);

struct pv_text world_text(const char *text);
/* The beginning of every text made from now on, header and all; "" at first. It is borrowed. */
void world_lead(const char *text);

/* An assembly, a class of it and a method of that, 1 us apart, as coverage events of these kinds. */
void world_covered(struct world *x, int64_t us, const enum pv_kind kind[3]);

/* world_all.c: every kind of the data version, in every form. */
void world_every_kind(struct world *x);

/* world_texts.c: text in every event that can hold any; data version 17. */
void world_texts(struct world *x);

/* world_strings.c: a heap shot with names of fields and beginnings of strings; data version 17. */
void world_strings(struct world *x);

/* world_lines.c: samples of methods whose source lines are logged; data version 17. */
void world_lines(struct world *x);

/* world_bugs.c: what other readers get wrong. */
void world_helpers(struct world *x);
void world_monitors(struct world *x);
void world_recursion(struct world *x);
void world_callers(struct world *x);
void world_lost_leaves(struct world *x);
void world_strangers(struct world *x);
void world_stray_object(struct world *x);
void world_word_counter(struct world *x);
void world_performance_counter(struct world *x);
void world_class_unload(struct world *x);
void world_vtable_delayed(struct world *x);
void world_image_unload(struct world *x);
void world_old_roots(struct world *x);
void world_delayed_layout(struct world *x);
void world_thread_lives(struct world *x);

#endif
