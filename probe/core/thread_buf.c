/* SPDX-License-Identifier: MIT */
/* Threads join sessions, take chunks, hand them over, and end. */
#include "probe/core/thread_buf.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "probe/core/call_tree.h"
#include "probe/core/backpressure.h"
#include "probe/ground/frames.h"
#include "probe/core/core_state.h"

enum {
	SLAB = 64 << 10,
	ROUNDS = 3, /* of the four rounds of destructors of a dying thread */
	NAP_NS = 50000,
	NAPS = 200,    /* 20 ms and more, with what the kernel adds */
	PATIENT = 100, /* times as many naps when nothing may be lost */
};

static struct pvp_thread *spare; /* structs to use again, linked by next */
static pthread_key_t key;
static bool have_key;

bool pvp_lock(void)
{
	if (!pvp_guard_on())
		return false;
	pthread_mutex_lock(&pvp_core.lock);
	return true;
}

void pvp_unlock(void)
{
	pthread_mutex_unlock(&pvp_core.lock);
	pvp_guard_off();
}

static uint32_t session_now(void)
{
	return atomic_load_explicit(&pvp_core.session, memory_order_acquire);
}

static void count_up(_Atomic uint64_t *n)
{
	atomic_fetch_add_explicit(n, 1, memory_order_relaxed);
}

/* A thread counts from the moment of joining: earlier losses are the orphans. */
static void count_lost(struct pvp_thread *t)
{
	count_up(t->session != session_now() ? &pvp_core.orphans : &t->lost);
}

void pvp_nested(void)
{
	if (pvp_tls.muted || !session_now() || pvp_paused())
		return;
	count_lost(pvp_tls.thread);
}

void pvp_fence(uint64_t time)
{
	uint64_t n = atomic_load_explicit(&pvp_core.fences, memory_order_relaxed);
	atomic_store_explicit(&pvp_core.fence[n % PVP_FENCES], time, memory_order_relaxed);
	atomic_store_explicit(&pvp_core.fences, n + 1, memory_order_release);
}

/* ---- threads come and go */

static struct pvp_thread *take_spare(void)
{
	if (!spare) {
		void *slab = mmap(
			NULL, SLAB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (slab == MAP_FAILED)
			return NULL;
		struct pvp_thread *t = slab;
		for (size_t i = 0; i < SLAB / sizeof *t; i++) {
			t[i].next = spare;
			spare = &t[i];
		}
	}
	struct pvp_thread *t = spare;
	spare = t->next;
	memset(t, 0, sizeof *t);
	return t;
}

struct pvp_thread *pvp_thread_here(void)
{
	if (pvp_tls.thread != &pvp_no_thread)
		return pvp_tls.thread;
	struct pvp_thread *t = have_key && !pvp_tls.closed ? take_spare() : NULL;
	if (!t)
		return NULL;
	t->tid = (uint64_t)syscall(SYS_gettid);
	t->inside = &pvp_tls.inside;
	t->queue_end = &t->queue;
	t->next = pvp_core.threads;
	if (t->next)
		t->next->before = t;
	pvp_core.threads = t;
	pvp_tls.thread = t;
	pthread_setspecific(key, t);
	return t;
}

void pvp_thread_remove(struct pvp_thread *t)
{
	if (t->before)
		t->before->next = t->next;
	else
		pvp_core.threads = t->next;
	if (t->next)
		t->next->before = t->before;
	pvp_tree_destroy(atomic_load(&t->tree));
	t->next = spare;
	spare = t;
}

static void set_limits(struct pvp_thread *t)
{
	uint8_t *limit = NULL;
	/* Without a calibrated counter events go the slow way, which reads the system's clock. */
	if (t->chunk && t->clock.mult)
		limit = t->chunk->end - PVP_HOT_MAX;
	atomic_store_explicit(
		&t->call_limit, atomic_load(&pvp_core.calls) ? limit : NULL, memory_order_relaxed);
	atomic_store_explicit(
		&t->alloc_limit, atomic_load(&pvp_core.alloc) ? limit : NULL, memory_order_relaxed);
}

static void drop_frames(struct pvp_thread *t)
{
	pvp_frames_destroy(t->frames);
	t->frames = NULL;
}

/* The chunk waits for the writer, or goes back if its session is over. */
static void hand_over(struct pvp_thread *t)
{
	struct pvp_chunk *c = t->chunk;
	if (!c)
		return;
	t->chunk = NULL;
	if (t->session != session_now()) {
		pvp_pool_put(t->pool, c);
		return;
	}
	c->final = atomic_load_explicit(&t->cursor, memory_order_relaxed);
	*t->queue_end = c;
	t->queue_end = &c->next;
	if (++pvp_core.queued == pvp_core.wake_at)
		pthread_cond_signal(&pvp_core.wake);
}

static void finish_thread(struct pvp_thread *t)
{
	pthread_mutex_lock(&pvp_core.lock);
	hand_over(t);
	drop_frames(t);
	t->exited = true;
	t->inside = NULL;
	t->exit_time = pvp_now(&t->clock);
	if (session_now() && !t->name[0] && t->tid != (uint64_t)getpid())
		prctl(PR_GET_NAME, t->name); /* 16 bytes at most */
	if (t->session == pvp_core.writing)
		pvp_backpressure_leaves();
	else
		pvp_thread_remove(t);
	pthread_mutex_unlock(&pvp_core.lock);
}

/* The key's destructor: waits for a pending round, since other destructors may still have events.
 */
static void thread_exits(void *thread)
{
	if (++pvp_tls.rounds < ROUNDS) {
		pthread_setspecific(key, thread);
		return;
	}
	if (!pvp_guard_on())
		return;
	pvp_tls.closed = true;
	finish_thread(thread);
	pvp_tls.thread = &pvp_no_thread;
}

int pvp_threads_init(void)
{
	if (have_key)
		return 0;
	int error = pthread_key_create(&key, thread_exits);
	have_key = error == 0;
	return error;
}

void pvp_threads_forget(bool all)
{
	while (pvp_core.threads) {
		if (all || pvp_core.threads != pvp_tls.thread)
			drop_frames(pvp_core.threads);
		else
			atomic_store(&pvp_core.threads->tree, NULL); /* in use: not freed here */
		pvp_thread_remove(pvp_core.threads);
	}
	pvp_tls.thread = &pvp_no_thread;
	if (have_key)
		pthread_setspecific(key, NULL);
}

static void poke(struct pvp_thread *t)
{
	atomic_store_explicit(&t->poked, true, memory_order_relaxed);
	atomic_store_explicit(&t->call_limit, NULL, memory_order_relaxed);
	atomic_store_explicit(&t->alloc_limit, NULL, memory_order_relaxed);
}

void pvp_poke_all(void)
{
	for (struct pvp_thread *t = pvp_core.threads; t; t = t->next) {
		poke(t);
		atomic_store_explicit(&t->tree_ready, false, memory_order_relaxed);
	}
}

void pvp_switch(_Atomic bool *which, bool on)
{
	if (atomic_exchange(which, on) == on)
		return;
	bool records = on != (which == &pvp_core.paused);
	if (!records)
		atomic_fetch_add(&pvp_core.pauses, 1);
	else if (which == &pvp_core.paused || which == &pvp_core.calls)
		atomic_fetch_add(&pvp_core.gaps, 1);
	pvp_poke_all();
}

/* ---- chunks */

static bool chunk_fits(const struct pvp_thread *t, size_t need)
{
	const uint8_t *at = atomic_load_explicit(&t->cursor, memory_order_relaxed);
	return t->chunk && (size_t)(t->chunk->end - at) >= need;
}

/*
 * A poked thread with the guard off enters the probe by pvp_room(), which waits for the lock: until
 * then others may change the thread's chunk.
 */
void pvp_take_back(void)
{
	uint32_t session = pvp_core.writing;
	atomic_store(&pvp_backpressure.wanted, false);
	pthread_mutex_lock(&pvp_core.lock);
	for (struct pvp_thread *t = pvp_core.threads; t; t = t->next)
		if (t->session == session && t->chunk)
			poke(t);
	pthread_mutex_unlock(&pvp_core.lock);
	pvp_backpressure_barrier();
	pthread_mutex_lock(&pvp_core.lock);
	for (struct pvp_thread *t = pvp_core.threads; t; t = t->next)
		if (t->session == session && t->chunk && t->inside &&
			atomic_load_explicit(&t->poked, memory_order_relaxed) &&
			!atomic_load_explicit(t->inside, memory_order_acquire))
			hand_over(t);
	pthread_mutex_unlock(&pvp_core.lock);
}

static bool next_chunk(struct pvp_thread *t)
{
	hand_over(t);
	struct pvp_chunk *c = pvp_pool_take(t->pool);
	t->chunk = c;
	t->obj_base = 0;
	if (c) {
		c->lost = atomic_load_explicit(&t->lost, memory_order_relaxed);
		c->gaps = atomic_load_explicit(&pvp_core.gaps, memory_order_relaxed);
	}
	atomic_store_explicit(&t->cursor, c ? c->data : NULL, memory_order_release);
	return c;
}

static void join_session(struct pvp_thread *t, uint32_t session)
{
	hand_over(t);
	atomic_store_explicit(&t->lost, 0, memory_order_relaxed);
	atomic_signal_fence(
		memory_order_seq_cst); /* a handler may lose events here: count_lost() */
	t->session = session;
	atomic_signal_fence(memory_order_seq_cst);
	pvp_backpressure_joins();
	t->pool = pvp_core.pool;
	t->queue = NULL;
	t->queue_end = &t->queue;
	t->time = t->method = 0;
	t->name_new = t->name[0] != 0;
	memset(&t->w, 0, sizeof t->w);
	t->w.gaps = atomic_load_explicit(&pvp_core.gaps, memory_order_relaxed);
	atomic_store_explicit(&t->cursor, NULL, memory_order_relaxed);
}

void pvp_thread_began(void)
{
	if (!pvp_lock())
		return;
	struct pvp_thread *t = session_now() ? pvp_thread_here() : NULL;
	if (t) {
		if (t->session != session_now())
			join_session(t, session_now());
		t->since = pvp_monotonic();
	}
	pvp_unlock();
}

/* full: there is a session, but no chunk. */
static struct pvp_thread *room_locked(size_t need, bool *full)
{
	uint32_t session = session_now();
	struct pvp_thread *t = session ? pvp_thread_here() : pvp_tls.thread;
	if (!session) {
		hand_over(t);
		return NULL;
	}
	if (!t) {
		count_up(&pvp_core.orphans);
		return NULL;
	}
	if (t->session != session)
		join_session(t, session);
	atomic_store_explicit(&t->poked, false, memory_order_relaxed);
	t->clock = pvp_core.clock;
	bool same = t->chunk &&
		    t->chunk->gaps == atomic_load_explicit(&pvp_core.gaps, memory_order_relaxed);
	bool ok = (same && chunk_fits(t, need)) || next_chunk(t);
	*full = !ok;
	set_limits(t);
	return ok ? t : NULL;
}

/*
 * Locks the core for a thread that may not wait for long. The lock's holder is mostly the writer,
 * done in a moment; but a holder that stands still unlocks only when this thread is done.
 */
static bool lock_soon(void)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };
	bool got = pthread_mutex_trylock(&pvp_core.lock) == 0;
	unsigned most = atomic_load(&pvp_core.block) ? NAPS * PATIENT : NAPS;
	for (unsigned i = 0; !got && !pvp_tls.hopeless && i < most; i++) {
		nanosleep(&nap, NULL);
		got = pthread_mutex_trylock(&pvp_core.lock) == 0;
	}
	pvp_tls.hopeless = !got; /* the next events do not wait again */
	return got;
}

struct pvp_thread *pvp_thread_refresh(void)
{
	struct pvp_thread *t = pvp_tls.thread;
	uint32_t session = session_now();
	if (!session)
		return NULL;
	if (pvp_tls.hurried && !lock_soon())
		return t->session == session ? t : NULL;
	if (!pvp_tls.hurried)
		pthread_mutex_lock(&pvp_core.lock);
	session = session_now();
	t = session ? pvp_thread_here() : NULL;
	if (t && t->session != session)
		join_session(t, session);
	if (t) {
		t->clock = pvp_core.clock;
		atomic_store_explicit(&t->tree_ready, true, memory_order_relaxed);
	}
	pthread_mutex_unlock(&pvp_core.lock);
	return t;
}

/* Not recording: unless this is a child's first event. */
static struct pvp_thread *room_of_a_child(size_t need)
{
	if (!atomic_load_explicit(&pvp_reborn, memory_order_relaxed) || pvp_tls.muted)
		return NULL;
	void (*begin)(void) = atomic_exchange(&pvp_reborn, NULL);
	if (!begin)
		return NULL;
	pvp_guard_off();
	begin();
	pvp_guard_on();
	return session_now() ? pvp_room(need) : NULL;
}

static struct pvp_thread *room(size_t need, bool *full)
{
	struct pvp_thread *t = pvp_tls.thread;
	uint32_t session = session_now();
	if (session ? pvp_paused() : !t->chunk)
		return session ? NULL : room_of_a_child(need);
	if (t->session == session && !atomic_load_explicit(&t->poked, memory_order_relaxed)) {
		if (chunk_fits(t, need))
			return t;
		if (!t->chunk && pvp_chunks_free() == 0) {
			*full = true;
			return NULL;
		}
	}
	if (pvp_tls.hurried && !lock_soon()) {
		count_lost(t);
		return NULL;
	}
	if (!pvp_tls.hurried)
		pthread_mutex_lock(&pvp_core.lock);
	t = room_locked(need, full);
	pthread_mutex_unlock(&pvp_core.lock);
	return t;
}

struct pvp_thread *pvp_room(size_t need)
{
	bool full = false;
	struct pvp_thread *t = room(need, &full);
	while (full && pvp_backpressure_wait()) {
		full = false;
		t = room(need, &full);
	}
	if (full && session_now() && !pvp_paused())
		count_lost(pvp_tls.thread);
	return t;
}
