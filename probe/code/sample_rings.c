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

#include "probe/core/perf_clock.h"
#include "probe/core/sample_rate.h"
#include "probe/core/thread_buf.h"

enum {
	LEAST_SLOTS = 128,   /* of a ring */
	ROUNDS_A_SECOND = 5, /* of the writer, at least: what a ring has to hold between two */
	BUCKETS = 1024,
	KINDS = 61,
	TRIES = 8,      /* at free rings for one that is large enough */
	ROUNDS = 3,     /* of the four in which a dying thread runs its destructors */
	MOST = 1 << 14, /* rings that threads make for themselves */
	SECOND = 1000000000,
};

static _Atomic(struct pvp_ring *) all; /* never shorter */

/* All of it under the lock; `ready` is read without. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pvp_ring *free_rings, *of_tid[BUCKETS];
static unsigned hz, made;
static int64_t debts[KINDS]; /* ns that ended threads were not sampled for; < 0: too often */
static int number;           /* of the signal */
static _Atomic bool ready, refused;
static pthread_key_t key;
static bool have_key;

static _Thread_local struct pvp_ring *here __attribute__((tls_model("initial-exec")));

/* A thread that has recorded something is not asked: a filter may kill for it. */
static pid_t tid_here(void)
{
	uint64_t known = pvp_tls.thread->tid;
	return known ? (pid_t)known : (pid_t)syscall(SYS_gettid);
}

struct pvp_ring *pvp_rings_first(void)
{
	return atomic_load_explicit(&all, memory_order_acquire);
}

/* Acquired: a timer's signal may be what a thread first hears of its ring, made by another. */
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

static bool is_empty(const struct pvp_ring *r)
{
	return atomic_load(&r->written) == atomic_load(&r->taken);
}

/* ---- under the lock */

static struct pvp_ring **place_of(pid_t tid)
{
	struct pvp_ring **at = &of_tid[(unsigned)tid % BUCKETS];
	while (*at && owner_of(*at) != tid)
		at = &(*at)->next_of_tid;
	return at;
}

static struct pvp_ring *new_ring(uint64_t slots)
{
	struct pvp_ring *r = mmap(NULL, sizeof *r + slots * sizeof *r->slot, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (r == MAP_FAILED)
		return NULL;
	r->slots = slots;
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
	atomic_store_explicit(&r->owner, w.tid, memory_order_release);
	if (!pvp_sample_timer_arm(&r->timer, &w)) {
		atomic_store(&refused, refused || errno == EAGAIN);
		pvp_kernel_close(&r->kernel);
		atomic_store_explicit(&r->owner, 0, memory_order_release);
		set_free(r);
		return NULL;
	}
	struct pvp_ring **first = &of_tid[(unsigned)w.tid % BUCKETS];
	r->next_of_tid = *first;
	*first = r;
	return r;
}

/* Whole periods of what there is. */
static int64_t pay(int64_t debt)
{
	int64_t period = SECOND / hz, whole = debt / period * period;
	int64_t most = PVP_SAMPLE_TIMES * period;
	return whole < -period ? -period : whole < most ? whole : most;
}

static void arm_here(pid_t tid, uintptr_t kind)
{
	int64_t *debt = &debts[kind % KINDS];
	const struct pvp_sample_wish w = { .tid = tid, .begins = true, .extra = pay(*debt) };
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

/* Its thread is not found by its number any more, which another may have next. */
static void disarm(struct pvp_ring *r)
{
	pid_t tid = owner_of(r);
	struct pvp_ring **at = place_of(tid);
	if (*at == r)
		*at = r->next_of_tid;
	pvp_sample_timer_disarm(&r->timer, tid, number);
	pvp_kernel_close(&r->kernel);
}

static void give_up(struct pvp_ring *r)
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

/* A thread in here is not cancelled: it would leave the lock held. */
static int enter(void)
{
	int before;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	pthread_mutex_lock(&lock);
	return before;
}

static void leave(int before)
{
	pthread_mutex_unlock(&lock);
	pthread_setcancelstate(before, NULL);
}

static void thread_ends(void)
{
	pid_t tid = tid_here();
	int before = enter();
	struct pvp_ring *r = *place_of(tid);
	if (r) {
		disarm(r);
		if (r->debt)
			*r->debt += pvp_sample_timer_uncounted(&r->timer);
		r->left = true;
		if (is_empty(r)) {
			atomic_store_explicit(&r->owner, 0, memory_order_release);
			set_free(r);
		} else {
			prctl(PR_GET_NAME, r->name);
		}
	}
	leave(before);
	here = NULL;
}

/* The key's destructor: after others, whose work is sampled, too. Its value is the round, from 1. */
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
	int before = enter();
	if (hz && !*place_of(tid))
		arm_here(tid, kind);
	leave(before);
	pthread_setspecific(key, (void *)1);
	if (guarded)
		pvp_guard_off();
	errno = errno_before;
}

/* ---- any thread's */

int pvp_rings_set(unsigned rate, int signal)
{
	int before = enter();
	int error = have_key ? 0 : pthread_key_create(&key, on_exit_of_thread);
	have_key = error == 0;
	hz = rate;
	number = signal;
	atomic_store(&refused, false);
	memset(debts, 0, sizeof debts);
	if (!have_key || !rate)
		atomic_store(&ready, false);
	leave(before);
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

/* `running`: it may have run for long. */
static void met(pid_t tid, bool running)
{
	pthread_mutex_lock(&lock);
	struct pvp_ring *r = *place_of(tid);
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
			met(tid, running);
	}
	closedir(d);
	atomic_store_explicit(&ready, have_key, memory_order_release);
}

void pvp_ring_update(struct pvp_ring *r, bool changed)
{
	pthread_mutex_lock(&lock);
	pid_t tid = owner_of(r);
	if (tid && r->left) {
		if (is_empty(r)) {
			atomic_store_explicit(&r->owner, 0, memory_order_release);
			set_free(r);
		}
	} else if (tid && (changed || !pvp_sample_timer_lives(&r->timer, tid, number) ||
				  (!r->seen && is_gone(tid)))) {
		give_up(r);
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
			give_up(r);
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
