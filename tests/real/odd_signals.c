/* SPDX-License-Identifier: MIT */
/* The programs of odd that use signals as few do, and what all of them share. */
#include "tests/real/odd.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

void odd_say(const char *line)
{
	char text[128];
	int n = snprintf(text, sizeof text, "%s\n", line);
	if (write(STDOUT_FILENO, text, (size_t)n) != n)
		_exit(90);
}

void odd_said(const char *what, long value)
{
	char text[128];
	snprintf(text, sizeof text, "%s %ld", what, value);
	odd_say(text);
}

uint64_t odd_cpu_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void odd_burn(uint64_t ms)
{
	uint64_t end = odd_cpu_ms() + ms;
	while (odd_cpu_ms() < end)
		for (volatile int i = 0; i < 20000; i++)
			;
}

static _Thread_local void *volatile kept;

void odd_allocate(size_t bytes)
{
	kept = malloc(bytes);
	free(kept);
}

int odd_code_of(pid_t child)
{
	int status;
	if (waitpid(child, &status, 0) != child)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

/* ---- */

static volatile sig_atomic_t strays, last;

static void count(int signal)
{
	strays++;
	last = signal;
}

static int for_all(void (*handler)(int))
{
	int refused = 0;
	odd_burn(BRIEF_MS);
	for (int n = 1; n < NSIG; n++)
		refused += signal(n, handler) == SIG_ERR;
	odd_burn(3 * BRIEF_MS);
	odd_said("refused", refused);
	odd_said("strays", strays);
	return 3;
}

static int resets_all(void)
{
	return for_all(SIG_DFL);
}

static int ignores_all(void)
{
	return for_all(SIG_IGN);
}

static int handles_all(void)
{
	return for_all(count);
}

/* By a system call of its own, as programs in Go do. */
static int takes_all_raw(void)
{
	enum { BYTES = 8 };
	const struct {
		void (*handler)(int);
		unsigned long flags;
		void *restorer;
		unsigned long mask;
	} ignored = { SIG_IGN, 0, NULL, 0 };
	int refused = 0;
	odd_burn(BRIEF_MS);
	for (int n = SIGRTMIN; n <= SIGRTMAX; n++)
		refused += syscall(SYS_rt_sigaction, n, &ignored, NULL, BYTES) != 0;
	odd_burn(3 * BRIEF_MS);
	odd_said("refused", refused);
	return 3;
}

/* Each action that was set can be read again. */
static int reads_back(void)
{
	int wrong = 0;
	odd_burn(BRIEF_MS);
	for (int n = SIGRTMIN; n <= SIGRTMAX; n++) {
		struct sigaction is,
			a = { .sa_handler = count, .sa_flags = SA_RESTART | SA_NODEFER };
		sigemptyset(&a.sa_mask);
		sigaddset(&a.sa_mask, SIGHUP);
		wrong += sigaction(n, NULL, &is) != 0 || is.sa_handler != SIG_DFL;
		wrong += sigaction(n, &a, NULL) != 0 || sigaction(n, NULL, &is) != 0;
		wrong += is.sa_handler != count || !(is.sa_flags & SA_NODEFER) ||
			 !sigismember(&is.sa_mask, SIGHUP);
	}
	odd_said("wrong", wrong);
	return 3;
}

/* Each real-time signal, sent and handled once. */
static int sends_each(void)
{
	int wrong = 0;
	odd_burn(BRIEF_MS);
	for (int n = SIGRTMIN; n <= SIGRTMAX; n++) {
		strays = 0;
		signal(n, count);
		raise(n);
		wrong += strays != 1 || last != n;
	}
	odd_said("wrong", wrong);
	return 3;
}

/* The end that a signal without a handler brings. */
static int dies_of_highest(void)
{
	odd_burn(BRIEF_MS);
	raise(SIGRTMAX - 1);
	odd_say("survived");
	return 3;
}

static int has_timer(void)
{
	timer_t timer;
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMAX - 1 };
	struct itimerspec soon = { .it_value = { 0, 1000000 } };
	odd_burn(BRIEF_MS);
	signal(SIGRTMAX - 1, count);
	timer_create(CLOCK_MONOTONIC, &e, &timer);
	timer_settime(timer, 0, &soon, NULL);
	odd_burn(BRIEF_MS);
	odd_said("rang", strays);
	return 3;
}

/* ---- waiting for all */

static pid_t self;

static void *end_it(void *unused)
{
	odd_burn(2 * BRIEF_MS);
	kill(self, SIGTERM);
	return unused;
}

static void block_all_and_be_killed(sigset_t *all)
{
	pthread_t t;
	self = getpid();
	sigfillset(all);
	odd_burn(BRIEF_MS);
	pthread_sigmask(SIG_BLOCK, all, NULL);
	pthread_create(&t, NULL, end_it, NULL);
	odd_burn(BRIEF_MS);
}

static int waits_for_all(void)
{
	sigset_t all;
	siginfo_t info;
	block_all_and_be_killed(&all);
	odd_said("signal", sigwaitinfo(&all, &info));
	return 3;
}

static int waits_simply(void)
{
	sigset_t all;
	int n = 0;
	block_all_and_be_killed(&all);
	odd_said("error", sigwait(&all, &n));
	odd_said("signal", n);
	return 3;
}

static int waits_in_time(void)
{
	sigset_t all;
	const struct timespec none = { 0, 0 }, long_enough = { 10, 0 };
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	odd_burn(2 * BRIEF_MS);
	int n = sigtimedwait(&all, NULL, &none), error = errno;
	odd_said("none", n < 0 && error == EAGAIN);
	raise(SIGRTMAX - 1);
	odd_said("highest", sigtimedwait(&all, NULL, &long_enough) == SIGRTMAX - 1);
	return 3;
}

static int reads_signals(void)
{
	sigset_t all;
	struct signalfd_siginfo info;
	block_all_and_be_killed(&all);
	int fd = signalfd(-1, &all, SFD_CLOEXEC);
	ssize_t n = read(fd, &info, sizeof info);
	odd_said("signal", n == sizeof info ? (long)info.ssi_signo : -1);
	return 3;
}

/* One signal of its own, by a descriptor. */
static int reads_highest(void)
{
	sigset_t one;
	struct signalfd_siginfo info;
	odd_burn(BRIEF_MS);
	sigemptyset(&one);
	sigaddset(&one, SIGRTMAX - 1);
	sigprocmask(SIG_BLOCK, &one, NULL);
	int fd = signalfd(-1, &one, SFD_CLOEXEC);
	odd_burn(BRIEF_MS);
	raise(SIGRTMAX - 1);
	ssize_t n = read(fd, &info, sizeof info);
	odd_said("code", n == sizeof info ? info.ssi_code : -1000);
	return 3;
}

/* SIGURG, by a descriptor, in a child that works. */
static int reads_urgent(void)
{
	sigset_t one;
	struct signalfd_siginfo info;
	sigemptyset(&one);
	sigaddset(&one, SIGURG);
	sigprocmask(SIG_BLOCK, &one, NULL);
	pid_t child = fork();
	if (child == 0) {
		int fd = signalfd(-1, &one, SFD_CLOEXEC | SFD_NONBLOCK);
		odd_burn(BRIEF_MS);
		_exit(read(fd, &info, sizeof info) == sizeof info);
	}
	odd_said("strays", odd_code_of(child));
	return 3;
}

const struct odd_row odd_signal_rows[] = {
	{ "resets-all", resets_all },
	{ "ignores-all", ignores_all },
	{ "handles-all", handles_all },
	{ "takes-all-raw", takes_all_raw },
	{ "reads-back", reads_back },
	{ "sends-each", sends_each },
	{ "dies-of-highest", dies_of_highest },
	{ "has-timer", has_timer },
	{ "waits-for-all", waits_for_all },
	{ "waits-simply", waits_simply },
	{ "waits-in-time", waits_in_time },
	{ "reads-signals", reads_signals },
	{ "reads-highest", reads_highest },
	{ "reads-urgent", reads_urgent },
	{ NULL, NULL },
};
