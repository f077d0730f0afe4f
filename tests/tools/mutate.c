/* SPDX-License-Identifier: MIT */
/*
 * Mutates logs and reads each mutation to its end: by parts and as the program does, with reports
 * and convert. Nothing may crash, hang, take memory without bound, or count more than the bytes hold.
 *
 * usage: mutate COUNT SEED [LOG]...    (without a log: some made here, one of each data version)
 * A mutation that goes wrong is kept as $PV_MUTATIONS/NUMBER where that is set.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "common/format/mlpd/mlpd.h"
#include "tests/tools/mutations.h"
#include "tests/kit/suite.h"
#include "tests/kit/wire.h"
#include "tests/kit/wire_rows.h"

enum { MAX_LOG = 192 << 10, SLOWEST_MS = 5000, MOST_MEMORY_KIB = 1 << 20 };

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
			struct pv_event e =
				wire_row_event(row, &w.format, round + (unsigned)i, &pools);
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
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* whatever else the machine does */
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void keep(const struct bytes *b, unsigned long number)
{
	char path[4096];
	const char *folder = getenv("PV_MUTATIONS");
	if (!folder)
		return;
	snprintf(path, sizeof path, "%s/%lu", folder, number);
	FILE *f = fopen(path, "wb");
	if (f) {
		fwrite(b->v, 1, b->n, f);
		fclose(f);
	}
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
	const char *wrong =
		exact.v ? mutate_read_parts(&exact, 1 + mutate_any(70000)) : "out of memory";
	if (!wrong)
		wrong = mutate_read_whole(&exact);
	*ret_ms = now_ms() - start;
	if (!wrong && *ret_ms > SLOWEST_MS)
		wrong = "slower than 5 s";
	if (wrong) {
		printf("mutation %lu: %s\n", number, wrong);
		keep(&b, number);
	}
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
		mutate_seed(seed + i + 1);
		struct bytes log =
			log_count ? load(logs[i % log_count]) : made(1 + (unsigned)i % MLPD_NEWEST);
		double ms = 0;
		failed += log.n == 0 || !try_one(&log, i, &ms);
		slowest = ms > slowest ? ms : slowest;
		free(log.v);
	}
	struct rusage used;
	getrusage(RUSAGE_SELF, &used);
	printf("%lu mutations, %lu failed, slowest %.1f ms, %ld KiB\n", count, failed, slowest,
		used.ru_maxrss);
	ck_assert_uint_eq(failed, 0);
	ck_assert_int_lt(used.ru_maxrss, MOST_MEMORY_KIB);
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
	return run_suite_here(s);
}
