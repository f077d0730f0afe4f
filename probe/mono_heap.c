/*
 * Heap shots: taken at the end of a major collection, while the world stands still. Nothing may be
 * waited for and no memory asked of the allocator there, since a thread that was stopped may hold
 * any lock; so objects are encoded into pages of their own, mapped as needed, which the writer
 * gets when all of them are in. A shot that outgrows its bounds is given up whole, and counted.
 */
#include <stdatomic.h>
#include <sys/mman.h>

#include "common/format/mlpd.h"
#include "probe/emit.h"
#include "probe/host_mono.h"

enum {
	BLOCK = 1 << 20,
	OBJECT_ROOM = 16 << 10, /* more than any event here needs */
	REFERENCES = 512,       /* in one event; longer lists go on in further ones */
};

struct block {
	struct block *next;
	struct mlpd_buffer_header header;
	size_t n;
	uint8_t bytes[BLOCK - 128];
};

struct shot {
	struct block *first, **end, *last;
	struct mlpd_bases bases;
	size_t bytes;
	bool failed;
	uint64_t pairs[2 * REFERENCES];
};

static struct shot shot; /* of the collecting thread: there is one at a time */
static struct block *_Atomic ready; /* for the writer, in order; NULL: none */
static _Atomic uint64_t discarded;
static _Atomic bool wanted;
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
	if (shot.bytes + sizeof *b > pvp_mono.options.shot_bytes)
		return NULL;
	b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (b == MAP_FAILED)
		return NULL;
	b->header = (struct mlpd_buffer_header){ .time_base = last_ns,
		.thread = pvp_tls.thread->tid, .obj_base = object >> 3 };
	mlpd_bases_init(&shot.bases, &b->header);
	*shot.end = shot.last = b;
	shot.end = &b->next;
	shot.bytes += sizeof *b;
	return b;
}

static bool put(struct pv_event *ev, const struct pv_batch *pools, uint64_t object)
{
	struct block *b = shot.failed ? NULL : room(object);
	size_t n = b ? mlpd_encode(b->bytes + b->n, sizeof b->bytes - b->n, &shot.bases, &format, ev,
		pools) : 0;
	shot.failed |= n == 0;
	if (n)
		b->n += n;
	return n > 0;
}

static bool put_plain(uint8_t kind)
{
	struct pv_event ev = { .kind = kind, .time = last_ns };
	return put(&ev, NULL, 0);
}

/* A big object comes in several calls, the first of which alone has a size. */
static int object_met(MonoObject *object, MonoClass *klass, uintptr_t size, uintptr_t n,
	MonoObject **refs, uintptr_t *offsets, void *ctx)
{
	(void)klass, (void)ctx;
	uint64_t at = (uint64_t)(uintptr_t)object;
	struct pv_event ev = { .kind = PV_KIND_HEAP_OBJECT, .time = last_ns,
		.heap_object = { .object = at, .type = pvp_mono_type_met(object->vtable),
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
	const struct pvp_mono_options *o = &pvp_mono.options;
	bool every = o->shot_collections && ++collections % o->shot_collections == 0;
	bool time = o->shot_ms && now - last_ns >= (uint64_t)o->shot_ms * 1000000;
	return atomic_exchange_explicit(&wanted, false, memory_order_relaxed) || every || time;
}

static void take(void)
{
	shot.first = shot.last = NULL;
	shot.end = &shot.first;
	shot.bytes = 0;
	shot.failed = !put_plain(PV_KIND_HEAP_START);
	if (!shot.failed)
		mono_gc_walk_heap(0, object_met, NULL);
	put_plain(PV_KIND_HEAP_END);
}

void pvp_mono_heap_stopped(uint32_t generation)
{
	uint64_t now = pvp_monotonic();
	if (generation != (uint32_t)mono_gc_max_generation() || !pvp_tls.thread || !due(now))
		return;
	last_ns = now;
	/* The one before is not written yet: there is no room for two. */
	bool free_place = !atomic_load_explicit(&ready, memory_order_acquire);
	if (!free_place || !pvp_mono_types_hold()) {
		atomic_fetch_add_explicit(&discarded, 1, memory_order_relaxed);
		return;
	}
	take();
	pvp_mono_types_release();
	if (!shot.failed) {
		atomic_store_explicit(&ready, shot.first, memory_order_release);
		return;
	}
	drop(shot.first);
	atomic_fetch_add_explicit(&discarded, 1, memory_order_relaxed);
}

void pvp_mono_heap_collect(void)
{
	atomic_store_explicit(&wanted, true, memory_order_relaxed);
	mono_gc_collect(mono_gc_max_generation());
}

/* --- the writer's side */

void pvp_mono_heap_told(struct pvp_writer *w)
{
	struct block *all = atomic_load_explicit(&ready, memory_order_acquire);
	uint8_t head[MLPD_BUFFER_HEADER];
	bool ok = true;
	for (struct block *b = all; b && ok; b = b->next) {
		b->header.length = (uint32_t)b->n;
		struct iovec parts[2] = {
			{ head, mlpd_put_buffer_header(head, &b->header) },
			{ b->bytes, b->n },
		};
		ok = pvp_writer_send(w, parts, 2);
	}
	if (!all)
		return;
	drop(all);
	atomic_store_explicit(&ready, NULL, memory_order_release);
}

uint64_t pvp_mono_heap_discarded(void)
{
	return atomic_load_explicit(&discarded, memory_order_relaxed);
}
