/* SPDX-License-Identifier: MIT */
/* The helper thread that samples waiting threads, and the samples of waits for the writer. */
#include "probe/code/wait_sampler.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "probe/unwind/stack_copy.h"
#include "probe/code/visit_pace.h"
#include "probe/code/wait_held.h"
#include "probe/code/wait_state.h"
#include "probe/code/world_stop.h"
#include "probe/ground/probe_clock.h"
#include "probe/core/tell.h"
#include "probe/core/thread_buf.h"
#include "probe/core/writer.h"
#include "probe/core/worker.h"

enum {
	FRAMES = 256, /* callers; of deeper stacks the innermost */
	THREADS = 1024,
	FOUND = 512, /* waits not written yet */
	SECOND = 1000000000,
	TELL = SECOND / 4,  /* a wait under way is logged so often */
	LIST = SECOND / 20, /* new threads are looked for so often */
	STACK = 64 << 10,
};

/* A thread, as of the last look. */
struct seen {
	pid_t tid; /* 0: a free place */
	bool listed, waits;
	uint64_t time, wall;          /* the thread's processor time, the clock */
	uint64_t ran, queued, base;   /* from the scheduler, when asked last */
	uint64_t counted;             /* ns counted as waited since */
	uint64_t unknown;             /* ns waited before the first look that found the wait */
	int64_t rest[PV_WAIT_STATES]; /* ns not yet in samples; < 0: too many samples */
	uint64_t waited;              /* ns of the present wait, not yet logged */
	uint64_t held;                /* ns held by a runtime, of the counted ns */
	enum pv_wait_state state;     /* of the present or last wait */
	struct pvp_walk_stop stop;
	uint32_t n;
	uint64_t frame[FRAMES]; /* innermost first: the place, return addresses */
};

struct found {
	uint64_t time;
	pid_t tid;
	enum pv_wait_state state;
	struct pvp_walk_stop stop; /* of waits with frames */
	uint32_t times, n;
	uint64_t frame[FRAMES];
};

static struct shared {
	struct seen seen[THREADS];
	struct found found[FOUND];
	_Atomic uint32_t written, taken;
	_Atomic uint64_t lost; /* samples without room */
} *shared;

static _Atomic unsigned hz;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the next two */
static pthread_cond_t wake;
static bool stopping;
static struct pvp_worker looker;
static bool running; /* the writer's */
static uint64_t lost_counted;

/* ---- for the writer */

static void put_found(const struct seen *s, enum pv_wait_state state, uint64_t times, bool stack)
{
	uint32_t n = atomic_load_explicit(&shared->written, memory_order_relaxed);
	if (n - atomic_load_explicit(&shared->taken, memory_order_acquire) >= FOUND) {
		atomic_fetch_add_explicit(&shared->lost, times, memory_order_relaxed);
		return;
	}
	struct found *f = &shared->found[n % FOUND];
	f->time = pvp_monotonic();
	f->tid = s->tid;
	f->state = state;
	f->times = times < UINT32_MAX ? (uint32_t)times : UINT32_MAX;
	f->n = stack ? s->n : 0;
	f->stop = s->stop;
	memcpy(f->frame, s->frame, f->n * sizeof *f->frame);
	atomic_store_explicit(&shared->written, n + 1, memory_order_release);
}

/* In whole samples; the rest waits for the next of the same state. */
static void tell_state(struct seen *s, enum pv_wait_state state, uint64_t ns, bool stack)
{
	unsigned rate = atomic_load_explicit(&hz, memory_order_relaxed);
	int64_t period = SECOND / (int64_t)(rate ? rate : 1);
	s->rest[state] += (int64_t)ns;
	if (s->rest[state] < period)
		return;
	put_found(s, state, (uint64_t)(s->rest[state] / period), stack);
	s->rest[state] %= period;
}

static void waits_on(struct seen *s, uint64_t ns)
{
	s->waited += ns;
	s->counted += ns;
}

static void tell_wait(struct seen *s)
{
	if (s->waits && s->waited)
		tell_state(s, s->state, s->waited, true);
	s->waited = 0;
}

/* ---- looking at a thread */

/*
 * Reads the waiting place. If the thread ran on while its stack was read, its processor time has
 * changed by now, and the stack is left out.
 */
static void take_waiting(struct seen *s, const struct pvp_waiting *w, uint64_t stop)
{
	uint64_t now;
	enum pv_wait_state before = s->waits ? s->state : PV_WAIT_LOCK;
	s->waits = w->waits;
	s->state = w->waits ? w->state : s->state;
	s->n = 0;
	if (!w->waits || !w->pc)
		return;
	s->frame[0] = w->pc;
	unsigned n = pvp_stack_copy_walk(w->pc, w->sp, s->frame + 1, FRAMES - 1, &s->stop);
	if (pvp_thread_time(s->tid, &now) && now == s->time)
		s->n = 1 + n;
	s->state = pvp_wait_state_in_stop(s->tid, w, s->frame, s->n, before, stop);
}

/* First from time without a state, then from the last state's. */
static void take_off(struct seen *s, uint64_t ns)
{
	uint64_t unknown = s->unknown < ns ? s->unknown : ns;
	s->unknown -= unknown;
	s->rest[s->state] -= (int64_t)(ns - unknown);
}

/*
 * ns neither running nor waiting for a processor, besides ns counted already, which are logged. A
 * thread that was woken but had no processor seemed to wait on: the scheduler's sums show this once
 * the thread runs, and the surplus is taken off later waits.
 */
static uint64_t waited_since(struct seen *s, uint64_t now)
{
	uint64_t ran, queued;
	if (!pvp_thread_schedule(s->tid, &ran, &queued)) {
		ran = s->time;
		queued = s->queued;
	}
	uint64_t stood = queued - s->queued;
	int64_t ns = (int64_t)(now - s->base - (ran - s->ran) - stood - s->counted);
	s->ran = ran;
	s->queued = queued;
	s->base = s->wall = now;
	s->counted = 0;
	if (stood)
		tell_state(s, PV_WAIT_QUEUED, stood, false);
	if (ns < 0)
		take_off(s, (uint64_t)-ns);
	return ns > 0 ? (uint64_t)ns : 0;
}

/*
 * The part of `ns` in which a runtime held the thread, logged; *ret_held: held now. 0 without such
 * a runtime.
 */
static uint64_t held_of(struct seen *s, uint64_t ns, uint64_t now, bool *ret_held)
{
	uint64_t held = pvp_world_held(s->tid, now, ret_held), more = held - s->held;
	if (held <= s->held)
		return 0;
	s->held = held;
	more = more < ns ? more : ns;
	if (more && s->waits && s->state == PV_WAIT_GC)
		s->waited += more;
	else if (more)
		tell_state(s, PV_WAIT_GC, more, false);
	return more;
}

/*
 * The thread has run since the last look: the time waited meanwhile counts for the last wait and
 * for the present wait, half for each if there are both; else for the next wait found.
 */
static void look_anew(struct seen *s, uint64_t now)
{
	bool is_held, exact = pvp_world_is_exact();
	uint64_t ns = waited_since(s, now), stop = pvp_world_stop();
	ns -= held_of(s, ns, now, &is_held);
	struct pvp_waiting w = pvp_waiting_look(s->tid);
	if (s->waits && !(exact && s->state == PV_WAIT_GC)) {
		uint64_t before = w.waits ? ns / 2 : ns;
		s->waited += before;
		ns -= before;
	}
	tell_wait(s);
	take_waiting(s, &w, stop);
	s->unknown += ns;
	if (s->waits && is_held) {
		s->state = PV_WAIT_GC;
	} else if (s->waits) {
		s->waited = s->unknown;
		s->unknown = 0;
	}
}

static void look_at_thread(struct seen *s)
{
	uint64_t time, now = pvp_monotonic();
	if (!pvp_thread_time(s->tid, &time)) {
		tell_wait(s);
		s->tid = 0;
	} else if (!s->waits || time != s->time) {
		s->time = time;
		look_anew(s, now);
	} else {
		bool is_held;
		uint64_t held = pvp_world_held(s->tid, now, &is_held);
		if (is_held)
			s->held = held;
		waits_on(s, now - s->wall);
		s->wall = now;
		if (s->waited >= TELL)
			tell_wait(s);
	}
}

/* ---- all threads */

static unsigned used; /* all places from here on are free */

/* Whether the thread is the probe's, by name; a thread of the program may have such a name, too. */
static bool is_our_thread(pid_t tid)
{
	static const char name[] = "profview";
	char comm[32];
	pvp_thread_file(tid, "comm", comm, sizeof comm);
	return tid != getpid() && strncmp(comm, name, sizeof name - 1) == 0;
}

static void watch_thread(pid_t tid)
{
	unsigned at = 0;
	while (at < used && shared->seen[at].tid)
		at++;
	if (at == THREADS)
		return;
	struct seen *s = &shared->seen[at];
	bool is_held;
	*s = (struct seen){ .tid = tid, .listed = true };
	s->wall = s->base = pvp_monotonic();
	if (!pvp_thread_time(tid, &s->time)) {
		s->tid = 0;
		return;
	}
	if (!pvp_thread_schedule(tid, &s->ran, &s->queued))
		s->ran = s->time;
	s->held = pvp_world_held(tid, s->wall, &is_held);
	used += at == used;
}

static void meet_thread(pid_t tid)
{
	for (unsigned i = 0; i < used; i++) {
		if (shared->seen[i].tid == tid) {
			shared->seen[i].listed = true;
			return;
		}
	}
	if (!is_our_thread(tid))
		watch_thread(tid);
}

static void forget_thread(struct seen *s)
{
	if (s->tid)
		pvp_world_leaves(s->tid);
	s->tid = 0;
}

static void list_threads(void)
{
	DIR *d = opendir("/proc/self/task");
	if (!d)
		return;
	for (unsigned i = 0; i < used; i++)
		shared->seen[i].listed = false;
	for (struct dirent *e; (e = readdir(d));)
		if (*e->d_name != '.')
			meet_thread((pid_t)strtol(e->d_name, NULL, 10));
	closedir(d);
	for (unsigned i = 0; i < used; i++) /* the number may be reused by now */
		if (!shared->seen[i].listed)
			forget_thread(&shared->seen[i]);
}

static void look_at_all(void)
{
	for (unsigned i = 0; i < used; i++)
		if (shared->seen[i].tid)
			look_at_thread(&shared->seen[i]);
}

/* ---- the helper */

/* Rests until the next look, or the end; `cost`: ns of processor time of the last look. */
static bool rest(uint64_t cost)
{
	unsigned rate = atomic_load_explicit(&hz, memory_order_relaxed);
	uint64_t each = SECOND / (rate && rate < PVP_WAITS_MOST ? rate : PVP_WAITS_MOST);
	uint64_t least = cost * (100 / PVP_WAITS_PERCENT);
	uint64_t until = pvp_monotonic() + pvp_about(each > least ? each : least);
	struct timespec t = { (time_t)(until / SECOND), (long)(until % SECOND) };
	pthread_mutex_lock(&lock);
	while (!stopping && pvp_monotonic() < until)
		pthread_cond_timedwait(&wake, &lock, &t);
	bool more = !stopping;
	pthread_mutex_unlock(&lock);
	return more;
}

static void *help(void *unused)
{
	uint64_t cost = 0, before, listed = 0;
	pvp_guard_on(); /* forever: nothing on this thread is an event */
	pvp_tls.muted = true;
	prctl(PR_SET_NAME, "profview look");
	do {
		before = pvp_own_time();
		if (pvp_monotonic() - listed >= LIST) {
			list_threads();
			listed = pvp_monotonic();
		}
		look_at_all();
		cost = pvp_own_time() - before;
	} while (rest(cost));
	look_at_all();
	for (unsigned i = 0; i < used; i++)
		if (shared->seen[i].tid)
			tell_wait(&shared->seen[i]);
	return unused;
}

static void begin_sampler(void)
{
	pthread_condattr_t attr;
	if (!shared) {
		void *at = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		shared = at == MAP_FAILED ? NULL : at;
	}
	if (!shared || !pvp_stack_copy_init() || pthread_condattr_init(&attr) != 0)
		return;
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&wake, &attr);
	pthread_condattr_destroy(&attr);
	stopping = false;
	used = 0;
	running = pvp_worker_start(&looker, STACK, help, NULL) == 0;
}

static void end_sampler(void)
{
	pthread_mutex_lock(&lock);
	stopping = true;
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
	pvp_worker_join(&looker);
	running = false;
}

/* ---- the writer's side */

void pvp_waits_follow(struct pvp_sample_order order)
{
	if (order.real || atomic_load(&hz))
		atomic_store(&hz, order.hz);
}

static bool write_found(struct pvp_writer *w, struct pvp_out_buffer *page, const struct found *f,
	pvp_frame_key *key)
{
	uint64_t keys[1 + FRAMES], at[FRAMES];
	bool own;
	memcpy(at, f->frame, f->n * sizeof *at);
	uint32_t n = pvp_probe_frames_keys(w, f->time, at, f->n, key, key, keys, &own);
	const struct pv_batch pools = { .pool = { keys, n, n } };
	struct pv_event ev = { .kind = PV_KIND_EXT_WAITED,
		.time = f->time,
		.hit = { .thread = (uint64_t)f->tid,
			.state = f->state,
			.times = f->times,
			.frames = { 0, n } } };
	return pvp_out_buffer_add(w, page, &ev, &pools);
}

void pvp_waits_each(void (*each)(uint64_t address))
{
	if (!shared)
		return;
	uint32_t n = atomic_load_explicit(&shared->written, memory_order_acquire);
	for (uint32_t at = atomic_load(&shared->taken); at != n; at++) {
		const struct found *f = &shared->found[at % FOUND];
		for (uint32_t i = 0; i < f->n; i++)
			each(f->frame[i] - (i > 0));
	}
}

void pvp_waits_tell(struct pvp_writer *w, struct pvp_out_buffer *page, pvp_frame_key *key,
	void (*ended)(const struct pvp_walk_stop *stop, uint64_t times))
{
	bool wanted = atomic_load(&hz) && !w->last;
	if (wanted && !running)
		begin_sampler();
	if (!wanted && running)
		end_sampler();
	if (!shared)
		return;
	uint32_t n = atomic_load_explicit(&shared->written, memory_order_acquire);
	uint32_t at = atomic_load_explicit(&shared->taken, memory_order_relaxed);
	for (; at != n; at++) {
		const struct found *f = &shared->found[at % FOUND];
		if (write_found(w, page, f, key) && f->n && ended)
			ended(&f->stop, f->times);
	}
	atomic_store_explicit(&shared->taken, n, memory_order_release);
	uint64_t lost = atomic_load_explicit(&shared->lost, memory_order_relaxed);
	atomic_fetch_add(&pvp_core.orphans, lost - lost_counted);
	lost_counted = lost;
}

void pvp_waits_park(void)
{
	if (running)
		end_sampler();
}

void pvp_waits_stop(void)
{
	atomic_store(&hz, 0);
	if (running)
		end_sampler();
}

void pvp_waits_forget(void)
{
	static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
	atomic_store(&hz, 0);
	running = false;
	lock = fresh;
	pvp_world_forget();
	if (shared)
		atomic_store(&shared->taken, atomic_load(&shared->written));
}
