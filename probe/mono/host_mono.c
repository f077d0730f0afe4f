/* SPDX-License-Identifier: MIT */
/*
 * `mono --profile=profview:OPTIONS`: Mono loads libmono-profiler-profview.so and calls the init
 * function with the whole text. API version 3 (Mono 5 and later).
 */
#include "probe/mono/host_mono.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "probe/core/emit.h"
#include "probe/code/allowed.h"
#include "probe/code/modules.h"
#include "probe/unwind/unwind_set.h"
#include "probe/code/kernel_stack.h"
#include "probe/code/wait_sampler.h"
#include "probe/managed/managed_filter.h"
#include "probe/mono/mono_kernel.h"
#include "probe/mono/mono_methods.h"
#include "probe/mono/mono_timer.h"
#include "probe/managed/managed_names.h"
#include "probe/ground/sample_rate.h"
#include "probe/control/session.h"
#include "probe/managed/thread_names.h"

#define EXPORT __attribute__((visibility("default")))

static const char *mono_words(void)
{
	return pvp_mono.options.words;
}

/* Writes methods for samples inside the runtime and libraries. */
static bool tell_modules(struct pvp_writer *w, struct pvp_out_buffer *page, bool again)
{
	if (!(pvp_mono.options.groups & PVP_MANAGED_SAMPLES))
		return true;
	pvp_modules_look();
	return pvp_modules_tell(w, page, again);
}

static bool tell_mono(struct pvp_writer *w, struct pvp_out_buffer *page, bool again)
{
	bool ok = pvp_names_tell(w, page, again) && tell_modules(w, page, again);
	unsigned groups = pvp_mono.options.groups;
	if (ok && !again && groups & PVP_MANAGED_SAMPLES)
		pvp_mono_samples_tell(w, page);
	if (!again && pvp_mono.options.frames)
		pvp_unwind_refresh(); /* used to walk stacks of events */
	if (ok && !again && groups & PVP_MANAGED_COUNTERS)
		ok = pvp_mono_counters_tell(w, page);
	if (again) {
		pvp_mono_counters_again();
		pvp_mono_samples_again();
	}
	return ok;
}

static void flushed(struct pvp_writer *w)
{
	pvp_names_flushed(w);
	/* The fence of this shot came after the round meant to be the last. */
	if (w->last)
		pvp_mono_heap_flushed(w, UINT64_MAX);
}

static enum pvp_reply set_mono_option(const char *key, const char *value, char *say, size_t room)
{
	struct pvp_sample_order order;
	enum pvp_reply r =
		pvp_sample_rate(key, value, pvp_mono.options.sample_hz, &order, say, room);
	if (r != PVP_REPLY_OK || pvp_mono_samples_set(order))
		return r;
	snprintf(say, room, "samples have to be asked for at the start");
	return PVP_REPLY_ERROR;
}

/* --- the way of an event: Mono calls a function that walks a list of profilers */

struct listed {
	struct listed *_Atomic next;
	_Atomic MonoProfilerMethodEnterCallback entered;
};

static void nothing(MonoProfiler *p, MonoMethod *method, MonoProfilerCallContext *context)
{
	(void)p, (void)method, (void)context;
	if (pvp_guard_on())
		pvp_guard_off();
}

static __attribute__((noinline)) void go_through(struct listed *_Atomic *first, MonoMethod *method)
{
	for (struct listed *l = atomic_load(first); l; l = atomic_load(&l->next)) {
		MonoProfilerMethodEnterCallback callback = atomic_load(&l->entered);
		if (callback)
			callback(&pvp_mono, method, NULL);
	}
}

static void pairs(unsigned n)
{
	static struct listed one = { NULL, nothing };
	static struct listed *_Atomic first = &one;
	for (unsigned i = 0; i < 2 * n; i++)
		go_through(&first, NULL);
}

/* Mono's methods have small numbers, functions of libraries their addresses (mono_samples.c). */
static bool method(uint64_t key, struct pvp_method *ret)
{
	static const char unknown[] = "[unknown code]";
	if (key == PVP_MONO_UNKNOWN) {
		*ret = (struct pvp_method){ 0, 0, unknown, sizeof unknown - 1 };
		return true;
	}
	return key >= PVP_MONO_ADDRESSES ? pvp_modules_method(key, ret)
					 : pvp_names_method(key, ret);
}

static void unnamed(uint64_t key)
{
	if (key < PVP_MONO_ADDRESSES)
		pvp_names_unnamed(key);
}

static void stop_mono(void)
{
	pvp_waits_stop();
	pvp_mono_timer_stop();
	pvp_mono_kernel_stop();
	pvp_unwind_finish();
	pvp_modules_finish();
}

static const struct pvp_host host = {
	.name = "mono",
	.stop = stop_mono,
	.calibrate = pairs,
	.method = method,
	.unnamed = unnamed,
	.tell = tell_mono,
	.on_flushed = flushed,
	.stood_still = pvp_mono_heap_flushed,
	.discarded_shots = pvp_mono_heap_discarded,
	.enabled_events = mono_words,
	.announced = true,
	.heapshot = pvp_mono_heap_ask,
	.set = set_mono_option,
};

/* The runtime shuts down: everything must be in the log before its end. */
static void cleanup(MonoProfiler *p)
{
	(void)p;
	pvp_session_stop();
}

/* A child records nothing, but the runtime still calls back: no lock used there may be held. */
static void before_fork(void)
{
	pvp_thread_names_hold();
	pvp_mono_types_wait();
	pvp_names_hold();
	pvp_mono_numbers_wait();
}

static void after_fork(void)
{
	pvp_mono_numbers_release();
	pvp_names_release();
	pvp_mono_types_release();
	pvp_thread_names_release();
}

static void mono_in_child(void)
{
	pvp_waits_forget();
	pvp_mono_timer_forget();
	pvp_mono_kernel_forget();
	pvp_unwind_forget();
	after_fork();
}

static void complain(const char *what)
{
	char line[256];
	int n = snprintf(
		line, sizeof line, "profview: %.200s: the program runs unprofiled\n", what);
	if (n > 0 && write(STDERR_FILENO, line, (size_t)n) < 0)
		return;
}

static void show_help(void)
{
	static const char text[] =
		"--profile=profview[:OPTION,...]; words of the stock log profiler mean what they mean there\n"
		"  events     calls alloc gc gcalloc gcmove gcroot gchandle finalization exception monitor\n"
		"             counter jit, legacy for most of them; noEVENT: without it; nodefaults, as the\n"
		"             first word: nothing that is not named\n"
		"  calls      callspec=SPEC filter=TERM+... calldepth=N; calltree[=cpu]: summed up\n"
		"  samples    sample[=HZ], cpu: with processor time, kernel: with its\n"
		"             functions, lines: of source\n"
		"  memory     alloc=BYTES: one each so many; heapshot[=Nms|Ngc|ondemand|onshutdown]\n"
		"             heapshot-on-shutdown fields heapshot-room=SIZE; maxframes=N\n"
		"  more       coverage[=TERM+...] runtime\n"
		"  the log    output=FILE|PIPE|+FILE|'|COMMAND'|#FD zip maxsize=SIZE ring=SIZE buffer=SIZE\n"
		"             block=yes linger=MS control=PATH report\n"
		"the program runs unprofiled\n";
	if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
		return;
}

/* Set on the way in, when a mistake can still be reported; the program itself is never stopped. */
/* Mono's thread asks for samples: it signals all threads while the process runs (mono_timer.c). */
static void say_timer(struct pvp_managed_options *o)
{
	size_t n = strlen(o->words);
	if (!(o->groups & PVP_MANAGED_SAMPLES))
		return;
	const char *kernel = pvp_kernel_want_word(o->groups & PVP_MANAGED_KERNEL);
	snprintf(o->words + n, sizeof o->words - n, "%s%s%ssample-timer=%s:%u", n ? "," : "",
		kernel, *kernel ? "," : "",
		pvp_sample_by_perf(o->sample_hz) ? "mono-perf" : "mono-cpu", o->sample_hz);
}

EXPORT void mono_profiler_init_profview(const char *text);
EXPORT void mono_profiler_init_profview(const char *text)
{
	static const char name[] = "profview";
	char core[2 * PVP_MANAGED_TEXT];
	if (strncmp(text, name, sizeof name - 1) == 0)
		text += sizeof name - 1;
	struct _MonoProfiler *p = &pvp_mono;
	if (!pvp_managed_parse(text, &p->options) || !pvp_filter_sound(p->options.filter) ||
		!pvp_filter_sound(p->options.coverage) ||
		!pvp_mono_callspec_sound(p->options.callspec)) {
		complain("an option after --profile=profview: is not understood");
		return;
	}
	if (p->options.want_help) {
		show_help();
		return;
	}
	int forbidden = pvp_call_forbidden(true); /* Mono makes threads in any case */
	if (forbidden != PVP_CALL_NONE) {
		snprintf(core, sizeof core, "its filter of system calls forbids %s",
			pvp_call_name(forbidden));
		complain(core);
		return;
	}
	unsigned groups = p->options.groups;
	snprintf(core, sizeof core, "calls=%s,alloc=%s%s%.1000s",
		groups & (PVP_MANAGED_CALLS | PVP_MANAGED_TREE) ? "on" : "off",
		groups & PVP_MANAGED_ALLOC ? "on" : "off", p->options.rest[0] ? "," : "",
		p->options.rest);
	pvp_calls_say(p->options.words, sizeof p->options.words);
	say_timer(&p->options);
	p->handle = mono_profiler_create(p);
	int error = pvp_mono_numbers_init() ? pvp_session_start(core, &host) : ENOMEM;
	/* The first of several processes of a launch is recorded; the others report nothing. */
	if (error && error != EBUSY && error != ECANCELED) {
		snprintf(core, sizeof core, "cannot record: %.100s", strerror(error));
		complain(core);
	}
	if (error)
		return;
	pthread_atfork(before_fork, after_fork, mono_in_child);
	mono_profiler_set_cleanup_callback(p->handle, cleanup);
	pvp_mono_meta_init(p);
	pvp_mono_events_init(p);
	if (groups & (PVP_MANAGED_CALLS | PVP_MANAGED_TREE))
		pvp_mono_calls_init(p);
	if (groups & PVP_MANAGED_ALLOC)
		pvp_mono_alloc_init(p);
	if (groups & PVP_MANAGED_LINES)
		pvp_mono_lines_init();
	if (groups & PVP_MANAGED_COVERAGE)
		pvp_mono_coverage_init(p);
	if (groups & PVP_MANAGED_SAMPLES)
		pvp_mono_samples_init(p);
	if (p->options.frames)
		pvp_unwind_refresh(); /* for the first event's stack */
	if (pvp_mono_is_joined())
		pvp_mono_join();
}
