/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/format/mlpd/mlpd.h"
#include "common/report/dump.h"
#include "tests/kit/suite.h"

struct log {
	uint8_t bytes[4096];
	size_t n, buffer; /* start of the buffer's header */
	struct mlpd_bases bases;
	struct pv_batch pools;
};

static const struct mlpd_format v17 = { 17, 3, 8, 0 };

static void add(struct log *l, struct pv_event e)
{
	size_t n = mlpd_encode(
		l->bytes + l->n, sizeof l->bytes - l->n, &l->bases, &v17, &e, &l->pools);
	ck_assert_uint_gt(n, 0);
	l->n += n;
}

static void end_buffer(struct log *l)
{
	struct mlpd_buffer_header h = { .thread = 0xab,
		.time_base = 1000,
		.ptr_base = 0x100,
		.obj_base = 0x8000 >> 3,
		.method_base = 0x5000,
		.length = (uint32_t)(l->n - l->buffer - MLPD_BUFFER_HEADER) };
	mlpd_put_buffer_header(l->bytes + l->buffer, &h);
}

/* A method described, entered and left; a class, its vtable and an object with a stack. */
static void make(struct log *l)
{
	*l = (struct log){ 0 };
	struct mlpd_header h = { .format = v17,
		.pid = 42,
		.startup_ns = 900,
		.args = { "log:calls", 9 },
		.arch = { "x86-64", 6 },
		.os = { "linux", 5 } };
	l->n = mlpd_put_header(l->bytes, sizeof l->bytes, &h);
	l->buffer = l->n;
	l->n += MLPD_BUFFER_HEADER;
	l->bases = (struct mlpd_bases){
		.time = 1000, .method = 0x5000, .ptr = 0x100, .obj = 0x8000 >> 3
	};
	add(l, (struct pv_event){ .kind = PV_KIND_METHOD_JIT,
		       .time = 1000,
		       .jit = { .method = 0x5000,
			       .code = 0x7000,
			       .size = 64,
			       .name = { "A:b ()", 6 } } });
	add(l, (struct pv_event){
		       .kind = PV_KIND_METHOD_ENTER, .time = 1500, .call = { .method = 0x5000 } });
	add(l, (struct pv_event){ .kind = PV_KIND_CLASS_LOAD,
		       .time = 1500,
		       .meta = { .key = 0x140, .image = 0x180, .name = { "Bad\xff\n\"", 6 } } });
	add(l, (struct pv_event){ .kind = PV_KIND_VTABLE_LOAD,
		       .time = 1500,
		       .meta = { .key = 0x1c0, .owner = 0x140 } });
	ck_assert(pv_reserve(&l->pools.pool, 2));
	l->pools.pool.v[0] = 0x5000;
	l->pools.pool.v[1] = 0x5010;
	l->pools.pool.n = 2;
	add(l, (struct pv_event){ .kind = PV_KIND_ALLOC,
		       .time = 800,
		       .alloc = {
			       .type = 0x1c0, .object = 0x8010, .size = 24, .stack = { 0, 2 } } });
	add(l, (struct pv_event){ .kind = PV_KIND_GC_EVENT,
		       .time = 2000000001,
		       .gc = { .step = PV_GC_POST_STOP, .generation = 1 } });
	end_buffer(l);
}

struct result {
	char *text;
	size_t size;
	bool ok;
	struct pv_dump_totals totals;
	struct pv_error error;
};

static struct result dump(const uint8_t *bytes, size_t n, size_t step)
{
	struct result r = { .ok = true };
	FILE *out = open_memstream(&r.text, &r.size);
	struct pv_dump *d = pv_dump_create(out);
	for (size_t at = 0; r.ok && at < n; at += step)
		r.ok = pv_dump_push(d, bytes + at, n - at < step ? n - at : step, &r.error);
	r.ok = r.ok && pv_dump_end(d, &r.error);
	pv_dump_totals(d, &r.totals);
	pv_dump_destroy(d);
	fclose(out);
	return r;
}

START_TEST(every_event_is_a_line)
{
	struct log l;
	make(&l);
	struct result r = dump(l.bytes, l.n, l.n);
	ck_assert(r.ok && r.totals.complete);
	ck_assert_uint_eq(r.totals.events, 6);
	ck_assert_uint_eq(r.totals.buffers, 1);
	ck_assert_uint_eq(r.totals.bytes, l.n);
	char expected[2000];
	size_t first = l.buffer + MLPD_BUFFER_HEADER;
	snprintf(expected, sizeof expected,
		"         0 header: data version 17, header 3.0, 8-byte pointers, started 0 ms, "
		"startup 900 ns, timer overhead 0 ns, pid 42, port 0, args \"log:calls\", "
		"arch \"x86-64\", os \"linux\"\n"
		"%10zu buffer: %zu bytes, thread 0xab, time base 0.000000100, pointers 0x100, "
		"objects 0x8000, methods 0x5000\n"
		"%10zu 0xab 0.000000100 method.jit method=0x5000 code=0x7000 size=64 "
		"name=\"A:b ()\"\n",
		l.buffer, l.n - first, first);
	ck_assert_msg(strncmp(r.text, expected, strlen(expected)) == 0, "%s", r.text);
	static const char *const rest[] = {
		" 0xab 0.000000600 method.enter method=0x5000 \"A:b ()\"\n",
		" class.load key=0x140 image=0x180 name=\"Bad\\xff\\n\\\"\"\n",
		" vtable.load key=0x1c0 domain=0x0 owner=0x140 \"Bad\\xff\\n\\\"\"\n",
		" 0xab -0.000000100 alloc type=0x1c0 \"Bad\\xff\\n\\\"\" object=0x8010 ",
		" object=0x8010 size=24 stack=[0x5000 \"A:b ()\", 0x5010]\n",
		" 0xab 1.999999101 gc.event step=7 (post stop world) generation=1\n",
	};
	for (size_t i = 0; i < PV_COUNT_OF(rest); i++)
		ck_assert_msg(strstr(r.text, rest[i]), "no line %s in %s", rest[i], r.text);
	free(r.text);
	pv_batch_finish(&l.pools);
}
END_TEST

START_TEST(any_cut_of_the_input_gives_the_same_lines)
{
	struct log l;
	make(&l);
	struct result whole = dump(l.bytes, l.n, l.n);
	for (size_t step = 1; step < 70; step += 3) {
		struct result r = dump(l.bytes, l.n, step);
		ck_assert_str_eq(r.text, whole.text);
		free(r.text);
	}
	free(whole.text);
	pv_batch_finish(&l.pools);
}
END_TEST

START_TEST(damage_has_its_line)
{
	struct log l;
	make(&l);
	l.bytes[l.n++] = 0xfe; /* no event starts like this */
	l.bytes[l.n++] = 1;
	end_buffer(&l);
	struct result r = dump(l.bytes, l.n, l.n);
	char line[100];
	snprintf(line, sizeof line, "%10zu damage: 2 bytes: event 0xfe cannot be decoded\n",
		l.n - 2);
	ck_assert_msg(r.ok && strstr(r.text, line), "%s", r.text);
	ck_assert_uint_eq(r.totals.events, 6);
	ck_assert(!r.totals.complete);
	free(r.text);
	pv_batch_finish(&l.pools);
}
END_TEST

START_TEST(a_cut_tail_shows_the_events_before_it)
{
	struct log l;
	make(&l);
	struct result r = dump(l.bytes, l.n - 3, 5);
	ck_assert(r.ok && !r.totals.complete);
	ck_assert_uint_eq(r.totals.events, 5);
	ck_assert_uint_eq(r.totals.damages, 1);
	ck_assert(strstr(r.text, "size=24 stack=[") && strstr(r.text, " damage: "));
	free(r.text);
	pv_batch_finish(&l.pools);
}
END_TEST

START_TEST(what_is_no_log_is_refused)
{
	struct result r = dump((const uint8_t *)"just some text", 14, 14);
	ck_assert(!r.ok);
	ck_assert_int_eq(r.error.code, PV_EVERSION);
	ck_assert_uint_eq(r.totals.events, 0);
	free(r.text);
}
END_TEST

START_TEST(a_full_disk_is_an_error)
{
	struct log l;
	make(&l);
	FILE *full = fopen("/dev/full", "w");
	ck_assert_ptr_nonnull(full);
	struct pv_dump *d = pv_dump_create(full);
	struct pv_error e = { 0 };
	ck_assert(!pv_dump_push(d, l.bytes, l.n, &e));
	ck_assert_int_eq(e.code, PV_EIO);
	pv_dump_destroy(d);
	fclose(full);
	pv_batch_finish(&l.pools);
}
END_TEST

static bool dump_path(const char *path, bool follow, const volatile int *stop, FILE *out,
	struct pv_dump_totals *ret_totals, struct pv_error *reterr)
{
	const struct pv_dump_input in = { .path = path, .follow = follow, .stop = stop };
	return pv_dump_path(&in, out, ret_totals, reterr);
}

START_TEST(a_file_is_dumped_to_its_end)
{
	struct log l;
	make(&l);
	char path[] = "/tmp/pv-dump-XXXXXX";
	int fd = mkstemp(path);
	ck_assert_int_eq(write(fd, l.bytes, l.n), (ssize_t)l.n);
	close(fd);
	struct result whole = dump(l.bytes, l.n, l.n), r = { 0 };
	FILE *out = open_memstream(&r.text, &r.size);
	ck_assert_msg(dump_path(path, false, NULL, out, &r.totals, &r.error), "%s", r.error.what);
	fclose(out);
	ck_assert_str_eq(r.text, whole.text);
	ck_assert(r.totals.complete);
	ck_assert(!dump_path("/nonexistent/x.mlpd", false, NULL, stdout, NULL, &r.error));
	ck_assert_int_eq(r.error.code, PV_EIO);
	unlink(path);
	free(r.text);
	free(whole.text);
	pv_batch_finish(&l.pools);
}
END_TEST

static bool shows(const char *path, const char *line)
{
	char text[8192];
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
	if (f)
		fclose(f);
	text[n] = 0;
	return strstr(text, line) != NULL;
}

static bool shows_soon(const char *path, const char *line)
{
	for (int i = 0; i < 2000 && !shows(path, line); i++)
		usleep(10000);
	return shows(path, line);
}

/*
 * The program that is watched: writes half a buffer more only when what came before is on the
 * dump, and ends when all of it is. Its exit code says whether every line came in time.
 */
static int write_slowly(const char *log, const char *out)
{
	struct log l;
	make(&l);
	struct mlpd_header h = { .format = v17,
		.pid = (uint32_t)getpid(),
		.startup_ns = 900,
		.start_time_ms = (uint64_t)time(NULL) * 1000 + 1000,
		.args = { "log:calls", 9 },
		.arch = { "x86-64", 6 },
		.os = { "linux", 5 } };
	ck_assert_uint_eq(mlpd_put_header(l.bytes, sizeof l.bytes, &h), l.buffer);
	FILE *f = fopen(log, "w");
	size_t half = l.n - 10;
	bool ok = f && fwrite(l.bytes, 1, half, f) == half && fflush(f) == 0 &&
		  shows_soon(out, " header: ") && !shows(out, "gc.event");
	ok = ok && fwrite(l.bytes + half, 1, 10, f) == 10 && fflush(f) == 0 &&
	     shows_soon(out, "gc.event step=7");
	ok = ok && fwrite(l.bytes + l.buffer, 1, l.n - l.buffer, f) == l.n - l.buffer;
	ok = f && fclose(f) == 0 && ok;
	return ok ? 0 : 1;
}

START_TEST(a_growing_file_is_followed_until_its_writer_has_gone)
{
	char dir[] = "/tmp/pv-dump-XXXXXX", log[40], text[40];
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(log, sizeof log, "%s/log", dir);
	snprintf(text, sizeof text, "%s/text", dir);
	FILE *out = fopen(text, "w");
	ck_assert_ptr_nonnull(out);
	pid_t child = fork();
	if (child == 0)
		_exit(write_slowly(log, text));
	struct pv_dump_totals totals;
	struct pv_error e = { 0 };
	int status;
	ck_assert_msg(dump_path(log, true, NULL, out, &totals, &e), "%s", e.what);
	fclose(out);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_assert_uint_eq(totals.buffers, 2);
	ck_assert_uint_eq(totals.events, 12);
	ck_assert(totals.complete);
	unlink(log);
	unlink(text);
	rmdir(dir);
}
END_TEST

START_TEST(following_stops_when_reported)
{
	static volatile int stop = 1;
	char path[] = "/tmp/pv-dump-XXXXXX";
	struct log l;
	make(&l);
	int fd = mkstemp(path);
	ck_assert_int_eq(write(fd, l.bytes, l.n - 5), (ssize_t)l.n - 5);
	close(fd);
	struct pv_dump_totals totals;
	struct pv_error e = { 0 };
	FILE *out = fopen("/dev/null", "w");
	ck_assert_ptr_nonnull(out);
	ck_assert(dump_path(path, true, &stop, out, &totals, &e));
	ck_assert(totals.complete); /* an unfinished part is no damage */
	fclose(out);
	unlink(path);
	pv_batch_finish(&l.pools);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("dump");
	TCase *c = tcase_create("all");
	tcase_add_test(c, every_event_is_a_line);
	tcase_add_test(c, any_cut_of_the_input_gives_the_same_lines);
	tcase_add_test(c, damage_has_its_line);
	tcase_add_test(c, a_cut_tail_shows_the_events_before_it);
	tcase_add_test(c, what_is_no_log_is_refused);
	tcase_add_test(c, a_full_disk_is_an_error);
	tcase_add_test(c, a_file_is_dumped_to_its_end);
	tcase_add_test(c, a_growing_file_is_followed_until_its_writer_has_gone);
	tcase_add_test(c, following_stops_when_reported);
	tcase_set_timeout(c, 60);
	suite_add_tcase(s, c);
	return run_suite(s);
}
