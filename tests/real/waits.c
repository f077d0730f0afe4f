/*
 * A program that mostly waits, in the calls that SA_RESTART does not restart: how many of its waits
 * were cut short, and how long it took. With the word "busy" another thread computes meanwhile.
 */
#include <errno.h>
#include <pthread.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>

enum { EACH = 6, KINDS = 5, MS = 30 };

static _Atomic int ended;

static void *compute(void *unused)
{
	for (volatile double x = 1; !atomic_load(&ended);)
		x = x * 1.0000001;
	return unused;
}

static int wait_in(int kind, int epoll)
{
	struct timespec t = { 0, MS * 1000000L };
	struct timeval v = { 0, MS * 1000 };
	struct epoll_event e;
	sigset_t none;
	sigemptyset(&none);
	sigaddset(&none, SIGUSR2);
	switch (kind) {
	case 0:
		return poll(NULL, 0, MS);
	case 1:
		return epoll_wait(epoll, &e, 1, MS);
	case 2:
		return nanosleep(&t, NULL);
	case 3:
		return select(0, NULL, NULL, NULL, &v);
	default:
		return sigtimedwait(&none, NULL, &t);
	}
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1000 + (double)t.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	pthread_t other;
	int cut = 0, epoll = epoll_create1(EPOLL_CLOEXEC);
	(void)argv;
	if (argc > 1)
		pthread_create(&other, NULL, compute, NULL);
	double began = now();
	for (int i = 0; i < EACH * KINDS; i++) {
		errno = 0;
		wait_in(i % KINDS, epoll);
		cut += errno == EINTR;
	}
	printf("waits=%d cut=%d ms=%.0f\n", EACH * KINDS, cut, now() - began);
	atomic_store(&ended, 1);
	if (argc > 1)
		pthread_join(other, NULL);
	return 0;
}
