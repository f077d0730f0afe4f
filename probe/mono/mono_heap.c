/*
 * Heap shots: taken in a major collection, while the world stands still. Nothing may be waited for
 * and no memory asked of the allocator there, since a thread that was stopped may hold any lock;
 * so roots and objects are encoded into pages of their own, mapped as needed, which the writer gets
 * when all of them are in. A shot that outgrows its bounds is given up whole, and counted.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>

#include "common/format/mlpd/mlpd.h"
#include "probe/core/emit.h"
#include "probe/mono/host_mono.h"

/* Wakes the finalizer's thread; exported by the runtime, in none of its headers. */
extern void mono_gc_finalize_notify(void);

enum {
	BLOCK = 1 << 20,
	OBJECT_ROOM = 16 << 10, /* more than any event here needs */
	REFERENCES = 512,       /* in one event; longer lists go on in further ones */
	WAITING = 16,           /* shots that the writer has yet to take */
};

struct block {
	struct block *next;
	struct mlpd_buffer_header header;
	uint64_t stopped_ns; /* when the world had come to a stop */
	size_t n;
	uint8_t bytes[BLOCK - 128];
};

struct shot {
	struct block *first, **end, *last;
	struct mlpd_bases bases;
	size_t bytes;
	bool open, failed;
	uint64_t now; /* of the events that are added */
	uint64_t pairs[2 * REFERENCES];
};

static struct shot shot;                     /* of the collecting thread: there is one at a time */
static struct block *_Atomic ready[WAITING]; /* for the writer: from shot `taken` on */
static _Atomic uint64_t finished, taken;
static _Atomic size_t held; /* bytes of them */
static _Atomic uint64_t discarded;
static _Atomic bool wanted;  /* by the next major collection */
static _Atomic bool collect; /* asked for from outside: somebody of the runtime is to collect */
static uint64_t collections, last_ns;

static const struct mlpd_format format = { MLPD_NEWEST, 3, 8, 0 };

/* --- the collecting thread's side */

static void drop(struct block *b)
{
	while (b) {
		struct block *next = b->next;
		munmap(b, sizeof *b);
		b = next;
	}
}

static struct block *room(uint64_t object)
{
	struct block *b = shot.last;
	if (b && sizeof b->bytes - b->n >= OBJECT_ROOM)
		return b;
	size_t others = atomic_load_explicit(&held, memory_order_relaxed);
	if (others + shot.bytes + sizeof *b > pvp_mono.options.shot_bytes)
		return NULL;
	b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (b == MAP_FAILED)
		return NULL;
	b->header = (struct mlpd_buffer_header){
		.time_base = shot.now, .thread = pvp_tls.thread->tid, .obj_base = object >> 3
	};
	b->stopped_ns = last_ns;
	mlpd_bases_init(&shot.bases, &b->header);
	*shot.end = shot.last = b;
	shot.end = &b->next;
	shot.bytes += sizeof *b;
	return b;
}

static bool put(struct pv_event *ev, const struct pv_batch *pools, uint64_t object)
{
	struct block *b = shot.failed ? NULL : room(object);
	ev->time = shot.now;
	size_t n = b ? mlpd_encode(b->bytes + b->n, sizeof b->bytes - b->n, &shot.bases, &format,
			       ev, pools)
		     : 0;
	shot.failed |= n == 0;
	if (n)
		b->n += n;
	return n > 0;
}

static bool put_plain(uint8_t kind)
{
	struct pv_event ev = { .kind = kind };
	return put(&ev, NULL, 0);
}

/* A big object comes in several calls, only the first of which has a size. */
static int object_met(MonoObject *object, MonoClass *klass, uintptr_t size, uintptr_t n,
	MonoObject **refs, uintptr_t *offsets, void *ctx)
{
	(void)klass, (void)ctx;
	uint64_t at = (uint64_t)(uintptr_t)object;
	struct pv_event ev = { .kind = PV_KIND_HEAP_OBJECT,
		.heap_object = { .object = at,
			.type = pvp_mono_type_met(object->vtable),
			.size = (size + 7) & ~(uint64_t)7,
			.generation = (uint64_t)mono_gc_get_generation(object) } };
	uintptr_t done = 0;
	do {
		uintptr_t some = n - done < REFERENCES ? n - done : REFERENCES;
		for (uintptr_t i = 0; i < some; i++) {
			shot.pairs[2 * i] = offsets[done + i];
			shot.pairs[2 * i + 1] = (uint64_t)(uintptr_t)refs[done + i];
		}
		const struct pv_batch pools = { .pool = { shot.pairs, 2 * some, 2 * some } };
		ev.heap_object.refs = (struct pv_span){ 0, (uint32_t)(2 * some) };
		if (!put(&ev, &pools, at))
			return 1;
		ev.heap_object.size = 0;
		done += some;
	} while (done < n);
	return 0;
}

static bool due(uint64_t now)
{
	const struct pvp_managed_options *o = &pvp_mono.options;
	bool every = o->shot_collections && ++collections % o->shot_collections == 0;
	bool time = o->shot_ms && now - last_ns >= (uint64_t)o->shot_ms * 1000000;
	return atomic_exchange_explicit(&wanted, false, memory_order_relaxed) || every || time;
}

static void give_up(void)
{
	drop(shot.first);
	shot.first = NULL;
	atomic_fetch_add_explicit(&discarded, 1, memory_order_relaxed);
}

bool pvp_mono_heap_begins(uint32_t generation)
{
	uint64_t now = pvp_monotonic();
	if (generation != (uint32_t)mono_gc_max_generation() || !pvp_tls.thread || shot.open ||
		!due(now))
		return false;
	shot.now = last_ns = now;
	if (atomic_load_explicit(&finished, memory_order_relaxed) -
			atomic_load_explicit(&taken, memory_order_acquire) >=
		WAITING) {
		atomic_fetch_add_explicit(&discarded, 1, memory_order_relaxed);
		return false;
	}
	shot.first = shot.last = NULL;
	shot.end = &shot.first;
	shot.bytes = 0;
	shot.failed = false;
	shot.open = true;
	put_plain(PV_KIND_HEAP_START);
	return true;
}

bool pvp_mono_heap_root(struct pv_event *ev, const struct pv_batch *pools, uint64_t object)
{
	if (shot.open)
		put(ev, pools, object);
	return shot.open;
}

void pvp_mono_heap_ends(void)
{
	pvp_mono_join_stopped();
	if (!shot.open)
		return;
	shot.open = false;
	shot.now = pvp_monotonic();
	if (!pvp_mono_types_hold()) {
		give_up();
		return;
	}
	mono_gc_walk_heap(0, object_met, NULL);
	pvp_mono_types_release();
	shot.now = pvp_monotonic();
	if (!put_plain(PV_KIND_HEAP_END)) {
		give_up();
		return;
	}
	uint64_t n = atomic_load_explicit(&finished, memory_order_relaxed);
	atomic_fetch_add_explicit(&held, shot.bytes, memory_order_relaxed);
	atomic_store_explicit(&ready[n % WAITING], shot.first, memory_order_relaxed);
	atomic_store_explicit(&finished, n + 1, memory_order_release);
}

void pvp_mono_heap_collect(void)
{
	atomic_store_explicit(&wanted, true, memory_order_relaxed);
	mono_gc_collect(mono_gc_max_generation());
}

void pvp_mono_heap_asked(void)
{
	if (atomic_load_explicit(&collect, memory_order_relaxed) &&
		atomic_exchange_explicit(&collect, false, memory_order_relaxed))
		pvp_mono_heap_collect();
}

/* --- any thread's, also one that the runtime does not know */

enum pvp_reply pvp_mono_heap_ask(char *say, size_t size)
{
	uint64_t n = atomic_load_explicit(&finished, memory_order_relaxed);
	atomic_store_explicit(&collect, true, memory_order_relaxed);
	mono_gc_finalize_notify();
	snprintf(say, size, "shot=%llu", (unsigned long long)n);
	return PVP_REPLY_OK;
}

/* --- the writer's side */

/* All of it to one reader, or to none. */
static bool send(struct pvp_writer *w, struct block *all)
{
	uint8_t head[MLPD_BUFFER_HEADER];
	bool whole = true;
	for (struct block *b = all; b && whole; b = b->next) {
		b->header.length = (uint32_t)b->n;
		struct iovec parts[2] = {
			{ head, mlpd_put_buffer_header(head, &b->header) },
			{ b->bytes, b->n },
		};
		whole = pvp_writer_send(w, parts, 2);
		w->amid = true;
	}
	w->amid = false;
	return whole;
}

void pvp_mono_heap_flushed(struct pvp_writer *w, uint64_t until)
{
	uint64_t n = atomic_load_explicit(&taken, memory_order_relaxed);
	for (; n < atomic_load_explicit(&finished, memory_order_acquire); n++) {
		struct block *all = atomic_load_explicit(&ready[n % WAITING], memory_order_relaxed);
		if (all->stopped_ns > until)
			return;
		if (!send(w, all))
			atomic_fetch_add_explicit(&discarded, 1, memory_order_relaxed);
		size_t bytes = 0;
		for (struct block *b = all; b; b = b->next)
			bytes += sizeof *b;
		drop(all);
		atomic_fetch_sub_explicit(&held, bytes, memory_order_relaxed);
		atomic_store_explicit(&taken, n + 1, memory_order_release);
	}
}

uint64_t pvp_mono_heap_discarded(void)
{
	return atomic_load_explicit(&discarded, memory_order_relaxed);
}
