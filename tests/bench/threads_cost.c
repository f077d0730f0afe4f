/* SPDX-License-Identifier: MIT */
/*
 * The processor time of the probe's own threads in a program of many threads.
 *
 * usage: LD_PRELOAD=... PROFVIEW_OPTIONS=... bench_threads_cost THREADS BUSY SECONDS
 * So many threads wait for 20 ms again and again, BUSY more compute. At the end it says how much of a
 * processor each thread took whose name begins with "profview", and the program's own.
 */
#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_MS = 20, MOST = 4096 };

static _Atomic int over;

static double seconds(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *wait_often(void *ignored)
{
	while (!atomic_load(&over))
		poll(NULL, 0, WAIT_MS);
	return ignored;
}

static void *compute(void *ignored)
{
	volatile unsigned x = 1;
	while (!atomic_load(&over))
		for (int i = 0; i < 100000; i++)
			x = x * 1664525u + 1013904223u;
	return ignored;
}

static int read_file(const char *tid, const char *name, char *to, int room)
{
	char path[512];
	snprintf(path, sizeof path, "/proc/self/task/%s/%s", tid, name);
	FILE *f = fopen(path, "r");
	int ok = f && fgets(to, room, f);
	if (f)
		fclose(f);
	return ok;
}

/* Of a processor, percent, of each thread of the probe's. */
static void say(double wall)
{
	DIR *d = opendir("/proc/self/task");
	char comm[64], stat[256];
	double all = 0;
	for (struct dirent *e; d && (e = readdir(d));) {
		if (!read_file(e->d_name, "comm", comm, sizeof comm) ||
			strncmp(comm, "profview", 8) != 0 ||
			!read_file(e->d_name, "schedstat", stat, sizeof stat))
			continue;
		comm[strcspn(comm, "\n")] = 0;
		double used = strtod(stat, NULL) / 1e9;
		all += used;
		printf("%s %.2f %%\n", comm, 100 * used / wall);
	}
	if (d)
		closedir(d);
	printf("the probe's threads %.2f %%, all %.1f %% of a processor\n", 100 * all / wall,
		100 * seconds(CLOCK_PROCESS_CPUTIME_ID) / wall);
}

int main(int n, char **args)
{
	static pthread_t t[MOST];
	int waiting = n > 1 ? atoi(args[1]) : 10, busy = n > 2 ? atoi(args[2]) : 1;
	int for_seconds = n > 3 ? atoi(args[3]) : 5;
	if (waiting < 0 || busy < 0 || waiting + busy > MOST)
		return 2;
	double from = seconds(CLOCK_MONOTONIC);
	for (int i = 0; i < waiting + busy; i++)
		if (pthread_create(&t[i], NULL, i < waiting ? wait_often : compute, NULL) != 0)
			return 1;
	sleep((unsigned)for_seconds);
	say(seconds(CLOCK_MONOTONIC) - from);
	atomic_store(&over, 1);
	for (int i = 0; i < waiting + busy; i++)
		pthread_join(t[i], NULL);
	return 0;
}
