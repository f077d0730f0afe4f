/* SPDX-License-Identifier: MIT */
/* Runs a program and keeps what it prints, within bounds of size and time. */
#include "common/base/system/run_output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Returns errno. */
static int output_start(const char *const *argv, int to, pid_t *ret_pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t all, none;
	sigfillset(&all);
	sigemptyset(&none);
	int error = posix_spawn_file_actions_init(&files);
	if (error)
		return error;
	error = posix_spawnattr_init(&how);
	if (!error) {
		posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
		posix_spawnattr_setsigdefault(&how, &all);
		posix_spawnattr_setsigmask(&how, &none);
		error = posix_spawn_file_actions_adddup2(&files, to, STDOUT_FILENO);
		if (!error)
			error = posix_spawn_file_actions_addopen(
				&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
		if (!error)
			error = posix_spawn_file_actions_addopen(
				&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
		if (!error)
			error = posix_spawnp(ret_pid, argv[0], &files, &how,
				(char *const *)(uintptr_t)argv, environ);
		posix_spawnattr_destroy(&how);
	}
	posix_spawn_file_actions_destroy(&files);
	return error;
}

struct output {
	char *text;
	size_t n, room;
};

/* Makes room for another piece and a NUL; false: out of memory. */
static bool output_grow(struct output *o)
{
	enum { PIECE = 1 << 16 };
	if (o->room - o->n > PIECE)
		return true;
	const size_t room = o->room ? 2 * o->room : 2 * PIECE;
	char *more = realloc(o->text, room);
	if (!more)
		return false;
	o->text = more;
	o->room = room;
	return true;
}

/* Up to the end of the output. Returns errno. */
static int output_read(struct output *o, int fd, size_t most, int64_t until)
{
	for (;;) {
		const int64_t left = until - now_ms();
		struct pollfd p = { .fd = fd, .events = POLLIN };
		const int ready = left > 0 ? poll(&p, 1, (int)left) : 0;
		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0)
			return ready < 0 ? errno : ETIME;
		if (!output_grow(o))
			return ENOMEM;
		const ssize_t got = read(fd, o->text + o->n, o->room - o->n - 1);
		if (got < 0 && errno != EINTR)
			return errno;
		if (got == 0)
			return 0;
		o->n += got > 0 ? (size_t)got : 0;
		if (o->n > most)
			return EFBIG;
	}
}

char *pv_run_output(const char *const *argv, size_t most, int most_ms, size_t *ret_n)
{
	struct output o = { 0 };
	int end[2], status = 0;
	pid_t pid;
	if (pipe2(end, O_CLOEXEC) != 0)
		return NULL;
	int error = output_start(argv, end[1], &pid);
	close(end[1]);
	if (!error) {
		error = output_read(&o, end[0], most, now_ms() + most_ms);
		if (error)
			kill(pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			continue;
		if (!error && status)
			error = EIO;
	}
	close(end[0]);
	if (error) {
		free(o.text);
		errno = error;
		return NULL;
	}
	o.text[o.n] = 0;
	*ret_n = o.n;
	return o.text;
}
