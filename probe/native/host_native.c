/* SPDX-License-Identifier: MIT */
/*
 * Host of native programs: starts a recording by call or environment, and has the compiler's hooks.
 */
#include "probe/native/host_native.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/system/proc_file.h"
#include "probe/code/allowed.h"
#include "probe/core/emit.h"
#include "probe/ground/frames.h"
#include "probe/code/kernel_stack.h"
#include "probe/code/modules.h"
#include "probe/native/native_blocks.h"
#include "probe/native/native_early.h"
#include "probe/native/native_front.h"
#include "probe/native/native_deferred.h"
#include "probe/native/native_held.h"
#include "probe/native/native_record.h"
#include "probe/code/native_samples.h"
#include "probe/code/probe_frames.h"
#include "probe/code/stack_ends.h"
#include "probe/unwind/unwind_set.h"
#include "probe/code/wait_sampler.h"
#include "probe/core/core_state.h"
#include "probe/ground/sample_rate.h"
#include "probe/control/session.h"
#include "probe/core/writer.h"

#define EXPORT __attribute__((visibility("default")))

/* ---- options besides calls */

static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;
static struct pvp_native_options options; /* of the recording; only changed before a recording */
static char words_text[640];
static uint64_t held_sent;          /* ns; the writer's */
static uint64_t shot_due;           /* ns; 0: the recording begins. The writer's */
static char given[PVP_NATIVE_TEXT]; /* as text, for children */

static const char *native_words(void)
{
	return words_text;
}

/* For allocations: their stacks are taken at once, not by the writer. */
static bool stacks_wanted(const struct pvp_native_options *o)
{
	return (o->malloc || o->held) && o->frames;
}

static bool tell_native(struct pvp_writer *w, struct pvp_out_buffer *page, bool again)
{
	bool stacks = options.sample_hz || stacks_wanted(&options);
	/* A reader that joins before the first round gets stacks, too: files must come first. */
	if (stacks && w->rounds == 0)
		pvp_modules_look();
	bool ok = !stacks || pvp_modules_tell(w, page, again);
	if (!again && stacks_wanted(&options))
		pvp_unwind_refresh();
	if (!again)
		pvp_native_samples_tell(w, page);
	else
		pvp_stack_ends_again();
	if (again && options.held)
		ok = ok && pvp_held_tell(w, page, true);
	return ok;
}

/* A shot every shot_ms, counted from the beginning. The writer's. */
static void shots_in_time(void)
{
	uint64_t now = pvp_monotonic(), each = (uint64_t)options.shot_ms * 1000000;
	if (!options.blocks || !each || now < shot_due)
		return;
	if (shot_due && !pvp_paused())
		pvp_blocks_ask();
	shot_due = now + each - (shot_due ? (now - shot_due) % each : 0);
}

/* Often at first, to show a short program's growth; later as often as call trees. The writer's. */
static void who_holds(struct pvp_writer *w)
{
	enum { MS = 1000000, OFTEN = 250 * MS, YOUNG_S = 10 };
	bool young = w->round_ns - w->start_ns < YOUNG_S * UINT64_C(1000) * MS;
	bool due = w->tree_ns == w->round_ns || (young && w->round_ns - held_sent >= OFTEN);
	if (!options.held || !due)
		return;
	held_sent = w->round_ns;
	pvp_held_tell(w, &w->page, false);
}

static void flushed(struct pvp_writer *w)
{
	who_holds(w);
	shots_in_time();
	if (options.shot_at_end && w->last)
		pvp_blocks_ask();
	pvp_blocks_tell(w);
}

static void stop_native(void)
{
	pvp_native_malloc_set(NULL);
	pvp_native_samples_stop();
	pvp_blocks_clear();
	pvp_held_clear();
	pvp_modules_finish();
}

static enum pvp_reply heapshot(char *say, size_t room)
{
	if (!options.blocks) {
		snprintf(say, room, "blocks are not followed: start with the option heapshot");
		return PVP_REPLY_ERROR;
	}
	snprintf(say, room, "shot=%" PRIu64, pvp_blocks_ask());
	return PVP_REPLY_OK;
}

static enum pvp_reply set_native_option(const char *key, const char *value, char *say, size_t room)
{
	struct pvp_sample_order order;
	enum pvp_reply r = pvp_sample_rate(key, value, options.sample_hz, &order, say, room);
	if (r == PVP_REPLY_OK) {
		pvp_native_samples_order(order);
		pvp_sample_say(order.hz, say, room);
	}
	return r;
}

static void again(void)
{
	pvp_native_start(given);
}

const struct pvp_host pvp_host_native = {
	.name = "native",
	.again = again,
	.stop = stop_native,
	.park = pvp_waits_park,
	.refresh = pvp_modules_refresh,
	.method = pvp_modules_method_now,
	.tell = tell_native,
	.on_flushed = flushed,
	.class_name = pvp_native_class_name,
	.discarded_shots = pvp_blocks_discarded,
	.enabled_events = native_words,
	.heapshot = heapshot,
	.set = set_native_option,
};

static _Thread_local bool fork_held;

/*
 * Allocations of other threads just before the fork are not recorded: the blocks' locks are held.
 */
static void before_fork(void)
{
	fork_held = pvp_guard_on();
	pvp_blocks_hold();
	pvp_held_hold();
}

static void after_fork(void)
{
	pvp_held_release();
	pvp_blocks_release();
	if (fork_held)
		pvp_guard_off();
}

static void native_in_child(void)
{
	if (!pvp_session_in_children())
		pvp_native_malloc_set(NULL);
	pvp_native_samples_forget();
	pthread_mutex_init(&starting, NULL);
	after_fork();
}

/* Handlers before a fork run in reverse order: the session's locks are taken before the blocks'. */
static int register_forks(void)
{
	static bool handled;
	int error = handled ? 0 : pthread_atfork(before_fork, after_fork, native_in_child);
	handled |= error == 0;
	return error ? error : pvp_session_forks();
}

static int start_native(const struct pvp_native_options *o)
{
	struct pvp_config c;
	if (!pvp_args_parse(o->rest, &c, NULL))
		return EINVAL;
	int error = pvp_session_recording() ? EALREADY : 0;
	if (!error && pvp_call_forbidden(true) != PVP_CALL_NONE)
		return EPERM; /* started by the program, which accepts threads */
	error = error ? error : register_forks();
	if (error)
		return error;
	options = *o;
	char front[256] = "";
	if ((o->malloc || o->blocks || o->held) && pvp_front_look &&
		!pvp_front_look(front, sizeof front))
		options.malloc = options.frees = options.blocks = options.held = false;
	const char *reported = c.alloc && !o->malloc ? ",reported-allocations" : "";
	const char *kernel = pvp_kernel_want_word(o->kernel && o->sample_hz);
	snprintf(words_text, sizeof words_text, "%s%s%s%s%s%s", c.calls ? ",calls" : "", reported,
		o->words, *kernel ? "," : "", kernel, front);
	if (words_text[0])
		memmove(words_text, words_text + 1, strlen(words_text));
	pvp_calls_say(words_text, sizeof words_text);
	shot_due = 0;
	pvp_held_clear();
	pvp_blocks_clear(); /* before the start: the writer may begin at once, and blocks may
			     * come */
	if (stacks_wanted(&options))
		pvp_unwind_refresh();
	error = pvp_session_start(o->rest, &pvp_host_native);
	if (error)
		return error;
	pvp_probe_frames_pass(pvp_front_passes);
	pvp_native_samples_usage(o->cpu);
	pvp_native_samples_order((struct pvp_sample_order){ o->sample_hz, o->sample_real });
	pvp_native_malloc_set(&options);
	return 0;
}

int pvp_native_start(const char *text)
{
	struct pvp_native_options o;
	if (!pvp_native_parse(text, &o))
		return EINVAL;
	if (o.malloc && !pvp_native_rest(&o, "alloc=on"))
		return EINVAL;
	pthread_mutex_lock(&starting);
	int error = start_native(&o);
	if (!error && text != given)
		snprintf(given, sizeof given, "%s", text ? text : "");
	pthread_mutex_unlock(&starting);
	return error;
}

/* ---- calls */

/* Called by gcc's and clang's code with -finstrument-functions. */
EXPORT void __cyg_profile_func_enter(void *function, void *site);
EXPORT void __cyg_profile_func_exit(void *function, void *site);

/* No calls wanted; or not recording, and no chunk of an earlier session to give back. */
static inline bool idle(void)
{
	if (atomic_load_explicit(&pvp_reborn, memory_order_relaxed))
		return false;
	if (!atomic_load_explicit(&pvp_core.calls, memory_order_relaxed))
		return true;
	return !atomic_load_explicit(&pvp_core.session, memory_order_relaxed) &&
	       !pvp_tls.thread->chunk;
}

/* The calling thread's frames, of this session; NULL: not part of a session. */
static struct pvp_frames *frames_here(void)
{
	struct pvp_thread *t = pvp_tls.thread;
	uint32_t session = atomic_load_explicit(&pvp_core.session, memory_order_relaxed);
	if (!session || t->session != session)
		return NULL;
	if (!t->frames)
		t->frames = pvp_frames_create();
	uint32_t gaps = atomic_load_explicit(&pvp_core.gaps, memory_order_relaxed);
	if (t->frames && (t->frames->session != session || t->frames->gaps != gaps)) {
		pvp_frames_reset(t->frames, session);
		t->frames->gaps = gaps;
	}
	return t->frames;
}

/* The newest calls ended without a leave. */
static void drop_calls(struct pvp_frames *f, size_t n)
{
	for (; n; n--)
		pvp_call_room(PVP_EXC_LEAVE, (--f->top)->method);
}

static __attribute__((noinline)) void enter_slow(uint64_t method, uintptr_t sp, uintptr_t pc)
{
	if (idle()) {
		pvp_guard_off();
		return;
	}
	struct pvp_frames *f = frames_here();
	if (f)
		drop_calls(f, pvp_frames_dead(f, sp, pc, method));
	pvp_call_room(PVP_ENTER, method);
	f = frames_here(); /* the thread may just have joined */
	if (f && f->top != f->end)
		pvp_frames_push(f, sp, pc, method);
	else if (f)
		f->beyond++;
	pvp_guard_off();
}

static __attribute__((noinline)) void leave_slow(uint64_t method)
{
	if (idle()) {
		pvp_guard_off();
		return;
	}
	struct pvp_frames *f = frames_here();
	size_t above = f && !f->beyond ? pvp_frames_above(f, method) : SIZE_MAX;
	if (above != SIZE_MAX) {
		drop_calls(f, above);
		f->top--;
	} else if (f && f->beyond) {
		f->beyond--;
	}
	pvp_call_room(PVP_LEAVE, method);
	pvp_guard_off();
}

static inline struct pvp_thread *thread_with_room(void)
{
	struct pvp_thread *t = pvp_tls.thread;
	return atomic_load_explicit(&t->cursor, memory_order_relaxed) <
			       atomic_load_explicit(&t->call_limit, memory_order_relaxed)
		       ? t
		       : NULL;
}

static inline void put(struct pvp_thread *t, enum pvp_call_event event, uint64_t method)
{
	uint8_t *p = atomic_load_explicit(&t->cursor, memory_order_relaxed);
	pvp_publish(t, pvp_put_call(t, p, event, method, pvp_tsc_ns(&t->clock)));
	pvp_guard_off();
}

EXPORT void __cyg_profile_func_enter(void *function, void *site)
{
	uint64_t method = (uint64_t)(uintptr_t)function;
	uintptr_t sp = (uintptr_t)__builtin_dwarf_cfa();
	uintptr_t pc = (uintptr_t)__builtin_return_address(0);
	(void)site;
	if (PVP_UNLIKELY(!pvp_guard_on())) {
		pvp_nested();
		return;
	}
	struct pvp_thread *t = thread_with_room();
	if (PVP_UNLIKELY(!t || !pvp_frames_plain(t->frames, sp, pc, method))) {
		enter_slow(method, sp, pc);
		return;
	}
	pvp_frames_push(t->frames, sp, pc, method);
	put(t, PVP_ENTER, method);
}

EXPORT void __cyg_profile_func_exit(void *function, void *site)
{
	uint64_t method = (uint64_t)(uintptr_t)function;
	(void)site;
	if (PVP_UNLIKELY(!pvp_guard_on())) {
		pvp_nested();
		return;
	}
	struct pvp_thread *t = thread_with_room();
	if (PVP_UNLIKELY(
		    !t || !t->frames || t->frames->beyond || t->frames->top[-1].method != method)) {
		leave_slow(method);
		return;
	}
	t->frames->top--;
	put(t, PVP_LEAVE, method);
}

/* The parent process had the library preloaded, too, and has complained itself. */
static bool is_child_of_preloaded(void)
{
	static const char name[] = "libprofview-native";
	enum { OVERLAP = sizeof name - 2, MOST = 64 };
	char path[32], part[4096 + OVERLAP];
	snprintf(path, sizeof path, "/proc/%d/environ", (int)getppid());
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool found = false;
	size_t kept = 0;
	for (int i = 0; fd >= 0 && i < MOST && !found; i++) {
		ssize_t n = read(fd, part + kept, sizeof part - kept);
		if (n <= 0)
			break;
		kept += (size_t)n;
		found = memmem(part, kept, name, sizeof name - 1);
		size_t rest = kept < OVERLAP ? kept : OVERLAP;
		memmove(part, part + kept - rest, rest);
		kept = rest;
	}
	if (fd >= 0)
		close(fd);
	return found;
}

static void write_line(const char *what)
{
	char line[256];
	int n = snprintf(
		line, sizeof line, "profview: %.200s: the program runs unprofiled\n", what);
	if (n > 0 && write(STDERR_FILENO, line, (size_t)n) < 0)
		return;
}

static void complain(const char *what)
{
	if (!is_child_of_preloaded())
		write_line(what);
}

/*
 * Whether a filter forbids recording. Under a filter set after the viewer started the program, even
 * asking whether a thread can be made is unsafe.
 */
static bool filter_forbids(const char *text)
{
	const char *word = strstr(text, PV_FILTERS_WORD);
	unsigned known = word ? (unsigned)strtoul(word + sizeof PV_FILTERS_WORD - 1, NULL, 10) : 0;
	unsigned filters = pv_seccomp_filters("thread-self");
	int forbidden = pvp_call_forbidden(filters <= known);
	bool unheard = strstr(pvp_calls_refused(), "socket"); /* no launcher can be asked */
	char line[128];
	if (forbidden == PVP_CALL_NONE && !unheard)
		return false;
	snprintf(line, sizeof line, "a filter of system calls forbids %s",
		unheard ? "socket" : pvp_call_name(forbidden));
	if (unheard || (forbidden > PVP_CALL_WRITE && known >= filters))
		write_line(line);
	return true;
}

/* A program without calls of the interface is recorded by environment. */
static void start_by_environment(void)
{
	/* The first is for this host only: other programs of the launch may need other words. */
	const char *own = secure_getenv("PROFVIEW_NATIVE_OPTIONS");
	const char *text = own ? own : secure_getenv("PROFVIEW_OPTIONS");
	if (text && filter_forbids(text))
		return;
	if (text && pvp_filter_watch)
		pvp_filter_watch();
	/* First, so that in a child the host's locks are free when a deferred recording begins. */
	if (text && register_forks() != 0)
		return;
	if (text && pvp_deferred_start && pvp_deferred_start(text, pvp_native_start))
		return;
	int error = text ? pvp_native_start(text) : 0;
	char line[128];
	if (error == EINVAL)
		complain("an option in PROFVIEW_OPTIONS is not understood");
	/* EBUSY: another process is recorded. A launcher says the rest itself. */
	if (!error || error == EINVAL || error == EBUSY || error == ECANCELED || own)
		return;
	snprintf(line, sizeof line, "cannot record: %.100s", strerror(error));
	complain(line);
}

__attribute__((constructor)) static void loaded(void)
{
	pvp_native_malloc_begins(); /* blocks from here on are ours, and then the recording's */
	start_by_environment();
	pvp_early_drop();
}
