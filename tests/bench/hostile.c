/* SPDX-License-Identifier: MIT */
/*
 * Costs of the logs of hostile_log.h for their reader.
 *
 * usage:
 *	hostile list		every shape: FAMILY/PATTERN
 *	hostile write SHAPE N	its log, on standard output
 *	hostile write-all FOLDER N [WAY]
 *		the logs of every shape, or of those that the suite counts in that way
 *		(hostile_ways.h), and one without events; prints their paths
 *	hostile WAY FILE ... [-- WAY FILE ...]
 *		reads each in that way; callgrind is asked to say in its log what was taken before
 *		the first and up to each one's end; prints the most memory taken
 *	hostile time [-n N] [-w WAY] [WORD ...]
 *		processor time a byte of every shape (whose name has one of the words) against its
 *		benign log, and the worst ten; what may be above the limit is timed again, the
 *		least time counts
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef HAVE_CALLGRIND
#include <valgrind/valgrind.h>
#else
#define VALGRIND_PRINTF(...)
#define VALGRIND_MONITOR_COMMAND(command)
#endif

#include "tests/bench/hostile_log.h"
#include "tests/bench/hostile_ways.h"

enum {
	USUAL_N = 60000,
	LIMIT = 10,   /* times the time that a benign byte takes */
	DOUBTFUL = 6, /* likewise: timed again */
	TIMES_AGAIN = 4,
	WORST = 10,
};

/* --- reading */

/* Of memory that this program has taken so far. getrusage(2) counts in what its parent took. */
static void print_most_memory(void)
{
	char line[100];
	FILE *f = fopen("/proc/self/status", "r");
	while (f && fgets(line, sizeof line, f))
		if (strncmp(line, "VmHWM:", 6) == 0)
			fputs(line, stdout);
	if (f)
		fclose(f);
}

/* A dump would also say which function took it, and takes half as long as the reading. */
static void say_taken(const char *up_to)
{
	VALGRIND_PRINTF("taken up to: %s\n", up_to);
	VALGRIND_MONITOR_COMMAND("status internal");
	(void)up_to;
}

static int read_logs(char **path, int n, hostile_read *read)
{
	FILE *out = fopen("/dev/null", "w");
	say_taken("");
	for (int i = 0; i < n && out; i++) {
		if (!read(path[i], out))
			fprintf(stderr, "hostile: %s could not be read\n", path[i]);
		say_taken(path[i]);
	}
	print_most_memory();
	return out ? fclose(out) : 1;
}

/* Of several ways, as to translate their code takes callgrind as long as to run it. */
static int read_in_ways(char **word, int n)
{
	int failed = 0;
	for (int i = 0, of = 0; i < n && !failed; i += of + 1) {
		for (of = 0; i + of < n && strcmp(word[i + of], "--") != 0;)
			of++;
		hostile_read *read = of ? hostile_way(word[i]) : NULL;
		failed = read ? read_logs(word + i + 1, of - 1, read) : 2;
	}
	return failed;
}

/* --- shapes */

static void shape_name(size_t family, enum hostile_pattern p, char name[100])
{
	snprintf(name, 100, "%s/%s", hostile_family_name(family), hostile_pattern_names[p]);
}

static bool put_file(const char *path, const struct hostile_bytes *b)
{
	FILE *f = fopen(path, "w");
	bool ok = f && fwrite(b->v, 1, b->n, f) == b->n;
	return f && fclose(f) == 0 && ok;
}

/* Costs of a log without events. */
static bool write_empty(const char *folder)
{
	char path[400];
	struct hostile_bytes b;
	hostile_write(0, HOSTILE_BENIGN, 0, &b);
	snprintf(path, sizeof path, "%s/empty,0", folder);
	bool ok = put_file(path, &b);
	puts(path);
	free(b.v);
	return ok;
}

static int write_all(const char *folder, unsigned n, const char *way)
{
	char name[100], path[400];
	bool ok = write_empty(folder);
	for (size_t i = 0; i < hostile_families(); i++) {
		for (enum hostile_pattern p = 0; p < HOSTILE_PATTERNS; p++) {
			struct hostile_bytes b;
			if (!hostile_has(i, p) || (way && !hostile_is_counted(i, p, way)))
				continue;
			hostile_write(i, p, way ? hostile_quick_n(i, n) : n, &b);
			shape_name(i, p, name);
			*strchr(name, '/') = ',';
			snprintf(path, sizeof path, "%s/%s,%u", folder, name, n);
			ok = ok && put_file(path, &b);
			puts(path);
			free(b.v);
		}
	}
	return ok ? 0 : 1;
}

static int list(void)
{
	char name[100];
	for (size_t i = 0; i < hostile_families(); i++)
		for (enum hostile_pattern p = 0; p < HOSTILE_PATTERNS; p++)
			if (hostile_has(i, p)) {
				shape_name(i, p, name);
				puts(name);
			}
	return 0;
}

static int write_one(const char *shape, unsigned n)
{
	char name[100];
	for (size_t i = 0; i < hostile_families(); i++) {
		for (enum hostile_pattern p = 0; p < HOSTILE_PATTERNS; p++) {
			struct hostile_bytes b;
			shape_name(i, p, name);
			if (!hostile_has(i, p) || strcmp(name, shape) != 0)
				continue;
			hostile_write(i, p, n, &b);
			bool ok = fwrite(b.v, 1, b.n, stdout) == b.n;
			free(b.v);
			return ok ? 0 : 1;
		}
	}
	fprintf(stderr, "hostile: no shape %s\n", shape);
	return 2;
}

/* --- seconds */

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct cost {
	double seconds, bytes;
};

static bool read_it(const char *path, hostile_read *read)
{
	FILE *out = fopen("/dev/null", "w");
	bool ok = out && read(path, out);
	if (out)
		fclose(out);
	return ok;
}

/* The worst first. */
struct worst {
	struct {
		double times;
		char name[100];
	} shape[WORST + 1];
	size_t n, missed;
};

struct timing {
	unsigned n;
	hostile_read *read;
	const char *path;
	struct worst worst;
};

static struct cost cost_of(const struct timing *t, size_t family, enum hostile_pattern p)
{
	struct hostile_bytes b;
	hostile_write(family, p, t->n, &b);
	bool ok = put_file(t->path, &b);
	double from = seconds();
	ok = ok && read_it(t->path, t->read);
	const struct cost c = { ok ? seconds() - from : 0, (double)b.n };
	free(b.v);
	return c;
}

static double times_of(const struct cost *c, const struct cost *benign)
{
	return c->seconds / c->bytes / (benign->seconds / benign->bytes);
}

static void take_least(struct cost *c, struct cost other)
{
	c->seconds = other.seconds < c->seconds ? other.seconds : c->seconds;
}

static bool is_wanted(const char *name, char **word, int n)
{
	for (int i = 0; i < n; i++)
		if (strstr(name, word[i]))
			return true;
	return n == 0;
}

static void note(struct worst *w, double times, const char *name)
{
	size_t at = w->n;
	w->missed += times > LIMIT;
	for (; at > 0 && w->shape[at - 1].times < times; at--)
		w->shape[at] = w->shape[at - 1];
	w->shape[at].times = times;
	snprintf(w->shape[at].name, sizeof w->shape[at].name, "%s", name);
	w->n += w->n < WORST;
}

/* The machine may have had other things to do. */
static void time_again(struct timing *t, size_t family, enum hostile_pattern p, struct cost *c,
	struct cost *benign)
{
	for (int i = 0; i < TIMES_AGAIN && times_of(c, benign) > DOUBTFUL; i++) {
		take_least(c, cost_of(t, family, p));
		take_least(benign, cost_of(t, family, HOSTILE_BENIGN));
	}
}

static void time_family(struct timing *t, size_t family, char **word, int words)
{
	char name[100];
	struct cost benign = { 0, 0 };
	for (enum hostile_pattern p = HOSTILE_MANY; p < HOSTILE_PATTERNS; p++) {
		shape_name(family, p, name);
		if (!hostile_has(family, p) || !is_wanted(name, word, words))
			continue;
		if (benign.bytes == 0)
			benign = cost_of(t, family, HOSTILE_BENIGN);
		struct cost c = cost_of(t, family, p);
		time_again(t, family, p, &c, &benign);
		double times = times_of(&c, &benign);
		printf("%-50s %8.0f bytes %7.3f s %7.1f ns/byte %6.1f times benign%s\n", name,
			c.bytes, c.seconds, c.seconds / c.bytes * 1e9, times,
			times > LIMIT ? "  MISSED" : "");
		fflush(stdout);
		note(&t->worst, times, name);
	}
}

static int time_all(char **word, int words, unsigned n, const char *way)
{
	char path[] = "/tmp/hostile-XXXXXX";
	struct timing t = { .n = n, .read = hostile_way(way), .path = path };
	int fd = t.read ? mkstemp(path) : -1;
	if (fd < 0)
		return 2;
	close(fd);
	for (size_t i = 0; i < hostile_families(); i++)
		time_family(&t, i, word, words);
	unlink(path);
	printf("\n%zu above %d times a benign byte; the worst:\n", t.worst.missed, LIMIT);
	for (size_t i = 0; i < t.worst.n; i++)
		printf("%6.1f  %s\n", t.worst.shape[i].times, t.worst.shape[i].name);
	return t.worst.missed ? 1 : 0;
}

/* --- */

static char **arg;
static int args, code = 2;

static int time_some(char **word, int words)
{
	unsigned n = USUAL_N;
	const char *way = "read";
	for (; words > 1 && word[0][0] == '-'; word += 2, words -= 2) {
		if (strcmp(word[0], "-n") == 0)
			n = (unsigned)strtoul(word[1], NULL, 10);
		else if (strcmp(word[0], "-w") == 0)
			way = word[1];
	}
	return time_all(word, words, n, way);
}

/* A test, because the encoder's kit asserts. */
START_TEST(run)
{
	if (strcmp(arg[1], "list") == 0)
		code = list();
	else if (strcmp(arg[1], "write") == 0 && args == 4)
		code = write_one(arg[2], (unsigned)strtoul(arg[3], NULL, 10));
	else if (strcmp(arg[1], "write-all") == 0 && args >= 4)
		code = write_all(
			arg[2], (unsigned)strtoul(arg[3], NULL, 10), args > 4 ? arg[4] : NULL);
	else if (strcmp(arg[1], "time") == 0)
		code = time_some(arg + 2, args - 2);
}
END_TEST

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: hostile list|write|write-all|time|WAY ...\n");
		return 2;
	}
	if (hostile_way(argv[1]))
		return read_in_ways(argv + 1, argc - 1);
	arg = argv;
	args = argc;
	Suite *s = suite_create("hostile");
	TCase *c = tcase_create("all");
	tcase_add_test(c, run);
	suite_add_tcase(s, c);
	SRunner *r = srunner_create(s);
	srunner_set_fork_status(r, CK_NOFORK);
	srunner_run_all(r, CK_SILENT);
	if (srunner_ntests_failed(r)) {
		TestResult **why = srunner_failures(r);
		fprintf(stderr, "hostile: %s\n", tr_msg(why[0]));
		free(why);
		code = 1;
	}
	srunner_free(r);
	return code;
}
