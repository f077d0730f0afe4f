/* SPDX-License-Identifier: MIT */
/* Samples by signal: borrows a signal, takes samples in the handler, writes them with names. */
#include "probe/code/native_samples.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "probe/code/borrowed_signal.h"
#include "probe/code/kernel_names.h"
#include "probe/code/modules.h"
#include "probe/code/perf_map.h"
#include "probe/code/probe_frames.h"
#include "probe/code/sample_rings.h"
#include "probe/code/stack_ends.h"
#include "probe/unwind/unwind_set.h"
#include "probe/unwind/unwind_walk.h"
#include "probe/code/wait_sampler.h"
#include "probe/code/wait_state.h"
#include "probe/ground/probe_clock.h"
#include "probe/core/registry.h"
#include "probe/ground/sample_rate.h"
#include "probe/core/writer.h"

enum {
	FRAMES = PVP_SAMPLE_FRAMES,
	OFTEN_NS = 1000000000, /* ns: files are often loaded in a row */
};

static _Atomic unsigned hz;
static _Atomic bool with_usage;
static _Atomic unsigned changes; /* of the rate; all timers are then made anew */
static unsigned changes_seen;    /* the writer's */
static int number;               /* of the signal, under `taking`; 0: none taken yet */
static uint64_t given;           /* bits of signals given to the program, under `taking` */

const struct pvp_signal_ways *pvp_signals;

/* ---- in the signal's handler */

static struct pvp_registers where(const ucontext_t *u)
{
	struct pvp_registers at = { .pc = 0 };
#if defined(__x86_64__)
	at.pc = (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
	at.fp = (uintptr_t)u->uc_mcontext.gregs[REG_RBP];
	at.sp = (uintptr_t)u->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
	at.pc = (uintptr_t)u->uc_mcontext.pc;
	at.fp = (uintptr_t)u->uc_mcontext.regs[29];
	at.sp = (uintptr_t)u->uc_mcontext.sp;
#else
	(void)u;
#endif
	return at;
}

static void take_sample(struct pvp_ring *r, uint32_t times, const ucontext_t *context)
{
	struct pvp_sample *s = pvp_ring_open(r);
	if (!s)
		return;
	struct pvp_registers at = where(context);
	uint64_t kernel[PVP_KERNEL_FRAMES];
	unsigned in_kernel = pvp_kernel_take(&r->kernel, at.pc, at.sp, kernel);
	s->time = pvp_monotonic();
	s->ip = in_kernel ? kernel[0] : at.pc;
	s->weight = times;
	s->used = (struct pvp_usage){ 0, 0 };
	if (atomic_load_explicit(&with_usage, memory_order_relaxed))
		s->used = pvp_usage_since(&r->used);
	/* Callers of the first function in the kernel, the place that entered it, its callers. */
	s->n = in_kernel;
	for (unsigned i = 0; i + 1 < in_kernel; i++)
		s->caller[i] = kernel[i + 1];
	if (in_kernel)
		s->caller[in_kernel - 1] = at.pc + 1;
	s->n += pvp_unwind_walk(&at, s->caller + in_kernel, FRAMES - in_kernel, &s->stop);
	pvp_ring_close(r, s);
}

/* Also a signal after the end of its timer. A perf event's signal carries no pointer. */
static bool is_our_signal(const siginfo_t *info)
{
	if (info->si_code != SI_TIMER)
		return info->si_code == POLL_HUP || info->si_code == POLL_IN;
	struct pvp_ring *r = pvp_rings_first();
	while (r && r != info->si_value.sival_ptr)
		r = r->next;
	return r;
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	int before = errno;
	struct pvp_ring *r =
		atomic_load_explicit(&hz, memory_order_relaxed) ? pvp_ring_of_signal(info) : NULL;
	if (!r && pvp_signals && !is_our_signal(info))
		pvp_signals->pass(signal, info, context);
	uint32_t times = r ? pvp_sample_timer_due(&r->timer) : 0;
	if (times)
		take_sample(r, times, context);
	errno = before;
}

/* ---- the signal */

static pthread_mutex_t taking = PTHREAD_MUTEX_INITIALIZER;

static void give_way(void);

static const struct pvp_borrowed borrowed = { on_signal, is_our_signal, NULL, give_way };

static bool borrow(int n)
{
	struct sigaction ours = { .sa_sigaction = on_signal,
		.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };
	sigfillset(&ours.sa_mask);
	return pvp_signals ? pvp_signals->borrow(n, &borrowed) : sigaction(n, &ours, NULL) == 0;
}

static int find_signal(void)
{
	struct sigaction now;
	for (int n = SIGRTMAX - 1; n > SIGRTMIN; n--) {
		if (given >> n & 1 || sigaction(n, NULL, &now) != 0 || now.sa_handler != SIG_DFL)
			continue;
		if (borrow(n))
			return n;
	}
	return 0;
}

/* False after the program's own system call. */
static bool still_ours(int n)
{
	struct sigaction now;
	bool known = pvp_signals ? pvp_signals->real(n, &now) : sigaction(n, NULL, &now) == 0;
	return known && now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_signal;
}

/* Under `taking`. The signal is the program's from here on. */
static void give_signal(void)
{
	given |= UINT64_C(1) << number;
	if (pvp_signals && still_ours(number))
		pvp_signals->give_back(number);
	number = 0;
}

/* Takes an unused signal: the highest free real-time signal, which queues its values. */
static int take_signal(void)
{
	pthread_mutex_lock(&taking);
	if (number && !still_ours(number))
		give_signal();
	if (!number)
		number = find_signal();
	int taken = number;
	pthread_mutex_unlock(&taking);
	return taken;
}

void pvp_native_samples_unblock(void)
{
	sigset_t blocked, ours;
	if (pthread_sigmask(SIG_BLOCK, NULL, &blocked) != 0)
		return;
	for (int n = SIGRTMIN; n <= SIGRTMAX; n++)
		if (!sigismember(&blocked, n))
			return; /* the program blocks some by choice */
	sigemptyset(&ours);
	int taken = take_signal();
	if (taken && sigaddset(&ours, taken) == 0)
		pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
}

/*
 * Sets the samples a second of each thread's processor time, at most pvp_sample_possible(); 0:
 * none, also on errors of the system. Waiting threads are never interrupted.
 */
static void set_rate(unsigned wanted)
{
	unsigned possible = wanted && take_signal() ? pvp_sample_possible(wanted) : 0;
	atomic_store(&hz, pvp_rings_set(possible, number) == 0 ? possible : 0);
	atomic_fetch_add(&changes, 1);
}

/* The timers end at once; new timers are made when the writer next searches for threads. */
static void give_way(void)
{
	unsigned before = atomic_exchange(&hz, 0);
	pvp_rings_stop();
	pthread_mutex_lock(&taking);
	if (number)
		give_signal();
	pthread_mutex_unlock(&taking);
	if (before)
		set_rate(before);
}

/* The writer's. */
static void look_at_signal(void)
{
	if (!atomic_load(&hz) || still_ours(number))
		return;
	give_way();
	if (!atomic_load(&hz))
		pvp_samples_missed("the program has taken every signal that they could come by");
}

void pvp_native_samples_usage(bool wanted)
{
	atomic_store(&with_usage, wanted);
}

void pvp_native_samples_order(struct pvp_sample_order order)
{
	set_rate(order.hz);
	order.hz = order.hz ? pvp_sample_possible(order.hz) : 0;
	pvp_waits_follow(order);
}

/* ---- samples taken */

static uint64_t (*code_of)(uint64_t address);

void pvp_native_samples_ask(uint64_t (*key)(uint64_t address))
{
	code_of = key;
}

static uint64_t (*place_of)(struct pvp_writer *w, uint64_t address, uint64_t method, uint64_t time);

void pvp_native_samples_ask_place(
	uint64_t (*place)(struct pvp_writer *w, uint64_t address, uint64_t method, uint64_t time))
{
	place_of = place;
}

/* The key comes from the name, since code moves and other code takes the place. */
static uint64_t key_of_jit(uint64_t address)
{
	const char *name = pvp_perf_map_name(address);
	uint64_t key = name ? pvp_region_of_writer(name) : 0;
	return key ? key : pvp_region_of_writer("[unknown code]");
}

/*
 * The key of the function at the address; for a `caller`, of the place in the function. Named in
 * the log before use.
 */
static uint64_t key_of_address(struct pvp_writer *w, uint64_t address, bool caller, uint64_t time)
{
	uint64_t key = 0, asked = 0;
	if (pvp_is_kernel(address))
		key = pvp_region_of_writer(pvp_kernel_name(address));
	else if (code_of)
		key = asked = code_of(address);
	if (!key)
		key = caller ? pvp_modules_place(address) : pvp_modules_start(address);
	if (!key)
		key = key_of_jit(address);
	pvp_tell_method(w, key, time);
	return asked && caller && place_of ? place_of(w, address, asked, time) : key;
}

static uint64_t key_of_innermost(struct pvp_writer *w, uint64_t address, uint64_t time)
{
	return key_of_address(w, address, false, time);
}

static uint64_t key_of_caller(struct pvp_writer *w, uint64_t address, uint64_t time)
{
	return key_of_address(w, address, true, time);
}

/* `last`: followed by the processor time, in the same buffer. */
static bool put_sample_hit(struct pvp_writer *w, struct pvp_out_buffer *page,
	const struct pvp_sample *s, pid_t tid, bool last)
{
	uint64_t keys[2 + FRAMES], at[1 + FRAMES];
	bool own;
	at[0] = s->ip;
	memcpy(at + 1, s->caller, s->n * sizeof *at);
	uint32_t left = pvp_kernel_without_tick(at, 1 + s->n);
	keys[0] = at[0];
	uint32_t n = 1 + pvp_probe_frames_keys(w, s->time, at, left, key_of_innermost,
				 key_of_caller, keys + 1, &own);
	const struct pv_batch pools = { .pool = { keys, n, n } };
	struct pv_event ev = { .kind = PV_KIND_SAMPLE_HIT,
		.time = s->time,
		.hit = { .thread = (uint64_t)tid,
			.ips = { 0, !own && !pvp_is_kernel(keys[0]) }, /* in no file */
			.frames = { 1, n - 1 } } };
	struct pv_event cpu = { .kind = PV_KIND_EXT_CPU,
		.time = s->time,
		.cpu = { s->used.user_ns, s->used.kernel_ns } };
	last = last && s->used.user_ns + s->used.kernel_ns;
	size_t need = mlpd_encode_max(&ev, &pools) + mlpd_encode_max(&cpu, NULL);
	if (last && sizeof page->bytes - page->n < need && !pvp_out_buffer_send(w, page))
		return false;
	return pvp_out_buffer_add(w, page, &ev, &pools) &&
	       (!last || pvp_out_buffer_add(w, page, &cpu, NULL));
}

static void empty(struct pvp_writer *w, struct pvp_out_buffer *page, struct pvp_ring *r)
{
	uint64_t n = atomic_load_explicit(&r->written, memory_order_acquire);
	uint64_t at = atomic_load_explicit(&r->taken, memory_order_relaxed);
	pid_t owner = atomic_load_explicit(&r->owner, memory_order_relaxed);
	for (; at < n; at++) {
		const struct pvp_sample *s = &r->slot[at & (r->slots - 1)];
		for (uint32_t i = 0; i < s->weight; i++)
			put_sample_hit(w, page, s, owner, i + 1 == s->weight);
		pvp_stack_ends_count(PVP_SAMPLE_STACK, &s->stop, s->weight);
	}
	atomic_store_explicit(&r->taken, n, memory_order_release);
	uint64_t dropped = atomic_load_explicit(&r->dropped, memory_order_relaxed);
	atomic_fetch_add(&pvp_core.orphans, dropped - r->dropped_written);
	r->dropped_written = dropped;
}

/* Reads a living thread's name from the system; an ended thread has left its name. */
static void find_name(const struct pvp_ring *r, pid_t tid, char name[16])
{
	char path[64];
	snprintf(path, sizeof path, "/proc/self/task/%ld/comm", (long)tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, name, 15);
	if (fd >= 0)
		close(fd);
	if (n > 0)
		name[n] = 0;
	else
		memcpy(name, r->name, 16);
	name[strcspn(name, "\n")] = 0;
}

/* A thread with samples only is named nowhere else. */
static void tell_name(struct pvp_writer *w, struct pvp_out_buffer *page, struct pvp_ring *r)
{
	pid_t tid = atomic_load_explicit(&r->owner, memory_order_relaxed);
	char name[16];
	find_name(r, tid, name);
	const char *label = tid == getpid() ? "main" : strcmp(name, w->comm) == 0 ? "" : name;
	struct pv_event ev = { .kind = PV_KIND_THREAD_NAME,
		.time = pvp_monotonic(),
		.meta = { .key = (uint64_t)tid, .name = { label, strlen(label) } } };
	if (*label)
		pvp_out_buffer_add(w, page, &ev, NULL);
	r->nameless = false;
}

void pvp_native_samples_each(void (*look)(uint64_t address))
{
	for (struct pvp_ring *r = pvp_rings_first(); r; r = r->next) {
		uint64_t n = atomic_load_explicit(&r->written, memory_order_acquire);
		uint64_t at = atomic_load_explicit(&r->taken, memory_order_relaxed);
		for (; at < n; at++) {
			const struct pvp_sample *s = &r->slot[at & (r->slots - 1)];
			look(s->ip);
			for (uint32_t i = 0; i < s->n; i++)
				look(s->caller[i] - 1);
		}
	}
	pvp_waits_each(look);
}

static void count_end(const struct pvp_walk_stop *stop, uint64_t times)
{
	pvp_stack_ends_count(PVP_SAMPLE_STACK, stop, times);
}

static bool blocks(pid_t tid, int n)
{
	char status[2048];
	pvp_thread_file(tid, "status", status, sizeof status);
	const char *at = strstr(status, "\nSigBlk:");
	return at && strtoull(at + sizeof "\nSigBlk:" - 1, NULL, 16) >> (n - 1) & 1;
}

/* Notes why samples are missing, if any are; at the end, since asking takes a while. */
static void tell_missed(void)
{
	enum { MOST = 64 }; /* threads asked */
	unsigned asked = 0;
	if (pvp_rings_refused())
		pvp_samples_missed("none of threads for which the system had no timer (ulimit -i)");
	for (struct pvp_ring *r = pvp_rings_first(); r && asked < MOST; r = r->next) {
		pid_t tid = atomic_load_explicit(&r->owner, memory_order_acquire);
		bool sampled = atomic_load(&r->written) != r->began;
		if (!tid || r->left || (sampled && tid != getpid()))
			continue;
		asked++;
		if (blocks(tid, number)) {
			pvp_samples_missed("none of threads that block their signal");
			return;
		}
	}
}

void pvp_native_samples_tell(struct pvp_writer *w, struct pvp_out_buffer *page)
{
	look_at_signal();
	if (!pvp_rings_watch())
		atomic_fetch_add(&changes, 1); /* by ticks from here on */
	unsigned now = atomic_load(&changes);
	bool changed = now != changes_seen;
	changes_seen = now;
	if (atomic_load(&hz) && pvp_unwind_refresh())
		w->soon_until_ns = pvp_monotonic() + OFTEN_NS;
	if (atomic_load(&hz) && !changed)
		pvp_rings_look((pid_t)w->tid, false);
	for (struct pvp_ring *r = pvp_rings_first(); r; r = r->next) {
		if (atomic_load_explicit(&r->owner, memory_order_acquire)) {
			if (r->nameless && atomic_load(&r->written) != atomic_load(&r->taken))
				tell_name(w, page, r);
			empty(w, page, r);
		}
		pvp_ring_update(r, changed);
	}
	if (w->last && atomic_load(&hz))
		tell_missed();
	pvp_waits_tell(w, page, key_of_caller, count_end);
	pvp_stack_ends_tell(w);
	if (atomic_load(&hz) && changed)
		pvp_rings_look((pid_t)w->tid, true);
}

void pvp_native_samples_stop(void)
{
	atomic_store(&hz, 0);
	pvp_waits_stop();
	pvp_rings_stop();
	pvp_stack_ends_reset();
	pvp_unwind_finish();
	pvp_kernel_names_finish();
}

void pvp_native_samples_forget(void)
{
	pthread_mutex_init(&taking, NULL);
	if (pvp_signals)
		pvp_signals->forked();
	atomic_store(&hz, 0);
	pvp_waits_forget();
	pvp_unwind_forget();
	pvp_stack_ends_reset();
	pvp_rings_forget();
}
