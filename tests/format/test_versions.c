/* SPDX-License-Identifier: MIT */
/*
 * A log of each data version and pointer size that holds every kind the version has, written by the
 * encoder and read back: the facts are equal. What the bytes must be is test_codec's affair.
 */
#include <stdio.h>

#include "common/format/batch_event.h"
#include "common/format/mlpd/framer.h"
#include "tests/kit/event_text.h"
#include "tests/kit/suite.h"
#include "tests/kit/wire.h"
#include "tests/kit/wire_rows.h"

enum { ROUNDS = 5, TEXT = 2048 };

struct log {
	struct wire w;
	struct pv_batch pools; /* of the events in `said` */
	PV_ARRAY(struct pv_event) said;
};

static struct mlpd_format format_of(int i)
{
	uint8_t version = (uint8_t)(1 + i / 2);
	return (struct mlpd_format){ version,
		version >= 16   ? 3
		: version >= 14 ? 2
				: version == 13,
		i % 2 ? 4 : 8, 0 };
}

static bool carries_time(const struct pv_event *e, const struct mlpd_format *f)
{
	return f->data_version >= mlpd_rows[e->row].time_since;
}

static void say(struct log *l, const struct mlpd_row *row, unsigned salt)
{
	struct pv_event e = wire_row_event(row, &l->w.format, salt, &l->pools);
	uint64_t before = l->w.now;
	if (!carries_time(&e, &l->w.format))
		l->w.step = 0; /* these have the time of the event before */
	wire_event(&l->w, &e, &l->pools);
	l->w.step = salt % 2 ? 10 : (uint64_t)-3; /* time may step back */
	e.time = carries_time(&e, &l->w.format) ? l->w.now : before;
	ck_assert(pv_reserve(&l->said, 1));
	l->said.v[l->said.n++] = e;
}

static void make(struct log *l, int i)
{
	*l = (struct log){ 0 };
	wire_init(&l->w);
	l->w.format = format_of(i);
	wire_header(&l->w, 42, 7000);
	for (unsigned round = 0; round < ROUNDS; round++) {
		wire_buffer(&l->w, 1 + round % 2);
		for (size_t r = 0; r < mlpd_row_count; r++)
			if (wire_row_is_written(&mlpd_rows[r], &l->w.format))
				say(l, &mlpd_rows[r], round * 7 + (unsigned)r);
	}
	wire_end_buffer(&l->w);
}

static void finish(struct log *l)
{
	wire_finish(&l->w);
	pv_batch_finish(&l->pools);
	pv_array_finish(&l->said);
}

/* Compares the events of a buffer with what was said; returns how many there were. */
static size_t compare(const struct mlpd_framer *f, const struct log *l, size_t at)
{
	struct pv_cursor c = { .at = f->payload, .end = f->payload + f->payload_len };
	struct pv_batch pools = { 0 };
	struct mlpd_bases b;
	struct pv_event e;
	char got[TEXT], want[TEXT];
	size_t n = 0;
	mlpd_bases_init(&b, &f->buffer);
	for (; pv_cursor_left(&c); n++) {
		ck_assert_uint_lt(at + n, l->said.n);
		const struct pv_event *said = &l->said.v[at + n];
		event_text(want, sizeof want, said, &l->pools, l->w.format.data_version);
		ck_assert_msg(
			mlpd_decode(&c, &b, &f->header.format, &pools, &e) == MLPD_OK, "%s", want);
		event_text(got, sizeof got, &e, &pools, l->w.format.data_version);
		ck_assert_str_eq(got, want);
		ck_assert_uint_eq(e.kind, said->kind);
	}
	pv_batch_finish(&pools);
	return n;
}

/* A payload at once, where plain events in a row have a way of their own, is what its rows say one by one. */
static void compare_at_once(const uint8_t *payload, size_t len,
	const struct mlpd_buffer_header *head, const struct mlpd_format *format)
{
	struct pv_cursor c = { .at = payload, .end = payload + len };
	struct pv_batch pools = { 0 }, b = { 0 };
	struct mlpd_bases bases, more;
	struct pv_event e, entry;
	char got[TEXT], want[TEXT];
	size_t used;
	ck_assert(pv_reserve(&b.bytes, len + 1));
	memcpy(b.bytes.v, payload, len);
	b.bytes.n = len;
	mlpd_bases_init(&bases, head);
	more = bases;
	ck_assert(mlpd_decode_batch(&b, &more, format, false, &used));
	for (size_t i = 0; i < b.n; i++) {
		ck_assert(mlpd_decode(&c, &bases, format, &pools, &e) == MLPD_OK);
		ck_assert_uint_eq(b.kind[i], e.kind);
		ck_assert_uint_eq(b.time[i], e.time);
		if (!pv_batch_event(&b, i))
			continue;
		pv_batch_copy_event(&b, i, &entry);
		event_text(want, sizeof want, &e, &pools, format->data_version);
		event_text(got, sizeof got, &entry, &b, format->data_version);
		ck_assert_str_eq(got, want);
		ck_assert_uint_eq(entry.row, e.row);
	}
	ck_assert_uint_eq(used, (size_t)(c.at - payload));
	ck_assert(b.damaged || c.at == c.end);
	ck_assert(!b.damaged || mlpd_decode(&c, &bases, format, &pools, &e) != MLPD_OK);
	pv_batch_finish(&pools);
	pv_batch_finish(&b);
}

/* Bytes of a payload changed, one after the other. */
static void compare_flipped(const struct mlpd_framer *f)
{
	enum { STEP = 41, MOST = 1 << 16 };
	static uint8_t payload[MOST];
	size_t n = f->payload_len < MOST ? f->payload_len : MOST;
	for (size_t i = 0; i < n; i += STEP) {
		memcpy(payload, f->payload, n);
		payload[i] ^= (uint8_t)(1 + i % 255);
		compare_at_once(payload, n, &f->buffer, &f->header.format);
	}
}

START_TEST(every_kind_of_a_version_is_read_back)
{
	struct log l;
	struct mlpd_framer f = { 0 };
	size_t room, at = 0, headers = 0;
	make(&l, _i);
	ck_assert(mlpd_framer_init(&f));
	memcpy(mlpd_framer_room(&f, &room), l.w.out.v, l.w.out.n);
	ck_assert_uint_ge(room, l.w.out.n);
	mlpd_framer_filled(&f, l.w.out.n);
	mlpd_framer_end(&f);
	for (enum mlpd_piece p; (p = mlpd_framer_next(&f)) != MLPD_MORE;) {
		ck_assert(p == MLPD_HEADER || p == MLPD_BUFFER);
		headers += p == MLPD_HEADER;
		if (p != MLPD_BUFFER)
			continue;
		at += compare(&f, &l, at);
		compare_at_once(f.payload, f.payload_len, &f.buffer, &f.header.format);
		compare_flipped(&f);
	}
	ck_assert_uint_eq(headers, 1);
	ck_assert_uint_eq(f.header.pid, 42);
	ck_assert_uint_eq(f.header.format.data_version, l.w.format.data_version);
	ck_assert_uint_eq(f.header.format.pointer_size, l.w.format.pointer_size);
	ck_assert_uint_eq(at, l.said.n);
	mlpd_framer_finish(&f);
	finish(&l);
}
END_TEST

/* The kinds that the version table gives to each version; a row too many or few shows here. */
START_TEST(a_version_has_the_kinds_it_is_known_for)
{
	static const struct {
		enum pv_kind kind;
		uint8_t since, until;
	} known[] = {
		{ PV_KIND_ALLOC, 1, 17 },
		{ PV_KIND_METHOD_JIT, 1, 17 },
		{ PV_KIND_THREAD_NAME, 1, 17 },
		{ PV_KIND_CLASS_LOAD, 1, 17 },
		{ PV_KIND_HEAP_OBJECT, 1, 17 },
		{ PV_KIND_HEAP_ROOTS, 3, 17 },
		{ PV_KIND_SAMPLE_HIT, 4, 17 },
		{ PV_KIND_SAMPLE_SYMBOL, 4, 17 },
		{ PV_KIND_SAMPLE_BINARY, 4, 15 },
		{ PV_KIND_COUNTERS_DESCRIBE, 5, 17 },
		{ PV_KIND_COUNTERS_SAMPLE, 5, 17 },
		{ PV_KIND_JIT_HELPER, 8, 17 },
		{ PV_KIND_COVERAGE_CLASS, 10, 15 },
		{ PV_KIND_COVERAGE_STATEMENT, 10, 15 },
		{ PV_KIND_ASSEMBLY_LOAD, 11, 17 },
		{ PV_KIND_DOMAIN_UNLOAD, 11, 17 },
		{ PV_KIND_CONTEXT_LOAD, 11, 17 },
		{ PV_KIND_THREAD_END, 11, 17 },
		{ PV_KIND_IMAGE_UNLOAD, 11, 17 },
		{ PV_KIND_SYNC_POINT, 13, 17 },
		{ PV_KIND_GC_FINALIZE_START, 13, 17 },
		{ PV_KIND_VTABLE_LOAD, 15, 17 },
		{ PV_KIND_HEAP_ROOT_REGISTER, 15, 17 },
		{ PV_KIND_AOT_ID, 16, 17 },
		{ PV_KIND_MONITOR_FAIL, 1, 17 },
	};
	struct mlpd_format f = format_of(2 * _i);
	for (size_t i = 0; i < PV_COUNT_OF(known); i++) {
		struct pv_event e = { .kind = (uint8_t)known[i].kind };
		bool want = f.data_version >= known[i].since && f.data_version <= known[i].until;
		ck_assert_msg((mlpd_row_for(&e, &f) != NULL) == want, "%s in %u",
			pv_kind_name(known[i].kind), f.data_version);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("versions");
	TCase *c = tcase_create("all");
	tcase_add_loop_test(c, every_kind_of_a_version_is_read_back, 0, 2 * MLPD_NEWEST);
	tcase_add_loop_test(c, a_version_has_the_kinds_it_is_known_for, 0, MLPD_NEWEST);
	suite_add_tcase(s, c);
	return run_suite(s);
}
