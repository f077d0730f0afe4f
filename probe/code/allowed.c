/* SPDX-License-Identifier: MIT */
/* Asks a seccomp filter through children that make the calls, since a filter may kill. */
#include "probe/code/allowed.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/system/proc_file.h"
#include "common/base/status.h"
#include "probe/unwind/own_memory.h"

enum call {
#define PV_ASKED(name, a, b, c, d) CALL_##name,
#include "common/base/asked_calls.def"
#undef PV_ASKED
	CALLS
};

static const char *const names[] = {
#define PV_ASKED(name, a, b, c, d) #name,
#include "common/base/asked_calls.def"
#undef PV_ASKED
	"clone3"
};

enum caller { PROBE = 1, RUNTIME = 2 };

static const unsigned char asked_by[] = {
#define PV_ASKED(name, a, b, c, d)         PROBE,
#define PV_ASKED_TOO(name, a, b, c, d)     PROBE | RUNTIME,
#define PV_ASKED_RUNTIME(name, a, b, c, d) RUNTIME,
#include "common/base/asked_calls.def"
#undef PV_ASKED
};

/* Shared with the children: how far they came, and what each call answered. */
struct answers {
	_Atomic int next; /* the call under way, or next */
	enum caller caller;
	bool refused[CALLS]; /* by an error that only filters give */
	char page[4096] __attribute__((aligned(16)));
};

static char refused[160];

const char *pvp_call_name(int call)
{
	return call >= 0 && call < CALLS ? names[call] : names[CALLS];
}

const char *pvp_calls_refused(void)
{
	return refused;
}

void pvp_calls_say(char *words, size_t room)
{
	size_t n = strlen(words);
	if (*refused)
		snprintf(words + n, room - n, "%sfilter=%s", n ? "," : "", refused);
}

/* ---- the child, which has one thread and takes no lock */

static void on_signal(int signal)
{
	(void)signal;
}

static bool return_from_handler(void)
{
	struct sigaction ours = { .sa_handler = on_signal };
	sigset_t one;
	sigemptyset(&one);
	sigaddset(&one, SIGURG);
	sigaction(SIGURG, &ours, NULL);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	return syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGURG) == 0;
}

/* Whether the answer is the call's own. */
static bool make_call(enum call call, char *page)
{
	long done = 0;
	switch (call) {
#define PV_ASKED(name, a, b, c, d)                                                                 \
	case CALL_##name:                                                                          \
		if (call != CALL_rt_sigreturn && call != CALL_exit)                                \
			done = syscall(SYS_##name, a, b, c, d, 0L, 0L);                            \
		break;
#include "common/base/asked_calls.def"
#undef PV_ASKED
	case CALLS:
		break;
	}
	if (call == CALL_rt_sigreturn)
		return return_from_handler();
	return done >= 0 || (errno != EPERM && errno != ENOSYS && errno != EACCES);
}

/* The call at `next` kills the child, or all calls are made. No handler runs: all is blocked. */
static _Noreturn void ask_calls(struct answers *a)
{
	for (int i = a->next; i < CALLS; a->next = ++i)
		if (!(asked_by[i] & a->caller))
			continue;
		else if (i != CALL_exit)
			a->refused[i] = !make_call((enum call)i, a->page);
		else
			syscall(SYS_exit, 0);
	for (;;)
		syscall(SYS_exit_group, 0);
}

/* ---- the process */

/*
 * As the C library makes threads, since no other call is known to be allowed. This thread runs on
 * when the child is gone, and a child of this kind sends no signal.
 */
static long make_child(void)
{
	struct clone_args args = { .flags = CLONE_VFORK };
	long pid = syscall(SYS_clone3, &args, sizeof args);
	return pid < 0 && errno == ENOSYS ? syscall(SYS_clone, CLONE_VFORK, 0L, 0L, 0L, 0L) : pid;
}

/* The first call that kills, or CALLS if no child can be made. */
static int ask_all(struct answers *a)
{
	long pid = make_child();
	if (pid == 0)
		ask_calls(a);
	if (pid < 0)
		return CALLS;
	int status = 0, at = a->next;
	if (at <= CALL_wait4)
		return at; /* the child stays unreaped: no other wait may be allowed, */
	if (a->refused[CALL_wait4])
		return at < CALL_exit ? at : PVP_CALL_NONE; /* nor here */
	while (waitpid((pid_t)pid, &status, (int)__WALL) < 0)
		if (errno != EINTR)
			return CALL_wait4;
	if (!WIFSIGNALED(status))
		return PVP_CALL_NONE;
	if (at != CALL_process_vm_readv)
		return at;
	a->refused[at] = true;
	a->next = at + 1;
	return ask_all(a);
}

static void note_refused(const struct answers *a)
{
	size_t n = 0;
	pvp_memory_by_file(a->refused[CALL_process_vm_readv]);
	for (int i = 0; i < CALLS && n < sizeof refused; i++)
		if (a->refused[i])
			n += (size_t)snprintf(
				refused + n, sizeof refused - n, "%s%s", n ? "+" : "", names[i]);
}

static int look_for_refused(enum caller caller)
{
	sigset_t all, before;
	struct sigaction urgent;
	struct answers *a =
		mmap(NULL, sizeof *a, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (a == MAP_FAILED)
		return CALLS;
	a->caller = caller;
	sigaction(SIGURG, NULL, &urgent); /* found here, not in the child */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int forbidden = ask_all(a);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (caller == PROBE)
		note_refused(a);
	if (caller == PROBE && forbidden == PVP_CALL_NONE &&
		a->refused[CALL_writev]) /* writes the log */
		forbidden = CALL_writev;
	munmap(a, sizeof *a);
	return forbidden;
}

int pvp_call_forbidden(bool makes_threads)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static bool asked;
	static int forbidden = PVP_CALL_NONE;
	int before = errno;
	if (!pv_seccomp_filters("thread-self"))
		return PVP_CALL_NONE;
	if (!makes_threads)
		return CALLS;
	pthread_mutex_lock(&lock);
	if (!asked)
		forbidden = look_for_refused(PROBE);
	asked = true;
	pthread_mutex_unlock(&lock);
	errno = before;
	return forbidden;
}

int pvp_call_forbidden_runtime(void)
{
	return pv_seccomp_filters("thread-self") ? look_for_refused(RUNTIME) : PVP_CALL_NONE;
}

bool pvp_threads_survive(long (*set)(const void *ctx), const void *ctx)
{
	sigset_t all, before;
	int status = -1, error = errno;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	long pid = make_child();
	if (pid == 0) {
		prctl(PR_SET_DUMPABLE, 0);
		pid = set(ctx) == 0 ? make_child() : -1;
		syscall(SYS_exit_group, pid < 0);
	}
	while (pid > 0 && waitpid((pid_t)pid, &status, (int)__WALL) < 0 && errno == EINTR)
		;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return status == 0;
}
