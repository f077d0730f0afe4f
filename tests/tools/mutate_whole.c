/* SPDX-License-Identifier: MIT */
/*
 * A log's bytes as the program reads them: ingest in one thread and in many, every section of the
 * report as JSON, convert. What must hold of any bytes: both reports are the same, no count is
 * larger than the log could hold, no size and no duration is negative, and what convert writes is
 * a log without damage.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/ingest/convert/convert.h"
#include "common/ingest/ingest.h"
#include "common/ingest/again/reread.h"
#include "common/report/report.h"
#include "tests/tools/mutations.h"

enum { DEADLINE_MS = 60000, MANY_JOBS = 3 };

struct text {
	char *v;
	size_t n;
	uint64_t log_bytes; /* inflated, that it tells of */
};

static int memory_file(const void *bytes, size_t n, char path[32])
{
	int fd = memfd_create("log", MFD_CLOEXEC);
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	if (fd < 0 || (n && write(fd, bytes, n) != (ssize_t)n))
		abort();
	return fd;
}

/* --- the report --- */

static bool wait_until_over(struct pv_ingest *in, struct pv_ingest_status *s)
{
	for (;;) {
		pv_ingest_status(in, s);
		if (s->state == PV_INGEST_ENDED || s->state == PV_INGEST_FAILED)
			return true;
		struct pollfd p = { .fd = pv_ingest_fd(in), .events = POLLIN };
		if (poll(&p, 1, DEADLINE_MS) == 0)
			return false;
		pv_ingest_clear(in);
	}
}

static const char *report(const char *path, unsigned jobs, struct text *ret)
{
	struct pv_error e = { 0 };
	struct pv_ingest_status s;
	struct pv_source *source = pv_source_open(path, &(struct pv_source_options){ 0 }, &e);
	const struct pv_ingest_options how = { .jobs = jobs };
	struct pv_ingest *in = source ? pv_ingest_start(source, &how, &e) : NULL;
	if (!in)
		return "it cannot be opened";
	const char *wrong = wait_until_over(in, &s) ? NULL : "reading does not end";
	if (!wrong && s.state == PV_INGEST_FAILED && !s.error.what[0])
		wrong = "a failure without a reason";
	if (!wrong && s.state == PV_INGEST_ENDED && s.complete == s.damaged)
		wrong = "complete and damaged, or neither";
	ret->log_bytes = s.stream_bytes;
	const struct pv_report_options o = { .format = PV_REPORT_JSON, .sections = "all" };
	const struct pv_report_source src = { .path = "log",
		.bytes = s.stream_bytes,
		.file_bytes = s.source.file_bytes,
		.compressed = s.source.compressed,
		.complete = s.complete };
	FILE *out = open_memstream(&ret->v, &ret->n);
	/* Of an input that is no log there is no report. */
	if (!wrong && s.state == PV_INGEST_ENDED &&
		(!out || !pv_report_write(pv_ingest_adopt(in), &src, &o, out, &e)))
		wrong = "no report";
	if (out)
		fclose(out);
	pv_ingest_destroy(in);
	return wrong;
}

/* Keys of counts, which no log can make larger than it has bytes. */
static const char *const counts[] = { "calls", "exceptional_leaves", "count", "contentions",
	"acquired", "failed", "thrown", "references", "roots", "events", "buffers", "resizes",
	"moved_objects", "handles_created", "handles_destroyed", "objects_finalized", "catch",
	"finally" };
/* Keys of what is saturated, never wrapped. */
static const char *const sizes[] = { "total_ns", "self_ns", "max_ns", "duration_ns", "pause_ns",
	"wait_ns", "max_wait_ns", "allocated_bytes", "bytes", "code_bytes", "helper_bytes",
	"max_heap_bytes", "heap_before", "heap_after", "allocations", "objects",
	/* one may stand for many */
	"samples_self", "samples_total", "samples" };

static bool is_one_of(const char *key, size_t n, const char *const *list, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (strlen(list[i]) == n && memcmp(list[i], key, n) == 0)
			return true;
	return false;
}

/* "key":number wherever it stands. */
static const char *check_numbers(const struct text *json)
{
	static char wrong[80];
	/* Not strstr(), which a sanitizer has measure all that is left, each time. */
	for (const char *p = json->v, *end = p + json->n;
		p && (p = memmem(p, (size_t)(end - p), "\":", 2)); p += 2) {
		const char *key = p;
		while (key > json->v && key[-1] != '"')
			key--;
		size_t n = (size_t)(p - key);
		const char *number = p + 2;
		while (*number == ' ')
			number++;
		bool count = is_one_of(key, n, counts, sizeof counts / sizeof counts[0]);
		bool size = is_one_of(key, n, sizes, sizeof sizes / sizeof sizes[0]);
		bool negative = *number == '-';
		if ((negative && (count || size)) ||
			(count && *number >= '0' && *number <= '9' &&
				strtoull(number, NULL, 10) > json->log_bytes)) {
			snprintf(wrong, sizeof wrong, "%.*s is %.*s", (int)n, key,
				(int)strcspn(number, ",}\n"), number);
			return wrong;
		}
	}
	return NULL;
}

static const char *check_reports(const char *path)
{
	struct text one = { 0 }, many = { 0 };
	const char *wrong = report(path, 1, &one);
	if (!wrong)
		wrong = report(path, MANY_JOBS, &many);
	if (!wrong && (one.n != many.n || memcmp(one.v, many.v, one.n) != 0))
		wrong = "the report depends on the number of workers";
	if (!wrong)
		wrong = check_numbers(&one);
	free(one.v);
	free(many.v);
	return wrong;
}

/* --- convert --- */

static bool any_header(void *ctx, const struct mlpd_header *h)
{
	(void)ctx;
	(void)h;
	return true;
}

static bool count_events(void *ctx, const struct mlpd_buffer_header *h, const struct pv_batch *b)
{
	(void)h;
	*(uint64_t *)ctx += b->n;
	return true;
}

static const char *check_converted(const struct text *log, uint64_t want)
{
	struct pv_error e = { 0 };
	uint64_t events = 0;
	struct pv_reread r = {
		.ctx = &events, .header = any_header, .buffer = count_events, .err = &e
	};
	char path[32];
	int fd = memory_file(log->v, log->n, path);
	bool ok = pv_reread(&r, path);
	close(fd);
	return !ok              ? "convert wrote no log"
	       : r.damaged      ? "convert wrote damage"
	       : events != want ? "convert miscounted"
				: NULL;
}

static const char *check_convert(const char *path)
{
	struct pv_convert_options o = { .data_version = (unsigned)mutate_any(2) * 17 };
	if (mutate_any(2)) {
		o.ranged = true;
		o.from_ns = (int64_t)mutate_any(100000);
		o.to_ns = mutate_any(2) ? INT64_MAX : o.from_ns + 100000;
	}
	struct pv_convert_totals t = { 0 };
	struct pv_error e = { 0 };
	struct text out = { 0 };
	FILE *f = open_memstream(&out.v, &out.n);
	if (!f)
		return "out of memory";
	bool ok = pv_convert(path, &o, f, &t, &e);
	fclose(f);
	const char *wrong = ok          ? check_converted(&out, t.events)
			    : e.what[0] ? NULL
					: "convert fails without a reason";
	free(out.v);
	return wrong;
}

const char *mutate_read_whole(const struct bytes *in)
{
	char path[32];
	int fd = memory_file(in->v, in->n, path);
	const char *wrong = check_reports(path);
	if (!wrong)
		wrong = check_convert(path);
	close(fd);
	return wrong;
}
