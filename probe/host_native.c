#include <stdlib.h>

#include "probe/emit.h"
#include "probe/frames.h"
#include "probe/modules.h"
#include "probe/session.h"

#define EXPORT __attribute__((visibility("default")))

static void ignore(void *ctx, uint64_t from, uint64_t to)
{
	(void)ctx, (void)from, (void)to;
}

static bool method(uint64_t key, struct pvp_method *ret)
{
	if (pvp_modules_method(key, ret))
		return true;
	pvp_modules_refresh(ignore, NULL); /* loaded since the round began */
	return pvp_modules_method(key, ret);
}

const struct pvp_host pvp_host_native = {
	.name = "native",
	.stop = pvp_modules_finish,
	.refresh = pvp_modules_refresh,
	.method = method,
};

/* What gcc and clang call with -finstrument-functions. */
EXPORT void __cyg_profile_func_enter(void *function, void *site);
EXPORT void __cyg_profile_func_exit(void *function, void *site);

/* No calls wanted; or not recording, and no chunk of an earlier session to give back. */
static inline bool idle(void)
{
	if (!atomic_load_explicit(&pvp_core.calls, memory_order_relaxed))
		return true;
	return !atomic_load_explicit(&pvp_core.session, memory_order_relaxed) &&
		!pvp_tls.thread->chunk;
}

/* The calling thread's frames, of this session; NULL while it has no part in one. */
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

/* The newest calls ended without a word. */
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
		drop_calls(f, pvp_frames_dead(f, sp, pc));
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
		atomic_load_explicit(&t->call_limit, memory_order_relaxed) ? t : NULL;
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
	if (PVP_UNLIKELY(!t || !pvp_frames_plain(t->frames, sp, pc))) {
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
	if (PVP_UNLIKELY(!t || !t->frames || t->frames->beyond ||
			t->frames->top[-1].method != method)) {
		leave_slow(method);
		return;
	}
	t->frames->top--;
	put(t, PVP_LEAVE, method);
}

/* A program that was not changed is recorded by its environment. */
__attribute__((constructor)) static void start_by_environment(void)
{
	const char *options = getenv("PROFVIEW_OPTIONS");
	if (options)
		pvp_session_start(options, &pvp_host_native);
}
