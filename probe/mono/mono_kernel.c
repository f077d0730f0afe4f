/* SPDX-License-Identifier: MIT */
/* Pages of kernel stacks for Mono's threads: made, found and closed. */
#include "probe/mono/mono_kernel.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe/code/kernel_names.h"
#include "probe/code/kernel_stack.h"

enum { MOST = 1 << 14 }; /* threads at once */

/* A thread's page, never freed: a handler may still use it. Reused for other threads. */
struct of_thread {
	struct of_thread *next;
	_Atomic pid_t owner; /* 0: none; changed under the lock */
	bool seen;           /* in this round; under the lock */
	struct pvp_kernel_stack kernel;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct of_thread *) all; /* never shorter */
static unsigned made;                   /* under the lock */
static _Thread_local struct of_thread *here __attribute__((tls_model("initial-exec")));

static pid_t owner_of(struct of_thread *t)
{
	return atomic_load_explicit(&t->owner, memory_order_acquire);
}

static struct of_thread *find_thread(pid_t tid)
{
	struct of_thread *t = atomic_load_explicit(&all, memory_order_acquire);
	while (t && owner_of(t) != tid)
		t = t->next;
	return t;
}

/* ---- in the handler */

unsigned pvp_mono_kernel_take(uintptr_t pc, uintptr_t sp, uint64_t *to)
{
	struct of_thread *mine = here;
	if (!atomic_load_explicit(&all, memory_order_relaxed))
		return 0;
	pid_t tid = (pid_t)syscall(SYS_gettid);
	if (!mine || owner_of(mine) != tid)
		here = mine = find_thread(tid);
	return mine ? pvp_kernel_take(&mine->kernel, pc, sp, to) : 0;
}

/* ---- under the lock */

static struct of_thread *make_thread(void)
{
	struct of_thread *t = made < MOST ? calloc(1, sizeof *t) : NULL;
	if (!t)
		return NULL;
	made++;
	t->next = atomic_load_explicit(&all, memory_order_relaxed);
	atomic_store_explicit(&all, t, memory_order_release);
	return t;
}

static void meet_thread(pid_t tid)
{
	struct of_thread *t = find_thread(tid);
	bool is_new = !t;
	if (is_new)
		t = find_thread(0);
	if (!t)
		t = make_thread();
	if (!t)
		return;
	t->seen = true;
	if (!is_new)
		return;
	pvp_kernel_open(&t->kernel, tid);
	atomic_store_explicit(&t->owner, tid, memory_order_release);
}

static void give_up_thread(struct of_thread *t)
{
	atomic_store_explicit(&t->owner, 0, memory_order_release);
	pvp_kernel_close(&t->kernel);
}

/* Closes the pages of threads not seen in this round. */
static void clear(void)
{
	for (struct of_thread *t = atomic_load(&all); t; t = t->next) {
		if (owner_of(t) && !t->seen)
			give_up_thread(t);
		t->seen = false;
	}
}

static void look_at_threads(pid_t writer)
{
	DIR *d = opendir("/proc/self/task");
	if (!d)
		return;
	for (struct dirent *e; (e = readdir(d));) {
		pid_t tid = *e->d_name == '.' ? 0 : (pid_t)strtol(e->d_name, NULL, 10);
		if (tid && tid != writer)
			meet_thread(tid);
	}
	closedir(d);
}

/* ---- the writer's and others' */

void pvp_mono_kernel_round(const struct pvp_writer *w, bool wanted)
{
	if (!wanted && !atomic_load(&all))
		return;
	pthread_mutex_lock(&lock);
	if (wanted)
		look_at_threads((pid_t)w->tid);
	clear();
	pthread_mutex_unlock(&lock);
}

void pvp_mono_kernel_stop(void)
{
	pthread_mutex_lock(&lock);
	clear();
	pthread_mutex_unlock(&lock);
	pvp_kernel_names_finish();
}

void pvp_mono_kernel_forget(void)
{
	static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
	lock = fresh;
	for (struct of_thread *t = atomic_load(&all); t; t = t->next) {
		pvp_kernel_forget(&t->kernel);
		atomic_store(&t->owner, 0);
		t->seen = false;
	}
	here = NULL;
}
