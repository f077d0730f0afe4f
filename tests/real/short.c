/*
 * Threads that live for 1 to 3 ms of processor time each, two at a time; in between the main thread
 * computes as long as they did. Says how much time they computed in all and it did, and how many
 * descriptors were open before the first thread and at most.
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

static void *live(void *ns)
{
	brief(ns);
	return NULL;
}

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
		pthread_t thread[AT_ONCE];
		for (int j = 0; j < AT_ONCE; j++) {
			ns[j] = LEAST_NS + (i + j) * 7919LL % SPREAD_NS;
			if (pthread_create(&thread[j], NULL, live, &ns[j]) != 0)
				return 1;
		}
		for (int j = 0; j < AT_ONCE; j++) {
			pthread_join(thread[j], NULL);
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
