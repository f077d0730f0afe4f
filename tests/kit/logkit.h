/* SPDX-License-Identifier: MIT */
/*
 * Builds logs in a few calls: events go through the encoder into buffers, and the buffers through
 * the decoder into a model, so a test's world is a real log. Times are ns since zero.
 *
 *	struct logkit *k = logkit_new(17);
 *	logkit_method(k, 0, 0xa0, "A");
 *	logkit_on(k, 1);
 *	logkit_enter(k, 10, 0xa0);
 *	logkit_leave(k, 30, 0xa0);
 *	ck_assert_int_eq(logkit_sum(k, "A").total_ns, 20);
 *	logkit_free(k);
 *
 * Every thread writes a buffer of its own; buffers reach the model when they are flushed, in the
 * order in which they were begun when nothing else was said. A failure fails the running test.
 */
#ifndef PV_TESTS_LOGKIT_H
#define PV_TESTS_LOGKIT_H

#include "common/format/mlpd/mlpd.h"
#include "common/model/model.h"

#define LOGKIT_ZERO INT64_C(100000000000) /* of the log's clock */
enum { LOGKIT_US = 1000, LOGKIT_MS = 1000000 };
#define LOGKIT_S INT64_C(1000000000)

struct logkit_buffer {
	uint64_t thread;
	struct mlpd_bases bases;
	PV_ARRAY(uint8_t) bytes;
	int64_t time_base;
	bool open;
};

struct logkit {
	struct pv_model *model;
	struct mlpd_format format;
	uint64_t thread;       /* that writes the next event */
	bool gap;              /* the next buffer stands after lost bytes */
	bool restarted;        /* the header was given to the model */
	size_t damage;         /* bytes of nonsense that end the next buffer */
	struct pv_batch pools; /* of the events being built */
	struct pv_batch batch;
	PV_ARRAY(struct logkit_buffer) buffer;
	PV_ARRAY(uint8_t) file; /* header and flushed buffers: a log */
	uint64_t offset;
};

struct logkit *logkit_new(unsigned data_version);
struct logkit *logkit_new_only(unsigned data_version, const struct pv_restrict *only);
void logkit_free(struct logkit *k);

/* The header again, as after a probe's "hello" or a new reader: the same recording goes on. */
void logkit_header(struct logkit *k);

/* The thread whose buffer the next events go to; 1 at first. */
void logkit_on(struct logkit *k, uint64_t thread);

/* Gives this thread's buffer, or all, to the model. */
void logkit_flush(struct logkit *k);
struct pv_model *logkit_model(struct logkit *k);

/* Any event; spans come from logkit_list(). */
void logkit_event(struct logkit *k, int64_t t, struct pv_event e);
struct pv_span logkit_list(struct logkit *k, const uint64_t *values, size_t n);
#define LOGKIT_LIST(k, ...)                                                                        \
	logkit_list(k, (const uint64_t[]){ __VA_ARGS__ },                                          \
		sizeof(const uint64_t[]){ __VA_ARGS__ } / sizeof(uint64_t))

void logkit_enter(struct logkit *k, int64_t t, uint64_t method);
void logkit_leave(struct logkit *k, int64_t t, uint64_t method);
void logkit_exc_leave(struct logkit *k, int64_t t, uint64_t method);

/* Names: of a method; of a class, with (from data version 15 on) a vtable of key + 1. */
void logkit_method(struct logkit *k, int64_t t, uint64_t key, const char *name);
void logkit_class(struct logkit *k, int64_t t, uint64_t key, const char *name);
void logkit_named(struct logkit *k, int64_t t, enum pv_kind kind, uint64_t key, const char *name);

/* An allocation names its class by logkit_type(): the class key or its vtable's. */
uint64_t logkit_type(const struct logkit *k, uint64_t class_key);
void logkit_alloc(struct logkit *k, int64_t t, uint64_t class_key, uint64_t object, uint64_t size);
void logkit_gc(struct logkit *k, int64_t t, unsigned step, unsigned generation);
void logkit_object(struct logkit *k, int64_t t, enum pv_kind kind, uint64_t object);

/* Another object, far away, that takes the same place in the model's table of addresses. */
uint64_t logkit_same_place(uint64_t object);
void logkit_plain(struct logkit *k, int64_t t, enum pv_kind kind); /* without fields */

/* Figures by name, from the model after everything was flushed. */
struct pv_method_sum logkit_sum(struct logkit *k, const char *method);
struct pv_class_allocs logkit_allocs(struct logkit *k, const char *class_name);
/* The node of a path like "Main/Work/Inner"; its number, 0 when there is none. */
uint32_t logkit_node(struct logkit *k, const char *path);
const struct pv_thread *logkit_thread(struct logkit *k, uint64_t id, unsigned epoch);

#endif
