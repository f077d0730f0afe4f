/* SPDX-License-Identifier: MIT */
/*
 * The cost of starting a program under `profview run --record FOLDER/`: as it is started there,
 * with the same library preloaded and no launcher to ask, and without either, one after the
 * other.
 *
 * usage: profview run --record FOLDER/ -- exec-cost [N]
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "common/base/status.h"

extern char **environ;

enum { ASKS, PRELOADED, BARE, WAYS };

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* The environment of a way; never freed. */
static char **environment(int way)
{
	size_t n = 0, k = 0;
	while (environ[n])
		n++;
	char **to = calloc(n + 1, sizeof *to);
	for (size_t i = 0; to && i < n; i++)
		if (!(way != ASKS && begins(environ[i], "PROFVIEW_")) &&
			!(way == BARE && begins(environ[i], "LD_PRELOAD=")))
			to[k++] = environ[i];
	return to;
}

static int run(char **env, double *wall, double *cpu)
{
	char path[] = "/bin/true", *words[] = { path, NULL };
	struct rusage use;
	pid_t pid;
	int status;
	double began = now();
	if (posix_spawn(&pid, path, NULL, NULL, words, env) != 0 ||
		wait4(pid, &status, 0, &use) != pid)
		return 1;
	*wall += now() - began;
	*cpu += seconds(&use.ru_utime) + seconds(&use.ru_stime);
	return status != 0;
}

int main(int argc, char *argv[])
{
	static const char *const names[] = { "asks", "preloaded", "bare" };
	int n = argc > 1 ? atoi(argv[1]) : 2000, bad = 0;
	double wall[WAYS] = { 0 }, cpu[WAYS] = { 0 };
	static char **env[WAYS];
	for (int w = 0; w < WAYS; w++)
		if (!(env[w] = environment(w)))
			return 1;
	for (int i = 0; i < n; i++)
		for (int w = 0; w < WAYS; w++)
			bad += run(env[w], &wall[w], &cpu[w]);
	for (int w = 0; w < WAYS; w++)
		printf("%-10s %.3f ms of processor time, %.3f ms from start to end\n", names[w],
			cpu[w] / n * 1e3, wall[w] / n * 1e3);
	return bad != 0;
}
