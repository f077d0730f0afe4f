/* SPDX-License-Identifier: MIT */
/*
 * A thread that computes, waits for a lock, reads a pipe and sleeps, in turn: 40, 30, 20 and 10 ms.
 * At the end it says how long it did each by the system's own figures, without the time in which it
 * waited for a processor: "tid=N running=US lock=US io=US sleep=US".
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ordered, taken;
static int there[2], back[2];

static uint64_t now(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ns that the thread has neither run nor waited for a processor, up to a constant. */
static uint64_t idle(void)
{
	static int fd;
	char line[96] = "", *end;
	if (!fd)
		fd = open("/proc/thread-self/schedstat", O_RDONLY);
	if (pread(fd, line, sizeof line - 1, 0) <= 0)
		exit(1);
	(void)strtoull(line, &end, 10); /* a tick old, which the clock is not */
	return now(CLOCK_MONOTONIC) - now(CLOCK_THREAD_CPUTIME_ID) - strtoull(end, NULL, 10);
}

__attribute__((noinline)) static void computes(void)
{
	uint64_t end = now(CLOCK_THREAD_CPUTIME_ID) + 40000000;
	volatile unsigned x = 0;
	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		for (int i = 0; i < 100000; i++)
			x = x + (unsigned)i;
}

static void *holder(void *unused)
{
	for (;;) {
		pthread_mutex_lock(&mutex);
		while (!ordered)
			pthread_cond_wait(&changed, &mutex);
		ordered = 0;
		pthread_mutex_unlock(&mutex);
		pthread_mutex_lock(&held);
		pthread_mutex_lock(&mutex);
		taken = 1;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&mutex);
		usleep(30000);
		pthread_mutex_unlock(&held);
	}
	return unused;
}

static void *echo(void *unused)
{
	char c;
	while (read(there[0], &c, 1) == 1) {
		usleep(20000);
		if (write(back[1], &c, 1) != 1)
			break;
	}
	return unused;
}

__attribute__((noinline)) static void locks(void)
{
	pthread_mutex_lock(&mutex);
	taken = 0;
	ordered = 1;
	pthread_cond_broadcast(&changed);
	while (!taken)
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
	pthread_mutex_lock(&held);
	pthread_mutex_unlock(&held);
}

__attribute__((noinline)) static void reads(void)
{
	char c = 0;
	if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
		exit(1);
}

__attribute__((noinline)) static void sleeps(void)
{
	usleep(10000);
}

static uint64_t spent(void (*phase)(void))
{
	uint64_t before = idle();
	phase();
	return (idle() - before) / 1000;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	uint64_t lock = 0, io = 0, sleep = 0, before = now(CLOCK_THREAD_CPUTIME_ID);
	if (argc != 2 || pipe(there) || pipe(back) || pthread_create(&thread, NULL, holder, NULL) ||
		pthread_create(&thread, NULL, echo, NULL))
		return 1;
	for (int i = atoi(argv[1]); i > 0; i--) {
		computes();
		lock += spent(locks);
		io += spent(reads);
		sleep += spent(sleeps);
	}
	printf("tid=%ld running=%lu lock=%lu io=%lu sleep=%lu\n", syscall(SYS_gettid),
		(now(CLOCK_THREAD_CPUTIME_ID) - before) / 1000, lock, io, sleep);
	return 0;
}
