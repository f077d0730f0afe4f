/* SPDX-License-Identifier: MIT */
/*
 * Samples come in a signal handler, which may interrupt anything, even the probe: they go to a
 * ring, emptied by the writer. A slot is claimed by an atomic addition and published by a turn
 * number; when the ring is full, samples are dropped.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mono/metadata/loader.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "common/base/system/proc_file.h"
#include "probe/code/call_code.h"
#include "probe/code/kernel_names.h"
#include "probe/code/kernel_stack.h"
#include "probe/code/modules.h"
#include "probe/code/probe_frames.h"
#include "probe/code/thread_usage.h"
#include "probe/unwind/unwind_set.h"
#include "probe/unwind/unwind_walk.h"
#include "probe/code/wait_sampler.h"
#include "probe/code/world_stop.h"
#include "probe/core/emit.h"
#include "probe/mono/host_mono.h"
#include "probe/mono/mono_kernel.h"
#include "probe/mono/mono_methods.h"
#include "probe/mono/mono_timer.h"
#include "probe/managed/code_ranges.h"
#include "probe/managed/managed_names.h"
#include "probe/ground/probe_clock.h"
#include "probe/core/registry.h"
#include "probe/core/tell.h"
#include "probe/control/session.h"

enum {
	SLOTS = 4096,
	FRAMES = PVP_MANAGED_FRAMES, /* in a slot */
	MORE = 512 - FRAMES,         /* in a block: recursions are deep, and few samples are */
	BLOCKS_WORDS = 4,
	BLOCKS = 64 * BLOCKS_WORDS,
	NATIVE = 32,
};

struct slot {
	_Atomic uint64_t turn; /* 2n + 1: being written in turn n; 2n + 2: written */
	uint64_t time, thread, ip;
	struct pvp_usage used; /* since the thread's last sample */
	uint32_t n, times;     /* samples counted for this slot */
	uint32_t n_native;     /* callers in native code, innermost first */
	uint32_t n_kernel;     /* in `in_kernel` */
	uint32_t block;        /* of `deep` + 1; 0: none */
	bool cut;              /* there are callers beyond */
	uint64_t native[NATIVE];
	const MonoMethod *frames[FRAMES]; /* innermost first */
};

static struct slot *_Atomic ring; /* NULL: not sampling */
static const MonoMethod *deep[BLOCKS][MORE];
static _Atomic uint64_t blocks[BLOCKS_WORDS]; /* bits: in use */
/* The writer's: samples whose stack was cut. */
static uint64_t too_deep, too_deep_written;
static bool too_deep_described;
static uint64_t (
	*in_kernel)[PVP_KERNEL_FRAMES]; /* with each slot, innermost first; NULL: not wanted */
static _Atomic uint64_t claimed, taken, dropped;
static _Atomic unsigned hz, changes;  /* the latter: of the former */
static _Atomic bool sampling;         /* the runtime was asked for samples at its start */
static bool refused, refused_written; /* no signals left for a timer; written to the log */
static _Atomic bool ends;             /* names may not be asked for any more */

/* The thread's processor time at its last sample; all 0: never sampled. */
static _Thread_local struct {
	struct pvp_usage usage;
	uint64_t ns, rest; /* the latter: too little for a sample */
	unsigned changes;
} used __attribute__((tls_model("initial-exec")));

/*
 * Mono's sampler signals every thread whenever any thread computes. A wait interrupted by the
 * signal is at its system call again, or just after with EINTR: no sample of running code.
 */
static bool was_waiting(const ucontext_t *u)
{
#if defined(__x86_64__)
	enum { PAGE = 4096, CALL = sizeof pvp_call_code };
	uintptr_t pc = (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
	const uint8_t *at = (const uint8_t *)pc;
	if (pc % PAGE < CALL || pc % PAGE > PAGE - CALL)
		return false; /* the other page may be missing */
	return memcmp(at, pvp_call_code, CALL) == 0 ||
	       (u->uc_mcontext.gregs[REG_RAX] == -EINTR &&
		       memcmp(at - CALL, pvp_call_code, CALL) == 0);
#else
	(void)u;
	return false;
#endif
}

/* Number of samples due for the thread's processor time since the last sample. */
static uint32_t times(void)
{
	/* At first: native code may have run for long before the thread became the runtime's. */
	enum { MOST = 100, AT_FIRST = 4, SECOND = 1000000000 };
	struct timespec t;
	unsigned now = atomic_load_explicit(&changes, memory_order_relaxed);
	unsigned rate = atomic_load_explicit(&hz, memory_order_relaxed);
	if (!rate || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) != 0)
		return 0;
	uint64_t ns = (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
	uint64_t before = used.changes == now ? used.ns : ns;
	uint64_t each = SECOND / rate, have = ns - before + used.rest;
	bool first = used.ns == 0;
	used.changes = now;
	used.ns = ns;
	used.rest = have % each;
	uint32_t most = first ? AT_FIRST : MOST;
	return have / each < most ? (uint32_t)(have / each) : most;
}

/* Number + 1; 0: all are in use. Here as in a signal's handler. */
static uint32_t claim_block(void)
{
	for (uint32_t i = 0; i < BLOCKS_WORDS; i++) {
		uint64_t now = atomic_load_explicit(&blocks[i], memory_order_relaxed);
		while (~now) {
			unsigned bit = (unsigned)__builtin_ctzll(~now);
			if (atomic_compare_exchange_weak_explicit(&blocks[i], &now,
				    now | UINT64_C(1) << bit, memory_order_acquire,
				    memory_order_relaxed))
				return i * 64 + bit + 1;
		}
	}
	return 0;
}

static void free_block(struct slot *s)
{
	uint32_t at = s->block - 1;
	if (s->block)
		atomic_fetch_and_explicit(
			&blocks[at / 64], ~(UINT64_C(1) << at % 64), memory_order_release);
	s->block = 0;
}

static const MonoMethod **frame_at(struct slot *s, uint32_t i)
{
	return i < FRAMES ? &s->frames[i] : &deep[s->block - 1][i - FRAMES];
}

static mono_bool sample_frame(
	MonoMethod *method, MonoDomain *domain, void *base, int offset, void *ctx)
{
	struct slot *s = ctx;
	(void)domain, (void)base, (void)offset;
	if (!method)
		return 0;
	if (s->n == FRAMES && !s->block)
		s->block = claim_block();
	s->cut = s->n == (s->block ? FRAMES + MORE : FRAMES);
	if (!s->cut)
		*frame_at(s, s->n++) = method;
	return s->cut;
}

/*
 * The runtime knows managed frames only: this finds the native frames called by them, and the
 * kernel's functions called by those.
 */
static void walk_native(struct slot *s, const ucontext_t *u, uint64_t *kernel)
{
	s->n_native = s->n_kernel = 0;
#if defined(__x86_64__)
	const struct pvp_registers at = { .pc = (uintptr_t)u->uc_mcontext.gregs[REG_RIP],
		.sp = (uintptr_t)u->uc_mcontext.gregs[REG_RSP],
		.fp = (uintptr_t)u->uc_mcontext.gregs[REG_RBP] };
	if (kernel)
		s->n_kernel = pvp_mono_kernel_take(at.pc, at.sp, kernel);
	s->n_native = pvp_unwind_walk_files(&at, s->native, NATIVE);
#else
	(void)u, (void)kernel;
#endif
}

/* Threads that get the runtime's signal take part in its stops. */
static void joins_stops(void)
{
	static _Thread_local pid_t self __attribute__((tls_model("initial-exec")));
	if (!self)
		self = (pid_t)syscall(SYS_gettid);
	pvp_world_joins(self);
}

static void hit(MonoProfiler *p, const mono_byte *ip, const void *context)
{
	(void)p;
	pvp_mono_timer_learn(context);
	joins_stops();
	if (was_waiting(context))
		return;
	uint32_t n = times();
	if (!n)
		return;
	uint64_t turn = atomic_load_explicit(&claimed, memory_order_relaxed);
	do {
		if (turn - atomic_load_explicit(&taken, memory_order_acquire) >= SLOTS) {
			atomic_fetch_add_explicit(&dropped, 1, memory_order_relaxed);
			return;
		}
	} while (!atomic_compare_exchange_weak_explicit(
		&claimed, &turn, turn + 1, memory_order_relaxed, memory_order_relaxed));
	struct slot *s = &atomic_load_explicit(&ring, memory_order_acquire)[turn % SLOTS];
	atomic_store_explicit(&s->turn, 2 * turn + 1, memory_order_relaxed);
	s->time = pvp_monotonic();
	s->thread = (uint64_t)syscall(SYS_gettid);
	s->ip = (uint64_t)(uintptr_t)ip;
	s->n = s->block = 0;
	s->cut = false;
	s->times = n;
	s->used = (struct pvp_usage){ 0, 0 };
	if (pvp_mono.options.groups & PVP_MANAGED_CPU)
		s->used = pvp_usage_since(&used.usage);
	walk_native(s, context, in_kernel ? in_kernel[turn % SLOTS] : NULL);
	mono_stack_walk_async_safe(sample_frame, (void *)(uintptr_t)context, s);
	atomic_store_explicit(&s->turn, 2 * turn + 2, memory_order_release);
}

/* Samples lost to a full ring count like other lost events. */
static void tell_dropped(void)
{
	static uint64_t counted; /* the writer's */
	uint64_t now = atomic_load_explicit(&dropped, memory_order_relaxed);
	atomic_fetch_add(&pvp_core.orphans, now - counted);
	counted = now;
}

/* Writes the events of a slot; the processor time follows the last in the same buffer. */
static bool put_hit_events(struct pvp_writer *w, struct pvp_out_buffer *page, const struct slot *s,
	struct pv_event *ev, struct pv_event *cpu, const struct pv_batch *pools)
{
	size_t need = mlpd_encode_max(ev, pools) + mlpd_encode_max(cpu, NULL);
	for (uint32_t i = 1; i < s->times; i++)
		if (!pvp_out_buffer_add(w, page, ev, pools))
			return false;
	if (sizeof page->bytes - page->n < need && !pvp_out_buffer_send(w, page))
		return false;
	if (!pvp_out_buffer_add(w, page, ev, pools))
		return false;
	return !(s->used.user_ns + s->used.kernel_ns) || pvp_out_buffer_add(w, page, cpu, NULL);
}

/* Code compiled ahead of time is named by its file's symbols. */
static uint64_t address_key(struct pvp_writer *w, uint64_t address, uint64_t time)
{
	uint64_t key = pvp_is_kernel(address) ? pvp_region_of_writer(pvp_kernel_name(address))
					      : pvp_ranges_find(address);
	if (!key && (key = pvp_modules_start(address)) < PVP_MONO_ADDRESSES)
		key = PVP_MONO_UNKNOWN;
	pvp_tell_method(w, key, time);
	return key;
}

/* Whether the runtime itself finds the code: compiled now, or ahead of time into a file. */
static bool is_compiled(uint64_t address)
{
	const char *file = pvp_modules_file(address);
	size_t n = file ? strlen(file) : 0, end = sizeof ".dll.so" - 1;
	return pvp_ranges_find(address) ||
	       (n > end && (strcmp(file + n - end, ".dll.so") == 0 ||
				   strcmp(file + n - end, ".exe.so") == 0));
}

/* Addresses of frames called by managed ones: the place itself, then return addresses. */
static uint32_t native_of(const struct slot *s, const uint64_t *kernel, uint64_t *at)
{
	uint32_t n = s->n_kernel;
	for (uint32_t i = 0; i < n; i++)
		at[i] = kernel[i];
	at[n] = s->ip + (n > 0);
	memcpy(at + n + 1, s->native, s->n_native * sizeof *at);
	return pvp_kernel_without_tick(at, n + 1 + s->n_native);
}

/*
 * Keys, innermost first; returns their number. *ret_address: the first is an address without a key.
 * The kernel's functions, and the probe's own time, have keys.
 */
static uint32_t frames_of(struct pvp_writer *w, struct slot *s, const uint64_t *kernel,
	uint64_t *to, bool *ret_address)
{
	uint64_t at[PVP_KERNEL_FRAMES + 1 + NATIVE];
	bool own;
	uint32_t n = 0, left = pvp_probe_frames_fold(at, native_of(s, kernel, at), &own);
	*ret_address = !own && !pvp_is_kernel(at[0]);
	to[n++] = own            ? pvp_probe_frames_key(w, s->time)
		  : *ret_address ? at[0]
				 : address_key(w, at[0], s->time);
	for (uint32_t i = !own; i < left; i++) { /* a call may end its function */
		bool walked = s->n && at[i] == s->ip + 1 && is_compiled(s->ip);
		if (!walked) /* else the runtime's first frame */
			to[n++] = address_key(w, at[i] - 1, s->time);
	}
	for (uint32_t i = 0; i < s->n; i++) {
		uint64_t key = pvp_mono_method(*frame_at(s, i));
		if (atomic_load_explicit(&ends, memory_order_relaxed) && !pvp_names_knows(key))
			key = PVP_MONO_UNKNOWN;
		pvp_tell_method(w, key, s->time);
		to[n++] = key;
	}
	return n;
}

enum { INDEX = 1 << 24 }; /* of counters, like stack_ends.h: far above Mono's and the program's */

/* Counts stacks that were cut. */
static void tell_too_deep(struct pvp_writer *w)
{
	if (too_deep == too_deep_written)
		return;
	if (!too_deep_described &&
		!pvp_tell_new_counter(w, INDEX + 1, "sample stacks cut: too deep", false))
		return;
	too_deep_described = true;
	if (pvp_tell_step(w, pvp_monotonic(), INDEX + 1, too_deep - too_deep_written))
		too_deep_written = too_deep;
}

/* Reports that there are no samples, and why. */
static void tell_refused(struct pvp_writer *w)
{
	if (!refused || refused_written)
		return;
	refused_written =
		pvp_tell_new_counter(w, INDEX,
			"samples missed: Mono would be ended by the first, as its user may "
			"have no more signals pending (ulimit -i)",
			false) &&
		pvp_tell_step(w, pvp_monotonic(), INDEX, 1);
}

void pvp_mono_samples_again(void)
{
	refused_written = too_deep_described = false;
	too_deep_written = 0;
}

void pvp_mono_samples_tell(struct pvp_writer *w, struct pvp_out_buffer *page)
{
	tell_dropped();
	tell_refused(w);
	pvp_mono_timer_round(w);
	unsigned rate = atomic_load_explicit(&hz, memory_order_relaxed);
	/* Above the ticks a timer meets no thread in the kernel. */
	pvp_mono_kernel_round(w, in_kernel && rate && !pvp_sample_by_perf(rate));
	pvp_unwind_refresh();
	pvp_waits_tell(w, page, address_key, NULL);
	struct slot *slots = atomic_load_explicit(&ring, memory_order_acquire);
	uint64_t turn = atomic_load_explicit(&taken, memory_order_relaxed);
	for (; slots; turn++) {
		struct slot *s = &slots[turn % SLOTS];
		if (atomic_load_explicit(&s->turn, memory_order_acquire) != 2 * turn + 2)
			break;
		uint64_t keys[2 + PVP_KERNEL_FRAMES + NATIVE + FRAMES + MORE];
		bool address;
		uint32_t n =
			frames_of(w, s, in_kernel ? in_kernel[turn % SLOTS] : NULL, keys, &address);
		const struct pv_batch pools = { .pool = { keys, n, n } };
		struct pv_event ev = { .kind = PV_KIND_SAMPLE_HIT,
			.time = s->time,
			.hit = { .thread = s->thread,
				.ips = { 0, address },
				.frames = { address, n - address } } };
		struct pv_event cpu = { .kind = PV_KIND_EXT_CPU,
			.time = s->time,
			.cpu = { s->used.user_ns, s->used.kernel_ns } };
		if (!put_hit_events(w, page, s, &ev, &cpu, &pools))
			break;
		too_deep += s->cut ? s->times : 0;
		free_block(s);
		atomic_store_explicit(&taken, turn + 1, memory_order_release);
	}
	tell_too_deep(w);
}

/* Mono aborts if a signal of its sampler cannot be queued: the user may have too many pending. */
static bool may_signal(void)
{
	enum { LEAST = 64 };
	char status[4096];
	unsigned long queued, most;
	pv_proc_read(0, "status", status, sizeof status);
	const char *at = strstr(status, "\nSigQ:");
	return !at || sscanf(at, " SigQ: %lu/%lu", &queued, &most) != 2 || most >= queued + LEAST;
}

void pvp_mono_samples_init(struct _MonoProfiler *p)
{
	struct slot *slots = calloc(SLOTS, sizeof *slots);
	atomic_store_explicit(&ring, slots, memory_order_release);
	refused = !may_signal();
	if (!slots || refused || !mono_profiler_enable_sampling(p->handle))
		return;
	if (pvp_kernel_want(p->options.groups & PVP_MANAGED_KERNEL))
		in_kernel = calloc(SLOTS, sizeof *in_kernel);
	pvp_unwind_refresh(); /* for native frames in the first sample */
	atomic_store(&hz, p->options.sample_hz);
	mono_profiler_set_sample_mode(
		p->handle, MONO_PROFILER_SAMPLE_MODE_PROCESS, p->options.sample_hz);
	mono_profiler_set_sample_hit_callback(p->handle, hit);
	atomic_store(&sampling, true);
	pvp_mono_timer_rate(p->options.sample_hz);
	pvp_waits_follow((struct pvp_sample_order){ p->options.sample_hz, p->options.sample_real });
}

/* Mono stores mode and rate and wakes its sampling thread, which reads both. */
bool pvp_mono_samples_set(struct pvp_sample_order order)
{
	if (!atomic_load(&sampling))
		return false;
	atomic_store(&hz, order.hz);
	atomic_fetch_add(&changes, 1);
	pvp_mono_timer_rate(order.hz);
	pvp_waits_follow(order);
	return mono_profiler_set_sample_mode(pvp_mono.handle,
		order.hz ? MONO_PROFILER_SAMPLE_MODE_PROCESS : MONO_PROFILER_SAMPLE_MODE_NONE,
		order.hz ? order.hz : 1);
}

static bool sampler_has_name(void)
{
	bool found = false;
	DIR *d = opendir("/proc/self/task");
	for (struct dirent *e; d && !found && (e = readdir(d));) {
		char path[300], name[16] = "";
		snprintf(path, sizeof path, "/proc/self/task/%s/comm", e->d_name);
		int fd = *e->d_name == '.' ? -1 : open(path, O_RDONLY | O_CLOEXEC);
		found = fd >= 0 && read(fd, name, sizeof name - 1) > 0 &&
			strncmp(name, "Profiler Sample", sizeof name - 1) == 0;
		if (fd >= 0)
			close(fd);
	}
	if (d)
		closedir(d);
	return found;
}

/*
 * At its end the program waits until Mono's sampling thread has marked itself, and the thread never
 * ends before: a program that ended in between would hang. The thread sets its name right after the
 * mark.
 */
void pvp_mono_samples_began(void)
{
	enum { TRIES = 100, NAP_NS = 200000 };
	const struct timespec nap = { .tv_nsec = NAP_NS };
	for (int i = 0; i < TRIES && atomic_load(&sampling) && !sampler_has_name(); i++)
		nanosleep(&nap, NULL);
}

void pvp_mono_samples_named(void)
{
	atomic_store(&ends, true);
}

void pvp_mono_last_samples(void)
{
	if (pvp_mono.options.groups & (PVP_MANAGED_SAMPLES | PVP_MANAGED_COUNTERS))
		pvp_session_flush();
}
