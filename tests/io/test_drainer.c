/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <sys/syscall.h>
#include <zlib.h>

#include "tests/kit/source_kit.h"
#include "tests/kit/suite.h"

enum { LIMIT = 64 << 10 };
static const struct pv_source_options small = { .spool_limit = LIMIT };

static char pipe_path[KIT_PATH];

static void setup(void)
{
	kit_setup();
	ck_assert_int_eq(mkfifo(in_dir(pipe_path, "pipe"), 0600), 0);
}

static int open_writer(void)
{
	int fd = open(pipe_path, O_WRONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	return fd;
}

static void write_pattern(int fd, uint64_t from, size_t n)
{
	uint8_t *b = pattern_bytes(from, n);
	ck_assert(write_all(fd, b, n));
	free(b);
}

/* Until the drainer has taken everything; nothing is read meanwhile. */
static void wait_until_drained(struct pv_source *s, uint64_t n)
{
	struct pv_source_info info;
	int64_t end = now_ms() + DEADLINE_MS;
	for (pv_source_info(s, &info); info.file_bytes < n; pv_source_info(s, &info)) {
		struct pollfd p = { .fd = pv_source_wait_fd(s), .events = POLLIN };
		ck_assert_int_eq(poll(&p, 1, (int)(end - now_ms())), 1);
		pv_source_wait_clear(s);
	}
	ck_assert_uint_eq(info.file_bytes, n);
}

struct seen {
	uint64_t bytes, dropped, gaps;
};

/* Reads `n` bytes of the stream, gaps included. */
static struct seen read_stream(struct pv_source *s, uint64_t from, uint64_t n)
{
	uint8_t b[3000];
	struct seen seen = { 0 };
	while (seen.bytes + seen.dropped < n) {
		uint64_t k = 0;
		enum pv_read what = next_read(s, b, sizeof b, &k);
		ck_assert(what == PV_READ_BYTES || what == PV_READ_GAP);
		bool bytes = what == PV_READ_BYTES;
		ck_assert(!bytes || is_pattern(b, from + seen.bytes + seen.dropped, k));
		*(bytes ? &seen.bytes : &seen.dropped) += k;
		seen.gaps += !bytes;
	}
	ck_assert_uint_eq(seen.bytes + seen.dropped, n);
	return seen;
}

START_TEST(the_writer_never_waits_for_a_slow_viewer)
{
	struct pv_source_info info;
	struct pv_source *s = open_ok(pipe_path, &small);
	int fd = open_writer();
	write_pattern(fd, 0, 4 << 20); /* returns without a reader */
	wait_until_drained(s, 4 << 20);
	struct seen seen = read_stream(s, 0, 4 << 20);
	pv_source_info(s, &info);
	ck_assert_uint_eq(seen.dropped, info.dropped);
	ck_assert_uint_gt(seen.bytes, LIMIT / 2);
	ck_assert_uint_le(seen.bytes, LIMIT);
	expect_nothing_now(s);
	write_pattern(fd, 4 << 20, 30000); /* bytes after it are right */
	wait_until_drained(s, (4 << 20) + 30000);
	seen = read_stream(s, 4 << 20, 30000);
	ck_assert_uint_eq(seen.dropped, 0);
	close(fd);
	expect(s, PV_READ_END);
	pv_source_close(s);
}
END_TEST

START_TEST(the_end_comes_after_the_gap)
{
	struct pv_source *s = open_ok(pipe_path, &small);
	int fd = open_writer();
	write_pattern(fd, 0, 500000);
	close(fd);
	struct seen seen = read_stream(s, 0, 500000);
	ck_assert_uint_eq(seen.bytes + seen.dropped, 500000);
	expect(s, PV_READ_END);
	pv_source_close(s);
}
END_TEST

/* Data after a gap in compressed bytes cannot be read, but is taken from the writer. */
START_TEST(a_gap_in_a_gzip_stream_ends_it)
{
	struct pv_source_info info;
	uint8_t b[4096];
	uint64_t n, at = 0, gap = 0;
	uint8_t *plain = pattern_bytes(0, 300000), *packed = malloc(400000);
	z_stream z = {
		.next_in = plain, .avail_in = 300000, .next_out = packed, .avail_out = 400000
	};
	ck_assert_int_eq(deflateInit2(&z, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	struct pv_source *s = open_ok(pipe_path, &small);
	int fd = open_writer();
	ck_assert(write_all(fd, packed, z.total_out));
	wait_until_drained(s, z.total_out);
	enum pv_read what;
	while ((what = next_read(s, b, sizeof b, &n)) == PV_READ_BYTES) {
		ck_assert(is_pattern(b, at, n));
		at += n;
	}
	ck_assert_int_eq(what, PV_READ_GAP);
	gap = n;
	ck_assert(at > 30000 && at <= LIMIT);
	ck_assert(write_all(fd, packed, 1000));
	close(fd);
	expect(s, PV_READ_END);
	pv_source_info(s, &info);
	ck_assert(info.compressed && info.compressed_cut);
	ck_assert_uint_eq(info.dropped, gap);
	ck_assert_uint_eq(info.input_read, z.total_out + 1000 - gap);
	pv_source_close(s);
	deflateEnd(&z);
	free(plain);
	free(packed);
}
END_TEST

struct fast {
	uint64_t n;
};

static int write_fast(void *arg)
{
	const struct fast *f = arg;
	int fd = open(pipe_path, O_WRONLY);
	uint8_t b[5000];
	for (uint64_t at = 0; fd >= 0 && at < f->n; at += sizeof b) {
		for (size_t i = 0; i < sizeof b; i++)
			b[i] = pattern(at + i);
		if (!write_all(fd, b, sizeof b))
			return 1;
	}
	return fd < 0;
}

START_TEST(gaps_are_exact_while_both_run)
{
	struct pv_source *s = open_ok(pipe_path, &small);
	struct fast f = { 20000000 };
	pid_t pid = start_child(write_fast, &f);
	read_stream(s, 0, f.n);
	expect(s, PV_READ_END);
	end_child(pid, 0);
	pv_source_close(s);
}
END_TEST

/* A viewer of its own process: opens, says so, then does nothing. */
static int idle_viewer(void *say)
{
	struct pv_source *s = pv_source_open(pipe_path, &small, NULL);
	if (!s || write(*(int *)say, "o", 1) != 1)
		return 1;
	for (;;)
		pause();
}

static pid_t start_viewer(void)
{
	int ends[2];
	char c;
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	pid_t pid = start_child(idle_viewer, &ends[1]);
	close(ends[1]);
	ck_assert_int_eq(read(ends[0], &c, 1), 1);
	close(ends[0]);
	return pid;
}

static void expect_exit(pid_t pid, int pidfd)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };
	ck_assert_msg(poll(&p, 1, DEADLINE_MS) == 1, "process %ld lives on", (long)pid);
	close(pidfd);
}

START_TEST(a_killed_viewer_takes_its_drainer_along)
{
	struct pv_error e;
	pid_t viewer = start_viewer(), drainer = drainer_of(viewer);
	int pidfd = (int)syscall(SYS_pidfd_open, drainer, 0);
	ck_assert_int_ge(pidfd, 0);
	ck_assert_ptr_null(pv_source_open(pipe_path, &small, &e));
	ck_assert_int_eq(e.code, PV_EBUSY);
	char text[32];
	snprintf(text, sizeof text, "process %ld,", (long)viewer);
	ck_assert_ptr_nonnull(strstr(e.what, text));
	ck_assert_int_eq(kill(viewer, SIGKILL), 0);
	end_child(viewer, -1);
	expect_exit(drainer, pidfd);
	pv_source_close(open_ok(pipe_path, &small)); /* the lock went with it */
}
END_TEST

START_TEST(a_stopped_viewer_does_not_stop_the_draining)
{
	int status;
	pid_t viewer = start_viewer(), drainer = drainer_of(viewer);
	ck_assert_int_eq(kill(viewer, SIGSTOP), 0);
	ck_assert_int_eq(waitpid(viewer, &status, WUNTRACED), viewer);
	ck_assert(WIFSTOPPED(status));
	int pidfd = (int)syscall(SYS_pidfd_open, drainer, 0);
	int fd = open_writer();
	write_pattern(fd, 0, 8 << 20);
	close(fd);
	ck_assert_int_eq(kill(viewer, SIGKILL), 0);
	end_child(viewer, -1);
	expect_exit(drainer, pidfd);
}
END_TEST

START_TEST(signals_of_the_terminal_do_not_reach_it)
{
	static const int sent[] = { SIGINT, SIGTSTP, SIGHUP, SIGQUIT, SIGTTIN, SIGTTOU, SIGPIPE };
	struct sigaction before, ours = { .sa_handler = SIG_IGN };
	sigaction(SIGTERM, &ours, &before); /* ignored by the viewer, not by the drainer */
	struct pv_source *s = open_ok(pipe_path, &small);
	sigaction(SIGTERM, &before, NULL);
	pid_t drainer = drainer_of(getpid());
	ck_assert_int_eq(getsid(drainer), drainer);
	int fd = open_writer();
	for (uint64_t i = 0; i < sizeof sent / sizeof sent[0]; i++) {
		ck_assert_int_eq(kill(drainer, sent[i]), 0);
		write_pattern(fd, i * 10, 10);
		expect_pattern(s, i * 10, 10);
	}
	ck_assert_int_eq(kill(drainer, SIGTERM), 0);
	uint8_t b;
	uint64_t n;
	struct pv_error e = { 0 };
	int64_t end = now_ms() + DEADLINE_MS;
	enum pv_read what;
	while ((what = pv_source_read(s, &b, 1, &n, &e)) == PV_READ_NOTHING && now_ms() < end) {
		struct pollfd p = { .fd = pv_source_wait_fd(s), .events = POLLIN };
		poll(&p, 1, 1000);
		pv_source_wait_clear(s);
	}
	ck_assert_int_eq(what, PV_READ_ERROR);
	pv_source_close(s);
	close(fd);
}
END_TEST

START_TEST(a_dead_drainer_is_reported_after_its_last_byte)
{
	struct pv_source *s = open_ok(pipe_path, &small);
	pid_t drainer = drainer_of(getpid());
	int fd = open_writer();
	write_pattern(fd, 0, 1000);
	wait_until_drained(s, 1000);
	int pidfd = (int)syscall(SYS_pidfd_open, drainer, 0);
	ck_assert_int_eq(kill(drainer, SIGKILL), 0);
	expect_exit(drainer, pidfd);
	expect_pattern(s, 0, 1000);
	uint8_t b;
	uint64_t n;
	struct pv_error e = { 0 };
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(pv_source_read(s, &b, 1, &n, &e), PV_READ_ERROR);
		ck_assert_int_eq(e.code, PV_EIO);
	}
	ck_assert_int_eq(waitpid(drainer, NULL, WNOHANG), -1); /* reaped */
	/* Its death is reported once, not for ever. */
	pv_source_wait_clear(s);
	struct pollfd p = { .fd = pv_source_wait_fd(s), .events = POLLIN };
	ck_assert_int_eq(poll(&p, 1, 0), 0);
	pv_source_close(s);
	close(fd);
}
END_TEST

START_TEST(closing_leaves_no_child_after)
{
	for (int i = 0; i < 3; i++) {
		pv_source_close(open_ok(pipe_path, &small));
		ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
		ck_assert_int_eq(errno, ECHILD);
	}
}
END_TEST

/* Descriptors 0, 1, 2 of a process, and how many there are in all. */
static int count_fds(pid_t pid, int *ret_null)
{
	char path[300], to[300];
	int n = 0;
	snprintf(path, sizeof path, "/proc/%ld/fd", (long)pid);
	DIR *d = opendir(path);
	ck_assert_ptr_nonnull(d);
	for (struct dirent *e; (e = readdir(d));) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "/proc/%ld/fd/%.20s", (long)pid, e->d_name);
		ssize_t len = readlink(path, to, sizeof to - 1);
		to[len > 0 ? len : 0] = 0;
		*ret_null += strcmp(to, "/dev/null") == 0 && atoi(e->d_name) < 3;
		n++;
	}
	closedir(d);
	return n;
}

START_TEST(it_holds_nothing_of_the_viewers)
{
	int ends[2], null = 0;
	char c;
	ck_assert_int_eq(pipe(ends), 0); /* not close-on-exec, as a careless viewer's may be */
	struct pv_source *s = open_ok(pipe_path, &small);
	int fd = open_writer();
	write_pattern(fd, 0, 1);
	expect_pattern(s, 0, 1); /* it runs by now */
	pid_t drainer = drainer_of(getpid());
	/* 0, 1, 2, two ends of the pipe, the spool, the socket */
	ck_assert_int_eq(count_fds(drainer, &null), 7);
	ck_assert_int_eq(null, 3);
	close(ends[1]);
	ck_assert_int_eq(read(ends[0], &c, 1), 0);
	close(ends[0]);
	close(fd);
	pv_source_close(s);
}
END_TEST

static int open_without_standard_descriptors(void *unused)
{
	(void)unused;
	close(0);
	close(1);
	close(2);
	struct pv_source *s = pv_source_open(pipe_path, &small, NULL);
	if (!s)
		return 1;
	int fd = open(pipe_path, O_WRONLY);
	uint8_t b[10];
	uint64_t n = 0;
	if (fd < 0 || write(fd, "0123456789", 10) != 10 ||
		next_read(s, b, sizeof b, &n) != PV_READ_BYTES || b[0] != '0')
		return 2;
	pv_source_close(s);
	return 0;
}

START_TEST(closed_standard_descriptors_do_no_harm)
{
	end_child(start_child(open_without_standard_descriptors, NULL), 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("drainer");
	TCase *c = tcase_create("drainer");
	tcase_set_timeout(c, 100);
	tcase_add_checked_fixture(c, setup, kit_teardown);
	tcase_add_test(c, the_writer_never_waits_for_a_slow_viewer);
	tcase_add_test(c, the_end_comes_after_the_gap);
	tcase_add_test(c, a_gap_in_a_gzip_stream_ends_it);
	tcase_add_test(c, gaps_are_exact_while_both_run);
	tcase_add_test(c, a_killed_viewer_takes_its_drainer_along);
	tcase_add_test(c, a_stopped_viewer_does_not_stop_the_draining);
	tcase_add_test(c, signals_of_the_terminal_do_not_reach_it);
	tcase_add_test(c, a_dead_drainer_is_reported_after_its_last_byte);
	tcase_add_test(c, closing_leaves_no_child_after);
	tcase_add_test(c, it_holds_nothing_of_the_viewers);
	tcase_add_test(c, closed_standard_descriptors_do_no_harm);
	suite_add_tcase(s, c);
	return run_suite(s);
}
