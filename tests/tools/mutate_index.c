/* SPDX-License-Identifier: MIT */
/*
 * Mutates indexes of three logs: of one that is finished, plain and compressed; and of the beginning
 * of one, which ends with a sync point, so that reading goes on after it. Without the key each mutation is refused,
 * whichever byte it is about. With the seal mended each is opened as the program does: the rest of
 * the log is read after it, all is reported, and a range is read with the table of buffers.
 * Nothing may crash, hang or take memory without bound.
 *
 * usage: mutate_index COUNT SEED [PROFVIEW]   (the program draws a frame of some mutations)
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "common/format/batch_event.h"
#include "common/ingest/index_file.h"
#include "tests/kit/bytes_kit.h"
#include "tests/tools/mutations.h"
#include "tests/kit/noise.h"
#include "tests/kit/range_kit.h"
#include "tests/kit/suite.h"
#include "tests/kit/wire.h"
#include "tests/kit/wire_rows.h"

enum {
	INDEXED = 30 << 10, /* bytes of the log that the index is of */
	ROUNDS_MORE = 2,
	LOGS = 3,
	SPACING = 8 << 10, /* of access points */
	FLUSHED = 4 << 10,
	POINTS_LEAST = 128 << 10, /* each point has some KiB of the log before it */
	BATCH = 25,               /* mutations to a process */
	SLOWEST_S = 60,
	MOST_MEMORY_KIB = 2 << 20,
	FRAME_EVERY = 25,
	DAMAGED = 4, /* exit code: the log has an event that cannot be decoded */
};

static bool synced;     /* the log has a sync point after each round */
static bool compressed; /* it is a gzip file, whose index has access points */
static char dir[200], log_path[240], panes[] = "1234567890LXJCAVYHKPiB";

static void die(const char *what)
{
	fprintf(stderr, "mutate_index: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* --- the logs */

static void put_rows(struct wire *w, unsigned salt, struct pv_batch *pools)
{
	for (size_t i = 0; i < mlpd_row_count; i++) {
		const struct mlpd_row *row = &mlpd_rows[i];
		if (!wire_row_is_written(row, &w->format))
			continue;
		pv_batch_reset(pools);
		struct pv_event e = wire_row_event(row, &w->format, salt + (unsigned)i, pools);
		wire_event(w, &e, pools);
	}
}

static struct pv_event event_of(const struct pv_batch *b, size_t i)
{
	struct pv_event e = { .kind = b->kind[i] };
	if (e.kind <= PV_KIND_METHOD_EXC_LEAVE && e.kind != PV_KIND_ALLOC) {
		e.call.method = b->key[i];
	} else if (e.kind == PV_KIND_ALLOC) {
		const struct pv_alloc *a = &b->allocs.v[b->key[i]];
		e.alloc.type = a->type;
		e.alloc.object = a->object;
		e.alloc.size = a->size;
		e.alloc.stack = a->stack;
	} else {
		pv_batch_copy_event(b, i, &e);
	}
	return e;
}

/* Bytes that mean something more often than the rows: names are used again, calls nest. */
static void put_noise(struct wire *w, struct pv_batch *b)
{
	uint64_t time = w->now;
	noise_batch(b, 200, &time, false);
	for (size_t i = 0; i < b->n; i++) {
		struct pv_event e = event_of(b, i);
		if (mlpd_row_for(&e, &w->format))
			wire_event(w, &e, b);
	}
}

static void put_calls(struct wire *w, unsigned round)
{
	for (unsigned i = 0; i < 40; i++) {
		char name[40];
		snprintf(name, sizeof name, "Space.Class%u:Method%u ()", (round + i) % 7, i);
		wire_name(w, 0x6000 + 16 * i, name);
		wire_enter(w, 0x6000 + 16 * i);
	}
	for (unsigned i = 40; i-- > round % 5;)
		wire_leave(w, 0x6000 + 16 * i);
}

static void put_round(struct wire *w, unsigned round, struct pv_batch *pools)
{
	wire_buffer(w, 1 + round % 5);
	put_rows(w, round, pools);
	put_calls(w, round);
	wire_buffer(w, 8 * (round % 7));
	put_noise(w, pools);
	wire_buffer(w, 1);
	wire_event(w, &(struct pv_event){ .kind = synced ? PV_KIND_SYNC_POINT : PV_KIND_GC_RESIZE },
		pools);
	wire_end_buffer(w);
}

static void put_file(const char *path, const void *v, size_t n)
{
	FILE *f = fopen(path, "wb");
	if (!f || fwrite(v, 1, n, f) != n || fclose(f) != 0)
		die(path);
}

/* Each flush is a place for an access point. */
static void put_compressed(const uint8_t *v, size_t n)
{
	gzFile f = gzopen(log_path, "wb1");
	for (size_t at = 0; f && at < n; at += FLUSHED) {
		unsigned some = (unsigned)(n - at < FLUSHED ? n - at : FLUSHED);
		if (gzwrite(f, v + at, some) != (int)some || gzflush(f, Z_SYNC_FLUSH) != Z_OK)
			die("gzip");
	}
	if (!f || gzclose(f) != Z_OK)
		die(log_path);
}

static void put_log(const uint8_t *v, size_t n)
{
	if (compressed)
		put_compressed(v, n);
	else
		put_file(log_path, v, n);
}

/* *ret_begin: bytes of it that the index is made of. */
static bytes make_log(size_t *ret_begin)
{
	struct wire w;
	struct pv_batch pools = { 0 };
	bytes all = { 0 };
	unsigned round = 0;
	noise_seed(3);
	wire_init(&w);
	w.step = 1000;
	wire_header(&w, (uint32_t)getpid(), 1000);
	while (w.out.n < INDEXED)
		put_round(&w, round++, &pools);
	*ret_begin = w.out.n;
	for (unsigned i = 0; i < ROUNDS_MORE; i++)
		put_round(&w, round++, &pools);
	if (!bytes_keep(&all, w.out.v, w.out.n))
		die("log");
	pv_batch_finish(&pools);
	wire_finish(&w);
	return all;
}

/* --- the index */

struct entry {
	int folder;
	uint8_t key[PV_PRIVATE_KEY], about[PV_SEALED_ABOUT];
	char name[PV_INDEX_ENTRY];
	bytes file, body; /* sealed, and what is inside */
};

static char *report(struct pv_ingest **ret)
{
	struct pv_ingest *in = range_kit_indexed(log_path);
	*ret = in;
	return in ? range_kit_report(in, pv_ingest_adopt(in)) : NULL;
}

static void drop_entries(const struct entry *e)
{
	DIR *d = fdopendir(openat(e->folder, ".", O_RDONLY | O_DIRECTORY));
	for (struct dirent *x; d && (x = readdir(d));)
		if (x->d_name[0] != '.' && strcmp(x->d_name, "key") != 0)
			unlinkat(e->folder, x->d_name, 0);
	if (d)
		closedir(d);
}

static bool find_entry(struct entry *e)
{
	DIR *d = fdopendir(openat(e->folder, ".", O_RDONLY | O_DIRECTORY));
	bool found = false;
	for (struct dirent *x; d && (x = readdir(d));) {
		if (x->d_name[0] == '.' || strcmp(x->d_name, "key") == 0)
			continue;
		snprintf(e->name, sizeof e->name, "%.*s", (int)sizeof e->name - 1, x->d_name);
		found = true;
	}
	if (d)
		closedir(d);
	return found;
}

static void take_entry(struct entry *e)
{
	uint64_t n = 0;
	struct stat st;
	e->folder = pv_private_folder(PV_PRIVATE_CACHE, "index");
	if (e->folder < 0 || !pv_private_key(e->folder, e->key) || !find_entry(e))
		die("no index was made");
	int fd = pv_private_open(e->folder, e->name);
	struct pv_sealed_in *in = fd < 0 ? NULL : pv_sealed_open(fd, e->key, NULL, &n);
	if (!in || !pv_sealed_about(fd, e->key, e->about, NULL) || fstat(fd, &st) < 0 ||
		!pv_reserve(&e->body, n) || !pv_reserve(&e->file, (size_t)st.st_size) ||
		!pv_sealed_read(in, e->body.v, (size_t)n) ||
		pread(fd, e->file.v, (size_t)st.st_size, 0) != st.st_size)
		die(e->name);
	e->body.n = (size_t)n;
	e->file.n = (size_t)st.st_size;
	pv_sealed_close(in);
	close(fd);
}

static int create_entry(const struct entry *e)
{
	drop_entries(e);
	int fd = openat(e->folder, e->name, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		die(e->name);
	return fd;
}

/* Without the key: its bytes as they are. */
static void put_raw(const struct entry *e, const bytes *b)
{
	int fd = create_entry(e);
	if (write(fd, b->v, b->n) != (ssize_t)b->n)
		die("write");
	close(fd);
}

static void put_sealed(const struct entry *e, const bytes *b)
{
	struct pv_sealed_out out;
	int fd = create_entry(e);
	if (!pv_sealed_create(&out, fd, e->key) || !pv_sealed_write(&out, b->v, b->n) ||
		!pv_sealed_finish(&out, e->about))
		die("seal");
	pv_sealed_drop(&out);
	close(fd);
}

/* --- mutations */

static bytes copy_of(const bytes *b)
{
	bytes copy = { 0 };
	if (!pv_reserve(&copy, b->n + 16) || !bytes_keep(&copy, b->v, b->n))
		die("memory");
	return copy;
}

static void put_number(bytes *b)
{
	static const uint64_t odd[] = { 0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 1 << 20,
		0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, INT64_MAX, UINT64_C(1) << 63,
		UINT64_MAX };
	uint64_t value = odd[mutate_any(PV_COUNT_OF(odd))];
	size_t each = (size_t)1 << mutate_any(4), at = mutate_any(b->n - each + 1);
	if (mutate_any(3) == 0) { /* near what was there */
		uint64_t was = 0;
		memcpy(&was, b->v + at, each);
		value = was + mutate_any(9) - 4;
	}
	memcpy(b->v + at, &value, each);
}

static void move_bytes(bytes *b)
{
	size_t n = 1 + mutate_any(64), from = mutate_any(b->n - n), to = mutate_any(b->n - n);
	memmove(b->v + to, b->v + from, n);
}

/* Somewhere: the first part has the counts, and what is small comes last. */
static void mutate_once(bytes *b)
{
	switch (mutate_any(8)) {
	case 0:
		b->v[mutate_any(b->n)] ^= (uint8_t)(1 << mutate_any(8));
		break;
	case 1:
		b->v[mutate_any(b->n)] = (uint8_t)mutate_any(256);
		break;
	case 2:
		move_bytes(b);
		break;
	case 3: { /* among the counts of stores, and those that follow */
		bytes head = { b->v, b->n < 700 ? b->n : 700, 0 };
		put_number(&head);
		break;
	}
	case 4: {
		size_t n = b->n < 40000 ? b->n : 40000;
		bytes tail = { b->v + b->n - n, n, 0 };
		put_number(&tail);
		break;
	}
	default:
		put_number(b);
	}
}

static bytes mutated(const bytes *of, uint64_t seed, bool resize)
{
	bytes b = copy_of(of);
	mutate_seed(seed * 2 + 1);
	uint64_t times = 1 + mutate_any(4);
	for (uint64_t i = 0; i < times; i++)
		mutate_once(&b);
	if (resize && mutate_any(30) == 0)
		b.n -= 1 + mutate_any(b.n / 2);
	else if (resize && mutate_any(30) == 0)
		b.n += 1 + mutate_any(15);
	return b;
}

/* --- the two ways */

static bool is_refused(const struct entry *e)
{
	struct pv_index_in in;
	uint8_t read[4096];
	uint64_t layout, n = 0;
	memcpy(&layout, e->about, sizeof layout);
	bool open = pv_index_open(&in, log_path, layout, NULL);
	if (open)
		n = in.bytes;
	while (open && n > 0) {
		size_t some = n < sizeof read ? (size_t)n : sizeof read;
		open = pv_index_read(&in, read, some);
		n -= some;
	}
	pv_index_close(&in);
	return !open;
}

static void without_key(const struct entry *e, uint64_t seed)
{
	bytes b = mutated(&e->file, seed, true);
	put_raw(e, &b);
	bool same = b.n == e->file.n && memcmp(b.v, e->file.v, b.n) == 0;
	if (is_refused(e) == same) {
		fprintf(stderr, "mutation %llu was believed without the key\n",
			(unsigned long long)seed);
		exit(1);
	}
	pv_array_finish(&b);
}

static void draw(const char *profview, uint64_t seed)
{
	char keys[8];
	snprintf(keys, sizeof keys, "%c", panes[seed / FRAME_EVERY % (sizeof panes - 1)]);
	pid_t child = fork();
	if (child == 0) {
		char said[260];
		snprintf(said, sizeof said, "%s/said", dir);
		dup2(open("/dev/null", O_WRONLY), 1);
		dup2(open(said, O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
		execl(profview, profview, log_path, "--dump", "--size", "120x36", "--keys", keys,
			(char *)NULL);
		_exit(127);
	}
	int status = -1;
	waitpid(child, &status, 0);
	if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != DAMAGED)) {
		char command[300];
		fprintf(stderr, "mutation %llu: pane %s: status %d\n", (unsigned long long)seed,
			keys, status);
		snprintf(command, sizeof command, "cat '%s/said' >&2", dir);
		if (system(command) != 0)
			fprintf(stderr, "it said nothing\n");
		_exit(1);
	}
}

/* True when the report is what it is without an index. */
static bool with_mended_seal(
	const struct entry *e, uint64_t seed, const char *wanted, const char *profview)
{
	struct pv_ingest *in;
	struct range_kit_result r = { 0 };
	bytes b = mutated(&e->body, seed, true);
	put_sealed(e, &b);
	if (profview && seed % FRAME_EVERY == 0) {
		draw(profview, seed);
		put_sealed(e, &b);
	}
	char *got = report(&in);
	if (!in || !got)
		die("no report");
	bool same = strcmp(got, wanted) == 0;
	int64_t from = (int64_t)mutate_any(1 << 30);
	range_kit_quick(in, from, from + (int64_t)mutate_any(1 << 28), &r);
	free(r.quick);
	free(got);
	pv_ingest_destroy(in);
	pv_array_finish(&b);
	return same;
}

/* --- many of them, some to a process */

struct shared {
	uint64_t seed, same, others;
};

static void run_some(struct shared *s, const struct entry *e, uint64_t from, uint64_t to,
	const char *wanted, const char *profview)
{
	for (s->seed = from; s->seed < to; s->seed++) {
		alarm(SLOWEST_S);
		without_key(e, s->seed);
		if (with_mended_seal(e, s->seed, wanted, profview))
			s->same++;
		else
			s->others++;
	}
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	if (usage.ru_maxrss > MOST_MEMORY_KIB) {
		fprintf(stderr, "%ld KiB of memory\n", usage.ru_maxrss);
		exit(1);
	}
}

static bool run_all(
	const struct entry *e, uint64_t from, uint64_t to, const char *wanted, const char *profview)
{
	struct shared *s =
		mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	bool ok = s != MAP_FAILED;
	for (uint64_t at = from; ok && at < to; at += BATCH) {
		pid_t child = fork();
		if (child == 0) {
			run_some(s, e, at, at + BATCH < to ? at + BATCH : to, wanted, profview);
			exit(0);
		}
		int status = -1;
		waitpid(child, &status, 0);
		ok = status == 0;
		if ((at - from) / BATCH % 40 == 39) /* of a long run */
			fprintf(stderr, "%llu done\n", (unsigned long long)(at + BATCH - from));
		if (!ok)
			fprintf(stderr, "mutation %llu: status %d\n", (unsigned long long)s->seed,
				status);
	}
	if (ok)
		printf("%llu mutations without the key: all refused\n%llu with the seal mended: "
		       "%llu "
		       "with the figures of the log, %llu with others\n",
			(unsigned long long)(to - from), (unsigned long long)(to - from),
			(unsigned long long)s->same, (unsigned long long)s->others);
	return ok;
}

static int arguments;
static char **argument;

/* Memory that a process has from here is no leak of it. */
static struct entry e;
static bytes whole_log;
static char *wanted;

/* The index is one of `begin` bytes. */
static void mutate_one(const bytes *log, size_t begin, uint64_t from, uint64_t to)
{
	struct pv_ingest *in;
	e = (struct entry){ 0 };
	put_log(log->v, begin);
	free(report(&in));
	pv_ingest_destroy(in);
	take_entry(&e);
	ck_assert(!compressed || e.body.n > POINTS_LEAST);
	put_log(log->v, log->n);
	drop_entries(&e);
	wanted = report(&in);
	pv_ingest_destroy(in);
	put_raw(&e, &e.file);
	ck_assert(!is_refused(&e));
	char *again = report(&in);
	struct pv_ingest_status s;
	pv_ingest_status(in, &s);
	ck_assert_uint_eq(s.models, 1); /* the index was taken */
	pv_ingest_destroy(in);
	ck_assert_str_eq(wanted, again);
	free(again);
	ck_assert(run_all(&e, from, to, wanted, arguments > 3 ? argument[3] : NULL));
	free(wanted);
	pv_array_finish(&e.file);
	pv_array_finish(&e.body);
	drop_entries(&e);
	close(e.folder);
}

START_TEST(no_mutation_does_harm)
{
	size_t begin;
	uint64_t seed = strtoull(argument[2], NULL, 10), n = strtoull(argument[1], NULL, 10);
	synced = _i == 0;
	compressed = _i == 2;
	range_kit_access_spacing = compressed ? SPACING : 0;
	whole_log = make_log(&begin);
	seed += (uint64_t)_i * (n / LOGS);
	mutate_one(&whole_log, synced ? begin : whole_log.n, seed, seed + n / LOGS);
	pv_array_finish(&whole_log);
}
END_TEST

int main(int argc, char **argv)
{
	const char *tmp = getenv("TMPDIR");
	arguments = argc;
	argument = argv;
	if (argc < 3)
		die("usage: mutate_index COUNT SEED [PROFVIEW]");
	snprintf(dir, sizeof dir, "%.150s/profview-mutate-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(dir))
		die(dir);
	setenv("XDG_CACHE_HOME", dir, 1);
	setenv("CK_FORK", "no", 1); /* it has processes of its own */
	snprintf(log_path, sizeof log_path, "%s/log", dir);
	Suite *s = suite_create("mutations of an index");
	TCase *t = tcase_create("all");
	tcase_add_loop_test(t, no_mutation_does_harm, 0, LOGS);
	tcase_set_timeout(t, 0);
	suite_add_tcase(s, t);
	int failed = run_suite(s);
	char command[300];
	snprintf(command, sizeof command, "rm -rf '%s'", dir);
	return system(command) == 0 ? failed : EXIT_FAILURE;
}
