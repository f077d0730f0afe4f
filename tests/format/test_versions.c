/*
 * A log of each data version and pointer size that holds every kind the version has, written by the
 * encoder and read back: the facts are equal. What the bytes must be is test_codec's affair.
 */
#include <stdio.h>

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
		if (p == MLPD_BUFFER)
			at += compare(&f, &l, at);
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
