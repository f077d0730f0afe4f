/* SPDX-License-Identifier: MIT */
/*
 * A program under a launcher: asks for a recording, and begins it when the program has run for a
 * while.
 */
#include "probe/native/native_deferred.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "probe/code/borrowed_signal.h"
#include "probe/control/launcher.h"
#include "probe/core/thread_buf.h"
#include "probe/core/worker.h"
#include "probe/native/native_args.h"
#include "probe/native/safe_place.h"

enum { STACK = 256 << 10, AGAIN_MS = 1, ENDS_NS = 2000000, SECOND_NS = 1000000000 };

static struct {
	char path[PV_ASK_PATH];
	char rest[PVP_NATIVE_TEXT];
	int (*begin)(const char *options);
	_Atomic bool armed; /* may become worth recording; no thread waits yet */
	bool under;         /* a launcher was asked */
	bool recorded;      /* from the beginning */
	uint64_t began_ns;  /* processor time of the process */
	timer_t timer;      /* of `owner`: a child of fork has none */
	pid_t owner;
} deferred;

/* Of the waiting thread: static, since a signal handler must not allocate. */
static char stack[STACK] __attribute__((aligned(4096)));

static uint64_t process_ns(void)
{
	struct timespec t = { 0, 0 };
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_nsec;
}

/* ---- the recording */

/* `midway`: not from the program's beginning. */
static void record(int sink, bool midway)
{
	char output[PVP_PATH_MAX], text[PVP_NATIVE_TEXT];
	pvp_launcher_output(sink, output);
	int n = snprintf(
		text, sizeof text, "output=%s%s,%s", output, midway ? ",late" : "", deferred.rest);
	if (n > 0 && (size_t)n < sizeof text)
		deferred.begin(text);
	close(sink); /* the recording has a copy */
}

static struct pvp_worker waiter;
static _Atomic bool waits, parking;

static bool is_over(void)
{
	return atomic_load(&parking) || pvp_workers_only();
}

static void *wait_for_it(void *unused)
{
	(void)unused;
	pvp_tls.muted = true;
	prctl(PR_SET_NAME, "profview wait");
	int sink = pvp_launcher_wait(is_over);
	if (sink >= 0)
		record(sink, true);
	else if (!atomic_load(&parking) && pvp_workers_only())
		pvp_worker_is_last();
	atomic_store(&waits, atomic_load(&parking) && sink < 0);
	atomic_store(&parking, false);
	return NULL;
}

/* Safe in a signal handler that interrupted no allocator and no part of the C library. */
static void begin_to_wait(void)
{
	atomic_store(&waits, true);
	pvp_worker_start_at(&waiter, stack, sizeof stack, wait_for_it, NULL);
}

bool pvp_deferred_park(void)
{
	if (!atomic_load(&waits))
		return false;
	atomic_store(&parking, true);
	pvp_worker_gone(&waiter);
	pvp_worker_gone(&waiter); /* asks ten times a second, so may take two waits */
	return !atomic_exchange(&parking, false) && atomic_load(&waits);
}

void pvp_deferred_unpark(void)
{
	begin_to_wait();
}

pid_t pvp_deferred_thread(void)
{
	return atomic_load(&waits) ? atomic_load(&waiter.tid) : 0;
}

void pvp_deferred_threads(void)
{
	if (!atomic_load_explicit(&deferred.armed, memory_order_relaxed) ||
		!atomic_exchange(&deferred.armed, false))
		return;
	int before = errno;
	if (pvp_launcher_heard() != PV_ANSWER_NO)
		begin_to_wait();
	errno = before;
}

bool pvp_deferred_may_record(void)
{
	return deferred.under;
}

/* ---- the timer */

/* 0: not any more. */
static bool ring_in(int ms)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGURG };
	struct itimerspec time = { .it_value = { 0, ms * 1000000L } };
	event.sigev_value.sival_ptr = &deferred;
	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	if (deferred.owner != getpid() &&
		timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &deferred.timer) != 0)
		return false;
	deferred.owner = getpid();
	return timer_settime(deferred.timer, 0, &time, NULL) == 0;
}

static bool is_ring(const siginfo_t *info)
{
	return info->si_code == SI_TIMER && info->si_value.sival_ptr == &deferred;
}

static void on_ring(int signal, siginfo_t *info, void *context)
{
	int before = errno;
	if (!is_ring(info)) {
		pvp_signals->pass(signal, info, context);
	} else if (atomic_load(&deferred.armed) && !pvp_safe_place(context)) {
		ring_in(AGAIN_MS);
	} else {
		pvp_signals->give_back(SIGURG);
		if (atomic_exchange(&deferred.armed, false))
			begin_to_wait();
	}
	errno = before;
}

/* The program takes SIGURG without a handler: no better place will come. */
static void ring_at_once(void)
{
	ring_in(0);
	pvp_deferred_threads();
}

/* Borrows SIGURG. Fails silently if the program replaces the handler by a system call. */
static bool take_signal(void)
{
	static const struct pvp_borrowed urgent = { on_ring, is_ring, ring_at_once, ring_at_once };
	return pvp_signals->borrow(SIGURG, &urgent);
}

static void arm(void)
{
	atomic_store(&deferred.armed, true);
	if (!pvp_safe_known() || !take_signal() || !ring_in(PVP_DEFERRED_MS))
		pvp_deferred_threads(); /* costs each such program a thread */
}

/* ---- */

/* A child of fork counts as a program; most children soon become others by exec. */
static void deferred_in_child(void)
{
	int sink;
	if (!deferred.under)
		return; /* has a filter */
	pvp_launcher_forget();
	pvp_signals->forked();
	atomic_store(&deferred.armed, false);
	atomic_store(&waits, false);
	atomic_store(&parking, false);
	deferred.recorded = false;
	deferred.began_ns = 0;
	if (pvp_launcher_ask(deferred.path, PV_ASK_NATIVE, PV_ASK_FORKED, false, &sink) !=
		PV_ANSWER_NO)
		arm();
}

/* Memory by stack needs the recording from the beginning: earlier blocks would be unknown. */
static bool needs_beginning(const char *options)
{
	struct pvp_native_options o;
	return pvp_native_parse(options, &o) && o.held;
}

bool pvp_deferred_start(const char *options, int (*begin)(const char *options))
{
	const char *rest;
	int sink;
	if (!pvp_launcher_of(options, deferred.path, &rest))
		return false;
	if (strlen(rest) >= sizeof deferred.rest)
		return true;
	strcpy(deferred.rest, rest);
	deferred.begin = begin;
	enum pv_answer said = pvp_launcher_ask(
		deferred.path, PV_ASK_NATIVE, PV_ASK_BEGUN, needs_beginning(rest), &sink);
	if (said == PV_ANSWER_NO)
		return true;
	deferred.under = true;
	deferred.began_ns = process_ns();
	deferred.recorded = said == PV_ANSWER_YES;
	pthread_atfork(
		NULL, NULL, deferred_in_child); /* after the host's handlers: may start a thread */
	if (deferred.recorded)
		record(sink, false);
	else
		arm();
	return true;
}

void pvp_deferred_end(void)
{
	if (!deferred.under)
		return;
	atomic_store(&deferred.armed, false);
	if (deferred.owner == getpid())
		timer_delete(deferred.timer);
	deferred.under = false;
	pvp_launcher_leave();
}

__attribute__((destructor)) static void at_end(void)
{
	if (deferred.under && process_ns() - deferred.began_ns > ENDS_NS)
		pvp_launcher_ends();
}
