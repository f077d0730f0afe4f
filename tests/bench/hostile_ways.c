/* SPDX-License-Identifier: MIT */
#include "tests/bench/hostile_ways.h"

#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/ingest/again/heap_read.h"
#include "common/ingest/again/identity_read.h"
#include "common/ingest/again/range.h"
#include "common/ingest/convert/convert.h"
#include "common/report/dump.h"
#include "common/report/heapsnapshot.h"
#include "common/report/report.h"

enum {
	LITTLE = 150, /* bytes by which a log grows */
	MUCH = 7500,  /* likewise one of more bytes than LARGE, some thousand times */
	LARGE = 300000,
	FOLDERS = 8, /* open at a time */
	TURNS = 18,  /* a pattern is counted of one family in so many */
};

static const struct pv_ingest_options plainly = { .jobs = 1, .no_window = true };

/* --- reading once */

/* Until so much has come, or to the end. */
static bool wait_for(struct pv_ingest *in, uint64_t bytes)
{
	struct pv_ingest_status s;
	for (;;) {
		pv_ingest_status(in, &s);
		if (s.state == PV_INGEST_ENDED || s.state == PV_INGEST_FAILED)
			return s.state == PV_INGEST_ENDED;
		if (s.stream_bytes >= bytes)
			return true;
		struct pollfd p = { .fd = pv_ingest_fd(in), .events = POLLIN };
		poll(&p, 1, -1);
		pv_ingest_clear(in);
	}
}

static struct pv_ingest *start(const char *path, const struct pv_ingest_options *o)
{
	struct pv_error e = { 0 };
	const struct pv_source_options so = { .follow = o->follow };
	struct pv_source *source = pv_source_open(path, &so, &e);
	return source ? pv_ingest_start(source, o, &e) : NULL;
}

static struct pv_ingest *load(const char *path, const struct pv_ingest_options *o)
{
	struct pv_ingest *in = start(path, o);
	if (in && wait_for(in, UINT64_MAX))
		return in;
	pv_ingest_destroy(in);
	return NULL;
}

static bool report_of(const char *path, struct pv_ingest *in, struct pv_model *m,
	const struct pv_report_options *o, FILE *out)
{
	struct pv_error e = { 0 };
	struct pv_ingest_status s;
	pv_ingest_status(in, &s);
	const struct pv_report_source source = { .path = path, .bytes = s.stream_bytes };
	return pv_report_write(m, &source, o, out, &e);
}

static bool report(
	const char *path, struct pv_ingest *in, const struct pv_report_options *o, FILE *out)
{
	return report_of(path, in, pv_ingest_adopt(in), o, out);
}

static bool read_with(const char *path, const struct pv_ingest_options *o, FILE *out)
{
	const struct pv_report_options usual = { 0 };
	struct pv_ingest *in = load(path, o);
	bool ok = in && report(path, in, &usual, out);
	pv_ingest_destroy(in);
	return ok;
}

static bool read_plainly(const char *path, FILE *out)
{
	return read_with(path, &plainly, out);
}

/* --- questions */

/* A shot that is not there, or too large, is no fault of the reader's. out: NULL, or for a copy. */
static bool read_shot(struct pv_ingest *in, uint32_t shot, FILE *out)
{
	struct pv_error e = { 0 };
	const struct pv_heap_read_options o = { .shot = shot, .weak = true, .classes = true };
	struct pv_heap_read *r = pv_heap_read_start(in, &o, &e);
	if (r)
		pv_background_wait(pv_heap_read_job(r));
	const struct pv_heap *h = r && out ? pv_heap_read_heap(r) : NULL;
	bool ok = !h || pv_heapsnapshot_write(h, out, &e);
	pv_background_destroy(pv_heap_read_job(r));
	return ok;
}

/* Questions about heap shots: tables of all of them, grouped, and the first one's graph. */
static bool ask_shots(const char *path, struct pv_ingest *in, FILE *out)
{
	struct pv_report_options o = { .format = PV_REPORT_JSON, .sections = "heap_shots" };
	bool ok = report(path, in, &o, out);
	o.group = "namespace";
	ok = ok && report(path, in, &o, out);
	o.group = NULL;
	o.split = "image";
	o.in = "class:C";
	return ok && report(path, in, &o, out) && read_shot(in, 0, out);
}

static bool ask_all(const char *path, struct pv_ingest *in, FILE *out)
{
	struct pv_error e = { 0 };
	struct pv_dump_totals totals;
	const struct pv_report_options o = { .format = PV_REPORT_JSON, .sections = "all" };
	return report(path, in, &o, out) && read_shot(in, 0, NULL) &&
	       pv_dump_path(&(struct pv_dump_input){ .path = path }, out, &totals, &e);
}

typedef bool question(const char *path, struct pv_ingest *in, FILE *out);

static bool read_and(const char *path, question *ask, FILE *out)
{
	const struct pv_report_options usual = { 0 };
	struct pv_ingest *in = load(path, &plainly);
	bool ok = in && report(path, in, &usual, out) && ask(path, in, out);
	pv_ingest_destroy(in);
	return ok;
}

static bool read_and_ask(const char *path, FILE *out)
{
	return read_and(path, ask_all, out);
}

static bool read_heap(const char *path, FILE *out)
{
	return read_and(path, ask_shots, out);
}

static bool write_last_shot(const char *path, struct pv_ingest *in, FILE *out)
{
	(void)path;
	size_t shots = pv_ingest_adopt(in)->shots.shot.n;
	return !shots || read_shot(in, (uint32_t)shots - 1, out);
}

static bool export(const char *path, FILE *out)
{
	return read_and(path, write_last_shot, out);
}

/* Logs without two shots, too. */
static bool ask_identity(const char *path, struct pv_ingest *in, FILE *out)
{
	(void)path;
	struct pv_error e = { 0 };
	const struct pv_identity_read_options o = { .base = PV_IDENTITY_NO_SHOT,
		.shot = PV_IDENTITY_NO_SHOT };
	struct pv_identity_read *r = pv_identity_read_start(in, &o, &e);
	if (!r)
		return false;
	pv_background_wait(pv_identity_read_job(r));
	const struct pv_identity *l = pv_identity_read_result(r);
	if (l)
		fprintf(out, "%zu\n", l->object.n);
	pv_background_destroy(pv_identity_read_job(r));
	return true;
}

static bool identity(const char *path, FILE *out)
{
	return read_and(path, ask_identity, out);
}

/* --- while it grows */

struct grown {
	uint8_t *bytes;
	size_t n;
	int fd;
};

static bool grow_begins(struct grown *g, const char *from, char *to)
{
	FILE *f = fopen(from, "r");
	long end = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : 0;
	size_t room = end > 0 ? (size_t)end : 0;
	*g = (struct grown){ .bytes = malloc(room + 1), .fd = mkstemp(to) };
	if (f)
		(void)fseek(f, 0, SEEK_SET);
	g->n = f && g->bytes ? fread(g->bytes, 1, room, f) : 0;
	if (f)
		fclose(f);
	return g->n && g->fd >= 0;
}

static bool grows(const struct grown *g, struct pv_ingest *in)
{
	size_t piece = g->n > LARGE ? MUCH : LITTLE;
	for (size_t at = 0, n; at < g->n; at += n) {
		n = g->n - at < piece ? g->n - at : piece;
		if (write(g->fd, g->bytes + at, n) != (ssize_t)n || !wait_for(in, at + n))
			return false;
	}
	return true;
}

static bool follow(const char *path, FILE *out)
{
	char copy[] = "/tmp/hostile-XXXXXX";
	struct grown g;
	struct pv_ingest_options o = plainly;
	const struct pv_report_options usual = { 0 };
	o.follow = true;
	bool ok = grow_begins(&g, path, copy);
	struct pv_ingest *in = ok ? start(copy, &o) : NULL;
	ok = in && grows(&g, in);
	if (in)
		pv_ingest_cut(in);
	ok = ok && wait_for(in, UINT64_MAX) && report(copy, in, &usual, out);
	pv_ingest_destroy(in);
	free(g.bytes);
	if (g.fd >= 0)
		close(g.fd);
	unlink(copy);
	return ok;
}

/* --- a part of it */

/* A log that cannot be read by ranges is no fault of the reader's. */
static bool by_table(const char *path, struct pv_ingest *in, int64_t from, int64_t to, FILE *out)
{
	struct pv_error e = { 0 };
	const struct pv_report_options usual = { 0 };
	struct pv_range_read *r =
		pv_range_start(in, &(struct pv_range_wish){ .from_ns = from, .to_ns = to }, &e);
	if (!r)
		return e.code == PV_EUSAGE;
	pv_background_wait(pv_range_job(r));
	struct pv_model *m = pv_range_model(r);
	bool ok = m && report_of(path, in, m, &usual, out);
	pv_background_destroy(pv_range_job(r));
	return ok;
}

/* The second third of its time. */
static void middle(const struct pv_model *m, int64_t *from, int64_t *to)
{
	int64_t first = m->first_ns - m->zero_ns, last = m->last_ns - m->zero_ns;
	*from = first + (last - first) / 3;
	*to = first + (last - first) / 3 * 2 + 1;
}

static bool range(const char *path, FILE *out)
{
	int64_t from, to;
	struct pv_ingest_options o = plainly;
	o.ranges = true;
	struct pv_ingest *in = load(path, &o);
	if (!in)
		return false;
	middle(pv_ingest_adopt(in), &from, &to);
	bool ok =
		by_table(path, in, from, to, out) && by_table(path, in, INT64_MIN, INT64_MAX, out);
	pv_ingest_destroy(in);
	o.ranges = false;
	o.only = (struct pv_restrict){ .ranged = true, .from_ns = from, .to_ns = to };
	return ok && read_with(path, &o, out);
}

/* --- written again */

/* One that no event can be written of is no fault of the writer's. */
static bool convert(const char *path, FILE *out)
{
	static const struct pv_convert_options how[] = {
		{ .data_version = 0 },
		{ .data_version = 17 },
		{ .data_version = 13 },
		{ .data_version = 4 },
		{ .ranged = true, .from_ns = -20000, .to_ns = INT64_MAX },
	};
	for (size_t i = 0; i < PV_COUNT_OF(how); i++) {
		struct pv_error e = { 0 };
		struct pv_convert_totals totals;
		if (!pv_convert(path, &how[i], out, &totals, &e) && e.code == PV_EIO)
			return false;
	}
	return true;
}

/* --- opened again */

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static bool reopen(const char *path, FILE *out)
{
	char folder[] = "/tmp/hostile-XXXXXX";
	struct pv_ingest_options o = plainly;
	o.ranges = o.index = true;
	o.index_least = 1;
	if (!mkdtemp(folder) || setenv("XDG_CACHE_HOME", folder, 1) != 0)
		return false;
	bool ok = read_with(path, &o, out) && read_with(path, &o, out);
	nftw(folder, remove_one, FOLDERS, FTW_DEPTH | FTW_PHYS);
	return ok;
}

/* --- */

hostile_read *hostile_way(const char *name)
{
	static const struct {
		const char *name;
		hostile_read *read;
	} ways[] = { { "read", read_plainly }, { "every", read_plainly }, { "ask", read_and_ask },
		{ "heap", read_heap }, { "follow", follow }, { "range", range },
		{ "convert", convert }, { "reopen", reopen }, { "identity", identity },
		{ "export", export } };
	for (size_t i = 0; i < PV_COUNT_OF(ways); i++)
		if (strcmp(ways[i].name, name) == 0)
			return ways[i].read;
	return NULL;
}

/* Few shapes for the work that each way adds to that of a report, as each log is read several times. */
static const struct {
	const char *way, *family;
	enum hostile_pattern p;
} counted[] = {
	{ "follow", "calls", HOSTILE_OPEN },
	{ "follow", "named calls", HOSTILE_RENAMED },
	{ "follow", "threads that call", HOSTILE_THREADS },
	{ "follow", "root areas with slots", HOSTILE_MANY },
	{ "follow", "throws before classes", HOSTILE_MANY },
	{ "follow", "samples of symbols", HOSTILE_MANY },
	{ "follow", "classes that outlive images", HOSTILE_MANY },
	{ "follow", "headers to a far end", HOSTILE_MANY },
	{ "follow", "buffers to one end", HOSTILE_MANY },
	{ "follow", "damaged ends", HOSTILE_MANY },
	{ "follow", "mapped calls of 2007", HOSTILE_MANY },
	{ "follow", "calls of the draft", HOSTILE_MANY },
	{ "range", "calls", HOSTILE_DEEP },
	{ "range", "threads that call", HOSTILE_THREADS },
	{ "range", "classes", HOSTILE_RENAMED },
	{ "range", "stopped collections", HOSTILE_BACK },
	{ "range", "root areas with slots", HOSTILE_MANY },
	{ "range", "counters", HOSTILE_SHUFFLED },
	{ "range", "buffers going back", HOSTILE_MANY },
	{ "range", "empty buffers", HOSTILE_MANY },
	{ "range", "open calls and small buffers", HOSTILE_MANY },
	{ "range", "shots of many classes", HOSTILE_MANY },
	{ "convert", "calls", HOSTILE_OPEN },
	{ "convert", "calls that allocate", HOSTILE_DEEP },
	{ "convert", "used classes", HOSTILE_RENAMED },
	{ "convert", "methods that run", HOSTILE_RENAMED },
	{ "convert", "counters", HOSTILE_MANY },
	{ "convert", "shots of strings", HOSTILE_MANY },
	{ "convert", "finalizers in runs", HOSTILE_OPEN },
	{ "convert", "classes that outlive images", HOSTILE_MANY },
	{ "convert", "calls of 2007", HOSTILE_DEEP },
	{ "convert", "mapped hits of 2007", HOSTILE_MANY },
	{ "reopen", "calls", HOSTILE_OPEN },
	{ "reopen", "classes with methods", HOSTILE_RENAMED },
	{ "reopen", "stopped collections", HOSTILE_OPEN },
	{ "reopen", "handles of objects", HOSTILE_OPEN },
	{ "reopen", "root areas with slots", HOSTILE_MANY },
	{ "reopen", "counters", HOSTILE_WIDE },
	{ "reopen", "waits", HOSTILE_THREADS },
	{ "reopen", "shots of many classes", HOSTILE_MANY },
	{ "identity", "moves", HOSTILE_SAME },
	{ "identity", "shots", HOSTILE_THREADS },
	{ "identity", "shots in collections", HOSTILE_SHUFFLED },
	{ "identity", "moves of an object with handles", HOSTILE_MANY },
	{ "identity", "shots of many classes", HOSTILE_MANY },
	{ "identity", "native blocks", HOSTILE_DEEP },
	{ "export", "shots of strings", HOSTILE_MANY },
	{ "export", "root areas with slots", HOSTILE_MANY },
	{ "export", "inherited fields", HOSTILE_MANY },
	{ "export", "linked objects of other classes", HOSTILE_MANY },
	{ "export", "objects within others of other classes", HOSTILE_MANY },
};

/* Each family in its first pattern and in a part of the others, which are each in turn. */
static bool has_its_turn(size_t family, enum hostile_pattern p)
{
	return p == HOSTILE_MANY || (family + p) % TURNS == 0;
}

bool hostile_is_counted(size_t family, enum hostile_pattern p, const char *way)
{
	if (strcmp(way, "every") == 0)
		return hostile_is_quick(family, p);
	if (strcmp(way, "read") == 0)
		return hostile_is_quick(family, p) && has_its_turn(family, p);
	if (strcmp(way, "ask") == 0)
		return hostile_is_quick(family, p) && hostile_is_asked(family, p);
	if (strcmp(way, "heap") == 0)
		return p == HOSTILE_MANY && hostile_is_heap(family);
	for (size_t i = 0; i < PV_COUNT_OF(counted); i++)
		if (counted[i].p == p && strcmp(counted[i].way, way) == 0 &&
			strcmp(counted[i].family, hostile_family_name(family)) == 0)
			return true;
	return false;
}
