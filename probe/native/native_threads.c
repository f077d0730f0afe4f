/* SPDX-License-Identifier: MIT */
/*
 * Called in place of pthread_create() and thrd_create() (which calls the former inside the C
 * library), to sample threads from their beginning. The probe's start function has left the stack
 * when the program's own is called.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <threads.h>

#include "probe/code/native_samples.h"
#include "probe/code/sample_rings.h"
#include "probe/native/native_deferred.h"
#include "probe/native/native_next.h"

enum { STARTS = 256 }; /* threads made but not yet running; further ones are not announced */

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

typedef int create_c11_function(thrd_t *, thrd_start_t, void *);

static struct start {
	_Atomic bool taken;
	void *(*run)(void *); /* or */
	thrd_start_t run_c11;
	void *arg;
} starts[STARTS];

static struct start *take_start(void)
{
	static _Atomic unsigned turn;
	unsigned at = atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed);
	for (unsigned i = 0; i < STARTS; i++) {
		struct start *b = &starts[(at + i) % STARTS];
		if (!atomic_load_explicit(&b->taken, memory_order_relaxed) &&
			!atomic_exchange_explicit(&b->taken, true, memory_order_acquire))
			return b;
	}
	return NULL;
}

/* Of the C library, whatever stands between. */
static create_function *next_create(void)
{
	static _Atomic(create_function *) found;
	create_function *f = atomic_load_explicit(&found, memory_order_relaxed);
	if (f)
		return f;
	void *at = dlsym(RTLD_NEXT, "pthread_create");
	memcpy(&f, &at, sizeof f);
	atomic_store_explicit(&found, f, memory_order_relaxed);
	return f;
}

static create_c11_function *next_c11(void)
{
	static _Atomic(create_c11_function *) found;
	create_c11_function *f = atomic_load_explicit(&found, memory_order_relaxed);
	if (f)
		return f;
	void *at = dlsym(RTLD_NEXT, "thrd_create");
	memcpy(&f, &at, sizeof f);
	atomic_store_explicit(&found, f, memory_order_relaxed);
	return f;
}

/* NULL: threads are not sampled. */
static struct start *announce(void)
{
	if (!pvp_tls.muted)
		pvp_deferred_threads();
	bool wanted = pvp_rings_ready() || pvp_deferred_may_record();
	return wanted && !pvp_tls.muted ? take_start() : NULL;
}

static int begin_c11(void *at)
{
	struct start *b = at;
	thrd_start_t run = b->run_c11;
	void *arg = b->arg;
	atomic_store_explicit(&b->taken, false, memory_order_release);
	pvp_native_samples_unblock();
	pvp_rings_thread_begins((uintptr_t)run);
	return run(arg);
}

static void *begin_thread(void *at)
{
	struct start *b = at;
	void *(*run)(void *) = b->run;
	void *arg = b->arg;
	atomic_store_explicit(&b->taken, false, memory_order_release);
	pvp_native_samples_unblock();
	pvp_rings_thread_begins((uintptr_t)run);
	return run(arg);
}

PVP_EXPORT int pthread_create(
	pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
	create_function *create = next_create();
	if (!create)
		return EAGAIN;
	struct start *b = announce();
	if (!b)
		return create(thread, attr, run, arg);
	b->run = run;
	b->arg = arg;
	int error = create(thread, attr, begin_thread, b);
	if (error)
		atomic_store_explicit(&b->taken, false, memory_order_release);
	return error;
}

PVP_EXPORT int thrd_create(thrd_t *thread, thrd_start_t run, void *arg)
{
	create_c11_function *create = next_c11();
	if (!create)
		return thrd_error;
	struct start *b = announce();
	if (!b)
		return create(thread, run, arg);
	b->run_c11 = run;
	b->arg = arg;
	int error = create(thread, begin_c11, b);
	if (error != thrd_success)
		atomic_store_explicit(&b->taken, false, memory_order_release);
	return error;
}
