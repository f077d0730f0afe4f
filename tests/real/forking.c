/* SPDX-License-Identifier: MIT */
/*
 * Programs with processes in them: each first argument is one. Those that compute say at the end
 * how much processor time they used.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static volatile double sum;

static __attribute__((noinline)) void compute(int ms)
{
	struct timespec t;
	do {
		for (int i = 0; i < 10000; i++)
			sum += i * 0.5;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < ms);
}

static void wait_for_all(void)
{
	while (wait(NULL) > 0)
		;
}

/* Children of fork that run nothing else. */
static int forks(void)
{
	for (int i = 0; i < 3; i++)
		if (fork() == 0) {
			compute(150 + 50 * i);
			_exit(10 + i);
		}
	wait_for_all();
	return 5;
}

/* One that detaches, as daemons do. */
static int daemon_of_old(void)
{
	if (fork() == 0) {
		setsid();
		if (fork() == 0) {
			close(0);
			close(1);
			close(2);
			compute(200);
			_exit(7);
		}
		_exit(0);
	}
	wait_for_all();
	return 0;
}

static int run(const char *self, int by_vfork)
{
	char compute_word[] = "compute", time[] = "150", path[1024];
	char *words[] = { path, compute_word, time, NULL };
	pid_t pid;
	int status;
	snprintf(path, sizeof path, "%s", self);
	/* It is tested: NOLINTNEXTLINE(bugprone-unsafe-functions) */
	if (by_vfork && (pid = vfork()) == 0) {
		execv(self, words);
		_exit(127);
	}
	if (!by_vfork && posix_spawn(&pid, self, NULL, NULL, words, environ) != 0)
		return 1;
	return waitpid(pid, &status, 0) == pid ? WEXITSTATUS(status) : 1;
}

/* `n` programs that come and go. */
static int many(int n)
{
	int bad = 0;
	for (int i = 0; i < n; i++) {
		char path[] = "/bin/true", *words[] = { path, NULL };
		pid_t pid;
		int status;
		if (posix_spawn(&pid, words[0], NULL, NULL, words, environ) != 0 ||
			waitpid(pid, &status, 0) != pid || status != 0)
			bad++;
	}
	printf("%d of %d\n", n - bad, n);
	return bad != 0;
}

int main(int argc, char *argv[])
{
	const char *what = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 200;
	if (strcmp(what, "compute") == 0) {
		compute(n);
		puts("computed");
		return argc > 3 ? atoi(argv[3]) : 0;
	}
	if (strcmp(what, "forks") == 0)
		return forks();
	if (strcmp(what, "daemon") == 0)
		return daemon_of_old();
	if (strcmp(what, "spawn") == 0 || strcmp(what, "vfork") == 0)
		return run(argv[0], *what == 'v');
	if (strcmp(what, "many") == 0)
		return many(n);
	return 2;
}
