/* SPDX-License-Identifier: MIT */
/* Starts the command that reads the log, outside of the program's view. */
#include "probe/sink/command.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/status.h"

extern char **environ;

/* Variables that would profile the command, too, into another command, and so on. */
static bool is_our_variable(const char *variable)
{
	static const char *const names[] = { "PROFVIEW_OPTIONS=", "PROFVIEW_NATIVE_OPTIONS=",
		"MONO_ENV_OPTIONS=", "CORECLR_ENABLE_PROFILING=", "LD_PRELOAD=" };
	for (size_t i = 0; i < PV_COUNT_OF(names); i++)
		if (strncmp(variable, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* The environment without these; the strings are borrowed. */
static char **environment(void)
{
	size_t n = 0, kept = 0;
	while (environ && environ[n])
		n++;
	char **to = calloc(n + 1, sizeof *to);
	for (size_t i = 0; to && i < n; i++)
		if (!is_our_variable(environ[i]))
			to[kept++] = environ[i];
	return to;
}

static int spawn(const char *command, int input, char **env)
{
	char shell[] = "/bin/sh", option[] = "-c", *text = (char *)(size_t)command;
	char *argv[] = { shell, option, text, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t set;
	pid_t pid;
	int error = posix_spawn_file_actions_init(&actions);
	if (!error)
		error = posix_spawnattr_init(&attr);
	if (error)
		return error;
	posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	sigemptyset(&set);
	posix_spawnattr_setsigmask(&attr, &set);
	sigfillset(&set);
	posix_spawnattr_setsigdefault(&attr, &set);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	return posix_spawn(&pid, shell, &actions, &attr, argv, env);
}

/*
 * Starts the command from an intermediate process without a signal at its end, invisible to wait()
 * (__WCLONE), which leaves the command to the system.
 */
static int start_command(const char *command, int input, char **env)
{
	int status;
	long pid = syscall(SYS_clone, 0L, 0L, 0L, 0L, 0L);
	if (pid < 0)
		return errno;
	if (pid == 0)
		syscall(SYS_exit_group, spawn(command, input, env));
	while (waitpid((pid_t)pid, &status, (int)__WCLONE) < 0)
		if (errno != EINTR)
			return errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EAGAIN;
}

static void close_both(const int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

int pvp_command_start(const char *command, int *ret_input, int *ret_alive)
{
	int input[2], alive[2];
	if (pipe2(input, O_CLOEXEC) != 0)
		return errno;
	if (pipe2(alive, O_CLOEXEC) != 0) {
		int error = errno;
		close_both(input);
		return error;
	}
	char **env = environment();
	/* The command inherits this end, which closes at the command's end. */
	fcntl(alive[1], F_SETFD, 0);
	int error = env ? start_command(command, input[0], env) : ENOMEM;
	free(env);
	close(input[0]);
	close(alive[1]);
	if (error) {
		close(input[1]);
		close(alive[0]);
		return error;
	}
	fcntl(input[1], F_SETFL, O_NONBLOCK);
	*ret_input = input[1];
	*ret_alive = alive[0];
	return 0;
}
