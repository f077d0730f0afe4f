/* SPDX-License-Identifier: MIT */
/*
 * Small models made by hand for tests of views and reports: one call an event, times in
 * microseconds since the recording's zero. Events go to the thread chosen last; a change of
 * thread applies what was gathered.
 */
#ifndef PV_TESTS_QUERY_KIT_H
#define PV_TESTS_QUERY_KIT_H

#include <check.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/model/model.h"
#include "common/query/views.h"

struct kit {
	struct pv_model *m;
	struct pv_batch batch;
	uint64_t time;            /* ns on the log's clock */
	bool skip[PV_KIND_COUNT]; /* such events are left out */
};

enum { KIT_ZERO = 1000000 /* startup ns */ };

/* For what is built outside a Check test too, where ck_assert may not be used. */
static inline void kit_must(bool ok)
{
	if (!ok)
		abort();
}

struct kit kit_new(const char *args);
struct pv_text kit_string(const char *s);
void kit_free(struct kit *k); /* the model too */
void kit_thread(struct kit *k, uint64_t id);
void kit_at(struct kit *k, uint64_t us);
void kit_flush(struct kit *k);
void kit_end(struct kit *k, bool complete);

void kit_event(struct kit *k, struct pv_event e);
/*
 * Counter `index`, from 1 on, bytes that go up and down, or of another unit as on the wire; then
 * readings of the first n, as differences.
 */
void kit_describe_counter(struct kit *k, uint64_t index, const char *name);
void kit_describe_counter_in(struct kit *k, uint64_t index, const char *name, uint64_t unit);
void kit_counters(struct kit *k, uint64_t us, const uint64_t *more, size_t n);
void kit_method(struct kit *k, uint64_t key, const char *name);
void kit_class(struct kit *k, uint64_t key, const char *name); /* its vtable is key + 1 */
void kit_enter(struct kit *k, uint64_t method);
void kit_leave(struct kit *k, uint64_t method);
void kit_exc_leave(struct kit *k, uint64_t method);
/* Stacks: method keys outermost first (samples: innermost first), 0 ends them. */
void kit_alloc(
	struct kit *k, uint64_t class, uint64_t object, uint64_t size, const uint64_t *stack);
void kit_throw(struct kit *k, uint64_t object, const uint64_t *stack);
/* Bytes that a stack of a native program holds, in one block, and the reading that follows. */
void kit_held(struct kit *k, uint64_t number, const uint64_t *stack, uint64_t bytes);
void kit_monitor(struct kit *k, enum pv_kind kind, uint64_t object, const uint64_t *stack);
void kit_sample(struct kit *k, uint64_t thread, uint64_t ip, const uint64_t *frames);
void kit_gc(struct kit *k, enum pv_gc_step step, uint64_t generation);
void kit_shot_object(struct kit *k, uint64_t class, uint64_t object, uint64_t size, uint64_t refs);

/* A view under a query; never NULL. */
struct pv_table *kit_view(struct kit *k, enum pv_view view, const struct pv_query *q);

/* The row whose name column reads so; fails the test when there is none. */
const struct pv_row *kit_row(const struct pv_table *t, const char *column, const char *name);
const struct pv_cell *kit_cell(
	const struct pv_table *t, const struct pv_row *row, const char *column);

/* "a=1 b=- c=text": cells of a row as every digit, for whole-row comparisons. */
const char *kit_text(const struct pv_table *t, size_t row, const char *const *columns);

#endif
