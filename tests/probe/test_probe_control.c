/* SPDX-License-Identifier: MIT */
/* The control socket: who may speak there, what is answered, and what becomes of the recording. */
#include "tests/kit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/control/probe_control.h"
#include "probe/core/emit.h"
#include "tests/kit/host_fake.h"
#include "probe/control/session.h"
#include "tests/kit/probe_kit.h"

enum { ANSWER_MS = 10000, ROOM = 4096 };

static char log_path[PROBE_PATH], at[80];

static void place(void)
{
	ck_assert_int_lt(snprintf(at, sizeof at, "%.60s/ctl", probe_dir), (int)sizeof at);
}

static void start(const char *more)
{
	char options[2 * PROBE_PATH + 64];
	place();
	snprintf(options, sizeof options, "output=%s,control=%s%s",
		probe_path(log_path, "log.mlpd"), at, more);
	ck_assert_int_eq(pvp_session_start(options, &pvp_host_fake), 0);
}

static int try_connect(const char *path)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	snprintf(to.sun_path, sizeof to.sun_path, "%.100s", path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_ge(fd, 0);
	if (connect(fd, (struct sockaddr *)&to, sizeof to) == 0)
		return fd;
	close(fd);
	return -1;
}

static int dial(void)
{
	int fd = try_connect(at);
	ck_assert_int_ge(fd, 0);
	return fd;
}

static void put(int fd, const char *text, size_t len)
{
	ck_assert_int_eq(send(fd, text, len, MSG_NOSIGNAL), (ssize_t)len);
}

/* One line, without its newline; "" when the other end closed. */
static const char *line_from(int fd, char to[ROOM])
{
	size_t n = 0;
	struct pollfd p = { fd, POLLIN, 0 };
	while (n + 1 < ROOM && poll(&p, 1, ANSWER_MS) == 1 && read(fd, to + n, 1) == 1)
		if (to[n++] == '\n') {
			n--;
			break;
		}
	to[n] = 0;
	return to;
}

static const char *ask(const char *line)
{
	static char answer[ROOM];
	int fd = dial();
	put(fd, line, strlen(line));
	put(fd, "\n", 1);
	line_from(fd, answer);
	close(fd);
	return answer;
}

static void calls(unsigned pairs, unsigned method)
{
	for (unsigned i = 0; i < pairs; i++) {
		pvp_call(PVP_ENTER, pvp_fake_key(method));
		pvp_call(PVP_LEAVE, pvp_fake_key(method));
	}
}

static uint64_t value(const struct probe_log *log, const char *name)
{
	for (size_t i = 0; i < log->counters.n; i++)
		if (strcmp(log->counters.v[i].name, name) == 0)
			return (uint64_t)log->counters.v[i].value;
	return 0;
}

START_TEST(the_socket_is_the_owners_only)
{
	struct stat st;
	start("");
	ck_assert_int_eq(lstat(at, &st), 0);
	ck_assert(S_ISSOCK(st.st_mode));
	ck_assert_uint_eq(st.st_mode & 0777, 0600);
	ck_assert_int_eq(pvp_session_stop(), 0);
	ck_assert_int_eq(lstat(at, &st), -1);
}
END_TEST

START_TEST(a_folder_that_others_can_enter_is_not_used)
{
	char dir[PROBE_PATH], mine[PROBE_PATH + 16];
	struct stat st;
	ck_assert_int_eq(setenv("XDG_RUNTIME_DIR", probe_dir, 1), 0);
	snprintf(dir, sizeof dir, "%s/profview", probe_dir);
	snprintf(mine, sizeof mine, "%s/%d", dir, (int)getpid());
	start(",control=on");
	ck_assert_int_eq(stat(dir, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0700);
	ck_assert_int_eq(access(mine, F_OK), 0);
	ck_assert_int_eq(pvp_session_stop(), 0);
	ck_assert_int_eq(chmod(dir, 0755), 0);
	start(",control=on");
	ck_assert_int_eq(access(mine, F_OK), -1);
	ck_assert_int_eq(pvp_session_stop(), 0);
	unsetenv("XDG_RUNTIME_DIR");
}
END_TEST

START_TEST(the_log_says_where_it_is)
{
	char text[ROOM] = "", want[PROBE_PATH], id[17] = "";
	start("");
	ck_assert_int_eq(sscanf(ask("hello"), "ok id=%16[0-9a-f]", id), 1);
	ck_assert_uint_eq(strlen(id), 16);
	ck_assert_ptr_nonnull(strstr(ask("stats"), id));
	ck_assert_int_eq(pvp_session_stop(), 0);
	int fd = open(log_path, O_RDONLY);
	ssize_t n = read(fd, text, sizeof text - 1);
	close(fd);
	for (ssize_t i = 0; i < n; i++)
		text[i] = text[i] ? text[i] : ' ';
	snprintf(want, sizeof want, ",control=%s,id=%s,", at, id);
	ck_assert_ptr_nonnull(strstr(text, want));
}
END_TEST

START_TEST(no_other_socket_is_taken_away)
{
	struct sockaddr_un there = { .sun_family = AF_UNIX };
	struct stat before, after;
	place();
	snprintf(there.sun_path, sizeof there.sun_path, "%.80s", at);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&there, sizeof there), 0);
	ck_assert_int_eq(listen(fd, 1), 0);
	ck_assert_int_eq(lstat(at, &before), 0);
	start("");
	ck_assert_int_eq(pvp_session_stop(), 0);
	ck_assert_int_eq(lstat(at, &after), 0);
	ck_assert_uint_eq(before.st_ino, after.st_ino);
	close(fd); /* now it is one that a killed process left over */
	start("");
	ck_assert_int_eq(strncmp(ask("stats"), "ok pid=", 7), 0);
	ck_assert_int_eq(unlink(at), 0);
	fd = open(at, O_CREAT | O_WRONLY, 0600); /* somebody puts something else there */
	close(fd);
	ck_assert_int_eq(pvp_session_stop(), 0);
	ck_assert_int_eq(access(at, F_OK), 0);
	unlink(at);
}
END_TEST

START_TEST(each_line_gets_its_answer)
{
	char answer[ROOM], big[3000];
	start("");
	ck_assert_str_eq(ask("flush"), "ok");
	ck_assert_int_eq(strncmp(ask("hello"), "ok id=", 6), 0);
	ck_assert_str_eq(ask("set calls=off"), "ok");
	ck_assert_str_eq(ask("set calls=perhaps"), "error calls is on or off");
	ck_assert_str_eq(ask("set sample=1000"), "error \"sample\" cannot be set here");
	ck_assert_str_eq(ask("set"), "error set needs KEY=VALUE");
	ck_assert_str_eq(ask("heapshot"), "error there are no heap shots of fake programs");
	ck_assert_int_eq(strncmp(ask(""), "error not understood", 20), 0);
	ck_assert_int_eq(strncmp(ask("flush now"), "error not understood", 20), 0);
	ck_assert_int_eq(strncmp(ask("attach nowhere"), "error attach needs", 18), 0);
	int fd = dial();
	memset(big, 'x', sizeof big);
	put(fd, big, sizeof big);
	put(fd, "\nflush\r\nfl\0sh\nflu", 17);
	ck_assert_str_eq(line_from(fd, answer), "error the line is too long");
	ck_assert_str_eq(line_from(fd, answer), "ok");
	ck_assert_str_eq(line_from(fd, answer), "error the line holds a NUL");
	put(fd, "sh\n", 3);
	ck_assert_str_eq(line_from(fd, answer), "ok");
	close(fd);
	ck_assert_int_eq(pvp_session_stop(), 0);
}
END_TEST

START_TEST(a_pause_is_marked)
{
	struct probe_log log;
	start("");
	calls(10, 1);
	pvp_call(PVP_ENTER, pvp_fake_key(2));
	ck_assert_str_eq(ask("pause"), "ok");
	ck_assert_str_eq(ask("pause"), "ok");
	calls(1000, 3);
	ck_assert_str_eq(ask("resume"), "ok");
	ck_assert_str_eq(ask("resume"), "ok");
	calls(10, 4);
	ck_assert_int_eq(pvp_session_stop(), 0);
	probe_log_read(&log, log_path);
	ck_assert_uint_eq(probe_log_events(&log), 41);
	ck_assert_uint_eq(log.lost, 0);
	ck_assert_uint_eq(
		value(&log, "paused"), 2); /* that it began, and where the thread goes on */
	ck_assert_uint_eq(log.misplaced_losses, 0);
	probe_log_finish(&log);
}
END_TEST

START_TEST(calls_can_be_left_out)
{
	struct probe_log log;
	start("");
	calls(10, 1);
	ck_assert_str_eq(ask("set calls=off"), "ok");
	calls(1000, 3);
	pvp_alloc(1, 4096, 16);
	ck_assert_str_eq(ask("set calls=on"), "ok");
	calls(10, 4);
	ck_assert_int_eq(pvp_session_stop(), 0);
	probe_log_read(&log, log_path);
	ck_assert_uint_eq(probe_log_events(&log), 41);
	ck_assert_uint_eq(value(&log, "paused"), 2);
	probe_log_finish(&log);
}
END_TEST

static uint64_t stat_of(const char *key)
{
	char want[64];
	snprintf(want, sizeof want, " %s=", key);
	const char *found = strstr(ask("stats"), want);
	return found ? strtoull(found + strlen(want), NULL, 10) : UINT64_MAX;
}

START_TEST(stats_count_by_kind)
{
	start("");
	calls(500, 1);
	for (unsigned i = 0; i < 7; i++)
		pvp_alloc(1, 4096, 16);
	ck_assert_str_eq(ask("flush"), "ok");
	ck_assert_uint_eq(stat_of("events.calls"), 1000);
	ck_assert_uint_ge(stat_of("bytes.calls"), 3000);
	ck_assert_uint_lt(stat_of("bytes.calls"), 8000);
	ck_assert_uint_eq(stat_of("events.alloc"), 7);
	ck_assert_uint_eq(stat_of("lost"), 0);
	ck_assert_uint_lt(stat_of("lag_ms"), 5000);
	ck_assert_uint_gt(stat_of("call_ns"), 0);
	struct stat st;
	ck_assert_int_eq(stat(log_path, &st), 0);
	ck_assert_uint_le((uint64_t)st.st_size, stat_of("written"));
	ck_assert_int_eq(pvp_session_stop(), 0);
}
END_TEST

START_TEST(the_log_moves_to_another_pipe)
{
	struct probe_log log;
	char second[PROBE_PATH], line[PROBE_PATH + 16];
	start("");
	calls(10, 1);
	snprintf(line, sizeof line, "attach %s", probe_path(second, "second.mlpd"));
	ck_assert_str_eq(ask("flush"), "ok");
	ck_assert_str_eq(ask(line), "ok");
	calls(5, 2);
	ck_assert_int_eq(strncmp(ask("attach /no/such/place"), "error ", 6), 0);
	calls(5, 1);
	ck_assert_int_eq(pvp_session_stop(), 0);
	probe_log_read(&log, log_path);
	ck_assert_uint_eq(probe_log_events(&log), 20);
	probe_log_finish(&log);
	probe_log_read(&log, second);
	ck_assert_uint_eq(probe_log_events(&log), 20);
	ck_assert_uint_eq(log.unnamed, 0); /* it begins with all names */
	probe_log_finish(&log);
}
END_TEST

START_TEST(it_is_answered_while_the_reader_takes_nothing)
{
	char fifo[PROBE_PATH], options[2 * PROBE_PATH + 64];
	place();
	ck_assert_int_eq(mkfifo(probe_path(fifo, "pipe"), 0600), 0);
	int reader = open(fifo, O_RDONLY | O_NONBLOCK);
	snprintf(options, sizeof options, "output=%s,control=%s,linger=100,buffer=1m", fifo, at);
	ck_assert_int_eq(pvp_session_start(options, &pvp_host_fake), 0);
	while (stat_of("free") > stat_of("chunks") / 2)
		calls(1000, 1);
	ck_assert_str_eq(ask("flush"), "error the reader takes nothing");
	char line[PROBE_PATH + 16];
	snprintf(line, sizeof line, "attach %s", probe_path(log_path, "rescued.mlpd"));
	ck_assert_int_eq(strncmp(ask(line), "ok", 2), 0);
	while (stat_of("free") < stat_of("chunks") - 2)
		poll(NULL, 0, 10);
	ck_assert_int_eq(pvp_session_stop(), 0);
	close(reader);
	struct probe_log log;
	probe_log_read(&log, log_path);
	ck_assert_uint_eq(log.unnamed, 0);
	ck_assert_uint_gt(probe_log_events(&log), 10000);
	probe_log_finish(&log);
}
END_TEST

/* The writer learns it amid a buffer, and ends no round before another reader comes. */
START_TEST(it_says_that_the_reader_left_amid_a_buffer)
{
	char fifo[PROBE_PATH], options[2 * PROBE_PATH + 64];
	place();
	ck_assert_int_eq(mkfifo(probe_path(fifo, "pipe"), 0600), 0);
	int reader = open(fifo, O_RDONLY | O_NONBLOCK);
	snprintf(options, sizeof options, "output=%s,control=%s,linger=100,buffer=1m", fifo, at);
	ck_assert_int_eq(pvp_session_start(options, &pvp_host_fake), 0);
	while (stat_of("free") > stat_of("chunks") / 2)
		calls(1000, 1);
	ck_assert_ptr_nonnull(strstr(ask("stats"), " reader=yes "));
	close(reader);
	while (!strstr(ask("stats"), " reader=no "))
		poll(NULL, 0, 10);
	ck_assert_int_eq(pvp_session_stop(), ETIMEDOUT); /* the rest had no reader to go to */
}
END_TEST

START_TEST(many_peers_and_dead_ones)
{
	int fds[40];
	start("");
	for (size_t i = 0; i < PV_COUNT_OF(fds); i++) {
		fds[i] = dial();
		put(fds[i], "half a li", 9);
	}
	for (size_t i = 0; i < 10; i++) { /* senders that do not read */
		int fd = dial();
		for (size_t k = 0; k < 1000; k++)
			if (send(fd, "stats\n", 6, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
				break;
		close(fd);
	}
	ck_assert_str_eq(ask("flush"), "ok");
	for (size_t i = 0; i < PV_COUNT_OF(fds); i++)
		close(fds[i]);
	ck_assert_str_eq(ask("flush"), "ok");
	ck_assert_int_eq(pvp_session_stop(), 0);
}
END_TEST

START_TEST(stop_ends_the_recording)
{
	struct probe_log log;
	for (int i = 0; i < 3; i++) {
		start("");
		calls(10, 1);
		ck_assert_str_eq(ask("stop"), "ok");
		ck_assert_int_eq(try_connect(at), -1);
		ck_assert_int_eq(pvp_session_stop(), EALREADY);
		probe_log_read(&log, log_path);
		ck_assert_uint_eq(probe_log_events(&log), 20);
		probe_log_finish(&log);
	}
	/* After "stop" the next to begin waits: no thread is left over here. */
	start("");
	ck_assert_int_eq(pvp_session_stop(), 0);
}
END_TEST

START_TEST(a_child_of_fork_has_no_socket)
{
	int status;
	start("");
	int held = dial(); /* a connection that the child must not keep open */
	put(held, "flush\n", 6);
	char answer[ROOM];
	ck_assert_str_eq(line_from(held, answer), "ok");
	int gate[2];
	ck_assert_int_eq(pipe(gate), 0);
	pid_t child = fork();
	if (child == 0) {
		char c;
		close(gate[1]);
		close(held);
		_exit(read(gate[0], &c, 1) == 0 ? 0 : 1); /* lives until its parent lets go */
	}
	close(gate[0]);
	ck_assert_str_eq(ask("flush"), "ok");
	ck_assert_int_eq(pvp_session_stop(), 0);
	ck_assert_int_eq(try_connect(at), -1);
	ck_assert_str_eq(line_from(held, answer), ""); /* closed everywhere */
	close(held);
	close(gate[1]);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(a_program_may_close_what_it_does_not_know)
{
	start("");
	ck_assert_str_eq(ask("flush"), "ok");
	int mine = open("/dev/null", O_RDONLY);
	for (int fd = 200; fd < 260; fd++) {
		struct stat st;
		if (fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode))
			ck_assert_int_eq(dup2(mine, fd), fd);
	}
	calls(10, 1);
	ck_assert_int_eq(pvp_session_stop(), 0);
	int left = 0;
	for (int fd = 200; fd < 260; fd++)
		left += close(fd) == 0;
	ck_assert_int_ge(left, 1); /* its own descriptor was not closed */
	close(mine);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("probe_control");
	TCase *t = tcase_create("socket");
	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, probe_setup, probe_teardown);
	tcase_add_test(t, the_socket_is_the_owners_only);
	tcase_add_test(t, a_folder_that_others_can_enter_is_not_used);
	tcase_add_test(t, the_log_says_where_it_is);
	tcase_add_test(t, no_other_socket_is_taken_away);
	tcase_add_test(t, each_line_gets_its_answer);
	tcase_add_test(t, a_pause_is_marked);
	tcase_add_test(t, calls_can_be_left_out);
	tcase_add_test(t, stats_count_by_kind);
	tcase_add_test(t, the_log_moves_to_another_pipe);
	tcase_add_test(t, it_is_answered_while_the_reader_takes_nothing);
	tcase_add_test(t, it_says_that_the_reader_left_amid_a_buffer);
	tcase_add_test(t, many_peers_and_dead_ones);
	tcase_add_test(t, stop_ends_the_recording);
	tcase_add_test(t, a_child_of_fork_has_no_socket);
	tcase_add_test(t, a_program_may_close_what_it_does_not_know);
	suite_add_tcase(s, t);
	return run_suite(s);
}
