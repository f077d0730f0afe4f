/* SPDX-License-Identifier: MIT */
/*
 * A program whose thread "auditor" computes only between its third and its fourth second, while
 * "worker" computes in the first two and in the last.
 */
#include <pthread.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

enum { S = 1000000 /* us */ };

static struct timespec begun;
static volatile unsigned sum;

static long now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (t.tv_sec - begun.tv_sec) * S + (t.tv_nsec - begun.tv_nsec) / 1000;
}

static void wait_until(long us)
{
	long left = us - now_us();
	if (left > 0)
		usleep((useconds_t)left);
}

__attribute__((noinline)) static void audit_the_books(long until)
{
	while (now_us() < until)
		for (unsigned i = 0; i < 10000; i++)
			sum += i * i;
}

__attribute__((noinline)) static void work_on(long until)
{
	while (now_us() < until)
		for (unsigned i = 0; i < 10000; i++)
			sum += i ^ sum;
}

static void *audits(void *unused)
{
	pthread_setname_np(pthread_self(), "auditor");
	wait_until(3 * S);
	audit_the_books(4 * S);
	wait_until(5 * S);
	return unused;
}

static void *works(void *unused)
{
	pthread_setname_np(pthread_self(), "worker");
	work_on(2 * S);
	wait_until(4 * S);
	work_on(5 * S);
	return unused;
}

int main(void)
{
	pthread_t thread[2];
	clock_gettime(CLOCK_MONOTONIC, &begun);
	if (pthread_create(&thread[0], NULL, audits, NULL) != 0 ||
		pthread_create(&thread[1], NULL, works, NULL) != 0)
		return 1;
	for (size_t i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
