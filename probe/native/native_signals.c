/* SPDX-License-Identifier: MIT */
/*
 * Functions in front of the C library's for signals: they keep the probe's borrowed signals
 * invisible.
 */
#include "probe/code/borrowed_signal.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "common/base/status.h"
#include "probe/native/native_next.h"

typedef void simple_handler(int);

static struct borrowed {
	_Atomic int signal; /* 0: a free place */
	const struct pvp_borrowed *b;
	struct sigaction
		theirs[2]; /* `now` is the index of the newer: handlers read a whole action */
	_Atomic unsigned now;
	atomic_flag changing;
} borrowed[2] = { { .changing = ATOMIC_FLAG_INIT }, { .changing = ATOMIC_FLAG_INIT } };

static _Atomic pid_t owner; /* a child of vfork shares this memory, but not signals */

/* ---- the C library's functions */

enum next { ACTION, SIGNAL, SYSV_SIGNAL, SET, WAIT, WAIT_INFO, TIMED_WAIT, DESCRIPTOR, NEXTS };

static void *next_of(enum next which)
{
	static const char *const names[NEXTS] = { "sigaction", "signal", "__sysv_signal", "sigset",
		"sigwait", "sigwaitinfo", "sigtimedwait", "signalfd" };
	static _Atomic(void *) found[NEXTS];
	void *f = atomic_load_explicit(&found[which], memory_order_relaxed);
	if (!f) {
		f = dlsym(RTLD_NEXT, names[which]);
		atomic_store_explicit(&found[which], f, memory_order_relaxed);
	}
	return f;
}

static int real_action(int signal, const struct sigaction *to, struct sigaction *ret_before)
{
	int (*f)(int, const struct sigaction *, struct sigaction *);
	void *at = next_of(ACTION);
	memcpy(&f, &at, sizeof f);
	return f(signal, to, ret_before);
}

static simple_handler *real_simple(enum next which, int signal, simple_handler *to)
{
	simple_handler *(*f)(int, simple_handler *);
	void *at = next_of(which);
	memcpy(&f, &at, sizeof f);
	return f(signal, to);
}

static int real_wait(const sigset_t *set, siginfo_t *info, const struct timespec *most)
{
	int (*f)(const sigset_t *, siginfo_t *, const struct timespec *);
	void *at = next_of(TIMED_WAIT);
	memcpy(&f, &at, sizeof f);
	return f(set, info, most);
}

/* ---- the program's actions */

static struct borrowed *borrowed_place(int signal)
{
	for (size_t i = 0; i < PV_COUNT_OF(borrowed); i++)
		if (signal &&
			atomic_load_explicit(&borrowed[i].signal, memory_order_acquire) == signal)
			return &borrowed[i];
	return NULL;
}

/* NULL: not borrowed in this process. */
static struct borrowed *borrowed_here(int signal)
{
	struct borrowed *p = borrowed_place(signal);
	return p && atomic_load_explicit(&owner, memory_order_relaxed) == getpid() ? p : NULL;
}

static bool is_function(const struct sigaction *a)
{
	return a->sa_flags & SA_SIGINFO || (a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN);
}

/* No SA_RESTART if the program's handler is to interrupt calls. */
static bool install(const struct borrowed *p, int signal)
{
	const struct sigaction *theirs = &p->theirs[atomic_load(&p->now)];
	bool restart = !is_function(theirs) || theirs->sa_flags & SA_RESTART;
	struct sigaction ours = { .sa_sigaction = p->b->handler,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | (restart ? SA_RESTART : 0) };
	sigfillset(&ours.sa_mask);
	return real_action(signal, &ours, NULL) == 0;
}

static void change(
	struct borrowed *p, int signal, const struct sigaction *to, struct sigaction *ret_before)
{
	sigset_t all, mask;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	while (atomic_flag_test_and_set(&p->changing))
		;
	unsigned now = atomic_load(&p->now);
	struct sigaction before = p->theirs[now];
	if (to) {
		p->theirs[!now] = *to;
		atomic_store(&p->now, !now);
		install(p, signal);
	}
	if (ret_before)
		*ret_before = before;
	atomic_flag_clear(&p->changing);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

/* ---- the probe's side */

static bool borrow(int signal, const struct pvp_borrowed *b)
{
	struct borrowed *p = borrowed_place(signal);
	for (size_t i = 0; !p && i < PV_COUNT_OF(borrowed); i++)
		if (!atomic_load(&borrowed[i].signal))
			p = &borrowed[i];
	if (!p)
		return false;
	struct sigaction before;
	for (enum next i = 0; i < NEXTS; i++) /* no handler has to find them */
		next_of(i);
	if (real_action(signal, NULL, &before) != 0)
		return false;
	atomic_store(&owner, getpid());
	if (before.sa_flags & SA_SIGINFO && before.sa_sigaction == b->handler)
		return true; /* a child of fork, or asked for twice */
	p->b = b;
	p->theirs[atomic_load(&p->now)] = before;
	atomic_store_explicit(&p->signal, signal, memory_order_release);
	if (install(p, signal))
		return true;
	atomic_store(&p->signal, 0);
	return false;
}

static void give_back(int signal)
{
	struct borrowed *p = borrowed_here(signal);
	if (!p)
		return;
	int error = real_action(signal, &p->theirs[atomic_load(&p->now)], NULL);
	if (!error)
		atomic_store(&p->signal, 0);
}

static bool real(int signal, struct sigaction *ret)
{
	return real_action(signal, NULL, ret) == 0;
}

static void forked(void)
{
	atomic_store(&owner, getpid());
	for (size_t i = 0; i < PV_COUNT_OF(borrowed); i++)
		atomic_flag_clear(&borrowed[i].changing);
}

/* The signal stays blocked until the handler returns. */
static void die_of(int signal)
{
	const struct sigaction none = { .sa_handler = SIG_DFL };
	if (real_action(signal, &none, NULL) == 0)
		syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), signal);
}

static void pass(int signal, siginfo_t *info, void *context)
{
	struct borrowed *p = borrowed_place(signal);
	if (!p)
		return;
	const struct sigaction a = p->theirs[atomic_load(&p->now)];
	if (!is_function(&a)) {
		if (a.sa_handler == SIG_DFL && signal != SIGURG) /* ignored by default */
			die_of(signal);
		return;
	}
	const struct sigaction none = { .sa_handler = SIG_DFL };
	if (a.sa_flags & (int)SA_RESETHAND)
		change(p, signal, &none, NULL);
	const ucontext_t *u = context;
	sigset_t mask;
	sigorset(&mask, &u->uc_sigmask, &a.sa_mask);
	if (!(a.sa_flags & SA_NODEFER))
		sigaddset(&mask, signal);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	if (a.sa_flags & SA_SIGINFO)
		a.sa_sigaction(signal, info, context);
	else
		a.sa_handler(signal);
}

static const struct pvp_signal_ways ways = { borrow, give_back, real, pass, forked };

__attribute__((constructor(101))) static void offer(void)
{
	pvp_signals = &ways;
}

/* ---- the program's calls */

static int action(int signal, const struct sigaction *to, struct sigaction *ret_before)
{
	struct borrowed *p = borrowed_here(signal);
	if (!p)
		return real_action(signal, to, ret_before);
	change(p, signal, to, ret_before);
	return 0;
}

static simple_handler *simple(enum next which, int signal, simple_handler *to, int flags)
{
	struct borrowed *p = to == SIG_ERR || to == SIG_HOLD ? NULL : borrowed_here(signal);
	if (!p)
		return real_simple(which, signal, to);
	struct sigaction a = { .sa_handler = to, .sa_flags = flags }, before;
	sigemptyset(&a.sa_mask);
	change(p, signal, &a, &before);
	return before.sa_handler;
}

PVP_EXPORT int sigaction(int signal, const struct sigaction *to, struct sigaction *ret_before)
{
	return action(signal, to, ret_before);
}

PVP_EXPORT int __sigaction(int signal, const struct sigaction *to, struct sigaction *ret_before);

int __sigaction(int signal, const struct sigaction *to, struct sigaction *ret_before)
{
	return action(signal, to, ret_before);
}

#define BSD_SIGNAL(name)                                                                           \
	PVP_EXPORT simple_handler *name(int signal, simple_handler *to);                           \
	simple_handler *name(int signal, simple_handler *to)                                       \
	{                                                                                          \
		return simple(SIGNAL, signal, to, SA_RESTART);                                     \
	}
#define SYSV_SIGNAL(name)                                                                          \
	PVP_EXPORT simple_handler *name(int signal, simple_handler *to);                           \
	simple_handler *name(int signal, simple_handler *to)                                       \
	{                                                                                          \
		return simple(SYSV_SIGNAL, signal, to, (int)SA_RESETHAND | SA_NODEFER);            \
	}

BSD_SIGNAL(signal)
BSD_SIGNAL(bsd_signal)
BSD_SIGNAL(ssignal)
SYSV_SIGNAL(sysv_signal)
SYSV_SIGNAL(__sysv_signal)

PVP_EXPORT simple_handler *sigset(int signal, simple_handler *to);

simple_handler *sigset(int signal, simple_handler *to)
{
	return simple(SET, signal, to, 0);
}

/* ---- waiting for signals */

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Takes the probe's signals, and waits on. */
static int wait_for(const sigset_t *set, siginfo_t *ret, const struct timespec *most)
{
	siginfo_t info;
	struct timespec rest = most ? *most : (struct timespec){ 0, 0 };
	uint64_t began = most ? now_ns() : 0,
		 all = (uint64_t)rest.tv_sec * 1000000000 + (uint64_t)rest.tv_nsec;
	for (;;) {
		int n = real_wait(set, &info, most ? &rest : NULL);
		const struct borrowed *p = n > 0 ? borrowed_here(n) : NULL;
		if (!p || !p->b->ours(&info)) {
			if (n > 0 && ret)
				*ret = info;
			return n;
		}
		if (p->b->met)
			p->b->met();
		uint64_t gone = most ? now_ns() - began : 0, left = gone < all ? all - gone : 0;
		rest = (struct timespec){ (time_t)(left / 1000000000), (long)(left % 1000000000) };
	}
}

PVP_EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *ret, const struct timespec *most)
{
	return wait_for(set, ret, most);
}

PVP_EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *ret)
{
	return wait_for(set, ret, NULL);
}

PVP_EXPORT int sigwait(const sigset_t *set, int *ret)
{
	int n;
	while ((n = wait_for(set, NULL, NULL)) < 0 && errno == EINTR)
		;
	if (n < 0)
		return errno;
	*ret = n;
	return 0;
}

/* Whether all real-time signals are in the set: then the program means no particular signal. */
static bool has_all(const sigset_t *set)
{
	for (int n = SIGRTMIN; n <= SIGRTMAX; n++)
		if (!sigismember(set, n))
			return false;
	return true;
}

/* Signals read from a descriptor cannot be sorted: the probe's must not get there. */
PVP_EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
	int (*f)(int, const sigset_t *, int);
	void *at = next_of(DESCRIPTOR);
	memcpy(&f, &at, sizeof f);
	sigset_t theirs = *set;
	for (size_t i = 0; i < PV_COUNT_OF(borrowed); i++) {
		int signal = atomic_load(&borrowed[i].signal);
		if (!borrowed_here(signal) || !sigismember(set, signal))
			continue;
		if (has_all(set))
			sigdelset(&theirs, signal);
		else if (borrowed[i].b->give_way)
			borrowed[i].b->give_way();
	}
	return f(fd, &theirs, flags);
}
