/* SPDX-License-Identifier: MIT */
/*
 * How long the graph of a log's first heap shot takes to be made, and what is worked out of it; in
 * processor time, since machines are rarely quiet. Prints one line of JSON.
 *
 * usage: heap_steps LOG
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/heap/graph_build.h"
#include "common/heap/heap_paths.h"
#include "common/ingest/again/reread.h"
#include "tests/kit/graph_bytes.h"

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A figure of /proc/self/status, in bytes. */
static double memory(const char *name)
{
	char line[256];
	double kib = 0;
	FILE *f = fopen("/proc/self/status", "r");
	while (f && fgets(line, sizeof line, f))
		if (strncmp(line, name, strlen(name)) == 0)
			kib = strtod(line + strlen(name) + 1, NULL);
	if (f)
		fclose(f);
	return kib * 1024;
}

/* The peak is counted anew. */
static void forget_peak(void)
{
	FILE *f = fopen("/proc/self/clear_refs", "w");
	if (f) {
		fputs("5", f);
		fclose(f);
	}
}

static bool on_header(void *ctx, const struct mlpd_header *h)
{
	(void)ctx, (void)h;
	return true;
}

static struct pv_error err;

static bool on_buffer(void *ctx, const struct mlpd_buffer_header *h, const struct pv_batch *b)
{
	(void)h;
	return pv_graph_build_add(ctx, b, &err) && !pv_graph_build_done(ctx);
}

/* Marks in time: when the phase that is named changes. */
static struct {
	const char *name;
	double at;
} phase[32];
static size_t phases;

static bool go_on(void *ctx, const char *name, uint64_t done, uint64_t total)
{
	(void)ctx, (void)done, (void)total;
	if ((phases == 0 || strcmp(phase[phases - 1].name, name) != 0) && phases < 32) {
		phase[phases].name = name;
		phase[phases++].at = seconds();
	}
	return true;
}

static double since(const char *from, const char *to)
{
	double a = 0, b = seconds();
	for (size_t i = phases; i > 0; i--) {
		if (strcmp(phase[i - 1].name, from) == 0)
			a = phase[i - 1].at;
		if (to && strcmp(phase[i - 1].name, to) == 0)
			b = phase[i - 1].at;
	}
	return b - a;
}

static double slowest_path(const struct pv_heap *h)
{
	double worst = 0;
	for (uint64_t i = 0; i < 1000 && h->graph.nodes; i++) {
		struct pv_path p;
		double from = seconds();
		if (!pv_path_find(h, (uint32_t)(i * 7919 * 104729 % h->graph.nodes), &p))
			exit(1);
		double took = seconds() - from;
		worst = took > worst ? took : worst;
		pv_path_finish(&p);
	}
	return worst;
}

int main(int argc, char *argv[])
{
	struct pv_graph_build *b =
		pv_graph_build_create(&(struct pv_graph_build_options){ .rules = 17 });
	struct pv_reread r = { .ctx = b, .header = on_header, .buffer = on_buffer, .err = &err };
	const struct pv_progress progress = { NULL, go_on };
	struct pv_graph g;
	struct pv_heap h;
	double start = seconds();
	pv_reread(&r, argc > 1 ? argv[1] : "");
	double read = seconds() - start;
	if (err.code != PV_OK || !pv_graph_build_finish(b, NULL, &progress, &g, &err)) {
		fprintf(stderr, "%s\n", err.what);
		return 1;
	}
	pv_graph_build_destroy(b);
	double link = seconds() - start - read, build_peak = memory("VmHWM:");
	uint32_t nodes = g.nodes, edges = g.edges;
	forget_peak();
	double before = memory("VmRSS:"), begin = seconds();
	if (!pv_heap_init(&h, &g, false, true, &progress, &err)) {
		fprintf(stderr, "%s\n", err.what);
		return 1;
	}
	double all = seconds() - begin, peak = memory("VmHWM:") - before;
	printf("{\"objects\":%" PRIu32 ",\"references\":%" PRIu32 ",\"read_s\":%.3f,"
	       "\"build_s\":%.3f,\"build_peak\":%.0f,\"graph_bytes\":%" PRIu64
	       ",\"dominators_s\":%.3f,\"classes_s\":%.3f,\"all_s\":%.3f,\"peak\":%.0f,"
	       "\"path_s\":%.6f,\"unreachable\":%" PRIu64 ",\"least\":%d}\n",
		nodes, edges, read, link, build_peak, graph_bytes(&h.graph),
		since("referrers", "paths"), since("classes", NULL), all, peak, slowest_path(&h),
		h.unreachable, h.class_least);
	pv_heap_finish(&h);
	return 0;
}
