/* SPDX-License-Identifier: MIT */
#include "tests/kit/range_kit.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/report/report.h"

uint64_t range_kit_access_spacing;

static bool wait_over(struct pv_ingest *in)
{
	struct pv_ingest_status s;
	for (;;) {
		pv_ingest_status(in, &s);
		if (s.state == PV_INGEST_ENDED || s.state == PV_INGEST_FAILED)
			return s.state == PV_INGEST_ENDED;
		struct pollfd p = { .fd = pv_ingest_fd(in), .events = POLLIN };
		poll(&p, 1, 60000);
		pv_ingest_clear(in);
	}
}

static struct pv_ingest *load(
	const char *path, const struct pv_restrict *only, bool ranges, bool index)
{
	struct pv_error e = { 0 };
	const struct pv_source_options so = { .access_spacing = range_kit_access_spacing };
	const struct pv_ingest_options io = { .jobs = ranges ? 2 : 1,
		.only = *only,
		.ranges = ranges,
		.index = index,
		.index_least = 1 };
	struct pv_source *s = pv_source_open(path, &so, &e);
	struct pv_ingest *in = s ? pv_ingest_start(s, &io, &e) : NULL;
	if (in && wait_over(in)) {
		pv_ingest_adopt(in);
		return in;
	}
	fprintf(stderr, "%s: %s\n", path, e.what);
	pv_ingest_destroy(in);
	return NULL;
}

struct pv_ingest *range_kit_load(const char *path)
{
	return load(path, &(struct pv_restrict){ 0 }, true, false);
}

struct pv_ingest *range_kit_indexed(const char *path)
{
	return load(path, &(struct pv_restrict){ 0 }, true, true);
}

char *range_kit_report(struct pv_ingest *in, struct pv_model *m)
{
	struct pv_ingest_status s;
	struct pv_error e = { 0 };
	char *text = NULL;
	size_t n;
	pv_ingest_status(in, &s);
	const struct pv_report_source source = { .path = "log",
		.bytes = s.stream_bytes,
		.file_bytes = s.source.file_bytes,
		.compressed = s.source.compressed,
		.complete = s.complete };
	const struct pv_report_options o = { .format = PV_REPORT_JSON, .sections = "all" };
	FILE *f = open_memstream(&text, &n);
	bool ok = f && pv_report_write(m, &source, &o, f, &e);
	if (f)
		fclose(f);
	if (ok)
		return text;
	fprintf(stderr, "report: %s\n", e.what);
	free(text);
	return NULL;
}

bool range_kit_quick(
	struct pv_ingest *in, int64_t from_ns, int64_t to_ns, struct range_kit_result *ret)
{
	struct pv_error e = { 0 };
	struct pv_background_status s;
	struct pv_range_read *r = pv_range_start(
		in, &(struct pv_range_wish){ .from_ns = from_ns, .to_ns = to_ns }, &e);
	if (r) {
		pv_background_wait(pv_range_job(r));
		pv_background_status(pv_range_job(r), &s);
	}
	if (!r || !s.done) {
		fprintf(stderr, "range: %s\n", r ? s.error.what : e.what);
		pv_background_destroy(pv_range_job(r));
		return false;
	}
	ret->whole = pv_range_whole(r);
	ret->bytes_read = s.step;
	ret->quick = range_kit_report(in, pv_range_model(r));
	pv_background_destroy(pv_range_job(r));
	return ret->quick != NULL;
}

bool range_kit_compare(struct pv_ingest *in, const char *path, int64_t from_ns, int64_t to_ns,
	struct range_kit_result *ret)
{
	const struct pv_restrict only = {
		.ranged = true, .from_ns = from_ns, .to_ns = to_ns, .scout = pv_ingest_adopt(in)
	};
	*ret = (struct range_kit_result){ 0 };
	struct pv_ingest *all = load(path, &only, false, false);
	if (!all)
		return false;
	ret->slow = range_kit_report(all, pv_ingest_adopt(all));
	pv_ingest_destroy(all);
	if (!ret->slow || !range_kit_quick(in, from_ns, to_ns, ret))
		return false;
	ret->equal = strcmp(ret->slow, ret->quick) == 0;
	return true;
}
