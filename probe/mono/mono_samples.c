/*
 * Samples come in a signal handler, on whatever the thread was doing, also inside the probe: they
 * go to a ring of their own, which the writer empties. A slot is claimed by an atomic addition and
 * published by its turn number; when the writer is a whole ring behind, samples are dropped.
 */
#include <mono/metadata/loader.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe/core/emit.h"
#include "probe/mono/host_mono.h"
#include "probe/mono/mono_methods.h"
#include "probe/managed/managed_names.h"
#include "probe/core/probe_clock.h"
#include "probe/control/session.h"

enum { SLOTS = 4096, FRAMES = PVP_MANAGED_FRAMES };

struct slot {
	_Atomic uint64_t turn; /* 2n + 1: being written in turn n; 2n + 2: written */
	uint64_t time, thread, ip;
	uint64_t user_ns, kernel_ns; /* of the processor, since the thread's last sample */
	uint32_t n;
	const MonoMethod *frames[FRAMES]; /* innermost first */
};

static struct slot *_Atomic ring; /* NULL: not sampling */
static _Atomic uint64_t claimed, taken, dropped;
static _Atomic bool sampling; /* the runtime was asked for samples when it began */

/* Processor time of the thread at its last sample; both 0: never sampled. */
static _Thread_local struct {
	uint64_t user_ns, kernel_ns;
} used __attribute__((tls_model("initial-exec")));

static uint64_t ns_of(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_usec * 1000;
}

static void read_cpu(struct slot *s)
{
	struct rusage r;
	s->user_ns = s->kernel_ns = 0;
	if (!(pvp_mono.options.groups & PVP_MANAGED_CPU) || getrusage(RUSAGE_THREAD, &r) != 0)
		return;
	uint64_t user = ns_of(&r.ru_utime), kernel = ns_of(&r.ru_stime);
	/* The system splits them by guess and may take back some of what it gave to one. */
	s->user_ns = user > used.user_ns ? user - used.user_ns : 0;
	s->kernel_ns = kernel > used.kernel_ns ? kernel - used.kernel_ns : 0;
	used.user_ns = user;
	used.kernel_ns = kernel;
}

static mono_bool frame(MonoMethod *method, MonoDomain *domain, void *base, int offset, void *ctx)
{
	struct slot *s = ctx;
	(void)domain, (void)base, (void)offset;
	if (method)
		s->frames[s->n++] = method;
	return s->n == FRAMES;
}

static void hit(MonoProfiler *p, const mono_byte *ip, const void *context)
{
	(void)p;
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
	s->n = 0;
	read_cpu(s);
	mono_stack_walk_async_safe(frame, (void *)(uintptr_t)context, s);
	atomic_store_explicit(&s->turn, 2 * turn + 2, memory_order_release);
}

/* Samples that found the ring full are lost like other events. */
static void tell_dropped(void)
{
	static uint64_t told; /* the writer's */
	uint64_t now = atomic_load_explicit(&dropped, memory_order_relaxed);
	atomic_fetch_add(&pvp_core.orphans, now - told);
	told = now;
}

void pvp_mono_samples_tell(struct pvp_writer *w, struct pvp_out_buffer *page)
{
	tell_dropped();
	struct slot *slots = atomic_load_explicit(&ring, memory_order_acquire);
	uint64_t turn = atomic_load_explicit(&taken, memory_order_relaxed);
	for (; slots; turn++) {
		struct slot *s = &slots[turn % SLOTS];
		if (atomic_load_explicit(&s->turn, memory_order_acquire) != 2 * turn + 2)
			break;
		uint64_t keys[1 + FRAMES];
		keys[0] = s->ip;
		for (uint32_t i = 0; i < s->n; i++) {
			keys[1 + i] = pvp_mono_method(s->frames[i]);
			pvp_tell_method(w, keys[1 + i], s->time);
		}
		const struct pv_batch pools = { .pool = { keys, 1 + s->n, 1 + s->n } };
		struct pv_event ev = { .kind = PV_KIND_SAMPLE_HIT,
			.time = s->time,
			.hit = { .thread = s->thread, .ips = { 0, 1 }, .frames = { 1, s->n } } };
		struct pv_event cpu = { .kind = PV_KIND_EXT_CPU,
			.time = s->time,
			.cpu = { s->user_ns, s->kernel_ns } };
		size_t need = mlpd_encode_max(&ev, &pools) + mlpd_encode_max(&cpu, NULL);
		/* They are to stand in one buffer. */
		if (sizeof page->bytes - page->n < need && !pvp_out_buffer_send(w, page))
			break;
		if (!pvp_out_buffer_add(w, page, &ev, &pools))
			break;
		if (s->user_ns + s->kernel_ns && !pvp_out_buffer_add(w, page, &cpu, NULL))
			break;
		atomic_store_explicit(&taken, turn + 1, memory_order_release);
	}
}

void pvp_mono_samples_init(struct _MonoProfiler *p)
{
	struct slot *slots = calloc(SLOTS, sizeof *slots);
	atomic_store_explicit(&ring, slots, memory_order_release);
	if (!slots || !mono_profiler_enable_sampling(p->handle))
		return;
	mono_profiler_set_sample_mode(
		p->handle, MONO_PROFILER_SAMPLE_MODE_PROCESS, p->options.sample_hz);
	mono_profiler_set_sample_hit_callback(p->handle, hit);
	atomic_store(&sampling, true);
}

/* Mono keeps both numbers and wakes its own thread, which looks at them. */
bool pvp_mono_samples_set(unsigned hz)
{
	if (!atomic_load(&sampling))
		return false;
	return mono_profiler_set_sample_mode(pvp_mono.handle,
		hz ? MONO_PROFILER_SAMPLE_MODE_PROCESS : MONO_PROFILER_SAMPLE_MODE_NONE,
		hz ? hz : 1);
}

void pvp_mono_last_samples(void)
{
	if (pvp_mono.options.groups & (PVP_MANAGED_SAMPLES | PVP_MANAGED_COUNTERS))
		pvp_session_flush();
}
