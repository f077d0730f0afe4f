/* SPDX-License-Identifier: MIT */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/target/control/control.h"
#include "common/target/join/mono_attach.h"
#include "tests/kit/suite.h"

enum { DEADLINE_MS = 60000 };

/* A server as Mono's: on every interface, a few connections waiting. */
static int start_server(uint16_t *ret_port, int backlog)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t size = sizeof at;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
	ck_assert_int_eq(listen(fd, backlog), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&at, &size), 0);
	*ret_port = ntohs(at.sin_port);
	return fd;
}

/* A log that this very process writes. */
static struct pv_log_peer ourselves(uint16_t port)
{
	static struct stat log;
	static int fd = -1;
	if (fd < 0)
		fd = memfd_create("log", MFD_CLOEXEC);
	ck_assert_int_eq(fstat(fd, &log), 0);
	return (struct pv_log_peer){ .pid = getpid(), .file = &log, .port = port };
}

static bool ask(uint16_t port, struct pv_error *reterr)
{
	const struct pv_log_peer t = ourselves(port);
	return pv_control_heapshot(&t, reterr);
}

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

START_TEST(the_line_arrives_in_one_piece)
{
	uint16_t port;
	struct pv_error e = { 0 };
	char got[64];
	int server = start_server(&port, 5);
	for (int i = 0; i < 3; i++) {
		ck_assert_msg(ask(port, &e), "%s", e.what);
		struct pollfd p = { .fd = server, .events = POLLIN };
		ck_assert_int_eq(poll(&p, 1, DEADLINE_MS), 1);
		int fd = accept(server, NULL, NULL);
		ck_assert_int_ge(fd, 0);
		ck_assert_int_eq(recv(fd, got, sizeof got, 0), 9);
		ck_assert_mem_eq(got, "heapshot\n", 9);
		ck_assert_int_eq(recv(fd, got, sizeof got, 0), 0); /* and nothing else */
		close(fd);
	}
	close(server);
}
END_TEST

START_TEST(no_listener)
{
	uint16_t port;
	struct pv_error e = { 0 };
	close(start_server(&port, 1));
	ck_assert(!ask(port, &e));
	ck_assert_int_eq(e.code, PV_EIO);
	ck_assert_ptr_nonnull(strstr(e.what, "does not listen on port"));
	ck_assert(!ask(0, &e));
	ck_assert_int_eq(e.code, PV_EUSAGE);
	ck_assert(!ask(0, NULL));
}
END_TEST

/* Its queue of connections is full, so further ones are left hanging. */
START_TEST(somebody_who_does_not_answer_is_given_up)
{
	uint16_t port;
	struct pv_error e = { 0 };
	int server = start_server(&port, 0), waiting[8], n = 0;
	struct sockaddr_in to = { .sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	for (; n < 8; n++) {
		waiting[n] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		(void)connect(waiting[n], (struct sockaddr *)&to, sizeof to);
	}
	int64_t began = now_ms();
	ck_assert(!ask(port, &e));
	ck_assert_int_eq(e.code, PV_EIO);
	ck_assert_int_lt(now_ms() - began, DEADLINE_MS / 2);
	while (n > 0)
		close(waiting[--n]);
	close(server);
}
END_TEST

static void is_refused(const struct pv_log_peer *t, int server, const char *reason)
{
	struct pv_error e = { 0 };
	struct pollfd p = { .fd = server, .events = POLLIN };
	ck_assert(!pv_control_heapshot(t, &e));
	ck_assert_int_eq(e.code, PV_EIO);
	ck_assert_msg(strstr(e.what, reason), "%s", e.what);
	ck_assert_int_eq(poll(&p, 1, 0), 0); /* there was not even a connection */
}

/* The log's process holds another port than it says, does not write the log, or has ended. */
START_TEST(a_port_of_another_process_is_left_as_is)
{
	uint16_t port, own;
	int server = start_server(&port, 5), gate[2], ready[2];
	char byte = 0;
	ck_assert(pipe(gate) == 0 && pipe(ready) == 0);
	pid_t child = fork();
	if (child == 0) {
		close(server);
		close(gate[1]);
		start_server(&own, 5);
		if (write(ready[1], &byte, 1) != 1)
			_exit(1);
		_exit(read(gate[0], &byte, 1) > 0);
	}
	ck_assert_int_eq(read(ready[0], &byte, 1), 1); /* it holds our port no longer */
	struct stat other;
	struct pv_log_peer t = ourselves(port);
	ck_assert_int_eq(fstat(ready[0], &other), 0);
	t.pid = child;
	t.file = &other; /* the child has its other end */
	is_refused(&t, server, "does not listen on port");
	t = ourselves(port);
	ck_assert_int_eq(stat("/proc/self/exe", &other), 0); /* runs: not writable */
	t.file = &other;
	is_refused(&t, server, "no process here is known to write");
	t.file = NULL;
	is_refused(&t, server, "no process here is known to write");
	t.pid = 0;
	is_refused(&t, server, "does not say whose");
	close(gate[1]);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	t = ourselves(port);
	t.pid = child;
	is_refused(&t, server, "no process here is known to write");
	close(server);
	close(gate[0]);
	close(ready[0]);
	close(ready[1]);
}
END_TEST

/* A process that is gone is no other user's. */
START_TEST(an_attach_that_cannot_be_has_its_reason)
{
	struct pv_error e = { 0 };
	pid_t child = fork();
	if (child == 0)
		_exit(0);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ck_assert(!pv_mono_attach_check(child, &e));
	ck_assert_msg(strstr(e.what, "it has ended") != NULL, "%s", e.what);
	int gate[2];
	char byte;
	ck_assert_int_eq(pipe(gate), 0);
	child = fork();
	if (child == 0) {
		close(gate[1]);
		prctl(PR_SET_DUMPABLE, 0);
		if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)
			_exit(1);
		_exit(read(gate[0], &byte, 1) > 0);
	}
	bool gone = pv_mono_attach_check(child, &e);
	ck_assert(!gone && !strstr(e.what, "it has ended"));
	close(gate[1]);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	close(gate[0]);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("target");
	TCase *c = tcase_create("control");
	tcase_set_timeout(c, 60);
	tcase_add_test(c, the_line_arrives_in_one_piece);
	tcase_add_test(c, no_listener);
	tcase_add_test(c, an_attach_that_cannot_be_has_its_reason);
	tcase_add_test(c, somebody_who_does_not_answer_is_given_up);
	tcase_add_test(c, a_port_of_another_process_is_left_as_is);
	suite_add_tcase(s, c);
	return run_suite(s);
}
