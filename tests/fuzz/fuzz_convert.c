/* SPDX-License-Identifier: MIT */
/*
 * Bytes -> `profview convert`: whatever a log holds, what is written is a log without damage, with
 * as many events as were said; writing that again leaves none out.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/ingest/convert/convert.h"
#include "common/ingest/again/reread.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static bool any_header(void *ctx, const struct mlpd_header *h)
{
	(void)ctx;
	(void)h;
	return true;
}

static bool count(void *ctx, const struct mlpd_buffer_header *h, const struct pv_batch *b)
{
	(void)h;
	*(uint64_t *)ctx += b->n;
	return true;
}

/* A file in memory; its path in path[]. */
static int memory_file(const void *bytes, size_t n, char path[32])
{
	int fd = memfd_create("log", MFD_CLOEXEC);
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n)
		exit(1);
	return fd;
}

static bool convert(const void *in, size_t n, const struct pv_convert_options *o, char **ret_out,
	size_t *ret_n, struct pv_convert_totals *ret_t)
{
	struct pv_error e = { 0 };
	char path[32];
	int fd = memory_file(in, n, path);
	FILE *out = open_memstream(ret_out, ret_n);
	bool ok = out && pv_convert(path, o, out, ret_t, &e);
	if (out)
		fclose(out);
	close(fd);
	if (!ok && !e.what[0])
		abort();
	return ok;
}

/* The output reads whole, as the layout it has been written in. */
static void check(const char *log, size_t n, const struct pv_convert_totals *t)
{
	struct pv_error e = { 0 };
	uint64_t events = 0;
	struct pv_reread r = { .ctx = &events,
		.header = any_header,
		.buffer = count,
		.err = &e,
		.found = &t->written };
	char path[32];
	int fd = memory_file(log, n, path);
	if (!pv_reread(&r, path) || r.damaged || events != t->events)
		abort();
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const struct pv_convert_options how[] = { { 0 }, { .data_version = 17 },
		{ .ranged = true, .from_ns = 10, .to_ns = 5000 }, { .data_version = 9 },
		{ .thread = "0x1" }, { .ranged = true, .from_ns = -1000, .to_ns = INT64_MAX } };
	const struct pv_convert_options *o = &how[n % (sizeof how / sizeof how[0])];
	struct pv_convert_totals t = { 0 }, again_t = { 0 };
	char *out = NULL, *again = NULL;
	size_t out_n = 0, again_n = 0;
	if (convert(bytes, n, o, &out, &out_n, &t)) {
		check(out, out_n, &t);
		/* A log without a header may be taken for another layout, if it decodes as that. */
		bool reported = t.written.layout == 0 || t.written.layout == MLPD_EARLY_16;
		if (reported && (!convert(out, out_n, &how[0], &again, &again_n, &again_t) ||
					again_t.events != t.events))
			abort();
	}
	free(out);
	free(again);
	return 0;
}
