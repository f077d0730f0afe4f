/* SPDX-License-Identifier: MIT */
/*
 * Built with frame pointers, with and without unwind tables: three threads that sleep within two
 * functions, or wait for the lock of one that does. The C library between has no frame pointers.
 */
#include <pthread.h>
#include <time.h>

enum { ROUNDS = 40, THREADS = 2, MS = 1000000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int naps;

__attribute__((noinline)) static void naps_for(int ms)
{
	const struct timespec t = { .tv_nsec = ms * MS };
	nanosleep(&t, NULL);
	naps = naps + 1; /* no tail call */
}

__attribute__((noinline)) static void works(void)
{
	naps_for(20);
	naps = naps + 1;
}

static void *contends(void *unused)
{
	for (int i = 0; i < ROUNDS / THREADS; i++) {
		pthread_mutex_lock(&lock);
		naps_for(20);
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

int main(void)
{
	pthread_t t[THREADS];
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], NULL, contends, NULL) != 0)
			return 1;
	for (int i = 0; i < ROUNDS; i++)
		works();
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
