/* SPDX-License-Identifier: MIT */
/*
 * Threads that compute for a known processor time each, and a main thread that waits in short waits
 * meanwhile: how many of these were cut. Words: "close" closes every descriptor first and opens
 * others, "sigio" handles SIGIO, "fork" has children that compute, "block" blocks all signals for
 * a while.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 2, DESCRIPTORS = 4096, CHILDREN = 3 };

static _Atomic int running = THREADS;
static double seconds = 0.4;

static double cpu_time(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) static void burn(double least)
{
	double end = cpu_time() + least;
	volatile double x = 1;
	while (cpu_time() < end)
		for (int i = 0; i < 1000000; i++)
			x = x * 1.0000001;
}

static void *compute(void *unused)
{
	burn(seconds);
	atomic_fetch_sub(&running, 1);
	return unused;
}

static void on_sigio(int signal)
{
	(void)signal;
}

static void close_all(void)
{
	for (int i = 3; i < DESCRIPTORS; i++)
		close(i);
	for (int i = 3; i < DESCRIPTORS; i++)
		open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void have_children(void)
{
	for (int i = 0; i < CHILDREN; i++) {
		if (fork() == 0) {
			burn(0.1);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";
	pthread_t thread[THREADS];
	struct rusage used;
	sigset_t all, before;
	int waits = 0, cut = 0;
	sigfillset(&all);
	if (strcmp(word, "sigio") == 0)
		signal(SIGIO, on_sigio);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, compute, NULL);
	if (strcmp(word, "close") == 0)
		close_all();
	if (strcmp(word, "fork") == 0)
		have_children();
	if (strcmp(word, "block") == 0) {
		sigprocmask(SIG_BLOCK, &all, &before);
		burn(0.3);
		sigprocmask(SIG_SETMASK, &before, NULL);
	}
	for (; atomic_load(&running) > 0; waits++)
		cut += poll(NULL, 0, 1) < 0 && errno == EINTR;
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	getrusage(RUSAGE_SELF, &used);
	printf("waits=%d cut=%d burnt_ms=%.0f\n", waits, cut, THREADS * seconds * 1000);
	return 0;
}
