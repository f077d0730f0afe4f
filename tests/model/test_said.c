/* SPDX-License-Identifier: MIT */
/* Events name the class of an object next to its address, and how long an address is
 * believed. */
#include <string.h>

#include "common/model/objects/exceptions.h"
#include "tests/kit/logkit.h"
#include "tests/kit/suite.h"

enum { FAULT = 0x500, OTHER = 0x600, OBJECT = 0x8000 };

static struct logkit *begin(const char *args)
{
	struct logkit *k = logkit_new(17);
	logkit_model(k)->target.args = args;
	logkit_class(k, 0, FAULT, "Shop.Fault");
	logkit_class(k, 0, OTHER, "Shop.Other");
	return k;
}

static void say(struct logkit *k, int64_t t, uint64_t class, uint64_t object)
{
	logkit_event(k, t,
		(struct pv_event){ .kind = PV_KIND_EXT_CLASS_OF,
			.class_of = { object, logkit_type(k, class) } });
}

static void message(struct logkit *k, int64_t t, uint64_t object, const char *text, uint64_t length)
{
	logkit_event(k, t,
		(struct pv_event){ .kind = PV_KIND_EXT_MESSAGE,
			.string = { object, length, { text, strlen(text) } } });
}

static void throw(struct logkit * k, int64_t t, uint64_t object)
{
	logkit_event(k, t,
		(struct pv_event){
			.kind = PV_KIND_EXCEPTION_THROW, .thrown = { .object = object } });
}

static void contend(struct logkit *k, int64_t t, uint64_t object)
{
	logkit_event(k, t,
		(struct pv_event){
			.kind = PV_KIND_MONITOR_CONTENTION, .monitor = { .object = object } });
	logkit_event(k, t + 1,
		(struct pv_event){ .kind = PV_KIND_MONITOR_DONE, .monitor = { .object = object } });
}

static void collect(struct logkit *k, int64_t t)
{
	logkit_gc(k, t, PV_GC_START, 0);
	logkit_gc(k, t + 1, PV_GC_END, 0);
}

/* How many throws are of this class; NULL: of one that is not recorded. */
static uint64_t thrown(struct logkit *k, const char *name)
{
	const struct pv_model *m = logkit_model(k);
	uint64_t n = 0;
	for (size_t i = 1; i < m->throws.sites.site.n; i++) {
		const struct pv_site *s = &m->throws.sites.site.v[i];
		uint32_t class = pv_names_class_name(&m->names, s->class_use);
		const char *text = s->class_use ? pv_intern_text(&m->names.text, class) : NULL;
		if (name && text ? strcmp(name, text) == 0 : name == text)
			n += s->count;
	}
	return n;
}

/* As a probe writes it that records no moves. */
static const char ours[] = "profview:coreclr,gc,exception,monitor,alloc=102400";

START_TEST(a_class_is_said_of_one_event)
{
	struct logkit *k = begin(ours);
	say(k, 10, FAULT, OBJECT);
	throw(k, 10, OBJECT);
	throw(k, 20, OBJECT); /* again, and nothing is said */
	say(k, 30, FAULT, OBJECT);
	throw(k, 30, OBJECT + 64); /* of another object */
	say(k, 40, FAULT, OBJECT);
	logkit_plain(k, 41, PV_KIND_GC_FINALIZE_START);
	throw(k, 42, OBJECT); /* not directly after */
	say(k, 50, OTHER, OBJECT);
	logkit_flush(k);
	throw(k, 50, OBJECT); /* its buffer ended between the two */
	ck_assert_uint_eq(thrown(k, "Shop.Fault"), 1);
	ck_assert_uint_eq(thrown(k, "Shop.Other"), 1);
	ck_assert_uint_eq(thrown(k, NULL), 3);
	ck_assert_uint_eq(logkit_model(k)->throws.unknown_class, 3);
	logkit_free(k);
}
END_TEST

/* An event's own word counts more than the table of addresses has from before. */
START_TEST(what_is_said_wins)
{
	struct logkit *k = begin("log:alloc,exception");
	logkit_alloc(k, 5, OTHER, OBJECT, 24);
	say(k, 10, FAULT, OBJECT);
	throw(k, 10, OBJECT);
	throw(k, 20, OBJECT);
	ck_assert_uint_eq(thrown(k, "Shop.Fault"), 1);
	ck_assert_uint_eq(thrown(k, "Shop.Other"), 1);
	logkit_free(k);
}
END_TEST

START_TEST(locks_handles_and_finalizers)
{
	struct logkit *k = begin(ours);
	say(k, 10, FAULT, OBJECT);
	contend(k, 10, OBJECT);
	say(k, 20, OTHER, OBJECT);
	logkit_event(k, 20,
		(struct pv_event){ .kind = PV_KIND_GC_HANDLE_CREATED,
			.handle = { .type = 2, .handle = 7, .object = OBJECT } });
	for (int end = 0; end < 2; end++) {
		say(k, 30 + end, FAULT, OBJECT + 64);
		logkit_object(k, 30 + end,
			end ? PV_KIND_GC_FINALIZE_OBJECT_END : PV_KIND_GC_FINALIZE_OBJECT_START,
			OBJECT + 64);
	}
	const struct pv_model *m = logkit_model(k);
	ck_assert_uint_eq(m->locks.unknown_class, 0);
	ck_assert_uint_eq(m->handles.unknown_class, 0);
	ck_assert_uint_eq(m->finalizers.unknown_class, 0);
	ck_assert_uint_eq(m->locks.lock.v[1].class_use, m->finalizers.of_class.n - 1);
	ck_assert_uint_ne(m->handles.site.v[0].class_use, m->locks.lock.v[1].class_use);
	logkit_free(k);
}
END_TEST

/*
 * The case of a real log: an object of a heap shot, collections, and another object at its address
 * that is thrown. 0: a shot, 1: an allocation; `moves`: the log tells them, and the rest is as
 * before.
 */
START_TEST(an_address_is_not_believed_across_a_collection)
{
	for (int moves = 0; moves < 2; moves++) {
		struct logkit *k = begin(moves ? "log:nodefaults,alloc,exception" : ours);
		if (_i == 1) {
			logkit_alloc(k, 10, OTHER, OBJECT, 24);
		} else {
			logkit_plain(k, 10, PV_KIND_HEAP_START);
			logkit_event(k, 11,
				(struct pv_event){ .kind = PV_KIND_HEAP_OBJECT,
					.heap_object = { .object = OBJECT,
						.type = logkit_type(k, OTHER),
						.size = 24 } });
			logkit_plain(k, 12, PV_KIND_HEAP_END);
		}
		throw(k, 20, OBJECT); /* no collection in between: it is good evidence */
		collect(k, 30);
		collect(k, 40);
		throw(k, 50, OBJECT);
		ck_assert_uint_eq(thrown(k, "Shop.Other"), moves ? 2 : 1);
		ck_assert_uint_eq(thrown(k, NULL), moves ? 0 : 1);
		logkit_free(k);
	}
}
END_TEST

/* The allocation stands in another thread's buffer, after the start of the collection. */
START_TEST(buffers_in_any_order)
{
	struct logkit *k = begin(ours);
	logkit_flush(k);
	logkit_on(k, 2);
	collect(k, 30);
	logkit_flush(k);
	logkit_on(k, 1);
	logkit_alloc(k, 10, OTHER, OBJECT, 24);
	throw(k, 20, OBJECT);
	throw(k, 50, OBJECT);
	logkit_flush(k);
	logkit_on(k, 3);
	throw(k, 60, OBJECT + 64);
	logkit_flush(k);
	logkit_on(k, 1);
	logkit_alloc(k, 25, OTHER, OBJECT + 64,
		24); /* reported with delay, and from before the collection */
	ck_assert_uint_eq(thrown(k, "Shop.Other"), 1);
	ck_assert_uint_eq(thrown(k, NULL), 2);
	logkit_free(k);
}
END_TEST

/* A lock's class is its object's: what is contended at its address after a collection is another's.
 */
START_TEST(a_lock_of_another_age)
{
	struct logkit *k = begin(ours);
	say(k, 10, FAULT, OBJECT);
	contend(k, 10, OBJECT);
	contend(k, 20, OBJECT); /* the same */
	collect(k, 30);
	contend(k, 40, OBJECT);
	say(k, 60, OTHER, OBJECT);
	contend(k, 60, OBJECT);
	const struct pv_locks *l = &logkit_model(k)->locks;
	ck_assert_uint_eq(l->unknown_class, 0 + (l->lock.n == 4));
	ck_assert_uint_eq(l->lock.v[1].contentions, 2);
	ck_assert_uint_ne(l->lock.v[1].class_use, 0);
	for (size_t i = 2; i < l->lock.n; i++)
		ck_assert_uint_ne(l->lock.v[i].class_use, l->lock.v[1].class_use);
	logkit_free(k);
}
END_TEST

static const struct pv_message *message_of(struct logkit *k, size_t i)
{
	const struct pv_messages *m = &logkit_model(k)->throws.messages;
	ck_assert_uint_lt(i, m->one.n);
	return &m->one.v[i];
}

START_TEST(messages)
{
	struct logkit *k = begin(ours);
	const char *const text[] = { "out of stock", "sold", "late" };
	static const int64_t at[] = { 10, 30, 20 };
	for (int i = 0; i < 3; i++) {
		say(k, at[i], FAULT, OBJECT);
		message(k, at[i], OBJECT, text[i], strlen(text[i]) + (i == 1));
		throw(k, at[i], OBJECT);
	}
	message(k, 40, OBJECT, "nobody's", 8);
	throw(k, 40, OBJECT);
	ck_assert_uint_eq(thrown(k, "Shop.Fault"), 3);
	ck_assert_uint_eq(thrown(k, NULL), 1);
	const struct pv_message *m = message_of(k, 0);
	ck_assert_str_eq(m->text, "sold"); /* the newest by time */
	ck_assert_uint_eq(m->cut, 1);
	ck_assert_uint_eq(logkit_model(k)->throws.messages.one.n, 1);
	logkit_free(k);
}
END_TEST

/* Cut between characters, whatever they are; so many classes and no more. */
START_TEST(long_messages)
{
	struct pv_messages m = { 0 };
	char text[4 * PV_MESSAGE_BYTES];
	for (size_t i = 0; i < sizeof text; i++)
		text[i] = "\xe2\x82\xac"[i % 3];
	ck_assert(
		pv_messages_add(&m, 1, 5, (struct pv_text){ text, sizeof text }, sizeof text / 3));
	ck_assert_uint_eq(strlen(m.one.v[0].text), (PV_MESSAGE_BYTES - 1) / 3 * 3);
	ck_assert_uint_eq(m.one.v[0].cut, 1);
	memset(text, 0x80, sizeof text); /* no characters at all */
	ck_assert(pv_messages_add(&m, 1, 6, (struct pv_text){ text, sizeof text }, 1));
	ck_assert_uint_lt(strlen(m.one.v[0].text), PV_MESSAGE_BYTES);
	for (uint32_t i = 2; i < 2 * PV_MESSAGES_MOST; i++)
		ck_assert(pv_messages_add(&m, i, 5, (struct pv_text){ "", 0 }, 0));
	ck_assert_uint_eq(m.one.n, PV_MESSAGES_MOST);
	ck_assert_uint_eq(m.one.v[1].cut, 0);
	pv_messages_finish(&m);
}
END_TEST

/* The probes' words name the command line; a search for other words does not see it. */
START_TEST(command_is_a_fact)
{
	static const struct {
		const char *args, *left, *command;
	} of[] = {
		{ "profview:coreclr,gc,command=dotnet%20a%2ccalls.dll%20--x%3d1,output=/tmp/x",
			"profview:coreclr,gc,output=/tmp/x", "dotnet a,calls.dll --x=1" },
		{ "profview:native,command=odd%2,output=x", "profview:native,output=x", "odd%2" },
		{ "profview:native,output=x", "profview:native,output=x", "" },
		{ "log:gc,command=x", "log:gc,command=x", "" },
	};
	struct logkit *k = logkit_new(17);
	struct pv_target_info t = { .data_version = 17, .args = of[_i].args };
	ck_assert(pv_model_begin(logkit_model(k), &t));
	ck_assert_str_eq(logkit_model(k)->target.args, of[_i].left);
	ck_assert_str_eq(logkit_model(k)->target.command, of[_i].command);
	logkit_free(k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("classes that are said");
	TCase *t = tcase_create("said");
	tcase_add_test(t, a_class_is_said_of_one_event);
	tcase_add_test(t, what_is_said_wins);
	tcase_add_test(t, locks_handles_and_finalizers);
	tcase_add_loop_test(t, an_address_is_not_believed_across_a_collection, 0, 2);
	tcase_add_test(t, buffers_in_any_order);
	tcase_add_test(t, a_lock_of_another_age);
	tcase_add_test(t, messages);
	tcase_add_test(t, long_messages);
	tcase_add_loop_test(t, command_is_a_fact, 0, 4);
	suite_add_tcase(s, t);
	return run_suite(s);
}
