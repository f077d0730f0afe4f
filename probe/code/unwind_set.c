#include "probe/code/unwind_set.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/base/mem.h"

enum { MOST_FRAMES = 64 << 20, MOST_BYTES = 64 << 20 };

static _Atomic(struct pvp_unwind_set *) current;
static _Atomic unsigned inside; /* walks under way */
static _Atomic bool stale;      /* one of them met what the set does not know */

/* All of these are the writer's. */
static unsigned long long adds, subs; /* the loader's counts when last looked at */
static size_t held;                   /* bytes of tables, those that wait included */
static PV_ARRAY(struct pvp_unwind_module) found;
static PV_ARRAY(void *) waiting; /* to be freed */
static size_t waiting_bytes;

/* ---- what the loader has at an address; glibc from 2.35 on, elsewhere the set is believed */

#ifdef DLFO_STRUCT_HAS_EH_DBASE
typedef int find_object(void *address, struct dl_find_object *ret);
static _Atomic(find_object *) find;

static void find_loader(void)
{
	if (!atomic_load(&find))
		atomic_store(&find, (find_object *)dlsym(RTLD_DEFAULT, "_dl_find_object"));
}

/* False: it cannot be asked. *ret_header 0: nothing is there. */
static bool ask_loader(uint64_t address, uint64_t *ret_owner, uint64_t *ret_header)
{
	struct dl_find_object o;
	find_object *ask = atomic_load_explicit(&find, memory_order_relaxed);
	*ret_owner = *ret_header = 0;
	if (!ask)
		return false;
	if (ask((void *)(uintptr_t)address, &o) == 0) {
		*ret_owner = (uint64_t)(uintptr_t)o.dlfo_link_map;
		*ret_header = (uint64_t)(uintptr_t)o.dlfo_eh_frame;
	}
	return true;
}
#else
static void find_loader(void)
{
}

static bool ask_loader(uint64_t address, uint64_t *ret_owner, uint64_t *ret_header)
{
	(void)address;
	*ret_owner = *ret_header = 0;
	return false;
}
#endif

/* ---- a file's bytes, as they are in memory */

/*
 * A copy, to be freed; NULL: not all of it can be read. The system copies: a file that was cut
 * off, or memory that only runs, is an error there and no signal.
 */
static uint8_t *copy_of(uint64_t address, size_t n)
{
	uint8_t *to = n ? malloc(n) : NULL;
	struct iovec here = { to, n }, there = { (void *)(uintptr_t)address, n };
	if (to && process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)n)
		return to;
	free(to);
	return NULL;
}

/* The end of the segment that holds the address; 0: none does. */
static uint64_t segment_end(const struct dl_phdr_info *info, uint64_t address)
{
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + p->p_vaddr;
		/* Memory past the file's part is zero. */
		if (p->p_type == PT_LOAD && address >= start && address - start < p->p_filesz)
			return start + p->p_filesz;
	}
	return 0;
}

static struct pvp_eh_part part_at(const struct dl_phdr_info *info, uint64_t address, size_t most)
{
	uint64_t end = segment_end(info, address);
	size_t n = end ? (size_t)(end - address) : 0;
	n = n < most ? n : most;
	struct pvp_eh_part p = { copy_of(address, n), n, address };
	p.n = p.at ? n : 0;
	return p;
}

static uint64_t hash_of(const struct pvp_eh_part *p)
{
	uint64_t h = p->n, word;
	for (size_t i = 0; i + sizeof word <= p->n; i += sizeof word) {
		memcpy(&word, p->at + i, sizeof word);
		h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	return h;
}

static struct pvp_unwind_table *make_table(const struct dl_phdr_info *info,
	const struct pvp_eh_part *header, const struct pvp_unwind_module *m)
{
	uint64_t address;
	if (held > MOST_BYTES || !pvp_eh_frames(header, &address))
		return NULL;
	struct pvp_eh eh = { *header, part_at(info, address, MOST_FRAMES), m->from,
		m->to - m->from };
	struct pvp_unwind_table *t = eh.frames.n ? pvp_unwind_build(&eh) : NULL;
	free((void *)(uintptr_t)eh.frames.at);
	if (t)
		held += t->bytes;
	return t;
}

/* ---- what is loaded */

static int look_at_counts(struct dl_phdr_info *info, size_t size, void *arg)
{
	bool *changed = arg;
	if (size < offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs)
		return 1;
	*changed = info->dlpi_adds != adds || info->dlpi_subs != subs;
	adds = info->dlpi_adds;
	subs = info->dlpi_subs;
	return 1;
}

static void set_range(
	struct pvp_unwind_module *m, const struct dl_phdr_info *info, size_t *ret_header)
{
	m->from = UINT64_MAX;
	*ret_header = 0;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + p->p_vaddr, end = start + p->p_memsz;
		if (p->p_type == PT_LOAD) {
			m->from = start < m->from ? start : m->from;
			m->to = end > m->to ? end : m->to;
		} else if (p->p_type == PT_GNU_EH_FRAME) {
			m->header = start;
			*ret_header = p->p_memsz;
		}
	}
}

static bool same(const struct pvp_unwind_module *a, const struct pvp_unwind_module *b)
{
	return a->from == b->from && a->to == b->to && a->header == b->header && a->hash == b->hash;
}

/* The table that the last set has for it. */
static struct pvp_unwind_table *known_table(const struct pvp_unwind_module *m)
{
	const struct pvp_unwind_set *s = atomic_load_explicit(&current, memory_order_relaxed);
	for (size_t i = 0; s && i < s->n; i++)
		if (same(&s->v[i], m))
			return s->v[i].table;
	return NULL;
}

/* Under the loader's lock: the file stays. */
static int look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct pvp_unwind_module m = { .to = 0 };
	size_t header_size;
	uint64_t ignored;
	(void)size, (void)arg;
	set_range(&m, info, &header_size);
	if (m.from >= m.to || !pv_reserve(&found, 1))
		return 0;
	struct pvp_eh_part header = { .n = 0 };
	if (header_size)
		header = part_at(info, m.header, header_size);
	m.hash = hash_of(&header);
	ask_loader(m.from, &m.owner, &ignored);
	m.table = known_table(&m);
	if (!m.table && header.n)
		m.table = make_table(info, &header, &m);
	free((void *)(uintptr_t)header.at);
	found.v[found.n++] = m;
	return 0;
}

/* ---- sets */

static int by_address(const void *a, const void *b)
{
	const struct pvp_unwind_module *x = a, *y = b;
	return (x->from > y->from) - (x->from < y->from);
}

static void free_later(void *block, size_t bytes)
{
	if (!block)
		return;
	if (!pv_reserve(&waiting, 1))
		return; /* lost: a walk may be reading it */
	waiting.v[waiting.n++] = block;
	waiting_bytes += bytes;
}

/* Walks that begin now see the new set: where none is under way, none has the old one. */
static void free_waiting(void)
{
	if (!waiting.n || atomic_load(&inside) != 0)
		return;
	for (size_t i = 0; i < waiting.n; i++)
		free(waiting.v[i]);
	waiting.n = 0;
	held -= waiting_bytes;
	waiting_bytes = 0;
}

static bool has_table(const struct pvp_unwind_set *s, const struct pvp_unwind_table *t)
{
	for (size_t i = 0; s && i < s->n; i++)
		if (s->v[i].table == t)
			return true;
	return false;
}

static void publish(struct pvp_unwind_set *next)
{
	struct pvp_unwind_set *before = atomic_exchange(&current, next);
	for (size_t i = 0; before && i < before->n; i++)
		if (before->v[i].table && !has_table(next, before->v[i].table))
			free_later(before->v[i].table, before->v[i].table->bytes);
	free_later(before, 0);
	free_waiting();
}

static struct pvp_unwind_set *set_of_found(void)
{
	struct pvp_unwind_set *s = malloc(sizeof *s + found.n * sizeof s->v[0]);
	if (!s)
		return NULL;
	s->n = found.n;
	qsort(found.v, found.n, sizeof *found.v, by_address);
	memcpy(s->v, found.v, found.n * sizeof s->v[0]);
	return s;
}

void pvp_unwind_refresh(void)
{
	bool changed = true;
	free_waiting();
	dl_iterate_phdr(look_at_counts, &changed);
	changed |= atomic_exchange(&stale, false);
	if (!changed && atomic_load_explicit(&current, memory_order_relaxed))
		return;
	find_loader();
	found.n = 0;
	dl_iterate_phdr(look_at, NULL);
	struct pvp_unwind_set *s = set_of_found();
	if (s)
		publish(s);
	else
		pvp_unwind_finish();
}

void pvp_unwind_finish(void)
{
	publish(NULL);
	pv_array_finish(&found);
}

void pvp_unwind_forget(void)
{
	atomic_store(&current, NULL);
	atomic_store(&inside, 0);
	memset(&found, 0, sizeof found);
	memset(&waiting, 0, sizeof waiting);
	held = waiting_bytes = 0;
}

size_t pvp_unwind_bytes(void)
{
	return held - waiting_bytes;
}

/* ---- asking */

const struct pvp_unwind_set *pvp_unwind_enter(void)
{
	atomic_fetch_add(&inside, 1);
	return atomic_load(&current);
}

void pvp_unwind_leave(void)
{
	atomic_fetch_sub_explicit(&inside, 1, memory_order_release);
}

static const struct pvp_unwind_module *search(const struct pvp_unwind_set *s, uint64_t address)
{
	size_t low = 0, high = s->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (s->v[middle].from <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < s->v[low - 1].to ? &s->v[low - 1] : NULL;
}

const struct pvp_unwind_module *pvp_unwind_module_at(
	const struct pvp_unwind_set *s, uint64_t address, bool *ret_changed)
{
	const struct pvp_unwind_module *m = search(s, address);
	uint64_t owner, header;
	*ret_changed = ask_loader(address, &owner, &header) && owner != (m ? m->owner : 0);
	if (*ret_changed)
		atomic_store_explicit(&stale, true, memory_order_relaxed);
	return m;
}

bool pvp_unwind_function_at(uint64_t address, uint64_t *ret_start, uint64_t *ret_size)
{
	const struct pvp_unwind_set *s = atomic_load_explicit(&current, memory_order_relaxed);
	const struct pvp_unwind_module *m = s ? search(s, address) : NULL;
	uint64_t start, end;
	if (!m || !m->table || !pvp_unwind_function(m->table, address - m->from, &start, &end))
		return false;
	*ret_start = m->from + start;
	*ret_size = end - start;
	return true;
}
