/* SPDX-License-Identifier: MIT */
/*
 * Logs damaged in one place, whole way through ingest: what is left is read, and the damage list
 * says where, how much and why.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/ingest/ingest.h"
#include "tests/kit/suite.h"
#include "tests/kit/wire.h"

enum { METHOD = 0x5010, BUFFERS = 6, CALLS = 50, BODY = CALLS * 6, DEADLINE_MS = 60000 };

/* Buffer i begins at at[i] and holds CALLS calls; at[BUFFERS] is the log's end. */
struct log {
	struct wire w;
	size_t at[BUFFERS + 1];
};

static void make(struct log *l)
{
	wire_init(&l->w);
	wire_header(&l->w, 0, 1000);
	for (unsigned i = 0; i < BUFFERS; i++) {
		wire_end_buffer(&l->w);
		l->at[i] = l->w.out.n;
		wire_buffer(&l->w, 1 + i % 2);
		for (unsigned c = 0; c < CALLS; c++) {
			wire_enter(&l->w, METHOD);
			wire_leave(&l->w, METHOD);
		}
	}
	wire_end_buffer(&l->w);
	l->at[BUFFERS] = l->w.out.n;
	ck_assert_uint_eq(l->at[1] - l->at[0], MLPD_BUFFER_HEADER + BODY);
}

static void set_length(struct log *l, unsigned buffer, uint32_t length)
{
	pv_put_u32(l->w.out.v + l->at[buffer] + 4, length);
}

struct read {
	struct pv_ingest *in;
	struct pv_ingest_status status;
	struct pv_model *m;
};

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static struct read read_bytes(const uint8_t *bytes, size_t n)
{
	char path[] = "/tmp/pv-damage-XXXXXX";
	struct pv_error e = { 0 };
	struct read r;
	int fd = mkstemp(path);
	ck_assert(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	close(fd);
	struct pv_source *s = pv_source_open(path, &(struct pv_source_options){ 0 }, &e);
	ck_assert_msg(s != NULL, "%s", e.what);
	r.in = pv_ingest_start(s, &(struct pv_ingest_options){ .jobs = 2 }, &e);
	ck_assert_msg(r.in != NULL, "%s", e.what);
	unlink(path);
	int64_t deadline = now_ms() + DEADLINE_MS;
	for (;;) {
		pv_ingest_status(r.in, &r.status);
		if (r.status.state == PV_INGEST_ENDED || r.status.state == PV_INGEST_FAILED)
			break;
		ck_assert(now_ms() < deadline);
		struct pollfd p = { .fd = pv_ingest_fd(r.in), .events = POLLIN };
		poll(&p, 1, 100);
		pv_ingest_clear(r.in);
	}
	r.m = pv_ingest_adopt(r.in);
	return r;
}

static struct read read_log(struct log *l)
{
	struct read r = read_bytes(l->w.out.v, l->w.out.n);
	wire_finish(&l->w);
	return r;
}

static void is_damage(
	const struct read *r, size_t i, uint64_t offset, uint64_t bytes, const char *reason)
{
	ck_assert_uint_gt(r->m->damage.n, i);
	const struct pv_damage_entry *d = &r->m->damage.v[i];
	ck_assert_msg(d->offset == offset && d->bytes == bytes && strstr(d->reason, reason),
		"%llu, %llu, %s", (unsigned long long)d->offset, (unsigned long long)d->bytes,
		d->reason);
	ck_assert(r->status.damaged && !r->status.complete);
}

static void has(struct read *r, unsigned calls, unsigned damages)
{
	ck_assert_uint_eq(r->m->calls.calls, calls);
	ck_assert_uint_eq(r->m->damage.n, damages);
	ck_assert_uint_eq(r->m->damaged, damages);
	pv_ingest_destroy(r->in);
}

START_TEST(a_length_over_one_buffer_and_to_its_end_swallows_nothing)
{
	struct log l;
	make(&l);
	set_length(&l, 1, (uint32_t)(l.at[3] - l.at[1] - MLPD_BUFFER_HEADER));
	struct read r = read_log(&l);
	is_damage(&r, 0, l.at[1] + 4, 4, "wrong length");
	has(&r, BUFFERS * CALLS, 1);
}
END_TEST

START_TEST(a_length_that_ends_nowhere_swallows_nothing)
{
	static const uint32_t lies[] = { BODY + 1, BODY + 48, BODY + 400, 1 << 20, 1u << 31,
		UINT32_MAX };
	struct log l;
	make(&l);
	set_length(&l, 2, lies[_i]);
	struct read r = read_log(&l);
	is_damage(&r, 0, l.at[2] + 4, 4, "wrong length");
	has(&r, BUFFERS * CALLS, 1);
}
END_TEST

START_TEST(a_length_too_short_costs_no_event)
{
	static const uint32_t lies[] = { 0, 1, 6, 100, BODY - 6, BODY - 1 };
	struct log l;
	make(&l);
	set_length(&l, 2, lies[_i]);
	struct read r = read_log(&l);
	is_damage(&r, 0, l.at[2] + 4, 4, "wrong length");
	has(&r, BUFFERS * CALLS, 1);
}
END_TEST

START_TEST(a_bad_event_in_a_buffer_whose_length_lies_costs_up_to_the_next_buffer)
{
	struct log l;
	make(&l);
	set_length(&l, 1, (uint32_t)(l.at[4] - l.at[1] - MLPD_BUFFER_HEADER));
	size_t bad = l.at[1] + MLPD_BUFFER_HEADER + 60;
	l.w.out.v[bad] = 0x6e;
	struct read r = read_log(&l);
	is_damage(&r, 0, bad, l.at[2] - bad, "0x6e");
	has(&r, (BUFFERS - 1) * CALLS + 10, 1);
}
END_TEST

START_TEST(a_leb_of_more_than_ten_bytes_costs_its_buffers_tail)
{
	struct log l;
	make(&l);
	size_t bad = l.at[3] + MLPD_BUFFER_HEADER + 30;
	memset(l.w.out.v + bad + 1, 0x80, 12);
	struct read r = read_log(&l);
	is_damage(&r, 0, bad, l.at[4] - bad, "0x23 cannot be decoded");
	has(&r, (BUFFERS - 1) * CALLS + 5, 1);
}
END_TEST

START_TEST(a_string_without_end_costs_its_buffers_tail)
{
	struct log l;
	make(&l);
	size_t bad = l.at[3] + MLPD_BUFFER_HEADER + 30, end = l.at[4];
	memset(l.w.out.v + bad, 'a', end - bad);
	memcpy(l.w.out.v + bad, "\x02\x01\x05\x01", 4);
	struct read r = read_log(&l);
	is_damage(&r, 0, bad, end - bad, "past the end");
	has(&r, (BUFFERS - 1) * CALLS + 5, 1);
}
END_TEST

START_TEST(a_count_that_lies_costs_its_buffers_tail)
{
	struct log l;
	make(&l);
	size_t bad = l.at[0] + MLPD_BUFFER_HEADER;
	memcpy(l.w.out.v + bad, "\x31\x01\xff\xff\xff\xff\x0f", 7);
	struct read r = read_log(&l);
	is_damage(&r, 0, bad, BODY, "past the end");
	has(&r, (BUFFERS - 1) * CALLS, 1);
}
END_TEST

START_TEST(a_wrong_buffer_id_costs_that_buffer)
{
	struct log l;
	make(&l);
	l.w.out.v[l.at[2] + (size_t)_i] ^= 0x41;
	struct read r = read_log(&l);
	is_damage(&r, 0, l.at[2], MLPD_BUFFER_HEADER + BODY, "no buffer header");
	has(&r, (BUFFERS - 1) * CALLS, 1);
}
END_TEST

START_TEST(a_missing_middle_costs_what_is_missing)
{
	struct log l;
	make(&l);
	/* From inside buffer 1's events to inside buffer 3's. */
	size_t from = l.at[1] + MLPD_BUFFER_HEADER + 60, to = l.at[3] + MLPD_BUFFER_HEADER + 120;
	memmove(l.w.out.v + from, l.w.out.v + to, l.w.out.n - to);
	l.w.out.n -= to - from;
	struct read r = read_log(&l);
	/* The rest of buffer 3 fits after buffer 1's: both count, up to buffer 4. */
	is_damage(&r, 0, l.at[1] + 4, 4, "wrong length");
	has(&r, 3 * CALLS + 10 + CALLS - 20, 1);
}
END_TEST

START_TEST(buffers_twice_and_in_another_order_are_read)
{
	struct log l;
	make(&l);
	size_t n = MLPD_BUFFER_HEADER + BODY;
	uint8_t first[MLPD_BUFFER_HEADER + BODY];
	memcpy(first, l.w.out.v + l.at[1], n);
	memcpy(l.w.out.v + l.at[1], l.w.out.v + l.at[4], n); /* 4 stands in 1's place, too */
	memcpy(l.w.out.v + l.at[3], first, n);
	struct read r = read_log(&l);
	ck_assert(r.status.complete);
	has(&r, BUFFERS * CALLS, 0);
}
END_TEST

START_TEST(wrong_header_fields_are_said)
{
	static const struct {
		size_t at;
		uint8_t byte;
		const char *says;
	} field[] = {
		{ 0, 2, "not a profiler log" },
		{ 6, 0, "data version 0" },
		{ 6, 99, "newer" },
		{ 7, 5, "pointer size 5" },
		{ 41, 0xff, "header string" },
	};
	struct log l;
	make(&l);
	for (size_t i = 0; i < PV_COUNT_OF(field); i++) {
		uint8_t was = l.w.out.v[field[i].at];
		l.w.out.v[field[i].at] = field[i].byte;
		/* Without its buffers nothing can be saved. */
		struct read r = read_bytes(l.w.out.v, l.at[0]);
		ck_assert_msg(r.status.state == PV_INGEST_FAILED, "field at %zu", field[i].at);
		ck_assert_msg(
			strstr(r.status.error.what, field[i].says), "%s", r.status.error.what);
		pv_ingest_destroy(r.in);
		l.w.out.v[field[i].at] = was;
	}
	wire_finish(&l.w);
}
END_TEST

/* A field of the header that is wrong costs that field: the buffers after are read. */
START_TEST(a_wrong_header_field_costs_no_event)
{
	static const struct {
		size_t at;
		uint8_t byte;
		uint64_t offset, bytes;
		const char *says;
	} field[] = {
		{ 6, 99, 6, 1, "newer" },
		{ 7, 5, 7, 1, "pointer size 5" },
		{ 28, 1, 28, 1, "flags 0x1" },
		{ 38, 0xff, 38, 0, "header string" },
		{ 39, 1, 38, 0, "header string" },
		{ 40, 9, 38, 0, "inside its header" },
		{ 41, 0xff, 38, 0, "header string" },
	};
	struct log l;
	make(&l);
	uint8_t was = l.w.out.v[field[_i].at];
	ck_assert_uint_eq(l.w.out.v[4], 3);
	ck_assert_uint_ne(was, field[_i].byte);
	l.w.out.v[field[_i].at] = field[_i].byte;
	struct read r = read_log(&l);
	is_damage(&r, 0, field[_i].offset, field[_i].bytes ? field[_i].bytes : l.at[0] - 38,
		field[_i].says);
	ck_assert_uint_eq(r.m->target.pointer_size, 8);
	ck_assert_uint_eq(r.m->target.data_version, 17);
	has(&r, BUFFERS * CALLS, 1);
}
END_TEST

START_TEST(a_header_that_is_not_one_costs_the_header)
{
	struct log l;
	make(&l);
	l.w.out.v[0] = 2;
	struct read r = read_log(&l);
	is_damage(&r, 0, 0, l.at[0], "beginning is missing");
	has(&r, BUFFERS * CALLS, 1);
}
END_TEST

START_TEST(zeros_in_its_place_are_a_file_that_was_emptied)
{
	struct log l;
	make(&l);
	memset(l.w.out.v, 0, l.at[0]);
	struct read r = read_log(&l);
	is_damage(&r, 0, 0, l.at[0], "truncated while written");
	has(&r, BUFFERS * CALLS, 1);
}
END_TEST

START_TEST(damage_in_a_buffer_of_many_pieces_costs_its_rest)
{
	struct wire w;
	wire_init(&w);
	wire_header(&w, 0, 1000);
	wire_buffer(&w, 1);
	size_t start = w.out.n + MLPD_BUFFER_HEADER;
	for (unsigned c = 0; c < 600000; c++) {
		wire_enter(&w, METHOD);
		wire_leave(&w, METHOD);
	}
	wire_buffer(&w, 2);
	size_t end = w.out.n;
	wire_enter(&w, METHOD);
	wire_leave(&w, METHOD);
	wire_end_buffer(&w);
	w.out.v[start + 6000] = 0x6e;
	struct read r = read_bytes(w.out.v, w.out.n);
	uint64_t lost = 0;
	for (size_t i = 0; i < r.m->damage.n; i++)
		lost += r.m->damage.v[i].bytes;
	ck_assert_uint_eq(r.m->damage.v[0].offset, start + 6000);
	ck_assert_uint_eq(lost, end - start - 6000);
	ck_assert_uint_eq(r.m->calls.calls, 1001);
	pv_ingest_destroy(r.in);
	wire_finish(&w);
}
END_TEST

/* 15's number, 14's rules and wide counters: classes stand in allocations, not vtables. */
START_TEST(a_build_before_vtables_names_its_classes)
{
	struct wire w;
	const struct pv_text name = { "Early.Class", 11 };
	struct pv_batch pools = { 0 };
	wire_init(&w);
	w.format = (struct mlpd_format){ 15, 2, 8, 0 };
	wire_header(&w, 0, 1000);
	w.format = (struct mlpd_format){ 14, 2, 8, MLPD_WIDE_COUNTERS };
	wire_buffer(&w, 1);
	wire_event(&w,
		&(struct pv_event){ .kind = PV_KIND_CLASS_LOAD,
			.meta = { .key = 0x7000, .image = 1, .name = name } },
		NULL);
	for (unsigned i = 0; i < 3; i++)
		wire_event(&w,
			&(struct pv_event){ .kind = PV_KIND_ALLOC,
				.alloc = { .type = 0x7000,
					.object = 0x10000 + i * 64,
					.size = 24 } },
			NULL);
	ck_assert(pv_reserve(&pools.pool, 3));
	pools.pool.n = 3;
	pools.pool.v[0] = 0x10000;
	pools.pool.v[1] = 4;
	pools.pool.v[2] = 0;
	wire_event(&w,
		&(struct pv_event){ .kind = PV_KIND_HEAP_ROOTS,
			.roots = { .collections = 1, .width = 3, .roots = { 0, 3 } } },
		&pools);
	wire_end_buffer(&w);
	struct read r = read_bytes(w.out.v, w.out.n);
	ck_assert(r.status.complete);
	ck_assert_uint_eq(r.m->target.data_version, 15);
	ck_assert_uint_eq(r.m->target.rules, 14);
	ck_assert_uint_eq(r.m->kinds[PV_KIND_ALLOC], 3);
	ck_assert(!r.m->names.classes_by_vtable);
	pv_ingest_destroy(r.in);
	pv_batch_finish(&pools);
	wire_finish(&w);
}
END_TEST

enum { TIME = 8 /* in a buffer's header */, DAYS = 26 };

static uint64_t time_at(const struct log *l, unsigned buffer)
{
	uint64_t ret;
	memcpy(&ret, l->w.out.v + l->at[buffer] + TIME, sizeof ret);
	return ret;
}

static void set_time(struct log *l, unsigned buffer, uint64_t time)
{
	memcpy(l->w.out.v + l->at[buffer] + TIME, &time, sizeof time);
}

static int64_t length_of(const struct read *r)
{
	return r->m->last_ns - r->m->first_ns;
}

/* 2^51 ns are 26 days. */
START_TEST(one_wrong_bit_of_a_buffers_time_makes_no_log_of_days)
{
	const unsigned buffer = _i % 2 ? BUFFERS - 1 : 3, bit = 44 + (unsigned)_i;
	struct log l;
	make(&l);
	set_time(&l, buffer, time_at(&l, buffer) ^ UINT64_C(1) << bit);
	struct read r = read_log(&l);
	is_damage(&r, 0, l.at[buffer] + TIME, 8, "a buffer's time is wrong");
	ck_assert_int_lt(length_of(&r), 1000000000);
	has(&r, BUFFERS * CALLS, 1);
}
END_TEST

START_TEST(one_wrong_byte_of_a_buffers_time_makes_no_log_of_days)
{
	const unsigned byte = 6 + (unsigned)_i % 2, wrong = 0x5a + (unsigned)_i;
	struct log l;
	make(&l);
	set_time(&l, 3, time_at(&l, 3) ^ (uint64_t)wrong << 8 * byte);
	struct read r = read_log(&l);
	is_damage(&r, 0, l.at[3] + TIME, 8, "a buffer's time is wrong");
	ck_assert_int_lt(length_of(&r), 1000000000);
	has(&r, BUFFERS * CALLS, 1);
}
END_TEST

/* Which of two is wrong is not known: nothing is put right by a first buffer that may be wrong. */
START_TEST(a_first_buffers_wrong_time_changes_no_other)
{
	struct log l;
	make(&l);
	set_time(&l, 0, time_at(&l, 0) ^ UINT64_C(1) << 51);
	struct read r = read_log(&l);
	has(&r, BUFFERS * CALLS, 0);
}
END_TEST

/* A machine slept: the rest of the log is days later. */
START_TEST(days_of_sleep_stay)
{
	const uint64_t slept = UINT64_C(86400000000000) * DAYS;
	struct log l;
	make(&l);
	for (unsigned i = 3; i < (_i ? 4 : BUFFERS); i++)
		set_time(&l, i, time_at(&l, i) + slept);
	struct read r = read_log(&l);
	ck_assert_int_ge(length_of(&r), (int64_t)slept);
	has(&r, BUFFERS * CALLS, 0);
}
END_TEST

/* An event read out of step, before the place that cannot be read: 2^55 ns later. */
START_TEST(a_wrong_time_before_damage_makes_no_log_of_days)
{
	static const uint8_t far[] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40, 0, 0xf8 };
	enum { EVENT = 3, NTH = 40 };
	struct log l;
	make(&l);
	memcpy(l.w.out.v + l.at[2] + MLPD_BUFFER_HEADER + NTH * EVENT + 1, far, sizeof far);
	struct read r = read_log(&l);
	ck_assert_uint_eq(r.m->damage.n, 1);
	ck_assert_msg(strstr(r.m->damage.v[0].reason, "1 before of times that cannot be"), "%s",
		r.m->damage.v[0].reason);
	ck_assert_int_lt(length_of(&r), 1000000000);
	has(&r, (BUFFERS - 1) * CALLS + NTH / 2 + 1, 1);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("damage");
	TCase *c = tcase_create("all");
	tcase_set_timeout(c, 60);
	tcase_add_test(c, a_length_over_one_buffer_and_to_its_end_swallows_nothing);
	tcase_add_loop_test(c, a_length_that_ends_nowhere_swallows_nothing, 0, 6);
	tcase_add_loop_test(c, a_length_too_short_costs_no_event, 0, 6);
	tcase_add_test(c, a_bad_event_in_a_buffer_whose_length_lies_costs_up_to_the_next_buffer);
	tcase_add_test(c, a_leb_of_more_than_ten_bytes_costs_its_buffers_tail);
	tcase_add_test(c, a_string_without_end_costs_its_buffers_tail);
	tcase_add_test(c, a_count_that_lies_costs_its_buffers_tail);
	tcase_add_loop_test(c, a_wrong_buffer_id_costs_that_buffer, 0, 4);
	tcase_add_test(c, a_missing_middle_costs_what_is_missing);
	tcase_add_test(c, buffers_twice_and_in_another_order_are_read);
	tcase_add_test(c, wrong_header_fields_are_said);
	tcase_add_loop_test(c, a_wrong_header_field_costs_no_event, 0, 7);
	tcase_add_test(c, a_header_that_is_not_one_costs_the_header);
	tcase_add_test(c, zeros_in_its_place_are_a_file_that_was_emptied);
	tcase_add_test(c, damage_in_a_buffer_of_many_pieces_costs_its_rest);
	tcase_add_test(c, a_build_before_vtables_names_its_classes);
	tcase_add_loop_test(c, one_wrong_bit_of_a_buffers_time_makes_no_log_of_days, 0, 19);
	tcase_add_loop_test(c, one_wrong_byte_of_a_buffers_time_makes_no_log_of_days, 0, 4);
	tcase_add_test(c, a_first_buffers_wrong_time_changes_no_other);
	tcase_add_loop_test(c, days_of_sleep_stay, 0, 2);
	tcase_add_test(c, a_wrong_time_before_damage_makes_no_log_of_days);
	suite_add_tcase(s, c);
	return run_suite(s);
}
