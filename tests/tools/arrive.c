/* SPDX-License-Identifier: MIT */
/*
 * arrive LOG...: each log arrives at a followed path in several rhythms, by a writer that is not
 * known: the report at the end is, byte for byte, that of the finished file, and no word of damage
 * was said on the way. A compressed log arrives inflated, too. All logs and rhythms at once, since
 * each waits twice for the time after which silence is taken for an end.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/ingest/ingest.h"
#include "tests/kit/range_kit.h"

enum { DEADLINE_S = 60, MOST = 64, SMALL = 40000 };

enum rhythm {
	HALVES,  /* silence in the middle, long enough to be taken for the end */
	BYTES,   /* small parts, one by one at the beginning and at the end */
	TAIL,    /* all but three bytes, silence, and these */
	RENAMED, /* renamed to the path, in a folder that comes later than the viewer */
	RHYTHMS
};

static const char *const rhythm_name[RHYTHMS] = { "in halves", "byte by byte", "without its tail",
	"in a folder that comes later" };

struct arrival {
	const char *log;
	enum rhythm rhythm;
	uint8_t *bytes; /* of the log */
	size_t n;
	char folder[64], path[96];
	char *wanted;
	int fd;
	struct pv_ingest *in;
};

static char dir[] = "/tmp/pv-arrive-XXXXXX";
static struct arrival arrival[MOST];
static size_t arrivals, failed;
static unsigned dice = 11;

static _Noreturn void die(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	exit(1);
}

static void write_at(int fd, const uint8_t *bytes, size_t n)
{
	for (ssize_t wrote; n > 0; bytes += wrote, n -= (size_t)wrote)
		if ((wrote = write(fd, bytes, n)) < 0)
			die("writing", "failed");
}

static int create(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		die(path, "cannot be written");
	return fd;
}

static struct pv_ingest *start(const char *path, bool follow)
{
	struct pv_error e = { 0 };
	const struct pv_source_options so = { .follow = follow };
	const struct pv_ingest_options io = { .jobs = 1, .follow = follow, .ranges = true };
	struct pv_source *s = pv_source_open(path, &so, &e);
	struct pv_ingest *in = s ? pv_ingest_start(s, &io, &e) : NULL;
	if (!in)
		die(path, e.what);
	return in;
}

static _Noreturn void die_at(const struct arrival *a, const struct pv_ingest_status *s)
{
	fprintf(stderr, "%s, %s: state %d after %llu of %zu bytes\n", a->log,
		rhythm_name[a->rhythm], s->state, (unsigned long long)s->source.input_read, a->n);
	exit(1);
}

static struct pv_ingest_status wait_until(struct arrival *a, uint64_t stored, bool ended)
{
	struct pv_ingest_status s;
	time_t until = time(NULL) + DEADLINE_S;
	for (;;) {
		pv_ingest_status(a->in, &s);
		if (s.state == PV_INGEST_FAILED)
			die(a->log, s.error.what);
		if (s.source.input_read >= stored && (!ended || s.state == PV_INGEST_ENDED))
			return s;
		if (time(NULL) > until)
			die_at(a, &s);
		struct pollfd p = { .fd = pv_ingest_fd(a->in), .events = POLLIN };
		poll(&p, 1, 100);
		pv_ingest_clear(a->in);
	}
}

static void expect_no_damage(struct arrival *a, const struct pv_ingest_status *s)
{
	if (s->places == 0)
		return;
	fprintf(stderr, "%s, %s: %s at byte %llu\n", a->log, rhythm_name[a->rhythm],
		s->first.reason, (unsigned long long)s->first.offset);
	failed++;
}

/* In how many parts a text was decoded is the arrival's own. */
static char *comparable(char *text)
{
	char *at = text ? strstr(text, "\"buffers\":") : NULL;
	if (at) {
		at += strlen("\"buffers\":");
		size_t digits = strspn(at, "0123456789");
		memmove(at, at + digits, strlen(at + digits) + 1);
	}
	return text;
}

/* Of the bytes as a file: read to its end. */
static char *report_of(const uint8_t *bytes, size_t n)
{
	char path[64];
	struct arrival whole = { .log = "whole" };
	snprintf(path, sizeof path, "%s/whole", dir);
	int fd = create(path);
	write_at(fd, bytes, n);
	close(fd);
	whole.in = start(path, false);
	wait_until(&whole, 0, true);
	char *text = comparable(range_kit_report(whole.in, pv_ingest_adopt(whole.in)));
	pv_ingest_destroy(whole.in);
	unlink(path);
	return text;
}

static void add(const char *log, uint8_t *bytes, size_t n, char *wanted)
{
	for (enum rhythm r = 0; r < RHYTHMS; r++) {
		if (arrivals == MOST || n < 16)
			die(log, "too many logs, or an empty one");
		struct arrival *a = &arrival[arrivals];
		*a = (struct arrival){ .log = log, .rhythm = r, .bytes = bytes, .n = n };
		a->wanted = wanted;
		snprintf(a->folder, sizeof a->folder, "%s/%zu", dir, arrivals);
		snprintf(a->path, sizeof a->path, "%s/%zu/log", dir, arrivals++);
	}
}

static void add_log(const char *path, bool inflate)
{
	struct pv_error e = { 0 };
	PV_ARRAY(uint8_t) b = { 0 };
	struct pv_source *s = pv_source_open(path, &(struct pv_source_options){ 0 }, &e);
	struct pv_source_info info;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (!s || fd < 0)
		die(path, "cannot be opened");
	for (ssize_t n = 1; n > 0; b.n += n > 0 ? (size_t)n : 0) {
		uint64_t got = 0;
		if (!pv_reserve(&b, 1 << 16))
			die(path, "out of memory");
		bool more =
			inflate && pv_source_read(s, b.v + b.n, 1 << 15, &got, &e) == PV_READ_BYTES;
		n = inflate ? (more ? (ssize_t)got : 0) : read(fd, b.v + b.n, 1 << 15);
	}
	close(fd);
	pv_source_info(s, &info);
	pv_source_close(s);
	if (!inflate || info.compressed)
		add(path, b.v, b.n, report_of(b.v, b.n));
	else
		pv_array_finish(&b);
}

static size_t first_part(const struct arrival *a)
{
	return a->rhythm == HALVES ? a->n / 2 : a->rhythm == TAIL ? a->n - 3 : 0;
}

static void put_in_small_parts(struct arrival *a)
{
	for (size_t at = 0, n; at < a->n; at += n) {
		bool single = at < 600 || a->n - at < 300 || a->n < SMALL;
		dice = dice * 1664525 + 1013904223;
		n = single ? 1 : 1 + (dice >> 8) % 2000;
		n = n < a->n - at ? n : a->n - at;
		write_at(a->fd, a->bytes + at, n);
		if ((dice >> 20) % 64 == 0) /* these bytes are seen before more come */
			wait_until(a, at + n, false);
	}
}

static void put_in_place(struct arrival *a)
{
	char other[128];
	snprintf(other, sizeof other, "%s.new", a->folder);
	a->fd = create(other);
	write_at(a->fd, a->bytes, a->n);
	if (mkdir(a->folder, 0700) < 0 || rename(other, a->path) < 0)
		die(other, "cannot be renamed");
}

static void begin(struct arrival *a)
{
	if (a->rhythm != RENAMED) {
		if (mkdir(a->folder, 0700) < 0)
			die(a->folder, "cannot be made");
		a->fd = create(a->path);
		write_at(a->fd, a->bytes, first_part(a));
	}
	a->in = start(a->path, true);
}

static void go_on(struct arrival *a)
{
	if (first_part(a) > 0) {
		struct pv_ingest_status s = wait_until(a, first_part(a), true);
		expect_no_damage(a, &s);
	}
	if (a->rhythm == BYTES)
		put_in_small_parts(a);
	else if (a->rhythm == RENAMED)
		put_in_place(a);
	else
		write_at(a->fd, a->bytes + first_part(a), a->n - first_part(a));
}

static void end(struct arrival *a)
{
	struct pv_ingest_status s = wait_until(a, a->n, true);
	char *got = comparable(range_kit_report(a->in, pv_ingest_adopt(a->in)));
	size_t at = 0;
	expect_no_damage(a, &s);
	while (got && got[at] && got[at] == a->wanted[at])
		at++;
	if (!got || strcmp(got, a->wanted) != 0) {
		size_t from = at > 100 ? at - 100 : 0;
		fprintf(stderr, "%s, %s: %.200s\n instead of\n%.200s\n", a->log,
			rhythm_name[a->rhythm], got ? got + from : "", a->wanted + from);
		failed++;
	}
	free(got);
	pv_ingest_destroy(a->in);
	close(a->fd);
	unlink(a->path);
	rmdir(a->folder);
}

int main(int argc, char **argv)
{
	if (argc < 2 || !mkdtemp(dir))
		die("usage", "arrive LOG...");
	setenv("XDG_CACHE_HOME", dir, 1);
	for (int i = 1; i < argc; i++) {
		add_log(argv[i], false);
		add_log(argv[i], true);
	}
	for (size_t i = 0; i < arrivals; i++)
		begin(&arrival[i]);
	for (size_t i = 0; i < arrivals; i++)
		go_on(&arrival[i]);
	for (size_t i = 0; i < arrivals; i++)
		end(&arrival[i]);
	rmdir(dir);
	printf("%zu arrivals, %zu not the same\n", arrivals, failed);
	return failed ? 1 : 0;
}
