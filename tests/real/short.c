/* SPDX-License-Identifier: MIT */
/*
 * Threads that live for 1 to 3 ms of processor time each, two at a time; in between the main thread
 * computes as long as they did. Says how much time they computed in all and it did, and how many
 * descriptors were open before the first thread and at most. C11: they are made by thrd_create().
 * usage: short THREADS
 */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { AT_ONCE = 2, LEAST_NS = 1000000, SPREAD_NS = 2000000, SECOND = 1000000000 };

static long long steadily; /* ns */

static long long thread_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * (long long)SECOND + t.tv_nsec;
}

/* Returns what it has computed, ns. */
static inline long long compute(long long ns)
{
	long long from = thread_ns(), now = from;
	volatile double x = 1;
	while (now < from + ns) {
		for (int i = 0; i < 20000; i++)
			x = x * 1.0000001;
		now = thread_ns();
	}
	return now - from;
}

__attribute__((noinline)) static void brief(long long *ns)
{
	*ns = compute(*ns);
}

/* Does a little more, else it were one function with the other. */
__attribute__((noinline)) static void evenly(long long *ns)
{
	*ns = compute(*ns);
	steadily += *ns;
}

#ifdef C11
#include <threads.h>

typedef thrd_t thread_type;

static int live(void *ns)
{
	brief(ns);
	return 0;
}

static int begin(thread_type *thread, long long *ns)
{
	return thrd_create(thread, live, ns) != thrd_success;
}

static void end(thread_type thread)
{
	thrd_join(thread, NULL);
}
#else
typedef pthread_t thread_type;

static void *live(void *ns)
{
	brief(ns);
	return NULL;
}

static int begin(thread_type *thread, long long *ns)
{
	return pthread_create(thread, NULL, live, ns);
}

static void end(thread_type thread)
{
	pthread_join(thread, NULL);
}
#endif

static int descriptors(void)
{
	int n = 0;
	DIR *d = opendir("/proc/self/fd");
	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 100, before = descriptors(), most = 0;
	long long all = 0, ns[AT_ONCE];
	for (int i = 0; i < threads; i += AT_ONCE) {
		thread_type thread[AT_ONCE];
		for (int j = 0; j < AT_ONCE; j++) {
			ns[j] = LEAST_NS + (i + j) * 7919LL % SPREAD_NS;
			if (begin(&thread[j], &ns[j]) != 0)
				return 1;
		}
		for (int j = 0; j < AT_ONCE; j++) {
			end(thread[j]);
			all += ns[j];
			evenly(&ns[j]);
		}
		int now = descriptors();
		most = now > most ? now : most;
	}
	printf("brief_us=%lld steady_us=%lld before=%d most=%d\n", all / 1000, steadily / 1000,
		before, most);
	return 0;
}
