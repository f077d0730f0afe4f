/* SPDX-License-Identifier: MIT */
/* The diagnostics socket of .NET, with this very process in the runtime's place. */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/coreclr.h"
#include "common/target/dotnet/dotnet_ipc.h"
#include "tests/kit/suite.h"

enum { HEAD = 20, ROOM = 70000 };

static struct {
	int fd;
	char path[108];
	pthread_t thread;
	uint8_t got[ROOM];
	size_t got_n;
	const uint8_t *answer;
	size_t answer_n, cut; /* so much of it is sent before the end */
	int commands;
	int asked;            /* of these, that ask for its description */
	const uint8_t *later; /* answer to the second time that is asked, and afterwards; or NULL */
} server;

static bool read_all(int fd, uint8_t *to, size_t n)
{
	for (size_t at = 0; at < n;) {
		ssize_t done = recv(fd, to + at, n - at, 0);
		if (done <= 0)
			return false;
		at += (size_t)done;
	}
	return true;
}

static void *serve(void *ctx)
{
	int fd;
	(void)ctx;
	while ((fd = accept(server.fd, NULL, NULL)) >= 0) {
		size_t size = 0;
		if (read_all(fd, server.got, HEAD)) {
			size = (size_t)server.got[14] | (size_t)server.got[15] << 8;
			server.got_n = read_all(fd, server.got + HEAD, size - HEAD) ? size : 0;
			server.commands++;
			server.asked += server.got[16] == 4 && server.got[17] == 4;
			send(fd, server.asked > 1 && server.later ? server.later : server.answer,
				server.cut, MSG_NOSIGNAL);
		}
		close(fd);
	}
	return NULL;
}

static void setup(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	snprintf(server.path, sizeof server.path, "%s/dotnet-diagnostic-%ld-777-socket",
		getenv("TMPDIR"), (long)getpid());
	memcpy(at.sun_path, server.path, sizeof server.path);
	server.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(server.fd, (struct sockaddr *)&at, sizeof at), 0);
	ck_assert_int_eq(listen(server.fd, 8), 0);
	server.commands = server.asked = 0;
	server.later = NULL;
	ck_assert_int_eq(pthread_create(&server.thread, NULL, serve, NULL), 0);
}

static void teardown(void)
{
	shutdown(server.fd, SHUT_RDWR);
	pthread_join(server.thread, NULL);
	close(server.fd);
	unlink(server.path);
}

static void answers(const uint8_t *bytes, size_t n, size_t cut)
{
	server.answer = bytes;
	server.answer_n = n;
	server.cut = cut;
}

static const uint8_t fine[HEAD] = { 'D', 'O', 'T', 'N', 'E', 'T', '_', 'I', 'P', 'C', '_', 'V', '1',
	0, HEAD, 0, 0xff, 0 };

static struct pv_dotnet found(void)
{
	struct pv_dotnet d;
	struct pv_error e;
	if (!pv_dotnet_find(&d, getpid(), &e))
		ck_abort_msg("%s", e.what);
	ck_assert_str_eq(d.socket, server.path);
	return d;
}

/* Every byte of the command, after the protocol's description. */
START_TEST(attach_in_bytes)
{
	struct pv_dotnet d = found();
	struct pv_error e;
	static const uint8_t guid[16] = PV_CORECLR_GUID_BYTES;
	static const uint8_t path[] = { 5, 0, 0, 0, '/', 0, 0xe9, 0, 0x3d, 0xd8, 0x00, 0xde, 0, 0 };
	answers(fine, HEAD, HEAD);
	if (!pv_dotnet_attach(&d, "/\xc3\xa9\xf0\x9f\x98\x80", "gc,x", &e))
		ck_abort_msg("%s", e.what);
	ck_assert_uint_eq(server.got_n, HEAD + 4 + 16 + sizeof path + 4 + 4);
	const uint8_t *p = server.got;
	ck_assert_int_eq(memcmp(p, fine, 14), 0);
	ck_assert_uint_eq(p[16], 3);
	ck_assert_uint_eq(p[17], 1);
	ck_assert_int_eq(memcmp(p + HEAD + 4, guid, 16), 0);
	ck_assert_int_eq(memcmp(p + HEAD + 20, path, sizeof path), 0);
	ck_assert_int_eq(memcmp(p + HEAD + 20 + sizeof path, "\4\0\0\0gc,x", 8), 0);
}
END_TEST

/* Variable, profiler, and on it goes; nothing more once one is refused. */
START_TEST(start_is_three_commands)
{
	struct pv_dotnet d = found();
	struct pv_error e;
	answers(fine, HEAD, HEAD);
	ck_assert(pv_dotnet_start(&d, "/lib.so", "gc", &e));
	ck_assert_int_eq(server.commands, 3);
	ck_assert_uint_eq(server.got[16], 4);
	ck_assert_uint_eq(server.got[17], 1);
	uint8_t no[HEAD + 4];
	memcpy(no, fine, HEAD);
	no[14] = sizeof no;
	no[17] = 0xff;
	memcpy(no + HEAD, "\x6a\x13\x13\x80", 4);
	answers(no, sizeof no, sizeof no);
	ck_assert(!pv_dotnet_start(&d, "/lib.so", "gc", &e));
	ck_assert_int_eq(server.commands, 4);
	ck_assert_ptr_nonnull(strstr(e.what, "another profiler"));
}
END_TEST

static size_t text(uint8_t *to, const char *t)
{
	uint32_t n = (uint32_t)strlen(t) + 1;
	memcpy(to, &n, 4);
	for (uint32_t i = 0; i < n; i++) {
		to[4 + 2 * i] = (uint8_t)t[i];
		to[5 + 2 * i] = 0;
	}
	return 4 + 2 * n;
}

/* A process's description of itself; each byte of its cookie is `cookie`. */
static size_t information(uint8_t *to, uint8_t cookie)
{
	size_t n = HEAD + 24;
	memset(to + HEAD, cookie, 24);
	memcpy(to, fine, HEAD);
	n += text(to + n, "dotnet app.dll");
	n += text(to + n, "linux");
	n += text(to + n, "x64");
	n += text(to + n, "app");
	n += text(to + n, "10.0.12+95017c711e");
	to[14] = (uint8_t)n;
	to[15] = (uint8_t)(n >> 8);
	return n;
}

/* The number is another process's by the second connection, as its cookie shows: it gets no command. */
START_TEST(another_process_by_the_second_connection)
{
	uint8_t first[512], second[512];
	struct pv_dotnet d = found();
	struct pv_error e = { 0 };
	size_t n = information(first, 7);
	information(second, 8);
	answers(first, n, n);
	ck_assert(pv_dotnet_ask(&d, 10000, &e));
	ck_assert(pv_dotnet_attach(&d, "/lib.so", "gc", &e)); /* still the same */
	ck_assert_uint_eq(server.got[16], 3);
	server.asked = 1;
	server.later = second;
	server.commands = 0;
	ck_assert(!pv_dotnet_attach(&d, "/lib.so", "gc", &e));
	ck_assert_ptr_nonnull(strstr(e.what, "nothing was done to it"));
	ck_assert_int_eq(server.commands, 1); /* it was asked who it is, no more */
	ck_assert(!pv_dotnet_start(&d, "/lib.so", "gc", &e));
	ck_assert(!pv_dotnet_ask(&d, 10000, &e));
	ck_assert_int_eq(server.commands, 3);
	ck_assert_uint_eq(server.got[16], 4);
}
END_TEST

/* Its own description; an answer that ends anywhere is no answer, and does no harm. */
START_TEST(information_and_its_cuts)
{
	static uint8_t whole[512]; /* the server may send of it when the test is over */
	struct pv_error e;
	size_t n = information(whole, 7);
	for (size_t cut = 0; cut <= n; cut++) {
		struct pv_dotnet d = found();
		whole[14] = (uint8_t)n;
		whole[15] = (uint8_t)(n >> 8);
		answers(whole, n, cut);
		ck_assert_int_eq(pv_dotnet_ask(&d, 10000, &e), cut == n);
		ck_assert_str_eq(d.version, cut == n ? "10.0.12+95017c711e" : "");
		if (cut < HEAD)
			continue;
		whole[14] = (uint8_t)cut; /* and one that says it is so short */
		whole[15] = (uint8_t)(cut >> 8);
		d = found();
		ck_assert_int_eq(pv_dotnet_ask(&d, 10000, &e), cut == n);
	}
	memset(whole + HEAD + 24, 0xff, 4); /* a length without end */
	struct pv_dotnet d = found();
	answers(whole, n, n);
	ck_assert(!pv_dotnet_ask(&d, 10000, &e));
}
END_TEST

/* A process whose socket is open, and which ends when it is asked. */
static pid_t process_that_ends(char *path, size_t room)
{
	int ready[2];
	char byte;
	ck_assert_int_eq(pipe(ready), 0);
	pid_t pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		struct sockaddr_un at = { .sun_family = AF_UNIX };
		snprintf(at.sun_path, sizeof at.sun_path, "%s/dotnet-diagnostic-%ld-778-socket",
			getenv("TMPDIR"), (long)getpid());
		int fd = socket(AF_UNIX, SOCK_STREAM, 0);
		bool ok = bind(fd, (struct sockaddr *)&at, sizeof at) == 0 && listen(fd, 1) == 0 &&
			  write(ready[1], "r", 1) == 1;
		int one = ok ? accept(fd, NULL, NULL) : -1;
		_exit(one >= 0 && recv(one, &byte, 1, 0) == 1 ? 0 : 1);
	}
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	snprintf(path, room, "%s/dotnet-diagnostic-%ld-778-socket", getenv("TMPDIR"), (long)pid);
	return pid;
}

START_TEST(one_that_ends_instead_of_answering)
{
	struct pv_dotnet d = found();
	struct pv_error e;
	char words[100];
	int status;
	d.pid = d.of.pid = process_that_ends(d.socket, sizeof d.socket);
	ck_assert(!pv_dotnet_attach(&d, "/lib.so", "", &e));
	snprintf(words, sizeof words, "process %ld ended before its runtime answered", (long)d.pid);
	ck_assert_str_eq(e.what, words);
	ck_assert_int_eq(e.code, PV_EIO);
	ck_assert_int_eq(waitpid(d.pid, &status, 0), d.pid);
	ck_assert_int_eq(status, 0);
	unlink(d.socket);
	d = found();
	answers(fine, HEAD, 0);
	ck_assert(!pv_dotnet_attach(&d, "/lib.so", "", &e));
	ck_assert_ptr_nonnull(strstr(e.what, "hung up instead of answering"));
}
END_TEST

START_TEST(what_is_not_there)
{
	struct pv_dotnet d;
	struct pv_error e;
	ck_assert(!pv_dotnet_find(&d, 1 << 30, &e));
	ck_assert_int_eq(e.code, PV_EUSAGE);
	d = found();
	unlink(server.path);
	answers(fine, HEAD, HEAD);
	ck_assert(!pv_dotnet_attach(&d, "/lib.so", "", &e));
	ck_assert_int_eq(e.code, PV_EIO);
	ck_assert(!pv_dotnet_find(&d, getpid(), &e));
	ck_assert_msg(strstr(e.what, "profview run") != NULL, "%s", e.what);
}
END_TEST

/* A number that another process had before, which left its socket. */
START_TEST(sockets_of_earlier_processes)
{
	struct pv_dotnet d;
	struct pv_error e;
	const struct timespec old[2] = { { 1000000, 0 }, { 1000000, 0 } };
	ck_assert_int_eq(utimensat(AT_FDCWD, server.path, old, 0), 0);
	ck_assert(!pv_dotnet_find(&d, getpid(), &e));
	ck_assert_int_eq(e.code, PV_EUSAGE);
	ck_assert_int_eq(utimensat(AT_FDCWD, server.path, NULL, 0), 0);
	ck_assert(pv_dotnet_find(&d, getpid(), &e));
	ck_assert_str_eq(d.socket, server.path);
}
END_TEST

/*
 * With a temporary folder of its own, which must be in the environment from the start: sockets that
 * others left in the shared one may have the number of this process.
 */
static int again_in_own_folder(char **argv)
{
	char folder[] = "/tmp/pv-dotnet-ipc-XXXXXX";
	int status = 1;
	if (!mkdtemp(folder))
		return EXIT_FAILURE;
	pid_t pid = fork();
	if (pid == 0) {
		setenv("TMPDIR", folder, 1);
		setenv("PV_OWN_FOLDER", "1", 1);
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	if (pid > 0)
		waitpid(pid, &status, 0);
	rmdir(folder);
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	(void)argc;
	if (!getenv("PV_OWN_FOLDER"))
		return again_in_own_folder(argv);
	Suite *s = suite_create("dotnet diagnostics");
	TCase *t = tcase_create("dotnet diagnostics");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, attach_in_bytes);
	tcase_add_test(t, start_is_three_commands);
	tcase_add_test(t, information_and_its_cuts);
	tcase_add_test(t, another_process_by_the_second_connection);
	tcase_add_test(t, one_that_ends_instead_of_answering);
	tcase_add_test(t, what_is_not_there);
	tcase_add_test(t, sockets_of_earlier_processes);
	suite_add_tcase(s, t);
	return run_suite(s);
}
