/*
 * Mutates logs and reads each mutation whole, in this process: bytes to framer, decoder and model.
 * Nothing may crash, hang, or count more than the bytes hold.
 *
 * usage: mutate COUNT SEED [LOG]...    (without a log: one made here)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/format/framer.h"
#include "common/format/mlpd_layout.h"
#include "common/model/model.h"
#include "tests/suite.h"
#include "tests/wire.h"
#include "tests/wire_rows.h"

enum { MAX_LOG = 1 << 20, SLOWEST_MS = 5000, EVENT_LEAST = 2 };

struct bytes {
	uint8_t *v;
	size_t n;
};

static uint64_t state;

static uint64_t any(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return below ? state % below : 0;
}

/* --- mutations --- */

static void cut(struct bytes *b)
{
	size_t at = any(b->n), n = any(b->n - at) + 1;
	if (any(2))
		n = b->n - at; /* the end is missing */
	memmove(b->v + at, b->v + at + n, b->n - at - n);
	b->n -= n;
}

static void flip(struct bytes *b)
{
	for (uint64_t i = 1 + any(8); i > 0; i--)
		b->v[any(b->n)] ^= (uint8_t)(1u << any(8));
}

static void overwrite(struct bytes *b)
{
	static const uint8_t nasty[] = { 0, 0xff, 0x80, 0x7f, 0x6e };
	size_t at = any(b->n), n = 1 + any(16);
	memset(b->v + at, nasty[any(sizeof nasty)], n < b->n - at ? n : b->n - at);
}

static void splice(struct bytes *b)
{
	size_t from = any(b->n), n = any(b->n - from < 4096 ? b->n - from : 4096), to = any(b->n - n);
	memmove(b->v + to, b->v + from, n);
}

/* Offset of the i-th buffer header, as found by its id; b->n when there is none. */
static size_t find_buffer(const struct bytes *b, uint64_t i)
{
	static const uint8_t id[] = { 0x01, 0x4c, 0x50, 0x4d };
	for (size_t at = 0; at < b->n;) {
		const uint8_t *p = memmem(b->v + at, b->n - at, id, sizeof id);
		if (!p)
			break;
		if (i-- == 0)
			return (size_t)(p - b->v);
		at = (size_t)(p - b->v) + 1;
	}
	return b->n;
}

static void move_buffers(struct bytes *b)
{
	size_t from = find_buffer(b, any(16)), to = find_buffer(b, any(16));
	size_t end = find_buffer(b, any(16));
	if (end > from && to < b->n && end - from <= b->n - to)
		memmove(b->v + to, b->v + from, end - from);
}

static void lie_about_length(struct bytes *b)
{
	size_t at = find_buffer(b, any(16));
	if (at + 8 <= b->n)
		pv_put_u32(b->v + at + 4, (uint32_t)(any(2) ? any(1 << 17) : any(UINT32_MAX)));
}

static void lie_in_header(struct bytes *b)
{
	size_t at = any(48);
	if (at < b->n)
		b->v[at] = (uint8_t)(at == 6 ? 1 + any(17) : any(256));
}

static void mutate(struct bytes *b)
{
	static void (*const how[])(struct bytes *b) = { cut, flip, overwrite, splice, move_buffers,
		lie_about_length, lie_in_header };
	for (uint64_t i = 1 + any(3); i > 0 && b->n > 0; i--)
		how[any(PV_COUNT_OF(how))](b);
}

/* --- reading --- */

struct reading {
	struct mlpd_framer f;
	struct pv_model *m;
	struct pv_batch b;
	struct mlpd_bases bases;
	uint64_t events, payload;
	const char *wrong;
};

static bool begin(struct reading *r)
{
	const struct mlpd_header *h = &r->f.header;
	const struct pv_target_info t = { .data_version = h->format.data_version,
		.header_major = h->format.header_major, .pointer_size = h->format.pointer_size,
		.start_time_ms = h->start_time_ms, .startup_ns = h->startup_ns, .pid = h->pid,
		.args = h->args.at, .arch = h->arch.at, .os = h->os.at };
	return pv_model_begin(r->m, &t);
}

static bool buffer(struct reading *r)
{
	struct mlpd_framer *f = &r->f;
	struct pv_batch *b = &r->b;
	size_t used, at = 0;
	bool changed;
	pv_batch_reset(b);
	if (!pv_reserve(&b->bytes, f->payload_len + 1))
		return false;
	if (f->payload_len)
		memcpy(b->bytes.v, f->payload, f->payload_len);
	b->bytes.n = b->bytes_len = f->payload_len;
	b->thread = f->buffer.thread;
	b->time_base = f->buffer.time_base;
	b->gap_before = f->gap_before;
	struct mlpd_trial t = { .says = f->header.format.data_version,
		.partial = !f->whole || !f->last_piece };
	mlpd_bases_init(&t.start, &f->buffer);
	r->bases = t.start;
	if (!mlpd_decode_batch(b, &r->bases, &f->header.format, t.partial, &used))
		return false;
	if (b->damaged && !mlpd_try_layouts(b, &t, &f->header.format, &changed))
		return false;
	if (b->n > f->payload_len / EVENT_LEAST)
		r->wrong = "more events than bytes can hold";
	r->events += b->n;
	r->payload += f->payload_len;
	if (b->damaged)
		mlpd_framer_back(f, b->damage_bytes < f->payload_len ? (size_t)b->damage_bytes
								     : f->payload_len);
	while (at < b->n)
		if (!pv_model_apply(r->m, b, &at, 0))
			return false;
	return true;
}

static void feed(struct reading *r, const struct bytes *in, size_t step)
{
	for (size_t fed = 0;;) {
		enum mlpd_piece p = mlpd_framer_next(&r->f);
		if (p == MLPD_FAILED || (p == MLPD_MORE && r->f.ended))
			return;
		bool ok = p == MLPD_HEADER ? begin(r) : p == MLPD_BUFFER ? buffer(r) : true;
		if (p == MLPD_DAMAGE && r->f.damage.bytes > (uint64_t)UINT32_MAX + in->n)
			r->wrong = "more damage than a length can claim";
		if (!ok || r->wrong) {
			r->wrong = r->wrong ? r->wrong : "out of memory";
			return;
		}
		if (p != MLPD_MORE)
			continue;
		size_t room, n = in->n - fed < step ? in->n - fed : step;
		uint8_t *to = mlpd_framer_room(&r->f, &room);
		if (n > room)
			n = room;
		if (n)
			memcpy(to, in->v + fed, n);
		mlpd_framer_filled(&r->f, n);
		fed += n;
		if (fed == in->n)
			mlpd_framer_end(&r->f);
	}
}

static const char *read_whole(const struct bytes *in, size_t step)
{
	struct reading r = { .f = { .may_join = true }, .m = pv_model_create(NULL) };
	if (!r.m || !mlpd_framer_init(&r.f))
		return "out of memory";
	feed(&r, in, step);
	if (!r.wrong && r.m->calls.calls > r.events)
		r.wrong = "more calls than events";
	if (!r.wrong && r.m->events > r.payload)
		r.wrong = "more events than bytes";
	pv_model_end(r.m, false);
	pv_batch_finish(&r.b);
	mlpd_framer_finish(&r.f);
	pv_model_destroy(r.m);
	return r.wrong;
}

/* --- logs --- */

static struct bytes load(const char *path)
{
	struct bytes b = { malloc(MAX_LOG), 0 };
	FILE *f = fopen(path, "rb");
	if (f && b.v)
		b.n = fread(b.v, 1, MAX_LOG, f);
	if (f)
		fclose(f);
	return b;
}

/* Every kind of a version, in a few buffers. */
static struct bytes made(unsigned version)
{
	struct wire w;
	struct pv_batch pools = { 0 };
	wire_init(&w);
	w.format.data_version = (uint8_t)version;
	w.format.header_major = version >= 16 ? 3 : version >= 14 ? 2 : version == 13;
	wire_header(&w, 7, 1000);
	for (unsigned round = 0; round < 8; round++) {
		wire_buffer(&w, 1 + round % 3);
		for (size_t i = 0; i < mlpd_row_count; i++) {
			const struct mlpd_row *row = &mlpd_rows[i];
			if (!wire_row_is_written(row, &w.format))
				continue;
			struct pv_event e = wire_row_event(row, &w.format, round + (unsigned)i,
				&pools);
			wire_event(&w, &e, &pools);
		}
	}
	wire_end_buffer(&w);
	struct bytes b = { malloc(w.out.n), w.out.n };
	if (b.v)
		memcpy(b.v, w.out.v, w.out.n);
	pv_batch_finish(&pools);
	wire_finish(&w);
	return b;
}

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* One mutation of a log; true when it was read as it should. */
static bool try_one(const struct bytes *log, unsigned long number, double *ret_ms)
{
	struct bytes b = { malloc(log->n + 1), log->n };
	if (!b.v)
		return false;
	memcpy(b.v, log->v, log->n);
	mutate(&b);
	/* An exact copy, so that a sanitizer sees the first byte past it. */
	struct bytes exact = { malloc(b.n + 1), b.n };
	if (exact.v)
		memcpy(exact.v, b.v, b.n);
	double start = now_ms();
	const char *wrong = exact.v ? read_whole(&exact, 1 + any(70000)) : "out of memory";
	*ret_ms = now_ms() - start;
	if (!wrong && *ret_ms > SLOWEST_MS)
		wrong = "slower than 5 s";
	if (wrong)
		printf("mutation %lu: %s\n", number, wrong);
	free(exact.v);
	free(b.v);
	return !wrong;
}

static unsigned long count;
static unsigned long long seed;
static char **logs;
static unsigned log_count;

START_TEST(mutations_are_read_to_their_end)
{
	unsigned long failed = 0;
	double slowest = 0;
	for (unsigned long i = 0; i < count; i++) {
		state = (seed + i + 1) * UINT64_C(0x9e3779b97f4a7c15);
		struct bytes log = log_count ? load(logs[i % log_count])
					     : made(1 + (unsigned)i % MLPD_NEWEST);
		double ms = 0;
		failed += log.n == 0 || !try_one(&log, i, &ms);
		slowest = ms > slowest ? ms : slowest;
		free(log.v);
	}
	printf("%lu mutations, %lu failed, slowest %.1f ms\n", count, failed, slowest);
	ck_assert_uint_eq(failed, 0);
}
END_TEST

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	count = strtoul(argv[1], NULL, 10);
	seed = strtoull(argv[2], NULL, 10);
	logs = argv + 3;
	log_count = (unsigned)argc - 3;
	Suite *s = suite_create("mutations");
	TCase *c = tcase_create("all");
	tcase_set_timeout(c, 0);
	tcase_add_test(c, mutations_are_read_to_their_end);
	suite_add_tcase(s, c);
	SRunner *r = srunner_create(s);
	srunner_set_fork_status(r, CK_NOFORK); /* a crash is the sanitizer's to tell */
	srunner_run_all(r, CK_NORMAL);
	int bad = srunner_ntests_failed(r);
	srunner_free(r);
	return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}
