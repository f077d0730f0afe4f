/* SPDX-License-Identifier: MIT */
/* Arms threads with timers, gives them rings, and takes both back at a thread's end. */
#include "probe/code/sample_rings.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe/ground/perf_clock.h"
#include "probe/ground/sample_rate.h"
#include "probe/core/thread_buf.h"

enum {
	LEAST_SLOTS = 128,   /* of a ring */
	DEEP_OF = 2,         /* room for callers if one sample in two is of the full depth */
	ROUNDS_A_SECOND = 5, /* of the writer, at least: a ring holds the samples between two */
	BUCKETS = 1024,
	KINDS = 61,
	TRIES = 8,      /* free rings tried, for a large enough ring */
	ROUNDS = 3,     /* of the four rounds of destructors of a dying thread */
	MOST = 1 << 14, /* rings made by threads themselves */
	SECOND = 1000000000,
};

static _Atomic(struct pvp_ring *) all; /* never shorter */

/* All under the lock; `ready` is read without. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pvp_ring *free_rings, *of_tid[BUCKETS];
static unsigned hz, made;
static int64_t debts[KINDS]; /* ns without samples of ended threads; < 0: sampled too often */
static int number;           /* of the signal */
static _Atomic bool ready, refused;
static pthread_key_t key;
static bool have_key;

static _Thread_local struct pvp_ring *here __attribute__((tls_model("initial-exec")));

/* A thread with a recorded event makes no system call: a filter may kill for the call. */
static pid_t tid_here(void)
{
	uint64_t known = pvp_tls.thread->tid;
	return known ? (pid_t)known : (pid_t)syscall(SYS_gettid);
}

struct pvp_ring *pvp_rings_first(void)
{
	return atomic_load_explicit(&all, memory_order_acquire);
}

/* Acquired: the timer's signal may be the thread's first sight of a ring made by another thread. */
static bool is_of(struct pvp_ring *r, pid_t tid)
{
	return r && atomic_load_explicit(&r->owner, memory_order_acquire) == tid;
}

struct pvp_ring *pvp_ring_of_signal(const siginfo_t *info)
{
	struct pvp_ring *mine = here, *first = pvp_rings_first();
	pid_t tid = tid_here();
	if (info->si_code == SI_TIMER)
		return is_of(info->si_value.sival_ptr, tid) ? info->si_value.sival_ptr : NULL;
	if (!is_of(mine, tid)) {
		mine = first;
		while (mine && !is_of(mine, tid))
			mine = mine->next;
		here = mine;
	}
	return mine && pvp_sample_timer_rang(&mine->timer, info) ? mine : NULL;
}

static pid_t owner_of(const struct pvp_ring *r)
{
	return atomic_load_explicit(&r->owner, memory_order_relaxed);
}

static bool is_ring_empty(const struct pvp_ring *r)
{
	return atomic_load(&r->written) == atomic_load(&r->taken);
}

/* ---- in the signal's handler */

/* Free words in a row, from *ret_at on; from the first word if the last row is too short. */
static bool find_room(const struct pvp_ring *r, uint64_t written, uint64_t taken, uint64_t *ret_at)
{
	if (written == taken) {
		*ret_at = 0;
		return true;
	}
	uint64_t from = r->next_caller;
	uint64_t until = (uint64_t)(r->slot[taken & (r->slots - 1)].caller - r->caller);
	bool ahead = from >= until && r->callers - from >= PVP_SAMPLE_FRAMES;
	*ret_at = ahead || from < until ? from : 0;
	return ahead || until - *ret_at > PVP_SAMPLE_FRAMES;
}

struct pvp_sample *pvp_ring_open(struct pvp_ring *r)
{
	uint64_t n = atomic_load_explicit(&r->written, memory_order_relaxed);
	uint64_t taken = atomic_load_explicit(&r->taken, memory_order_acquire), at;
	if (n - taken >= r->slots || !find_room(r, n, taken, &at)) {
		atomic_fetch_add_explicit(&r->dropped, 1, memory_order_relaxed);
		return NULL;
	}
	struct pvp_sample *s = &r->slot[n & (r->slots - 1)];
	s->caller = r->caller + at;
	return s;
}

void pvp_ring_close(struct pvp_ring *r, const struct pvp_sample *s)
{
	r->next_caller = (uint64_t)(s->caller - r->caller) + s->n;
	uint64_t n = atomic_load_explicit(&r->written, memory_order_relaxed);
	atomic_store_explicit(&r->written, n + 1, memory_order_release);
}

/* ---- under the lock */

static struct pvp_ring **ring_place(pid_t tid)
{
	struct pvp_ring **at = &of_tid[(unsigned)tid % BUCKETS];
	while (*at && owner_of(*at) != tid)
		at = &(*at)->next_of_tid;
	return at;
}

static struct pvp_ring *new_ring(uint64_t slots)
{
	uint64_t callers = slots * PVP_SAMPLE_FRAMES / DEEP_OF;
	size_t head = sizeof(struct pvp_ring) + slots * sizeof(struct pvp_sample);
	struct pvp_ring *r = mmap(NULL, head + callers * sizeof(uint64_t), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (r == MAP_FAILED)
		return NULL;
	r->slots = slots;
	r->callers = callers;
	r->caller = (void *)((char *)r + head);
	r->next = atomic_load_explicit(&all, memory_order_relaxed);
	atomic_store_explicit(&all, r, memory_order_release);
	made++;
	return r;
}

static struct pvp_ring *free_ring(bool may_make)
{
	uint64_t slots = LEAST_SLOTS;
	while (slots < hz / ROUNDS_A_SECOND)
		slots *= 2;
	struct pvp_ring **at = &free_rings;
	for (int i = 0; i < TRIES && *at && (*at)->slots < slots; i++)
		at = &(*at)->next_free;
	struct pvp_ring *r = *at;
	if (!r || r->slots < slots)
		return may_make ? new_ring(slots) : NULL;
	*at = r->next_free;
	return r;
}

static void set_free(struct pvp_ring *r)
{
	r->next_free = free_rings;
	free_rings = r;
}

static struct pvp_ring *arm(struct pvp_ring *r, const struct pvp_sample_wish *wish)
{
	struct pvp_sample_wish w = *wish;
	w.hz = hz;
	w.signal = number;
	w.token = r;
	r->began = atomic_load(&r->written);
	atomic_store(&r->taken, r->began); /* of a signal that came after the end */
	r->debt = NULL;
	r->seen = r->nameless = true;
	r->left = false;
	r->name[0] = 0;
	if (!pvp_sample_by_perf(hz)) /* else the timer does not come in the kernel */
		pvp_kernel_open(&r->kernel, w.tid);
	if (!pvp_sample_timer_make(&r->timer, &w)) {
		atomic_store(&refused, refused || errno == EAGAIN);
		pvp_kernel_close(&r->kernel);
		set_free(r);
		return NULL;
	}
	/* From here on a pending signal of the former timer finds the ring. */
	atomic_store_explicit(&r->owner, w.tid, memory_order_release);
	pvp_sample_timer_run(&r->timer, w.tid);
	struct pvp_ring **first = &of_tid[(unsigned)w.tid % BUCKETS];
	r->next_of_tid = *first;
	*first = r;
	return r;
}

/* Whole periods of what there is. */
static int64_t pay_debt(int64_t debt)
{
	int64_t period = SECOND / hz, whole = debt / period * period;
	int64_t most = PVP_SAMPLE_TIMES * period;
	return whole < -period ? -period : whole < most ? whole : most;
}

static void arm_here(pid_t tid, uintptr_t kind)
{
	int64_t *debt = &debts[kind % KINDS];
	const struct pvp_sample_wish w = { .tid = tid, .begins = true, .extra = pay_debt(*debt) };
	struct pvp_ring *r = free_ring(made < MOST);
	if (!r)
		return;
	r->used = (struct pvp_usage){ 0, 0 };
	here = arm(r, &w);
	if (!here)
		return;
	r->debt = debt;
	*debt -= r->timer.credit;
}

/* The ring is no longer found by thread number: another thread may have the number next. */
static void disarm(struct pvp_ring *r)
{
	pid_t tid = owner_of(r);
	struct pvp_ring **at = ring_place(tid);
	if (*at == r)
		*at = r->next_of_tid;
	pvp_sample_timer_disarm(&r->timer, tid, number);
	pvp_kernel_close(&r->kernel);
}

static void give_up_ring(struct pvp_ring *r)
{
	disarm(r);
	r->resting = true;
	atomic_store_explicit(&r->owner, 0, memory_order_release);
}

static bool is_gone(pid_t tid)
{
	return syscall(SYS_tgkill, getpid(), tid, 0) != 0 && errno == ESRCH;
}

/* ---- a thread's own */

/* A thread in here is not cancelled: the lock would stay held. */
static int enter_rings(void)
{
	int before;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	pthread_mutex_lock(&lock);
	return before;
}

static void leave_rings(int before)
{
	pthread_mutex_unlock(&lock);
	pthread_setcancelstate(before, NULL);
}

static void thread_ends(void)
{
	pid_t tid = tid_here();
	int before = enter_rings();
	struct pvp_ring *r = *ring_place(tid);
	if (r) {
		disarm(r);
		if (r->debt)
			*r->debt += pvp_sample_timer_uncounted(&r->timer);
		r->left = true;
		if (is_ring_empty(r)) {
			atomic_store_explicit(&r->owner, 0, memory_order_release);
			set_free(r);
		} else {
			prctl(PR_GET_NAME, r->name);
		}
	}
	leave_rings(before);
	here = NULL;
}

/* The key's destructor: after others, as their work is sampled. The value is the round, from 1. */
static void on_exit_of_thread(void *round)
{
	int before = errno;
	if ((uintptr_t)round < ROUNDS)
		pthread_setspecific(key, (void *)((uintptr_t)round + 1));
	else if (
		pvp_rings_ready()) /* else it has no timer any more, and a filter may forbid to ask */
		thread_ends();
	errno = before;
}

bool pvp_rings_refused(void)
{
	return atomic_load_explicit(&refused, memory_order_relaxed);
}

bool pvp_rings_ready(void)
{
	return atomic_load_explicit(&ready, memory_order_acquire);
}

void pvp_rings_thread_begins(uintptr_t kind)
{
	if (!pvp_rings_ready())
		return;
	int errno_before = errno;
	bool guarded = pvp_guard_on(); /* memory for the key is not the program's */
	pid_t tid = tid_here();
	int before = enter_rings();
	if (hz && !*ring_place(tid))
		arm_here(tid, kind);
	leave_rings(before);
	pthread_setspecific(key, (void *)1);
	if (guarded)
		pvp_guard_off();
	errno = errno_before;
}

/* ---- any thread's */

int pvp_rings_set(unsigned rate, int signal)
{
	int before = enter_rings();
	int error = have_key ? 0 : pthread_key_create(&key, on_exit_of_thread);
	have_key = error == 0;
	hz = rate;
	number = signal;
	atomic_store(&refused, false);
	memset(debts, 0, sizeof debts);
	if (!have_key || !rate)
		atomic_store(&ready, false);
	leave_rings(before);
	return error;
}

/* ---- the writer's */

bool pvp_rings_watch(void)
{
	pthread_mutex_lock(&lock);
	bool ok = pvp_perf_watch();
	pthread_mutex_unlock(&lock);
	return ok;
}

/* `running`: the thread may have run for long. */
static void thread_met(pid_t tid, bool running)
{
	pthread_mutex_lock(&lock);
	struct pvp_ring *r = *ring_place(tid);
	if (r) {
		r->seen = true;
	} else if (hz && (r = free_ring(true))) {
		r->used = running ? pvp_usage_of(tid) : (struct pvp_usage){ 0, 0 };
		arm(r, &(struct pvp_sample_wish){ .tid = tid });
	}
	pthread_mutex_unlock(&lock);
}

void pvp_rings_look(pid_t writer, bool running)
{
	DIR *d = opendir("/proc/self/task");
	if (!d)
		return;
	pthread_mutex_lock(&lock);
	for (struct pvp_ring *r = pvp_rings_first(); r; r = r->next)
		r->seen = false;
	pthread_mutex_unlock(&lock);
	for (struct dirent *e; (e = readdir(d));) {
		pid_t tid = *e->d_name == '.' ? 0 : (pid_t)strtol(e->d_name, NULL, 10);
		if (tid && tid != writer)
			thread_met(tid, running);
	}
	closedir(d);
	atomic_store_explicit(&ready, have_key, memory_order_release);
}

void pvp_ring_update(struct pvp_ring *r, bool changed)
{
	pthread_mutex_lock(&lock);
	pid_t tid = owner_of(r);
	if (tid && r->left) {
		if (is_ring_empty(r)) {
			atomic_store_explicit(&r->owner, 0, memory_order_release);
			set_free(r);
		}
	} else if (tid && (changed || !pvp_sample_timer_lives(&r->timer, tid, number) ||
				  (!r->seen && is_gone(tid)))) {
		give_up_ring(r);
	} else if (!tid && r->resting) {
		r->resting = false;
		set_free(r);
	}
	pthread_mutex_unlock(&lock);
}

void pvp_rings_stop(void)
{
	pthread_mutex_lock(&lock);
	atomic_store(&ready, false);
	hz = 0;
	for (struct pvp_ring *r = pvp_rings_first(); r; r = r->next) {
		if (!owner_of(r))
			continue;
		if (!r->left) {
			give_up_ring(r);
			continue;
		}
		atomic_store_explicit(&r->owner, 0, memory_order_release);
		set_free(r);
	}
	pthread_mutex_unlock(&lock);
}

void pvp_rings_forget(void)
{
	static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
	lock = fresh;
	atomic_store(&ready, false);
	hz = 0;
	free_rings = NULL;
	memset(of_tid, 0, sizeof of_tid);
	for (struct pvp_ring *r = pvp_rings_first(); r; r = r->next) {
		if (owner_of(r) && !r->left)
			pvp_sample_timer_forget(&r->timer);
		pvp_kernel_forget(&r->kernel);
		atomic_store_explicit(&r->owner, 0, memory_order_relaxed);
		r->resting = false;
		set_free(r);
	}
	here = NULL;
}
