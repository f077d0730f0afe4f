/* SPDX-License-Identifier: MIT */
/* Maps the rings of perf events, and merges their records by time. */
#include "probe/outside/rings.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "probe/outside/events.h"

struct ring {
	int fd, cpu;
	bool hung_up;
	struct perf_event_mmap_page *page;
	const uint8_t *data;
	uint64_t size, tail;
	bool has; /* a record waits, with this header and time: */
	struct perf_event_header header;
	uint64_t time;
};

static PV_ARRAY(struct ring) rings;
static size_t most = PVO_RING;

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

int pvo_rings_processors(void)
{
	return get_nprocs_conf();
}

void pvo_rings_deepen(void)
{
	enum { ROOM = 8 << 20 };
	struct rlimit own;
	if (getrlimit(RLIMIT_MEMLOCK, &own) != 0)
		return;
	size_t more = own.rlim_cur < ROOM ? (size_t)own.rlim_cur : (size_t)ROOM;
	size_t each = PVO_RING + more / (size_t)pvo_rings_processors();
	while (2 * most <= each && most < PVO_RING_DEEP)
		most *= 2;
}

static struct ring *ring_of(int cpu)
{
	for (size_t i = 0; i < rings.n; i++)
		if (rings.v[i].cpu == cpu)
			return &rings.v[i];
	return NULL;
}

static int make_ring(int fd, int cpu)
{
	void *at = MAP_FAILED;
	size_t bytes = most;
	for (; at == MAP_FAILED && bytes >= PVO_RING_LEAST; bytes /= 2)
		at = mmap(NULL, page_bytes() + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	bytes *= 2; /* as in the last mmap() */
	if (at == MAP_FAILED)
		return errno;
	if (!pv_reserve(&rings, 1)) {
		munmap(at, page_bytes() + bytes);
		return ENOMEM;
	}
	rings.v[rings.n++] = (struct ring){ .fd = fd,
		.cpu = cpu,
		.page = at,
		.data = (const uint8_t *)at + page_bytes(),
		.size = bytes };
	return 0;
}

int pvo_rings_join(int fd, int cpu)
{
	const struct ring *r = ring_of(cpu);
	if (!r)
		return make_ring(fd, cpu);
	return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, r->fd) == 0 ? 0 : errno;
}

bool pvo_rings_any(void)
{
	return rings.n > 0;
}

void pvo_rings_close(void)
{
	for (size_t i = 0; i < rings.n; i++)
		munmap(rings.v[i].page, page_bytes() + rings.v[i].size);
	pv_array_finish(&rings);
}

/* ---- waiting */

size_t pvo_events_poll(struct pollfd *to, size_t room)
{
	size_t n = 0;
	for (size_t i = 0; i < rings.n && n < room; i++)
		if (!rings.v[i].hung_up)
			to[n++] = (struct pollfd){ .fd = rings.v[i].fd, .events = POLLIN };
	return n;
}

void pvo_events_hung_up(int fd)
{
	for (size_t i = 0; i < rings.n; i++)
		rings.v[i].hung_up |= rings.v[i].fd == fd;
}

/* ---- reading */

static void copy(const struct ring *r, void *to, uint64_t from, size_t n)
{
	uint64_t at = from % r->size;
	size_t first = n < r->size - at ? n : (size_t)(r->size - at);
	memcpy(to, r->data + at, first);
	memcpy((uint8_t *)to + first, r->data, n - first);
}

static void give_up(struct ring *r, uint64_t head)
{
	r->tail = head;
	r->has = false;
	__atomic_store_n(&r->page->data_tail, r->tail, __ATOMIC_RELEASE);
}

/* Samples have the time after ip and {pid, tid}; other records end with the time. */
static void peek(struct ring *r)
{
	enum { TIME = 8, HEAD = sizeof(struct perf_event_header), IN_SAMPLE = HEAD + 16 };
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	if (r->has || head == r->tail)
		return;
	if (head - r->tail < sizeof r->header) {
		give_up(r, head);
		return;
	}
	copy(r, &r->header, r->tail, sizeof r->header);
	bool sample = r->header.type == PERF_RECORD_SAMPLE;
	uint64_t least = (sample ? IN_SAMPLE : HEAD) + TIME;
	if (r->header.size < least || r->header.size > head - r->tail) {
		give_up(r, head); /* the kernel writes no such record */
		return;
	}
	uint64_t at = sample ? IN_SAMPLE : r->header.size - TIME;
	copy(r, &r->time, r->tail + at, TIME);
	r->has = true;
}

bool pvo_events_next(void *to, uint64_t until, unsigned *ret_ring)
{
	struct ring *first = NULL;
	for (size_t i = 0; i < rings.n; i++) {
		struct ring *r = &rings.v[i];
		peek(r);
		if (r->has && r->time <= until && (!first || r->time < first->time))
			first = r;
	}
	if (!first)
		return false;
	copy(first, to, first->tail, first->header.size);
	*ret_ring = (unsigned)first->cpu;
	give_up(first, first->tail + first->header.size);
	return true;
}
