/* SPDX-License-Identifier: MIT */
/*
 * A program that waits in every call that has a time-out or waits for another, each kind in a thread
 * of its own: how many of the waits were cut short, and how long it took. With the word "busy" one
 * more thread computes meanwhile. It says "waits=N cut=N ms=N in=KIND,...".
 */
#include <errno.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Of one wait; LEAST_MS: some are timed by the kernel's ticks. */
enum { EACH = 50, MS = 10, LEAST_MS = MS / 2, NS = 1000000 };

static _Atomic int ended;
static const struct timespec span = { 0, MS *NS };

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1000 + (double)t.tv_nsec / NS;
}

static struct timespec later(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	t.tv_nsec += MS * NS;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

/* ---- calls with a time-out */

static int in_poll(void)
{
	return poll(NULL, 0, MS);
}

static int in_ppoll(void)
{
	return ppoll(NULL, 0, &span, NULL);
}

static int in_epoll(void)
{
	static int fd;
	struct epoll_event e;
	fd = fd ? fd : epoll_create1(EPOLL_CLOEXEC);
	return epoll_wait(fd, &e, 1, MS);
}

static int in_select(void)
{
	struct timeval t = { 0, MS * 1000 };
	return select(0, NULL, NULL, NULL, &t);
}

static int in_pselect(void)
{
	return pselect(0, NULL, NULL, NULL, &span, NULL);
}

static int in_nanosleep(void)
{
	return nanosleep(&span, NULL);
}

static int in_clock_nanosleep(void)
{
	struct timespec t = later(CLOCK_MONOTONIC);
	errno = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	return 0;
}

static int in_usleep(void)
{
	return usleep(MS * 1000);
}

static int in_sem_timedwait(void)
{
	static sem_t never;
	struct timespec t = later(CLOCK_REALTIME);
	return sem_timedwait(&never, &t);
}

static int in_cond_timedwait(void)
{
	static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
	struct timespec t = later(CLOCK_REALTIME);
	pthread_mutex_lock(&m);
	errno = pthread_cond_timedwait(&c, &m, &t);
	pthread_mutex_unlock(&m);
	return 0;
}

static int in_futex(void)
{
	static uint32_t word;
	return (int)syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &span, NULL, 0);
}

static int in_sigtimedwait(void)
{
	sigset_t none;
	sigemptyset(&none);
	sigaddset(&none, SIGUSR2);
	return sigtimedwait(&none, NULL, &span);
}

static int in_semtimedop(void)
{
	struct sembuf take = { 0, -1, 0 };
	int id = semget(IPC_PRIVATE, 1, 0600);
	semtimedop(id, &take, 1, &span);
	int error = errno;
	semctl(id, 0, IPC_RMID);
	errno = error;
	return 0;
}

static int in_mq_timedreceive(void)
{
	static mqd_t queue;
	char name[32], message[8];
	struct mq_attr attr = { .mq_maxmsg = 1, .mq_msgsize = sizeof message };
	struct timespec t = later(CLOCK_REALTIME);
	if (!queue) {
		snprintf(name, sizeof name, "/waits-%ld", (long)getpid());
		queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attr);
		mq_unlink(name);
	}
	if (queue < 0)
		return poll(NULL, 0, MS); /* there are none here */
	return (int)mq_timedreceive(queue, message, sizeof message, NULL, &t);
}

static void set_limit(int fd, int which)
{
	struct timeval t = { 0, MS * 1000 };
	setsockopt(fd, SOL_SOCKET, which, &t, sizeof t);
}

static int in_recv(void)
{
	static int fd[2];
	char c;
	if (!fd[0] && socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0)
		set_limit(fd[0], SO_RCVTIMEO);
	return (int)recv(fd[0], &c, 1, 0);
}

static int in_send(void)
{
	static int fd[2];
	static char much[1 << 16];
	if (!fd[0] && socketpair(AF_UNIX, SOCK_STREAM, 0, fd) == 0) {
		set_limit(fd[0], SO_SNDTIMEO);
		while (send(fd[0], much, sizeof much, MSG_DONTWAIT) > 0)
			;
	}
	return (int)send(fd[0], much, sizeof much, 0);
}

static int listening(void)
{
	struct sockaddr_in any = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(fd, (struct sockaddr *)&any, sizeof any) != 0 || listen(fd, 1) != 0)
		abort();
	return fd;
}

static int in_accept_limited(void)
{
	static int fd;
	if (!fd)
		set_limit(fd = listening(), SO_RCVTIMEO);
	return accept(fd, NULL, NULL);
}

/* ---- calls that wait until another thread does something */

struct fed {
	sem_t asked;
	int fd[2], queue;
	struct sockaddr_in to;
};
static struct fed by_pipe, by_queue, by_socket;

static void *feed(void *arg)
{
	struct fed *f = arg;
	struct msgbuf message = { 1, "" };
	for (;;) {
		while (sem_wait(&f->asked) != 0)
			;
		struct timespec t = later(CLOCK_MONOTONIC);
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
			;
		if (f == &by_pipe && write(f->fd[1], "", 1) != 1)
			return NULL;
		if (f == &by_queue && msgsnd(f->queue, &message, 1, 0) != 0)
			return NULL;
		if (f == &by_socket) {
			int fd = socket(AF_INET, SOCK_STREAM, 0);
			if (connect(fd, (struct sockaddr *)&f->to, sizeof f->to) != 0)
				return NULL;
			close(fd);
		}
	}
}

static void begin_feeding(void)
{
	socklen_t size = sizeof by_socket.to;
	struct fed *all[] = { &by_pipe, &by_queue, &by_socket };
	pthread_t thread;
	if (pipe(by_pipe.fd) != 0)
		return;
	by_queue.queue = msgget(IPC_PRIVATE, 0600);
	by_socket.fd[0] = listening();
	getsockname(by_socket.fd[0], (struct sockaddr *)&by_socket.to, &size);
	for (int i = 0; i < 3; i++) {
		sem_init(&all[i]->asked, 0, 0);
		pthread_create(&thread, NULL, feed, all[i]);
	}
}

static int in_read(void)
{
	char c;
	sem_post(&by_pipe.asked);
	return (int)read(by_pipe.fd[0], &c, 1);
}

static int in_msgrcv(void)
{
	struct msgbuf m;
	sem_post(&by_queue.asked);
	return (int)msgrcv(by_queue.queue, &m, 1, 0, 0);
}

static int in_accept(void)
{
	sem_post(&by_socket.asked);
	int fd = accept(by_socket.fd[0], NULL, NULL), error = errno;
	if (fd >= 0)
		close(fd);
	errno = error;
	return fd;
}

/* ---- all of them */

static struct kind {
	const char *name;
	int (*wait)(void);
	_Atomic int cut;
} kinds[] = { { "poll", in_poll, 0 }, { "ppoll", in_ppoll, 0 }, { "epoll_wait", in_epoll, 0 },
	{ "select", in_select, 0 }, { "pselect", in_pselect, 0 }, { "nanosleep", in_nanosleep, 0 },
	{ "clock_nanosleep", in_clock_nanosleep, 0 }, { "usleep", in_usleep, 0 },
	{ "sem_timedwait", in_sem_timedwait, 0 }, { "cond_timedwait", in_cond_timedwait, 0 },
	{ "futex", in_futex, 0 }, { "sigtimedwait", in_sigtimedwait, 0 },
	{ "semtimedop", in_semtimedop, 0 }, { "mq_timedreceive", in_mq_timedreceive, 0 },
	{ "recv", in_recv, 0 }, { "send", in_send, 0 }, { "accept_limited", in_accept_limited, 0 },
	{ "accept", in_accept, 0 }, { "read", in_read, 0 }, { "msgrcv", in_msgrcv, 0 } };
enum { KINDS = sizeof kinds / sizeof *kinds };

static void *wait_often(void *arg)
{
	struct kind *k = arg;
	for (int i = 0; i < EACH; i++) {
		double began = now();
		errno = 0;
		k->wait();
		bool cut = errno == EINTR;
		k->cut += cut || now() - began < LEAST_MS;
	}
	return NULL;
}

static void *compute(void *unused)
{
	for (volatile double x = 1; !atomic_load(&ended);)
		x = x * 1.0000001;
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t other, thread[KINDS];
	int cut = 0;
	(void)argv;
	begin_feeding();
	if (argc > 1)
		pthread_create(&other, NULL, compute, NULL);
	double began = now();
	for (int i = 0; i < KINDS; i++)
		pthread_create(&thread[i], NULL, wait_often, &kinds[i]);
	for (int i = 0; i < KINDS; i++) {
		pthread_join(thread[i], NULL);
		cut += kinds[i].cut;
	}
	printf("waits=%d cut=%d ms=%.0f in=", EACH * KINDS, cut, now() - began);
	for (int i = 0; i < KINDS; i++)
		if (kinds[i].cut)
			printf("%s,", kinds[i].name);
	printf("\n");
	atomic_store(&ended, 1);
	if (argc > 1)
		pthread_join(other, NULL);
	msgctl(by_queue.queue, IPC_RMID, NULL);
	return 0;
}
