/* SPDX-License-Identifier: MIT */
/*
 * A program that starts child processes in the ways its arguments name, all of them there at one
 * time, and waits for them: fork, spawn, vfork, system; many: 300 of spawn one after the other.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_S "0.6" /* several of the probe's checks */

extern char **environ;

static int alive[2]; /* a pipe: children of fork end with its writing end */

static void start_fork(void)
{
	char c;
	if (fork() == 0) {
		close(alive[1]);
		_exit(read(alive[0], &c, 1) != 0);
	}
}

static pid_t spawn(const char *command, const char *argument)
{
	char *argv[] = { (char *)(uintptr_t)command, (char *)(uintptr_t)argument, NULL };
	pid_t pid = -1;
	if (posix_spawnp(&pid, command, NULL, NULL, argv, environ) != 0)
		exit(9);
	return pid;
}

static void start_vfork(void)
{
	if (vfork() == 0) { /* NOLINT(bugprone-unsafe-functions): what is tested */
		execlp("sleep", "sleep", CHILD_S, NULL);
		_exit(1);
	}
}

static void start_many(void)
{
	for (int i = 0; i < 300; i++)
		waitpid(spawn("true", NULL), NULL, 0);
}

int main(int argc, char **argv)
{
	if (pipe2(alive, O_CLOEXEC) != 0)
		return 7;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "fork") == 0)
			start_fork();
		else if (strcmp(argv[i], "spawn") == 0)
			spawn("sleep", CHILD_S);
		else if (strcmp(argv[i], "vfork") == 0)
			start_vfork();
		else if (strcmp(argv[i], "many") == 0)
			start_many();
		else if (system("sleep " CHILD_S) != 0)
			return 8;
	}
	close(alive[1]);
	while (wait(NULL) > 0)
		continue;
	return 0;
}
