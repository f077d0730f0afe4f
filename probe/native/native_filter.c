/* SPDX-License-Identifier: MIT */
/*
 * Called in place of prctl() and syscall(): a filter set by the program would also hold for the
 * probe's threads and handlers, so the recording ends before. A filter set by the program's own
 * instruction is not seen here.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

/* Not <unistd.h>, which declares another syscall(). */
extern pid_t getpid(void);

#include "common/base/system/proc_file.h"
#include "probe/code/allowed.h"
#include "probe/code/wait_state.h"
#include "probe/control/session.h"
#include "probe/core/emit.h"
#include "probe/core/thread_buf.h"
#include "probe/native/native_deferred.h"
#include "probe/native/native_front.h"
#include "probe/native/native_next.h"
#include "probe/native/preloaded.h"

enum { PRCTL_SECCOMP = 22, TRIES = 1000, NAP_NS = 1000000 };

typedef long call_function(long, long, long, long, long, long, long);
typedef int prctl_function(int, unsigned long, unsigned long, unsigned long, unsigned long);

/* With all arguments in place, passed on unchanged. */
PVP_EXPORT long pvp_syscall(long number, long a, long b, long c, long d, long e, long f) __asm__(
	"syscall");
PVP_EXPORT int pvp_prctl(int option, unsigned long a, unsigned long b, unsigned long c,
	unsigned long d) __asm__("prctl");

/* Of the C library, whatever stands between. */
static void *next_call(_Atomic(void *) *found, const char *name)
{
	void *at = atomic_load_explicit(found, memory_order_relaxed);
	if (at)
		return at;
	at = dlsym(RTLD_NEXT, name);
	atomic_store_explicit(found, at, memory_order_relaxed);
	return at;
}

static _Atomic(void *) next_syscall, next_prctl;

/* Here, since a program may call both in signal handlers. */
__attribute__((constructor)) static void loaded(void)
{
	next_call(&next_syscall, "syscall");
	next_call(&next_prctl, "prctl");
}

static bool one_is_left(void)
{
	static const char name[] = "profview ";
	char comm[32];
	bool left = false;
	DIR *d = opendir("/proc/self/task");
	for (struct dirent *e; d && !left && (e = readdir(d));) {
		pvp_thread_file((pid_t)strtol(e->d_name, NULL, 10), "comm", comm, sizeof comm);
		left = strncmp(comm, name, sizeof name - 1) == 0;
	}
	if (d)
		closedir(d);
	return left;
}

static pid_t self; /* 0: not watched; another: a child of vfork, whose memory is the parent's */

static void filter_in_child(void)
{
	self = getpid();
}

void pvp_filter_watch(void)
{
	if (!self)
		pthread_atfork(NULL, NULL, filter_in_child);
	self = getpid();
}

struct set {
	call_function *call;
	long arg[7];
};

static long set_filter(const void *ctx)
{
	const struct set *s = ctx;
	const long *a = s->arg;
	return s->call(a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
}

/* The session joins its threads; the thread waiting for a launcher ends by itself. */
static void end_recording(void)
{
	static atomic_flag done = ATOMIC_FLAG_INIT;
	const struct timespec nap = { .tv_nsec = NAP_NS };
	if (atomic_flag_test_and_set(&done))
		return;
	pvp_mark("the program sets a filter of system calls: its recording ends here");
	pvp_deferred_end();
	pvp_session_stop();
	pvp_tls.muted = true; /* nothing from here on is the program's */
	for (int i = 0; i < TRIES && one_is_left(); i++)
		nanosleep(&nap, NULL);
	pvp_tls.muted = false;
}

/* The program started by exec learns from the options that making threads is allowed. */
static void tell_next(const struct set *s)
{
	char *options = secure_getenv("PROFVIEW_NATIVE_OPTIONS");
	char *at = options ? strstr(options, PV_FILTERS_WORD) : NULL;
	if (!at)
		return;
	at += sizeof PV_FILTERS_WORD - 1;
	unsigned n = pv_seccomp_filters("thread-self"), now = n + 1;
	if (n > strtoul(at, NULL, 10) || now > 99 || pvp_call_forbidden(true) != PVP_CALL_NONE ||
		!pvp_threads_survive(set_filter, s))
		return;
	at[0] = (char)('0' + now / 10); /* two digits are there */
	at[1] = (char)('0' + now % 10);
}

static __attribute__((noinline)) void comes(const struct set *s)
{
	int before = errno;
	pvp_preloaded_plain();
	if (!pvp_tls.muted && getpid() == self) {
		end_recording();
		tell_next(s);
	}
	errno = before;
}

/* By a filter at NULL programs ask whether the system has filters: none is set. */
static bool sets_filter(long op, long filter)
{
	return op == SECCOMP_MODE_STRICT || (op == SECCOMP_MODE_FILTER && filter);
}

long pvp_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	call_function *call;
	void *at = next_call(&next_syscall, "syscall");
	memcpy(&call, &at, sizeof call);
	if (PVP_UNLIKELY((number == SYS_seccomp && sets_filter(a + 1, c)) ||
			 (number == SYS_prctl && a == PRCTL_SECCOMP && sets_filter(b, c))))
		comes(&(struct set){ call, { number, a, b, c, d, e, f } });
	return call(number, a, b, c, d, e, f);
}

int pvp_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
	prctl_function *call;
	void *at = next_call(&next_prctl, "prctl");
	memcpy(&call, &at, sizeof call);
	if (option == PRCTL_SECCOMP && sets_filter((long)a, (long)b))
		comes(&(struct set){ pvp_syscall,
			{ SYS_prctl, option, (long)a, (long)b, (long)c, (long)d, 0 } });
	return call(option, a, b, c, d);
}
