/* SPDX-License-Identifier: MIT */
/* Exceptions, locks and counters: events that need something from elsewhere to be understood. */
#include <string.h>

#include "common/model/ground/model_parts.h"
#include "tests/kit/logkit.h"
#include "tests/kit/suite.h"

enum { A = 0xa0, B = 0xb0, OOPS = 0x500, LOCK = 0x600, WORD = 0x700 };

static struct logkit *world(void)
{
	struct logkit *k = logkit_new(17);
	logkit_class(k, 0, OOPS, "Oops");
	logkit_class(k, 0, LOCK, "Lock");
	logkit_class(k, 0, WORD, "Word");
	logkit_method(k, 0, A, "A");
	return k;
}

static uint64_t thrown(struct logkit *k, const char *class_name)
{
	struct pv_model *m = logkit_model(k);
	uint64_t n = 0;
	for (size_t i = 1; i < m->throws.sites.site.n; i++) {
		const struct pv_site *s = &m->throws.sites.site.v[i];
		const char *name = pv_intern_text(
			&m->names.text, pv_names_class_name(&m->names, s->class_use));
		n += strcmp(name, class_name) == 0 ? s->count : 0;
	}
	return n;
}

START_TEST(classes_of_throws_follow_the_address)
{
	struct logkit *k = world();
	logkit_alloc(k, 1, OOPS, 0x8000, 24);
	logkit_object(k, 2, PV_KIND_EXCEPTION_THROW, 0x8000);
	struct pv_span moved = LOGKIT_LIST(k, 0x8000, 0x9000);
	logkit_event(k, 3, (struct pv_event){ .kind = PV_KIND_GC_MOVE, .moves = { moved } });
	logkit_alloc(k, 4, WORD, 0x8000, 24); /* the address is used again */
	logkit_object(k, 5, PV_KIND_EXCEPTION_THROW, 0x9000);
	logkit_object(k, 6, PV_KIND_EXCEPTION_THROW, 0x8000);
	logkit_object(k, 7, PV_KIND_EXCEPTION_THROW, 0xaaaa0);
	logkit_plain(k, 8, PV_KIND_HEAP_START);
	logkit_event(k, 9,
		(struct pv_event){ .kind = PV_KIND_HEAP_OBJECT,
			.heap_object = { 0xaaaa0, logkit_type(k, OOPS), 24, 0, { 0, 0 }, 0 } });
	logkit_plain(k, 10, PV_KIND_HEAP_END);
	logkit_object(k, 11, PV_KIND_EXCEPTION_THROW, 0xaaaa0);
	ck_assert_uint_eq(thrown(k, "Oops"), 3);
	ck_assert_uint_eq(thrown(k, "Word"), 1);
	ck_assert_uint_eq(thrown(k, ""), 1);
	ck_assert_uint_eq(k->model->throws.thrown, 5);
	ck_assert_uint_eq(k->model->throws.unknown_class, 1);
	logkit_free(k);
}
END_TEST

START_TEST(moves_of_one_event_speak_of_one_moment)
{
	struct logkit *k = world();
	logkit_alloc(k, 1, OOPS, 0x8000, 24);
	logkit_alloc(k, 1, WORD, 0x9000, 24);
	struct pv_span moved = LOGKIT_LIST(k, 0x8000, 0x9000, 0x9000, 0xa000);
	logkit_event(k, 3, (struct pv_event){ .kind = PV_KIND_GC_MOVE, .moves = { moved } });
	logkit_object(k, 5, PV_KIND_EXCEPTION_THROW, 0x9000);
	logkit_object(k, 6, PV_KIND_EXCEPTION_THROW, 0xa000);
	logkit_object(k, 7, PV_KIND_EXCEPTION_THROW, 0xa000);
	ck_assert_uint_eq(thrown(k, "Oops"), 1);
	ck_assert_uint_eq(thrown(k, "Word"), 2);
	logkit_free(k);
}
END_TEST

START_TEST(objects_of_one_place_are_both_known)
{
	const uint64_t one = 0x8000, other = logkit_same_place(one), third = 0x9000;
	struct logkit *k = world();
	logkit_alloc(k, 1, OOPS, one, 24);
	logkit_alloc(k, 2, WORD, other, 24);
	logkit_object(k, 3, PV_KIND_EXCEPTION_THROW, one);
	logkit_object(k, 4, PV_KIND_EXCEPTION_THROW, other);
	ck_assert_uint_eq(thrown(k, "Oops"), 1);
	ck_assert_uint_eq(thrown(k, "Word"), 1);
	/* The one that had to go moves; where it was, another one begins. */
	struct pv_span moved = LOGKIT_LIST(k, one, third);
	logkit_event(k, 5, (struct pv_event){ .kind = PV_KIND_GC_MOVE, .moves = { moved } });
	logkit_alloc(k, 6, LOCK, one, 24);
	logkit_object(k, 7, PV_KIND_EXCEPTION_THROW, third);
	logkit_object(k, 8, PV_KIND_EXCEPTION_THROW, one);
	logkit_object(k, 9, PV_KIND_EXCEPTION_THROW, other);
	ck_assert_uint_eq(thrown(k, "Oops"), 2);
	ck_assert_uint_eq(thrown(k, "Lock"), 1);
	ck_assert_uint_eq(thrown(k, "Word"), 2);
	ck_assert_uint_eq(k->model->throws.unknown_class, 0);
	logkit_free(k);
}
END_TEST

START_TEST(who_has_an_address_later_is_who_counts)
{
	const uint64_t one = 0x8000, other = logkit_same_place(one);
	struct logkit *k = world();
	logkit_alloc(k, 1, OOPS, one, 24);
	logkit_alloc(k, 2, WORD, other, 24);
	logkit_alloc(k, 3, LOCK, one, 24);   /* its address is used again, and ... */
	logkit_alloc(k, 4, WORD, other, 24); /* ... it has to go, too */
	logkit_object(k, 5, PV_KIND_EXCEPTION_THROW, one);
	ck_assert_uint_eq(thrown(k, "Lock"), 1);
	ck_assert_uint_eq(thrown(k, "Oops"), 0);
	logkit_free(k);
}
END_TEST

START_TEST(throw_stacks_and_clauses)
{
	struct logkit *k = world();
	struct pv_span stack = LOGKIT_LIST(k, A, B);
	logkit_event(k, 1,
		(struct pv_event){
			.kind = PV_KIND_EXCEPTION_THROW, .thrown = { 0x8000, stack, 0 } });
	logkit_enter(k, 2, A);
	logkit_object(k, 3, PV_KIND_EXCEPTION_THROW, 0x8000); /* in calls mode: the path */
	const uint64_t types[] = { 0, 0, 1, 2, 2, 2, 4, 9 };
	for (size_t i = 0; i < PV_COUNT_OF(types); i++)
		logkit_event(k, 10,
			(struct pv_event){ .kind = PV_KIND_EXCEPTION_CLAUSE,
				.clause = { types[i], 0, A, 0x8000 } });
	struct pv_model *m = logkit_model(k);
	ck_assert_uint_eq(m->throws.sites.site.n, 3);
	ck_assert_uint_ne(m->throws.sites.site.v[1].stack, m->throws.sites.site.v[2].stack);
	ck_assert_uint_eq(m->stacks.node.v[m->throws.sites.site.v[2].stack].parent, 0);
	ck_assert_uint_eq(m->throws.clauses[PV_CLAUSE_CATCH], 2);
	ck_assert_uint_eq(m->throws.clauses[PV_CLAUSE_FILTER], 1);
	ck_assert_uint_eq(m->throws.clauses[PV_CLAUSE_FINALLY], 3);
	ck_assert_uint_eq(m->throws.clauses[PV_CLAUSE_FAULT], 1);
	ck_assert_uint_eq(m->throws.clauses[PV_CLAUSE_OTHER], 1);
	logkit_free(k);
}
END_TEST

START_TEST(waits_pair_on_their_thread)
{
	struct logkit *k = world();
	logkit_alloc(k, 0, LOCK, 0x8000, 24);
	logkit_object(k, 100, PV_KIND_MONITOR_CONTENTION, 0x8000);
	logkit_flush(k);
	logkit_on(k, 2);
	logkit_object(k, 150, PV_KIND_MONITOR_CONTENTION, 0x8000);
	logkit_object(k, 190, PV_KIND_MONITOR_FAIL, 0x8000);
	logkit_object(k, 195, PV_KIND_MONITOR_DONE, 0x8000); /* no thread waited */
	logkit_flush(k);
	logkit_on(k, 1);
	logkit_object(k, 300, PV_KIND_MONITOR_DONE, 0x8000);
	const struct pv_locks *l = &logkit_model(k)->locks;
	ck_assert_uint_eq(l->contentions, 2);
	ck_assert_uint_eq(l->acquired, 2);
	ck_assert_uint_eq(l->failed, 1);
	ck_assert_int_eq(l->wait_ns, 200 + 40);
	ck_assert_uint_eq(l->unpaired, 1);
	ck_assert_uint_eq(l->lock.n, 2);
	ck_assert_uint_eq(l->lock.v[1].contentions, 2);
	ck_assert_uint_eq(l->lock.v[1].acquired, 1);
	ck_assert_int_eq(l->lock.v[1].wait_ns, 240);
	ck_assert_int_eq(l->lock.v[1].max_wait_ns, 200);
	ck_assert_uint_eq(l->lock.v[1].object, 0x8000);
	char buf[24];
	ck_assert_str_eq(
		pv_names_class_text(&k->model->names, l->lock.v[1].class_use, buf), "Lock");
	ck_assert_uint_eq(l->by_lock.site.n, 2);
	ck_assert_uint_eq(l->by_lock.site.v[1].class_use, 1);
	ck_assert_uint_eq(l->by_lock.site.v[1].count, 2);
	ck_assert_uint_eq(l->by_lock.site.v[1].amount, 240);
	logkit_free(k);
}
END_TEST

START_TEST(a_lock_moves_while_somebody_waits)
{
	struct logkit *k = world();
	logkit_alloc(k, 0, LOCK, 0x8000, 24);
	logkit_object(k, 100, PV_KIND_MONITOR_CONTENTION, 0x8000);
	struct pv_span moved = LOGKIT_LIST(k, 0x8000, 0x9000);
	logkit_event(k, 110, (struct pv_event){ .kind = PV_KIND_GC_MOVE, .moves = { moved } });
	logkit_alloc(k, 120, LOCK, 0x8000, 24); /* another lock where it was */
	logkit_object(k, 160, PV_KIND_MONITOR_DONE, 0x9000);
	logkit_object(k, 200, PV_KIND_MONITOR_CONTENTION, 0x9000);
	logkit_object(k, 210, PV_KIND_MONITOR_DONE, 0x9000);
	logkit_object(k, 300, PV_KIND_MONITOR_CONTENTION, 0x8000);
	logkit_object(k, 301, PV_KIND_MONITOR_DONE, 0x8000);
	const struct pv_locks *l = &logkit_model(k)->locks;
	ck_assert_uint_eq(l->lock.n, 3);
	ck_assert_uint_eq(l->lock.v[1].object, 0x9000);
	ck_assert_uint_eq(l->lock.v[1].contentions, 2);
	ck_assert_int_eq(l->lock.v[1].wait_ns, 70);
	ck_assert_uint_eq(l->lock.v[2].object, 0x8000);
	ck_assert_int_eq(l->lock.v[2].wait_ns, 1);
	logkit_free(k);
}
END_TEST

START_TEST(a_lock_whose_allocation_is_reported_with_delay)
{
	struct logkit *k = logkit_new(17);
	logkit_class(k, 0, 0x500, "Late");
	logkit_class(k, 0, 0x600, "Next");
	logkit_on(k, 2);
	logkit_object(k, 100, PV_KIND_MONITOR_CONTENTION, 0x8000);
	logkit_object(k, 130, PV_KIND_MONITOR_DONE, 0x8000);
	logkit_object(k, 140, PV_KIND_MONITOR_CONTENTION, 0x9000);
	logkit_flush(k);
	ck_assert_uint_eq(k->model->locks.unknown_class, 2);
	logkit_on(k, 1);
	logkit_alloc(k, 50, 0x500, 0x8000, 24);  /* before it was contended: that object */
	logkit_alloc(k, 150, 0x600, 0x9000, 24); /* after: another one at its address */
	const struct pv_model *m = logkit_model(k);
	char buf[24];
	ck_assert_uint_eq(m->locks.lock.n, 3);
	ck_assert_str_eq(pv_names_class_text(&m->names, m->locks.lock.v[1].class_use, buf), "Late");
	ck_assert(!m->locks.lock.v[1].gone);
	ck_assert_uint_eq(m->locks.lock.v[2].class_use, 0);
	ck_assert(m->locks.lock.v[2].gone);
	ck_assert_uint_eq(m->locks.unknown_class, 1);
	logkit_alloc(k, 200, 0x600, 0x8000, 24); /* now somebody else lives there */
	ck_assert(logkit_model(k)->locks.lock.v[1].gone);
	logkit_free(k);
}
END_TEST

/* The address had another object before, whose class is what is known at first. */
START_TEST(a_lock_at_an_address_that_is_used_again)
{
	struct logkit *k = logkit_new(17);
	logkit_class(k, 0, 0x500, "Late");
	logkit_class(k, 0, 0x600, "Dead");
	logkit_alloc(k, 10, 0x600, 0x8000, 24);
	logkit_alloc(k, 10, 0x600, 0x9000, 24);
	logkit_flush(k);
	logkit_on(k, 2);
	logkit_object(k, 100, PV_KIND_MONITOR_CONTENTION, 0x8000);
	logkit_object(k, 140, PV_KIND_MONITOR_CONTENTION, 0x9000);
	logkit_flush(k);
	const struct pv_model *m = k->model;
	char buf[24];
	ck_assert_str_eq(pv_names_class_text(&m->names, m->locks.lock.v[1].class_use, buf), "Dead");
	logkit_on(k, 1);
	logkit_alloc(k, 50, 0x500, 0x8000, 24);  /* between the two: what was contended */
	logkit_alloc(k, 150, 0x500, 0x9000, 24); /* after: that was the dead one still */
	logkit_flush(k);
	logkit_on(k, 2);
	logkit_object(k, 300, PV_KIND_MONITOR_DONE, 0x8000);
	m = logkit_model(k);
	ck_assert_uint_eq(m->locks.lock.n, 3);
	ck_assert_str_eq(pv_names_class_text(&m->names, m->locks.lock.v[1].class_use, buf), "Late");
	ck_assert(!m->locks.lock.v[1].gone);
	ck_assert_int_eq(m->locks.lock.v[1].wait_ns, 200);
	ck_assert_str_eq(pv_names_class_text(&m->names, m->locks.lock.v[2].class_use, buf), "Dead");
	ck_assert(m->locks.lock.v[2].gone);
	ck_assert_uint_eq(m->locks.unknown_class, 0);
	/* The table has forgotten it, and its next contention asks again. */
	*pv_addresses_slot(&k->model->private->addresses, 0x8000) = (struct pv_address){ 0 };
	logkit_object(k, 400, PV_KIND_MONITOR_CONTENTION, 0x8000);
	logkit_alloc(k, 450, 0x600, 0x8000, 24);
	m = logkit_model(k);
	ck_assert_uint_eq(m->locks.lock.v[1].contentions, 2);
	ck_assert(m->locks.lock.v[1].gone);
	logkit_free(k);
}
END_TEST

START_TEST(a_lock_of_no_class_gets_that_of_a_later_contention)
{
	struct logkit *k = world();
	logkit_object(k, 100, PV_KIND_MONITOR_CONTENTION, 0x8000);
	logkit_object(k, 110, PV_KIND_MONITOR_DONE, 0x8000);
	logkit_object(k, 120, PV_KIND_MONITOR_CONTENTION, 0x8000);
	ck_assert_uint_eq(logkit_model(k)->locks.unknown_class, 2);
	logkit_alloc(k, 200, LOCK, 0x9000, 24);
	struct pv_span moved = LOGKIT_LIST(k, 0x9000, 0x8000);
	logkit_event(k, 210, (struct pv_event){ .kind = PV_KIND_GC_MOVE, .moves = { moved } });
	logkit_object(k, 220, PV_KIND_MONITOR_CONTENTION, 0x8000);
	const struct pv_locks *l = &logkit_model(k)->locks;
	ck_assert_uint_eq(l->lock.n, 2);
	ck_assert_uint_ne(l->lock.v[1].class_use, 0);
	ck_assert_uint_eq(l->unknown_class, 0);
	logkit_free(k);
}
END_TEST

START_TEST(a_full_lock_list_folds_the_least)
{
	struct logkit *k = world();
	k->model->locks.cap = 9; /* 8 locks next to "other" */
	int64_t t = 0, wait = 0;
	for (uint64_t i = 1; i <= 9; i++) {
		logkit_object(k, t, PV_KIND_MONITOR_CONTENTION, 0x8000 + i * 0x100);
		logkit_object(k, t + 10 * (int64_t)i, PV_KIND_MONITOR_DONE, 0x8000 + i * 0x100);
		t += 1000;
		wait += 10 * (int64_t)i;
	}
	const struct pv_locks *l = &logkit_model(k)->locks;
	ck_assert_uint_eq(l->folded, 2);
	ck_assert_uint_eq(l->lock.n, 8);
	ck_assert_int_eq(l->lock.v[0].wait_ns, 10 + 20);
	ck_assert_uint_eq(l->lock.v[1].object, 0x8300);
	ck_assert_uint_eq(l->lock.v[7].object, 0x8900);
	ck_assert_int_eq(l->wait_ns, wait);
	logkit_object(k, t, PV_KIND_MONITOR_CONTENTION, 0x8300);     /* still found */
	logkit_object(k, t + 5, PV_KIND_MONITOR_CONTENTION, 0x8100); /* a row of its own again */
	ck_assert_uint_eq(logkit_model(k)->locks.lock.v[1].contentions, 2);
	ck_assert_uint_eq(l->lock.n, 9);
	logkit_free(k);
}
END_TEST

/* Waits for a folded lock stay with its class, and those that end later, too. */
START_TEST(folded_locks_leave_their_class)
{
	struct logkit *k = world();
	k->model->locks.cap = 9;
	for (uint64_t i = 1; i <= 8; i++) {
		uint64_t object = 0x8000 + i * 0x100;
		int64_t t = 1000 * (int64_t)i;
		logkit_alloc(k, t, LOCK, object, 24);
		logkit_object(k, t + 10, PV_KIND_MONITOR_CONTENTION, object);
		if (i != 1) /* the first one's length is unknown */
			logkit_object(k, t + 10 + 10 * (int64_t)i, PV_KIND_MONITOR_DONE, object);
	}
	const struct pv_locks *l = &logkit_model(k)->locks;
	ck_assert_uint_eq(l->sites.site.n, 1);
	logkit_object(k, 9100, PV_KIND_MONITOR_CONTENTION, 0xf000);
	logkit_object(k, 9200, PV_KIND_MONITOR_DONE, 0x8100);
	l = &logkit_model(k)->locks;
	ck_assert_uint_eq(l->folded, 2);
	ck_assert_uint_eq(l->sites.site.n, 2);
	const struct pv_site *s = &l->sites.site.v[1];
	char buf[24];
	ck_assert_str_eq(pv_names_class_text(&k->model->names, s->class_use, buf), "Lock");
	ck_assert_uint_eq(s->count, 2);
	ck_assert_uint_eq(s->amount, 20 + 9200 - 1010);
	uint64_t count = s->count, amount = s->amount;
	for (size_t i = 1; i < l->by_lock.site.n; i++) {
		count += l->by_lock.site.v[i].count;
		amount += l->by_lock.site.v[i].amount;
	}
	ck_assert_uint_eq(count, 9);
	ck_assert_int_eq((int64_t)amount, l->wait_ns);
	logkit_free(k);
}
END_TEST

START_TEST(short_lived_locks_leave_nothing_over)
{
	struct logkit *k = world();
	k->model->locks.cap = 16;
	for (uint64_t i = 0; i < 1000; i++) { /* a new lock each time, and it moves */
		uint64_t from = 0x100000 + i * 32, to = 0x900000 + i * 32;
		int64_t t = (int64_t)i * 100;
		logkit_alloc(k, t, LOCK, from, 24);
		logkit_object(k, t + 1, PV_KIND_MONITOR_CONTENTION, from);
		struct pv_span moved = LOGKIT_LIST(k, from, to);
		logkit_event(
			k, t + 2, (struct pv_event){ .kind = PV_KIND_GC_MOVE, .moves = { moved } });
		logkit_object(k, t + 11, PV_KIND_MONITOR_DONE, to);
	}
	const struct pv_locks *l = &logkit_model(k)->locks;
	uint64_t contentions = 0;
	int64_t wait = 0;
	for (size_t i = 0; i < l->lock.n; i++) {
		contentions += l->lock.v[i].contentions;
		wait += l->lock.v[i].wait_ns;
	}
	ck_assert_uint_le(l->lock.n, 16);
	ck_assert_uint_le(l->of.n, 4 * 16 + 1);
	ck_assert_uint_eq(contentions, 1000);
	ck_assert_int_eq(wait, 10000);
	ck_assert_int_eq(l->wait_ns, 10000);
	logkit_free(k);
}
END_TEST

/* --- counters */

static void describe(
	struct logkit *k, uint64_t index, uint64_t section, uint64_t type, const char *name)
{
	ck_assert(pv_reserve(&k->pools.descs, 1));
	k->pools.descs.v[0] = (struct pv_counter_desc){ .section = section,
		.type = type,
		.unit = 3u << 24,
		.variance = 1u << 28,
		.index = index,
		.section_name = { "Category", 8 },
		.name = { name, strlen(name) } };
	k->pools.descs.n = 1;
	logkit_event(k, 0,
		(struct pv_event){
			.kind = PV_KIND_COUNTERS_DESCRIBE, .counters = { .list = { 0, 1 } } });
}

static void value(struct logkit *k, int64_t t, uint64_t index, uint64_t type, uint64_t raw)
{
	ck_assert(pv_reserve(&k->pools.values, 1));
	k->pools.values.v[0] =
		(struct pv_counter_value){ .index = index, .type = type, .raw = raw };
	k->pools.values.n = 1;
	logkit_event(k, t,
		(struct pv_event){
			.kind = PV_KIND_COUNTERS_SAMPLE, .counters = { .list = { 0, 1 } } });
}

static const struct pv_counter *counter(struct logkit *k, uint64_t index)
{
	struct pv_counters *c = &logkit_model(k)->counters;
	uint32_t at = pv_map_get(&c->of, index);
	ck_assert_uint_ne(at, PV_MAP_NONE);
	return &c->counter.v[at];
}

START_TEST(differences_wrap_by_type)
{
	struct logkit *k = world();
	describe(k, 1, 0x100, PV_COUNTER_INT, "int");
	describe(k, 2, 0x100, PV_COUNTER_UINT, "uint");
	describe(k, 3, 0x100, PV_COUNTER_LONG, "long");
	describe(k, 4, PV_SECTION_PERFCOUNTERS, PV_COUNTER_LONG, "perf");
	describe(k, 5, 0x100, PV_COUNTER_DOUBLE, "double");
	value(k, 10, 1, PV_COUNTER_INT, 5);
	value(k, 20, 1, PV_COUNTER_INT, (uint64_t)-8);
	value(k, 10, 2, PV_COUNTER_UINT, 10);
	value(k, 20, 2, PV_COUNTER_UINT, UINT32_MAX - 4); /* 10 - 5, in 32 bits */
	value(k, 10, 3, PV_COUNTER_LONG, UINT64_C(1) << 40);
	value(k, 20, 3, PV_COUNTER_LONG, (uint64_t)-1);
	value(k, 10, 4, PV_COUNTER_LONG, 100); /* absolute each time */
	value(k, 20, 4, PV_COUNTER_LONG, 103);
	double half = 0.5;
	uint64_t bits;
	memcpy(&bits, &half, sizeof bits);
	value(k, 10, 5, PV_COUNTER_DOUBLE, bits);
	value(k, 20, 5, PV_COUNTER_DOUBLE, bits);
	ck_assert_int_eq(counter(k, 1)->samples.v[0].i, 5);
	ck_assert_int_eq(counter(k, 1)->samples.v[1].i, -3);
	ck_assert_uint_eq(counter(k, 2)->samples.v[1].u, 5);
	ck_assert_int_eq(counter(k, 3)->samples.v[1].i, (INT64_C(1) << 40) - 1);
	ck_assert_int_eq(counter(k, 4)->samples.v[1].i, 103);
	ck_assert(counter(k, 5)->samples.v[1].d == 0.5);
	ck_assert_int_eq(counter(k, 5)->samples.v[1].time_ns, LOGKIT_ZERO + 20);
	ck_assert_str_eq(
		pv_intern_text(&k->model->names.text, counter(k, 4)->section_name), "Category");
	logkit_free(k);
}
END_TEST

START_TEST(long_counter_lists_halve)
{
	struct logkit *k = world();
	describe(k, 1, 0x100, PV_COUNTER_LONG, "long");
	for (int i = 0; i < PV_COUNTER_LIST + 1; i++) {
		value(k, i, 1, PV_COUNTER_LONG, 1);
		if (i % 5000 == 0)
			logkit_flush(k);
	}
	const struct pv_counter *c = counter(k, 1);
	ck_assert_uint_eq(c->samples.n, PV_COUNTER_LIST / 2 + 1);
	ck_assert_uint_eq(c->seen, PV_COUNTER_LIST + 1);
	ck_assert_int_eq(c->samples.v[c->samples.n - 1].i, PV_COUNTER_LIST + 1);
	ck_assert_int_eq(c->samples.v[0].i, 2);
	ck_assert_uint_eq(k->model->counters.folded, PV_COUNTER_LIST / 2);
	logkit_free(k);
}
END_TEST

/* Threads follow one another in the file; what one lost earlier stands before what others lost. */
START_TEST(lost_events_of_threads_add_up_by_time)
{
	struct logkit *k = world();
	describe(k, 7, PV_SECTION_PROFILER, PV_COUNTER_LONG, "lost events");
	value(k, 900, 7, PV_COUNTER_LONG, 10);
	value(k, 950, 7, PV_COUNTER_LONG, 4);
	logkit_flush(k);
	logkit_on(k, 2);
	value(k, 500, 7, PV_COUNTER_LONG, 3);
	value(k, 920, 7, PV_COUNTER_LONG, 1);
	logkit_flush(k);
	const struct pv_counter *c = counter(k, 7);
	const uint64_t is[][2] = { { 500, 3 }, { 900, 13 }, { 920, 14 }, { 950, 18 } };
	ck_assert_uint_eq(c->samples.n, 4);
	for (size_t i = 0; i < 4; i++) {
		ck_assert_int_eq(c->samples.v[i].time_ns - c->samples.v[0].time_ns,
			(int64_t)(is[i][0] - is[0][0]));
		ck_assert_uint_eq(c->samples.v[i].u, is[i][1]);
	}
	logkit_free(k);
}
END_TEST

START_TEST(lost_events_close_the_frames_of_their_thread)
{
	struct logkit *k = world();
	describe(k, 7, PV_SECTION_PROFILER, PV_COUNTER_LONG, "lost events");
	logkit_flush(k);
	logkit_on(k, 2);
	logkit_enter(k, 0, A);
	logkit_flush(k);
	logkit_on(k, 1);
	logkit_enter(k, 100, A);
	logkit_object(k, 130, PV_KIND_EXCEPTION_THROW, 0x8000);
	logkit_flush(k);
	value(k, 9000, 7, PV_COUNTER_LONG, 12);
	logkit_leave(k, 9100, A);
	logkit_flush(k);
	value(k, 9900, 7, PV_COUNTER_LONG, 3);
	logkit_flush(k);
	logkit_on(k, 2);
	logkit_leave(k, 500, A);
	ck_assert_int_eq(logkit_sum(k, "A").total_ns, 30 + 500);
	ck_assert_uint_eq(k->model->lost_events, 15);
	ck_assert_uint_eq(k->model->calls.gap_closed, 1);
	ck_assert_uint_eq(k->model->calls.stray_leaves, 1);
	logkit_free(k);
}
END_TEST

START_TEST(counters_before_their_description)
{
	struct logkit *k = world();
	value(k, 5, 3, PV_COUNTER_LONG, 10);
	describe(k, 3, 0x100, PV_COUNTER_LONG, "late");
	value(k, 6, 3, PV_COUNTER_LONG, 1);
	describe(k, 3, 0x100, PV_COUNTER_LONG, "late"); /* said again */
	value(k, 7, 3, PV_COUNTER_LONG, 1);
	describe(k, 3, 0x100, PV_COUNTER_LONG, "another");
	value(k, 8, 3, PV_COUNTER_LONG, 50);
	ck_assert_uint_eq(logkit_model(k)->counters.counter.n, 3);
	const struct pv_counter *first = &k->model->counters.counter.v[1];
	ck_assert_uint_eq(first->samples.n, 3);
	ck_assert_int_eq(first->samples.v[2].i, 12);
	ck_assert_int_eq(counter(k, 3)->samples.v[0].i, 50);
	logkit_free(k);
}
END_TEST

START_TEST(helpers_by_meaning)
{
	struct logkit *k = logkit_new(17);
	logkit_event(k, 1,
		(struct pv_event){
			.kind = PV_KIND_JIT_HELPER, .helper = { 5, 0x1000, 30, { "tramp", 5 } } });
	logkit_event(k, 1,
		(struct pv_event){
			.kind = PV_KIND_JIT_HELPER, .helper = { .type = 9, .size = 7 } });
	ck_assert_uint_eq(logkit_model(k)->helpers.helper[PV_HELPER_SPECIFIC].bytes, 30);
	ck_assert_uint_eq(k->model->helpers.helper[PV_HELPER_EXCEPTION].count, 1);
	ck_assert_uint_eq(k->model->helpers.bytes, 37);
	logkit_free(k);
	k = logkit_new(13);
	logkit_event(k, 1,
		(struct pv_event){
			.kind = PV_KIND_JIT_HELPER, .helper = { 6, 0x1000, 30, { "tramp", 5 } } });
	ck_assert_uint_eq(logkit_model(k)->helpers.helper[PV_HELPER_SPECIFIC].bytes, 30);
	logkit_free(k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("model events");
	TCase *t = tcase_create("events");
	tcase_set_timeout(t, 30);
	tcase_add_test(t, classes_of_throws_follow_the_address);
	tcase_add_test(t, moves_of_one_event_speak_of_one_moment);
	tcase_add_test(t, objects_of_one_place_are_both_known);
	tcase_add_test(t, who_has_an_address_later_is_who_counts);
	tcase_add_test(t, throw_stacks_and_clauses);
	tcase_add_test(t, waits_pair_on_their_thread);
	tcase_add_test(t, a_lock_moves_while_somebody_waits);
	tcase_add_test(t, a_lock_whose_allocation_is_reported_with_delay);
	tcase_add_test(t, a_lock_at_an_address_that_is_used_again);
	tcase_add_test(t, a_lock_of_no_class_gets_that_of_a_later_contention);
	tcase_add_test(t, a_full_lock_list_folds_the_least);
	tcase_add_test(t, folded_locks_leave_their_class);
	tcase_add_test(t, short_lived_locks_leave_nothing_over);
	tcase_add_test(t, differences_wrap_by_type);
	tcase_add_test(t, long_counter_lists_halve);
	tcase_add_test(t, lost_events_of_threads_add_up_by_time);
	tcase_add_test(t, lost_events_close_the_frames_of_their_thread);
	tcase_add_test(t, counters_before_their_description);
	tcase_add_test(t, helpers_by_meaning);
	suite_add_tcase(s, t);
	return run_suite(s);
}
