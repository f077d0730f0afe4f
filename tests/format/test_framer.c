/* SPDX-License-Identifier: MIT */
/* Cuts, damage and joins: streams made of hand-built headers and buffers. */
#include <stdio.h>

#include "common/format/mlpd/framer.h"
#include "tests/kit/suite.h"

enum { BUFFERS = 5 };

struct stream {
	uint8_t bytes[4096];
	size_t n, header, at[BUFFERS + 1]; /* start of each buffer; [BUFFERS] is the end */
};

static void add_header(struct stream *s, uint32_t pid)
{
	struct mlpd_header h = { .format = { 17, 3, 8, 0 },
		.pid = pid,
		.startup_ns = 900,
		.args = { "log:calls", 9 },
		.arch = { "x86-64", 6 },
		.os = { "linux", 5 } };
	s->n += mlpd_put_header(s->bytes + s->n, sizeof s->bytes - s->n, &h);
}

/* `calls` pairs of enter and leave of three bytes each. */
static void add_buffer(struct stream *s, uint64_t thread, unsigned calls)
{
	struct mlpd_buffer_header h = {
		.length = calls * 6, .time_base = 1000, .thread = thread, .method_base = 0x5000
	};
	s->n += mlpd_put_buffer_header(s->bytes + s->n, &h);
	for (unsigned i = 0; i < calls; i++) {
		static const uint8_t pair[] = { 0x23, 1, 0, 0x13, 1, 0 };
		memcpy(s->bytes + s->n, pair, sizeof pair);
		s->n += sizeof pair;
	}
}

static void make(struct stream *s)
{
	*s = (struct stream){ 0 };
	add_header(s, 42);
	s->header = s->n;
	for (unsigned i = 0; i < BUFFERS; i++) {
		s->at[i] = s->n;
		add_buffer(s, 7 + i % 2, 3 + i);
	}
	s->at[BUFFERS] = s->n;
}

struct result {
	unsigned headers, buffers, damages;
	uint64_t payload, damage_bytes, damage_offset;
	bool failed, joined, last_whole, gap_before_last;
	struct pv_error error;
	char reason[80];
};

static void note(struct result *r, struct mlpd_framer *f, enum mlpd_piece p)
{
	if (p == MLPD_HEADER) {
		r->headers++;
		r->joined |= f->joined;
	} else if (p == MLPD_BUFFER) {
		r->buffers++;
		r->payload += f->payload_len;
		r->last_whole = f->whole;
		r->gap_before_last = f->bytes_lost_before;
	} else if (p == MLPD_DAMAGE) {
		r->damages++;
		r->damage_bytes += f->damage.bytes;
		r->damage_offset = f->damage.offset;
		strcpy(r->reason, f->damage.reason);
	} else {
		r->failed = true;
		r->error = f->error;
	}
}

static struct result run(const uint8_t *bytes, size_t n, size_t step, bool may_join)
{
	struct result r = { 0 };
	struct mlpd_framer f = { .may_join = may_join };
	ck_assert(mlpd_framer_init(&f));
	for (size_t fed = 0; !r.failed;) {
		enum mlpd_piece p = mlpd_framer_next(&f);
		if (p != MLPD_MORE) {
			note(&r, &f, p);
			continue;
		}
		if (f.ended)
			break;
		size_t room, part = n - fed < step ? n - fed : step;
		uint8_t *to = mlpd_framer_room(&f, &room);
		ck_assert(to && room >= part);
		if (part)
			memcpy(to, bytes + fed, part);
		mlpd_framer_filled(&f, part);
		fed += part;
		if (fed == n)
			mlpd_framer_end(&f);
	}
	mlpd_framer_finish(&f);
	return r;
}

START_TEST(any_step_gives_the_same_pieces)
{
	struct stream s;
	make(&s);
	for (size_t step = 1; step < s.n + 2; step += step < 60 ? 1 : 97) {
		struct result r = run(s.bytes, s.n, step, false);
		ck_assert_uint_eq(r.headers, 1);
		ck_assert_uint_eq(r.buffers, BUFFERS);
		ck_assert_uint_eq(r.payload, (3 + 4 + 5 + 6 + 7) * 6);
		ck_assert(!r.damages && !r.failed && r.last_whole);
	}
}
END_TEST

START_TEST(every_cut_keeps_what_came_before_it)
{
	struct stream s;
	make(&s);
	for (size_t cut = 0; cut < s.n; cut++) {
		struct result r = run(s.bytes, cut, 64, false);
		if (cut < s.header) {
			ck_assert(r.failed && !r.buffers);
			ck_assert(r.error.code == PV_ETRUNCATED || r.error.code == PV_EVERSION);
			continue;
		}
		unsigned whole = 0;
		while (s.at[whole + 1] <= cut && whole + 1 <= BUFFERS)
			whole++;
		size_t into = cut - s.at[whole];
		bool cut_payload = into >= MLPD_BUFFER_HEADER;
		ck_assert_uint_eq(r.buffers, whole + cut_payload);
		ck_assert_uint_eq(r.damages, into > 0);
		ck_assert(r.damages == 0 || strstr(r.reason, "ends inside"));
		ck_assert(!cut_payload || !r.last_whole);
	}
}
END_TEST

START_TEST(a_bad_buffer_id_costs_that_buffer_only)
{
	struct stream s;
	make(&s);
	s.bytes[s.at[1]] ^= 0xff;
	struct result r = run(s.bytes, s.n, 100, false);
	ck_assert_uint_eq(r.buffers, BUFFERS - 1);
	ck_assert_uint_eq(r.damages, 1);
	ck_assert_uint_eq(r.damage_offset, s.at[1]);
	ck_assert_uint_eq(r.damage_bytes, s.at[2] - s.at[1]);
}
END_TEST

START_TEST(a_wrong_length_costs_no_other_buffer)
{
	struct stream s;
	for (unsigned bit = 0; bit < 32; bit++) {
		make(&s);
		s.bytes[s.at[1] + 4 + bit / 8] ^= (uint8_t)(1u << bit % 8);
		struct result r = run(s.bytes, s.n, 4096, false);
		ck_assert_uint_eq(r.headers, 1);
		ck_assert_uint_ge(r.buffers, BUFFERS);
		ck_assert_uint_eq(r.damages, 1);
		ck_assert_uint_ge(r.damage_offset, s.at[1]);
		ck_assert_uint_le(r.damage_offset, s.at[2]);
		ck_assert(!r.failed && r.last_whole && r.payload <= (3 + 4 + 5 + 6 + 7) * 6);
	}
}
END_TEST

START_TEST(missing_middle_is_reported_and_the_rest_is_read)
{
	struct stream s;
	make(&s);
	size_t from = s.at[1] + 20, to = s.at[2] + 20;
	memmove(s.bytes + from, s.bytes + to, s.n - to);
	struct result r = run(s.bytes, s.n - (to - from), 33, false);
	/* Buffer 1's header is whole: its payload swallows the rest of buffer 2's. */
	ck_assert_uint_ge(r.buffers, BUFFERS - 2);
	ck_assert_uint_ge(r.damages, 1);
	ck_assert(!r.failed);
}
END_TEST

START_TEST(a_stream_can_be_joined_in_its_middle)
{
	struct stream s;
	make(&s);
	for (size_t from = 1; from <= s.at[2]; from++) {
		struct result r = run(s.bytes + from, s.n - from, 50, true);
		unsigned first = 0;
		while (s.at[first] < from)
			first++;
		ck_assert_msg(r.joined && !r.failed, "from %zu: %s", from, r.error.what);
		ck_assert_uint_eq(r.buffers, BUFFERS - first);
		ck_assert_uint_eq(r.damages, 0);
	}
}
END_TEST

START_TEST(a_header_in_mid_stream_begins_or_continues_a_recording)
{
	struct stream s;
	make(&s);
	add_header(&s, 43);
	add_buffer(&s, 1, 2);
	struct result r = run(s.bytes, s.n, 10, false);
	ck_assert_uint_eq(r.headers, 2);
	ck_assert_uint_eq(r.buffers, BUFFERS + 1);
	ck_assert_uint_eq(r.damages, 0);
}
END_TEST

START_TEST(a_bad_header_in_mid_stream_changes_nothing)
{
	struct stream s;
	make(&s);
	size_t at = s.n;
	add_header(&s, 43);
	s.bytes[at + 6] = 99;
	add_buffer(&s, 1, 2);
	struct mlpd_framer f = { .may_join = true };
	size_t room;
	struct result r = { 0 };
	ck_assert(mlpd_framer_init(&f));
	memcpy(mlpd_framer_room(&f, &room), s.bytes, s.n);
	mlpd_framer_filled(&f, s.n);
	mlpd_framer_end(&f);
	for (enum mlpd_piece p; (p = mlpd_framer_next(&f)) != MLPD_MORE;)
		note(&r, &f, p);
	ck_assert(!r.failed);
	ck_assert_uint_eq(f.header.format.data_version, 17);
	ck_assert_uint_eq(f.header.pid, 42);
	ck_assert_uint_eq(r.headers, 1);
	ck_assert_uint_eq(r.buffers, BUFFERS + 1);
	ck_assert_uint_eq(r.damages, 1);
	mlpd_framer_finish(&f);
}
END_TEST

START_TEST(what_is_no_log_is_said_to_look_like_what_it_is)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *says;
	} file[] = {
		{ "", 0, "empty" },
		{ "\0\0\0\0\0\0", 6, "zeros" },
		{ "\x7f"
		  "ELF\2",
			5, "ELF" },
		{ "hello, world\n", 13, "text" },
		{ "{ \"a\": 1 }", 10, "JSON" },
		{ "\x81\x02\x03\xff", 4, "no known format" },
	};
	for (size_t i = 0; i < PV_COUNT_OF(file); i++) {
		for (int join = 0; join < 2; join++) {
			struct result r = run((const uint8_t *)file[i].bytes, file[i].n, 3, join);
			ck_assert(r.failed);
			ck_assert_msg(strstr(r.error.what, file[i].says) != NULL, "%s: %s",
				file[i].says, r.error.what);
		}
	}
}
END_TEST

START_TEST(large_payloads_come_in_pieces)
{
	enum { LEN = 3 * MLPD_MAX_PIECE + 500 };
	struct mlpd_header h = {
		.format = { 17, 3, 8, 0 }, .args = { "", 0 }, .arch = { "", 0 }, .os = { "", 0 }
	};
	struct mlpd_buffer_header b = { .length = LEN };
	uint8_t *bytes = calloc(1, 256 + LEN);
	size_t n = mlpd_put_header(bytes, 256, &h);
	n += mlpd_put_buffer_header(bytes + n, &b);
	struct result r = run(bytes, n + LEN, 65536, false);
	ck_assert_uint_eq(r.buffers, 4);
	ck_assert_uint_eq(r.payload, LEN);
	ck_assert_uint_eq(r.damages, 0);
	r = run(bytes, n + LEN - 1, 65536, false);
	ck_assert_uint_eq(r.payload, LEN - 1);
	ck_assert_uint_eq(r.damages, 1);
	ck_assert_uint_eq(r.damage_bytes, 1);
	free(bytes);
}
END_TEST

START_TEST(a_gap_drops_the_unfinished_buffer_and_resumes)
{
	struct stream s;
	make(&s);
	struct mlpd_framer f = { 0 };
	struct result r = { 0 };
	ck_assert(mlpd_framer_init(&f));
	size_t part = s.at[1] + 60, room, skip = s.at[3] - part;
	memcpy(mlpd_framer_room(&f, &room), s.bytes, part);
	mlpd_framer_filled(&f, part);
	for (enum mlpd_piece p; (p = mlpd_framer_next(&f)) != MLPD_MORE;)
		note(&r, &f, p);
	ck_assert_uint_eq(r.buffers, 1);
	mlpd_framer_gap(&f, skip, "dropped");
	memcpy(mlpd_framer_room(&f, &room), s.bytes + s.at[3], s.n - s.at[3]);
	mlpd_framer_filled(&f, s.n - s.at[3]);
	mlpd_framer_end(&f);
	for (enum mlpd_piece p; (p = mlpd_framer_next(&f)) != MLPD_MORE;)
		note(&r, &f, p);
	ck_assert_uint_eq(r.buffers, 3);
	ck_assert_uint_eq(r.damages, 1);
	ck_assert_uint_eq(r.damage_bytes, s.at[3] - (s.at[1] + MLPD_BUFFER_HEADER));
	mlpd_framer_finish(&f);
}
END_TEST

/* --- payloads that are held */

enum { HELD = 24, LONG_STREAM = 8 << 20 };

struct held {
	struct pv_block *block;
	uint8_t *payload;
	size_t at, n; /* in the stream */
};

/* Headers and payloads of any length in which no buffer begins; returns their bytes. */
static size_t make_long(uint8_t *bytes)
{
	struct mlpd_header h = {
		.format = { 17, 3, 8, 0 }, .args = { "", 0 }, .arch = { "", 0 }, .os = { "", 0 }
	};
	size_t n = mlpd_put_header(bytes, 256, &h);
	for (unsigned i = 0; n < LONG_STREAM - (256 << 10); i++) {
		struct mlpd_buffer_header b = { .thread = i,
			.length = i % 7 == 0 ? 0 : (uint32_t)rand() % (i % 5 ? 9000 : 200000) };
		n += mlpd_put_buffer_header(bytes + n, &b);
		for (size_t k = 0; k < b.length; k++)
			bytes[n++] = (uint8_t)(2 + rand() % 250);
	}
	return n;
}

static void let_go(struct held *h, const uint8_t *stream)
{
	if (!h->block)
		return;
	if (h->n)
		ck_assert_mem_eq(h->payload, stream + h->at, h->n);
	pv_block_drop(h->block);
	h->block = NULL;
}

static void hold(struct held *h, const struct mlpd_framer *f)
{
	*h = (struct held){ pv_block_hold(f->block), f->payload, (size_t)f->payload_offset,
		f->payload_len };
}

static size_t read_holding(struct mlpd_framer *f, const uint8_t *bytes, size_t n, struct held *held)
{
	size_t buffers = 0, fed = 0, room;
	while (!f->ended) {
		uint8_t *to = mlpd_framer_room(f, &room);
		ck_assert_ptr_nonnull(to);
		if (rand() % 2)
			room = (size_t)rand() % room + 1;
		room = room < n - fed ? room : n - fed;
		memcpy(to, bytes + fed, room);
		mlpd_framer_filled(f, room);
		fed += room;
		if (fed == n)
			mlpd_framer_end(f);
		for (enum mlpd_piece p; (p = mlpd_framer_next(f)) != MLPD_MORE;) {
			if (p == MLPD_HEADER)
				continue;
			ck_assert(p == MLPD_BUFFER && f->whole);
			struct held *h = &held[buffers % HELD];
			let_go(h, bytes);
			hold(h, f);
			for (size_t i = 0; rand() % 40 == 0 && i < HELD; i++)
				let_go(&held[i], bytes);
			buffers++;
		}
	}
	return buffers;
}

START_TEST(a_payload_that_is_held_stays_as_it_came)
{
	uint8_t *bytes = malloc(LONG_STREAM);
	struct held held[HELD] = { { 0 } };
	struct mlpd_framer f = { 0 };
	srand((unsigned)_i);
	size_t n = make_long(bytes), at = 0, buffers = 0;
	struct result expect = run(bytes, n, 65536, false);
	ck_assert(mlpd_framer_init(&f));
	buffers = read_holding(&f, bytes, n, held);
	ck_assert_uint_eq(expect.damages, 0);
	ck_assert_uint_eq(buffers, expect.buffers);
	for (size_t i = 0; i < MLPD_SPARE_BLOCKS; i++)
		at += f.spare[i] != NULL;
	ck_assert_uint_gt(at, 0);
	mlpd_framer_finish(&f);
	for (size_t i = 0; i < HELD; i++)
		let_go(&held[i], bytes);
	free(bytes);
}
END_TEST

START_TEST(a_gap_leaves_what_is_held)
{
	struct stream s;
	make(&s);
	struct mlpd_framer f = { 0 };
	struct held h = { 0 };
	size_t room;
	ck_assert(mlpd_framer_init(&f));
	memcpy(mlpd_framer_room(&f, &room), s.bytes, s.at[1] + 60);
	mlpd_framer_filled(&f, s.at[1] + 60);
	for (enum mlpd_piece p; (p = mlpd_framer_next(&f)) != MLPD_MORE;)
		if (p == MLPD_BUFFER)
			hold(&h, &f);
	mlpd_framer_gap(&f, 100, "dropped");
	memset(mlpd_framer_room(&f, &room), 0xee, s.n);
	ck_assert_uint_eq(h.n, s.at[1] - s.at[0] - MLPD_BUFFER_HEADER);
	let_go(&h, s.bytes);
	mlpd_framer_finish(&f);
}
END_TEST

enum { FAR_STREAM = 24 << 20, FAR_END = (8 << 20) - (80 << 10), FAR_STEP = 20000 };

/* Bytes of headers that promise a buffer up to nearly all that the window has room for. */
static uint8_t *make_far(void)
{
	struct stream s = { .n = 0 };
	const struct mlpd_buffer_header h = { .length = FAR_END };
	uint8_t *bytes = calloc(1, FAR_STREAM);
	ck_assert_ptr_nonnull(bytes);
	add_header(&s, 42);
	memcpy(bytes, s.bytes, s.n);
	memset(bytes + s.n, 0xff, 100);
	for (size_t at = s.n + 100; at < FAR_STREAM - FAR_STEP; at += FAR_STEP)
		mlpd_put_buffer_header(bytes + at, &h);
	return bytes;
}

/* How many bytes the framer moved while it was fed, whether or not others hold its blocks. */
static uint64_t moved(const uint8_t *bytes, size_t n, bool holds)
{
	struct mlpd_framer f = { 0 };
	struct pv_block *held = NULL;
	uint64_t sum = 0;
	size_t room;
	ck_assert(mlpd_framer_init(&f));
	for (size_t fed = 0; fed < n; fed += room) {
		const uint8_t *before = f.window + f.start;
		pv_block_drop(held);
		held = holds ? pv_block_hold(f.block) : NULL;
		uint8_t *to = mlpd_framer_room(&f, &room);
		ck_assert_ptr_nonnull(to);
		if (f.window + f.start != before)
			sum += f.filled - f.start;
		room = room < n - fed ? room : n - fed;
		room = room < 65536 ? room : 65536;
		memcpy(to, bytes + fed, room);
		mlpd_framer_filled(&f, room);
		while (mlpd_framer_next(&f) != MLPD_MORE)
			;
	}
	pv_block_drop(held);
	mlpd_framer_finish(&f);
	return sum;
}

START_TEST(what_waits_is_moved_in_linear_time)
{
	uint8_t *bytes = make_far();
	ck_assert_uint_lt(moved(bytes, FAR_STREAM, false), UINT64_C(6) * FAR_STREAM);
	ck_assert_uint_lt(moved(bytes, FAR_STREAM, true), UINT64_C(6) * FAR_STREAM);
	free(bytes);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("framer");
	TCase *c = tcase_create("all");
	tcase_set_timeout(c, 60);
	tcase_add_test(c, any_step_gives_the_same_pieces);
	tcase_add_test(c, every_cut_keeps_what_came_before_it);
	tcase_add_test(c, a_bad_buffer_id_costs_that_buffer_only);
	tcase_add_test(c, a_wrong_length_costs_no_other_buffer);
	tcase_add_test(c, missing_middle_is_reported_and_the_rest_is_read);
	tcase_add_test(c, a_stream_can_be_joined_in_its_middle);
	tcase_add_test(c, a_header_in_mid_stream_begins_or_continues_a_recording);
	tcase_add_test(c, a_bad_header_in_mid_stream_changes_nothing);
	tcase_add_test(c, what_is_no_log_is_said_to_look_like_what_it_is);
	tcase_add_test(c, large_payloads_come_in_pieces);
	tcase_add_test(c, a_gap_drops_the_unfinished_buffer_and_resumes);
	tcase_add_loop_test(c, a_payload_that_is_held_stays_as_it_came, 0, 4);
	tcase_add_test(c, a_gap_leaves_what_is_held);
	tcase_add_test(c, what_waits_is_moved_in_linear_time);
	suite_add_tcase(s, c);
	return run_suite(s);
}
