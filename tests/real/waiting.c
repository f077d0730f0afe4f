/* SPDX-License-Identifier: MIT */
/*
 * A program whose waits are watched from outside. For each line of its input a new thread, "planted",
 * works so many rounds: it computes, waits for a lock, reads a pipe, polls and sleeps, 20, 60, 50, 45
 * and 40 ms, and sleeps for 400 more at the end; it says how long it did each by the system's own
 * figures, without the time in which it stood for a processor: "tid=N running=US lock=US io=US poll=US sleep=US mutex=ADDRESS holder=TID".
 * With "inherit" the lock is one that the kernel knows (PTHREAD_PRIO_INHERIT).
 * With "storm" two threads pass a byte to and fro through pipes as fast as they can until the next line,
 * then it says how often.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	MS = 1000000,
	RUN = 20,
	LOCK = 60,
	READ = 50,
	POLL = 45,
	SLEEP = 40,
	LONG = 400,
	EXIT_CODE = 7
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ordered, taken, there[2], back[2];
static long holder_tid;
static _Atomic int stormy;
static long rounds;

static uint64_t now(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000 * MS + (uint64_t)t.tv_nsec;
}

/* ns that the thread has neither run nor stood for a processor, up to a constant. */
static uint64_t idle(void)
{
	char line[96] = "", *end;
	int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, line, sizeof line - 1);
	close(fd);
	if (n <= 0)
		exit(1);
	(void)strtoull(line, &end, 10); /* a tick old, which the clock is not */
	return now(CLOCK_MONOTONIC) - now(CLOCK_THREAD_CPUTIME_ID) - strtoull(end, NULL, 10);
}

static void rest(long ms)
{
	struct timespec t = { 0, ms * MS };
	clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

__attribute__((noinline)) static void computes(void)
{
	uint64_t end = now(CLOCK_THREAD_CPUTIME_ID) + RUN * (uint64_t)MS;
	volatile unsigned x = 0;
	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		for (int i = 0; i < 100000; i++)
			x = x + (unsigned)i;
}

static void *holder(void *unused)
{
	holder_tid = syscall(SYS_gettid);
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
		rest(LOCK);
		pthread_mutex_unlock(&held);
	}
	return unused;
}

/* Bytes that come back after a while: the read's 0, the poll's 1. */
static void *echo(void *unused)
{
	char c;
	while (read(there[0], &c, 1) == 1) {
		rest(c ? POLL : READ);
		if (write(back[1], &c, 1) != 1)
			break;
	}
	return unused;
}

__attribute__((noinline)) static void locks(void)
{
	pthread_mutex_lock(&held);
	pthread_mutex_unlock(&held);
}

/* Until the holder has the lock: counted as nothing. */
__attribute__((noinline)) static void order(void)
{
	pthread_mutex_lock(&mutex);
	taken = 0;
	ordered = 1;
	pthread_cond_broadcast(&changed);
	while (!taken)
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
}

__attribute__((noinline)) static void reads(void)
{
	char c = 0;
	if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
		exit(1);
}

__attribute__((noinline)) static void polls(void)
{
	struct pollfd p = { .fd = back[0], .events = POLLIN };
	char c = 1;
	if (write(there[1], &c, 1) != 1 || poll(&p, 1, -1) != 1 || read(back[0], &c, 1) != 1)
		exit(1);
}

__attribute__((noinline)) static void sleeps(void)
{
	rest(SLEEP);
}

/* The scheduler is asked four times a second how long a thread stood for a processor. */
__attribute__((noinline)) static void rests(void)
{
	rest(LONG);
}

/* Nothing, where the clocks' steps are all that was. */
static uint64_t spent(void (*phase)(void))
{
	uint64_t before = idle();
	phase();
	uint64_t after = idle();
	return after > before ? (after - before) / 1000 : 0;
}

static void *planted(void *arg)
{
	uint64_t lock = 0, io = 0, polling = 0, sleep = 0, before = now(CLOCK_THREAD_CPUTIME_ID);
	pthread_setname_np(pthread_self(), "planted");
	for (long i = *(long *)arg; i > 0; i--) {
		computes();
		lock += spent(order) + spent(locks);
		io += spent(reads);
		polling += spent(polls);
		sleep += spent(sleeps);
	}
	sleep += spent(rests);
	printf("tid=%ld running=%lu lock=%lu io=%lu poll=%lu sleep=%lu mutex=%lu holder=%ld\n",
		syscall(SYS_gettid), (now(CLOCK_THREAD_CPUTIME_ID) - before) / 1000, lock, io,
		polling, sleep, (unsigned long)(uintptr_t)&held, holder_tid);
	fflush(stdout);
	return arg;
}

static void *answers(void *unused)
{
	char c;
	while (read(there[0], &c, 1) == 1 && write(back[1], &c, 1) == 1)
		;
	return unused;
}

static void *asks(void *unused)
{
	char c = 0;
	for (; stormy; rounds++)
		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			exit(1);
	return unused;
}

static int storm(void)
{
	pthread_t a, b;
	char line[32];
	stormy = 1;
	if (pthread_create(&a, NULL, answers, NULL) || pthread_create(&b, NULL, asks, NULL) ||
		!fgets(line, sizeof line, stdin))
		return 1;
	stormy = 0;
	pthread_join(b, NULL);
	printf("rounds=%ld\n", rounds);
	return EXIT_CODE;
}

static void inherit(void)
{
	pthread_mutexattr_t a;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&held, &a);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	char line[32];
	if (pipe(there) || pipe(back))
		return 1;
	puts("begun");
	fflush(stdout);
	if (argc > 1 && strcmp(argv[1], "storm") == 0)
		return storm();
	if (argc > 1)
		inherit();
	if (pthread_create(&thread, NULL, holder, NULL) ||
		pthread_create(&thread, NULL, echo, NULL))
		return 1;
	while (fgets(line, sizeof line, stdin)) {
		long n = strtol(line, NULL, 10);
		if (pthread_create(&thread, NULL, planted, &n))
			return 1;
		pthread_join(thread, NULL);
	}
	return EXIT_CODE;
}
