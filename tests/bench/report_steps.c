/* SPDX-License-Identifier: MIT */
/*
 * Costs of the parts of reading a log, in processor time on one core: its events decoded and
 * counted by kind, no more; names, call tree, sites and all other figures of a report; and the time
 * buckets and the rolling window besides. Prints one line of JSON, in seconds, least of the runs.
 *
 * usage: report_steps LOG [RUNS]
 */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/ingest/ingest.h"
#include "common/ingest/again/reread.h"

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct totals {
	uint64_t events, kind[PV_KIND_COUNT];
};

static bool on_header(void *ctx, const struct mlpd_header *h)
{
	(void)ctx, (void)h;
	return true;
}

static bool on_buffer(void *ctx, const struct mlpd_buffer_header *h, const struct pv_batch *b)
{
	struct totals *t = ctx;
	(void)h;
	for (size_t i = 0; i < b->n; i++)
		t->kind[b->kind[i]]++;
	t->events += b->n;
	return true;
}

static bool count(const char *log, double *ret_seconds, uint64_t *ret_events)
{
	struct pv_error e = { 0 };
	struct totals t = { 0 };
	struct pv_reread r = { .ctx = &t, .header = on_header, .buffer = on_buffer, .err = &e };
	double from = seconds();
	bool ok = pv_reread(&r, log);
	*ret_seconds = seconds() - from;
	*ret_events = t.events;
	if (!ok)
		fprintf(stderr, "report_steps: %s: %s\n", log, e.what);
	return ok;
}

/* Until everything is in the model; false when it cannot be read. */
static bool wait_for_end(struct pv_ingest *in)
{
	struct pv_ingest_status s;
	for (;;) {
		pv_ingest_status(in, &s);
		if (s.state == PV_INGEST_ENDED)
			return true;
		if (s.state == PV_INGEST_FAILED) {
			fprintf(stderr, "report_steps: %s\n", s.error.what);
			return false;
		}
		struct pollfd p = { .fd = pv_ingest_fd(in), .events = POLLIN };
		poll(&p, 1, -1);
		pv_ingest_clear(in);
	}
}

static bool model(const char *log, bool no_window, double *ret_seconds)
{
	struct pv_error e = { 0 };
	const struct pv_source_options so = { .follow = false };
	const struct pv_ingest_options io = { .jobs = 1, .no_window = no_window };
	double from = seconds();
	struct pv_source *source = pv_source_open(log, &so, &e);
	struct pv_ingest *in = source ? pv_ingest_start(source, &io, &e) : NULL;
	bool ok = in && wait_for_end(in);
	*ret_seconds = seconds() - from;
	if (!in)
		fprintf(stderr, "report_steps: %s: %s\n", log, e.what);
	pv_ingest_destroy(in);
	return ok;
}

int main(int argc, char **argv)
{
	double least[3] = { 1e9, 1e9, 1e9 };
	uint64_t events = 0;
	int runs = argc > 2 ? atoi(argv[2]) : 3;
	if (argc < 2) {
		fprintf(stderr, "usage: report_steps LOG [RUNS]\n");
		return 2;
	}
	for (int i = 0; i < runs; i++) {
		double took[3];
		if (!count(argv[1], &took[0], &events) || !model(argv[1], true, &took[1]) ||
			!model(argv[1], false, &took[2]))
			return 1;
		for (int k = 0; k < 3; k++)
			least[k] = took[k] < least[k] ? took[k] : least[k];
	}
	printf("{\"events\": %" PRIu64 ", \"totals\": %.4f, \"tree\": %.4f, \"buckets\": %.4f}\n",
		events, least[0], least[1], least[2]);
	return 0;
}
