/* SPDX-License-Identifier: MIT */
/* Hash tables of living blocks, and heap shots of them. */
#include "probe/native/native_blocks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "probe/ground/probe_clock.h"
#include "probe/core/writer.h"

enum {
	PART_BITS = 5, /* all locks are held together; TSan allows 64 a thread */
	PARTS = 1 << PART_BITS,
	FIRST_SLOTS = 1024,   /* of a part */
	MOST_SLOTS = 1 << 21, /* of a part: at three quarters 50 million blocks in all */
	TYPE_BITS = 20,       /* PVP_MAX_CLASSES fits */
	TYPE_MASK = (1 << TYPE_BITS) - 1,
};

struct block {
	uint64_t address;    /* 0: free */
	uint64_t bytes_type; /* bytes << 20 | class */
	uint64_t stack;
};

struct part {
	_Alignas(64) pthread_mutex_t lock;
	struct block *slot;
	size_t slots, live;
};

static struct part part[PARTS] = { [0 ... PARTS - 1] = { .lock = PTHREAD_MUTEX_INITIALIZER } };
static _Atomic bool spoiled; /* a block is not known */
static _Atomic uint64_t asked, discarded;
static uint64_t taken; /* the writer's */

static uint64_t mixed(uint64_t address)
{
	return (address >> 4) * UINT64_C(0x9e3779b97f4a7c15);
}

static struct part *part_of(uint64_t address)
{
	return &part[mixed(address) >> (64 - PART_BITS)];
}

static struct block *map_slots(size_t n)
{
	void *at = mmap(NULL, n * sizeof(struct block), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}

static size_t home_of(const struct part *p, uint64_t address)
{
	return (size_t)(mixed(address) >> 20) & (p->slots - 1);
}

/* The slot of this address, or a free slot for the address. */
static struct block *find_slot(const struct part *p, uint64_t address)
{
	size_t i = home_of(p, address);
	while (p->slot[i].address && p->slot[i].address != address)
		i = (i + 1) & (p->slots - 1);
	return &p->slot[i];
}

/* Later blocks move up, so that no search ends at a hole before the block. */
static void take_out(struct part *p, size_t hole)
{
	size_t mask = p->slots - 1;
	for (size_t i = hole;;) {
		i = (i + 1) & mask;
		if (!p->slot[i].address)
			break;
		size_t home = home_of(p, p->slot[i].address);
		if (((i - home) & mask) < ((i - hole) & mask))
			continue; /* stands between its home and here */
		p->slot[hole] = p->slot[i];
		hole = i;
	}
	p->slot[hole].address = 0;
}

static bool grow_part(struct part *p)
{
	size_t n = p->slots, slots = n ? 2 * n : FIRST_SLOTS;
	struct block *before = p->slot, *now = slots > MOST_SLOTS ? NULL : map_slots(slots);
	if (!now)
		return false;
	p->slot = now;
	p->slots = slots;
	for (size_t i = 0; i < n; i++)
		if (before[i].address)
			*find_slot(p, before[i].address) = before[i];
	if (before)
		munmap(before, n * sizeof *before);
	return true;
}

bool pvp_blocks_add(uint64_t address, struct pvp_held_block block)
{
	struct part *p = part_of(address);
	pthread_mutex_lock(&p->lock);
	bool room = p->live < p->slots / 4 * 3 || grow_part(p);
	if (room) {
		struct block *b = find_slot(p, address);
		p->live += !b->address;
		b->address = address;
		b->bytes_type = block.bytes << TYPE_BITS | block.type;
		b->stack = block.stack;
	} else {
		atomic_store(&spoiled, true);
	}
	pthread_mutex_unlock(&p->lock);
	return room;
}

struct pvp_held_block pvp_blocks_remove(uint64_t address)
{
	struct part *p = part_of(address);
	struct pvp_held_block was = { 0, 0, 0 };
	pthread_mutex_lock(&p->lock);
	struct block *b = p->slots ? find_slot(p, address) : NULL;
	if (b && b->address) {
		was.bytes = b->bytes_type >> TYPE_BITS;
		was.type = (uint32_t)(b->bytes_type & TYPE_MASK);
		was.stack = (uint32_t)b->stack;
		take_out(p, (size_t)(b - p->slot));
		p->live--;
	}
	pthread_mutex_unlock(&p->lock);
	return was;
}

void pvp_blocks_clear(void)
{
	pvp_blocks_hold();
	for (int i = 0; i < PARTS; i++) {
		if (part[i].slot)
			munmap(part[i].slot, part[i].slots * sizeof *part[i].slot);
		part[i].slot = NULL;
		part[i].slots = part[i].live = 0;
	}
	pvp_blocks_release();
	atomic_store(&spoiled, false);
}

void pvp_blocks_hold(void)
{
	for (int i = 0; i < PARTS; i++)
		pthread_mutex_lock(&part[i].lock);
}

void pvp_blocks_release(void)
{
	for (int i = PARTS; i-- > 0;)
		pthread_mutex_unlock(&part[i].lock);
}

/* ---- shots */

uint64_t pvp_blocks_ask(void)
{
	return atomic_fetch_add(&asked, 1);
}

uint64_t pvp_blocks_discarded(void)
{
	return atomic_load_explicit(&discarded, memory_order_relaxed);
}

struct copy {
	struct block *block;
	size_t n, mapped;
};

/* A copy of one moment: no block is allocated or freed meanwhile. */
static bool take_copy(struct copy *c)
{
	size_t n = 0;
	pvp_blocks_hold();
	for (int i = 0; i < PARTS; i++)
		n += part[i].live;
	*c = (struct copy){ .block = map_slots(n + 1), .mapped = n + 1 };
	for (int i = 0; c->block && i < PARTS; i++)
		for (size_t k = 0; k < part[i].slots; k++)
			if (part[i].slot[k].address)
				c->block[c->n++] = part[i].slot[k];
	pvp_blocks_release();
	return c->block;
}

static bool put_empty_event(struct pvp_writer *w, uint8_t kind, uint64_t now)
{
	struct pv_event ev = { .kind = kind, .time = now };
	return pvp_out_buffer_add(w, &w->page, &ev, NULL);
}

static bool put_block(struct pvp_writer *w, const struct block *b, uint64_t now)
{
	static const struct pv_batch none;
	uint64_t bytes = b->bytes_type >> TYPE_BITS;
	struct pv_event ev = { .kind = PV_KIND_HEAP_OBJECT,
		.time = now,
		.heap_object = { .object = b->address,
			.type = b->bytes_type & TYPE_MASK,
			.size = bytes ? bytes : 1 } }; /* 0 would continue another */
	return pvp_out_buffer_add(w, &w->page, &ev, &none);
}

static bool send(struct pvp_writer *w, const struct copy *c)
{
	uint64_t now = pvp_monotonic();
	pvp_tell_classes(w); /* some may be as new as their blocks */
	bool ok = pvp_out_buffer_send(w, &w->page) && put_empty_event(w, PV_KIND_HEAP_START, now);
	w->amid = true; /* a shot has a single reader, or none */
	for (size_t i = 0; ok && i < c->n; i++)
		ok = put_block(w, &c->block[i], now);
	ok = ok && put_empty_event(w, PV_KIND_HEAP_END, now) && pvp_out_buffer_send(w, &w->page);
	w->amid = false;
	w->page.n = 0;
	return ok;
}

void pvp_blocks_tell(struct pvp_writer *w)
{
	for (uint64_t n = atomic_load(&asked); taken < n; taken++) {
		struct copy c = { .block = NULL };
		if (atomic_load(&spoiled) || !take_copy(&c) || !send(w, &c))
			atomic_fetch_add(&discarded, 1);
		if (c.block)
			munmap(c.block, c.mapped * sizeof *c.block);
	}
}
