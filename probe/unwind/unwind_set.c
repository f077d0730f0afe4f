/* SPDX-License-Identifier: MIT */
/* Makes the unwind tables of all loaded files, publishes them as sets, and frees old sets. */
#include "probe/unwind/unwind_set.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/status.h"
#include "probe/unwind/native_walk.h"
#include "probe/unwind/own_memory.h"
#include "probe/unwind/target.h"
#include "probe/unwind/unwind_fresh.h"

enum { MOST_FRAMES = 64 << 20, MOST_BYTES = 64 << 20, SEGMENTS = 16 };

/* A loaded file, as described by the loader. */
struct file {
	struct pvp_unwind_module m;
	size_t header_size, n;
	uint64_t notes, notes_size; /* the first of them */
	struct {
		uint64_t from, to;
	} segment[SEGMENTS]; /* parts of the file in memory; zero after them */
};

static _Atomic(struct pvp_unwind_set *) current;
static _Atomic unsigned inside; /* walks under way */
static _Atomic bool stale;      /* a walk met a file unknown to the set */

/* All of these are the writer's. */
static unsigned long long adds, subs; /* the loader's counts when last looked at */
static size_t held;                   /* bytes of tables, waiting ones included */
static PV_ARRAY(struct file) found;
static PV_ARRAY(void *) waiting; /* to be freed */
static size_t waiting_bytes;

/* ---- the loader's module at an address; glibc from 2.35 on, elsewhere the set is believed */

#ifdef DLFO_STRUCT_HAS_EH_DBASE
typedef int find_object(void *address, struct dl_find_object *ret);
static _Atomic(find_object *) find;

static void find_loader(void)
{
	if (pvp_target || atomic_load(&find))
		return;
	pvp_loader_hold();
	atomic_store(&find, (find_object *)dlsym(RTLD_DEFAULT, "_dl_find_object"));
	pvp_loader_release();
}

bool pvp_unwind_row_now(uint64_t address, struct pvp_row *ret)
{
	struct dl_find_object o;
	find_object *ask = atomic_load_explicit(&find, memory_order_relaxed);
	return ask && ask((void *)(uintptr_t)address, &o) == 0 &&
	       pvp_unwind_fresh((uint64_t)(uintptr_t)o.dlfo_eh_frame,
		       (uint64_t)(uintptr_t)o.dlfo_map_start, (uint64_t)(uintptr_t)o.dlfo_map_end,
		       address, ret);
}

/* If the loader can be asked, it has just confirmed the file. */
static bool can_ask_loader(void)
{
	return atomic_load_explicit(&find, memory_order_relaxed) != NULL;
}

/* False: the loader cannot be asked. *ret_header 0: no file there. */
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

bool pvp_unwind_row_now(uint64_t address, struct pvp_row *ret)
{
	(void)address, (void)ret;
	return false;
}

static bool can_ask_loader(void)
{
	return false;
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
 * A copy, to be freed; NULL: not all bytes can be read. The system copies, so a truncated file, or
 * execute-only memory, is an error and no signal.
 */
static uint8_t *copy_of(uint64_t address, size_t n)
{
	uint8_t last;
	/* A header may claim any size: memory is taken for what is there. */
	if (!n || !pvp_memory_read(&last, (uintptr_t)(address + n - 1), 1))
		return NULL;
	uint8_t *to = malloc(n);
	if (to && pvp_memory_read(to, (uintptr_t)address, n))
		return to;
	free(to);
	return NULL;
}

/* The end of the segment at the address; 0: none. */
static uint64_t segment_end(const struct file *f, uint64_t address)
{
	for (size_t i = 0; i < f->n; i++)
		if (address >= f->segment[i].from && address < f->segment[i].to)
			return f->segment[i].to;
	return 0;
}

static struct pvp_eh_part part_at(const struct file *f, uint64_t address, size_t most)
{
	uint64_t end = segment_end(f, address);
	size_t n = end ? (size_t)(end - address) : 0;
	most = most < MOST_FRAMES ? most : MOST_FRAMES;
	n = n < most ? n : most;
	struct pvp_eh_part p = { copy_of(address, n), n, address };
	p.n = p.at ? n : 0;
	return p;
}

static void part_free(const struct pvp_eh_part *p)
{
	free((void *)(uintptr_t)p->at);
}

static uint64_t part_hash(const struct pvp_eh_part *p)
{
	uint64_t h = p->n, word;
	for (size_t i = 0; i + sizeof word <= p->n; i += sizeof word) {
		memcpy(&word, p->at + i, sizeof word);
		h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	return h;
}

/* ---- loaded modules */

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

static void set_range(struct file *f, const struct dl_phdr_info *info)
{
	f->m.from = UINT64_MAX;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + p->p_vaddr, end = start + p->p_memsz;
		if (p->p_type == PT_GNU_EH_FRAME) {
			f->m.header = start;
			f->header_size = p->p_memsz;
		}
		if (p->p_type == PT_NOTE && !f->notes) {
			f->notes = start;
			f->notes_size = p->p_filesz;
		}
		if (p->p_type != PT_LOAD)
			continue;
		f->m.from = start < f->m.from ? start : f->m.from;
		f->m.to = end > f->m.to ? end : f->m.to;
		if (f->n < SEGMENTS) {
			f->segment[f->n].from = start;
			f->segment[f->n++].to = start + p->p_filesz;
		}
	}
}

/* Under the loader's lock, which other threads wait for: allocates nothing and reads no file. */
static int look_at_file(struct dl_phdr_info *info, size_t size, void *arg)
{
	size_t *n = arg;
	struct file f = { .n = 0 };
	uint64_t ignored;
	(void)size;
	set_range(&f, info);
	if (f.m.from >= f.m.to)
		return 0;
	ask_loader(f.m.from, &f.m.owner, &ignored);
	if (*n < found.room)
		found.v[*n] = f;
	++*n;
	return 0;
}

/* False: there is no room for all. */
static bool look_at_all(void)
{
	size_t n;
	do {
		n = 0;
		pvp_target_each_file(look_at_file, &n);
		found.n = n <= found.room ? n : 0;
	} while (n > found.room && pv_reserve(&found, n + n / 4));
	return n <= found.room;
}

/* ---- tables */

static bool same_module(const struct pvp_unwind_module *a, const struct pvp_unwind_module *b)
{
	return a->from == b->from && a->to == b->to && a->header == b->header && a->hash == b->hash;
}

/* The module's table in the last set. */
static struct pvp_unwind_table *known_table(const struct pvp_unwind_module *m)
{
	const struct pvp_unwind_set *s = atomic_load_explicit(&current, memory_order_relaxed);
	for (size_t i = 0; s && i < s->n; i++)
		if (same_module(&s->v[i], m))
			return s->v[i].table;
	return NULL;
}

/* Another file may have been loaded there meanwhile: then the header differs. */
static bool still_there(const struct file *f)
{
	if (!f->header_size)
		return true; /* by its sections */
	struct pvp_eh_part again = part_at(f, f->m.header, f->header_size);
	bool same = again.n && part_hash(&again) == f->m.hash;
	part_free(&again);
	return same;
}

/* The place of .eh_frame; static programs may lack a header with the place. */
static bool frames_of(
	const struct file *f, const struct pvp_eh_part *header, uint64_t *ret_at, size_t *ret_most)
{
	uint64_t bytes = MOST_FRAMES;
	bool is = header->n ? pvp_eh_frames(header, ret_at)
			    : pvp_target && pvp_target->frames(f->m.from, ret_at, &bytes);
	*ret_most = bytes < MOST_FRAMES ? (size_t)bytes : MOST_FRAMES;
	return is;
}

static struct pvp_unwind_table *make_table(const struct file *f, const struct pvp_eh_part *header)
{
	uint64_t address;
	size_t most;
	if (held > MOST_BYTES || !frames_of(f, header, &address, &most))
		return NULL;
	struct pvp_eh eh = { *header, part_at(f, address, most), f->m.from, f->m.to - f->m.from };
	struct pvp_unwind_table *t = eh.frames.n && still_there(f) ? pvp_unwind_build(&eh) : NULL;
	part_free(&eh.frames);
	if (t)
		held += t->bytes;
	return t;
}

/* The end of the build id: the last bytes of its note. */
static uint64_t build_id_end(const struct file *f)
{
	enum { NOTES_MOST = 4096 };
	struct pvp_eh_part p = part_at(f, f->notes, f->notes_size);
	uint64_t end = 0;
	ElfW(Nhdr) note;
	for (size_t at = 0; !end && p.n <= NOTES_MOST && p.n - at >= sizeof note;) {
		memcpy(&note, p.at + at, sizeof note);
		size_t desc = at + sizeof note + ((note.n_namesz + 3u) & ~(size_t)3);
		size_t next = desc + ((note.n_descsz + 3u) & ~(size_t)3);
		if (desc < at || next <= at || next > p.n)
			break;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_descsz >= PVP_UNWIND_STAMP)
			end = f->notes + desc + note.n_descsz;
		at = next;
	}
	part_free(&p);
	return end;
}

/* Whether never unloaded: the program, its loader, the C library, the vdso. */
static bool stays(const struct file *f)
{
	const uint64_t in[] = { getauxval(AT_ENTRY), getauxval(AT_BASE), getauxval(AT_SYSINFO_EHDR),
		(uint64_t)(uintptr_t)&getpid };
	for (size_t i = 0; i < PV_COUNT_OF(in); i++)
		if (in[i] >= f->m.from && in[i] < f->m.to)
			return true;
	return false;
}

/* The stamp lies within a page: it is compared as a whole. */
static void find_stamp(struct file *f)
{
	enum { PAGE = 4096, FIRST = 4 /* of the header: alike in all files */ };
	if (pvp_target || stays(f)) /* for another process, loads are reported */
		return;
	uint64_t end = f->notes ? build_id_end(f) : 0;
	uint64_t at = end ? end - PVP_UNWIND_STAMP : 0;
	if (!at && f->header_size >= FIRST + PVP_UNWIND_STAMP)
		at = f->m.header + FIRST;
	if (!at || at % PAGE > PAGE - PVP_UNWIND_STAMP)
		return;
	struct pvp_eh_part p = part_at(f, at, PVP_UNWIND_STAMP);
	if (p.n == PVP_UNWIND_STAMP) {
		memcpy(f->m.stamp, p.at, PVP_UNWIND_STAMP);
		f->m.stamp_at = at;
	}
	part_free(&p);
}

static void find_table(struct file *f)
{
	struct pvp_eh_part header = { .n = 0 };
	if (f->header_size)
		header = part_at(f, f->m.header, f->header_size);
	find_stamp(f);
	f->m.hash = part_hash(&header);
	f->m.table = known_table(&f->m);
	if (!f->m.table && (header.n || pvp_target))
		f->m.table = make_table(f, &header);
	part_free(&header);
}

/* ---- sets */

static int by_address(const void *a, const void *b)
{
	const struct file *x = a, *y = b;
	return (x->m.from > y->m.from) - (x->m.from < y->m.from);
}

static void free_later(void *block, size_t bytes)
{
	if (!block)
		return;
	if (!pv_reserve(&waiting, 1))
		return; /* leaked: a walk may be reading the block */
	waiting.v[waiting.n++] = block;
	waiting_bytes += bytes;
}

/* New walks see the new set: if no walk is under way, none uses an old set. */
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
	static uint64_t number;
	if (!s)
		return NULL;
	s->number = ++number;
	s->n = found.n;
	qsort(found.v, found.n, sizeof *found.v, by_address);
	for (size_t i = 0; i < found.n; i++)
		s->v[i] = found.v[i].m;
	return s;
}

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static void finish_set(void)
{
	publish(NULL);
	pv_array_finish(&found);
}

static bool refresh(void)
{
	bool changed = true;
	free_waiting();
	pvp_target_each_file(look_at_counts, &changed);
	changed |= atomic_exchange(&stale, false);
	if (!changed && atomic_load_explicit(&current, memory_order_relaxed))
		return false;
	find_loader();
	bool all = look_at_all();
	for (size_t i = 0; i < found.n; i++)
		find_table(&found.v[i]);
	struct pvp_unwind_set *s = all ? set_of_found() : NULL;
	if (s)
		publish(s);
	else
		finish_set();
	changed = false;
	pvp_target_each_file(look_at_counts, &changed);
	if (changed)
		atomic_store(&stale, true);
	return true;
}

/* A host asks for the first set while the writer may make the same. */
bool pvp_unwind_refresh(void)
{
	pthread_mutex_lock(&making);
	bool made = refresh();
	pthread_mutex_unlock(&making);
	return made;
}

void pvp_unwind_finish(void)
{
	pthread_mutex_lock(&making);
	finish_set();
	pthread_mutex_unlock(&making);
}

void pvp_unwind_forget(void)
{
	pthread_mutex_init(&making, NULL);
	atomic_store(&current, NULL);
	atomic_store(&inside, 0);
	memset(&found, 0, sizeof found);
	memset(&waiting, 0, sizeof waiting);
	held = waiting_bytes = 0;
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

static const struct pvp_unwind_module *search_modules(
	const struct pvp_unwind_set *s, uint64_t address)
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
	const struct pvp_unwind_module *m = search_modules(s, address);
	uint64_t owner, header;
	*ret_changed = ask_loader(address, &owner, &header) &&
		       (owner != (m ? m->owner : 0) || (owner && header != m->header));
	if (*ret_changed)
		atomic_store_explicit(&stale, true, memory_order_relaxed);
	return m;
}

__attribute__((no_sanitize("address", "thread"))) static bool same_here(
	const struct pvp_unwind_module *m)
{
	if (!can_ask_loader() && !pvp_readable((uintptr_t)m->stamp_at))
		return false;
	return memcmp((const void *)(uintptr_t)m->stamp_at, m->stamp, PVP_UNWIND_STAMP) == 0;
}

/*
 * The system compares, and fails for memory that has just gone: the call wakes and moves no thread.
 * Compared are the last four bytes, mostly of a build id: 0.4 us a call, a copy takes 1.5.
 */
static bool same_there(const struct pvp_unwind_module *m)
{
	enum { LAST = PVP_UNWIND_STAMP - sizeof(uint32_t) };
	void *at = (void *)(uintptr_t)(m->stamp_at + LAST);
	uint32_t known;
	memcpy(&known, m->stamp + LAST, sizeof known);
	if (syscall(SYS_futex, at, FUTEX_CMP_REQUEUE_PRIVATE, 0, 0L, at, known) >= 0)
		return true;
	return errno != EAGAIN && errno != EFAULT && same_here(m); /* the call is refused */
}

bool pvp_unwind_is_there(const struct pvp_unwind_module *m, bool live)
{
	if (!m->stamp_at || (live ? same_here(m) : same_there(m)))
		return true;
	atomic_store_explicit(&stale, true, memory_order_relaxed);
	return false;
}

bool pvp_unwind_function_at(uint64_t address, uint64_t *ret_start, uint64_t *ret_size)
{
	const struct pvp_unwind_set *s = pvp_unwind_enter();
	const struct pvp_unwind_module *m = s ? search_modules(s, address) : NULL;
	uint64_t start, end;
	bool is = m && m->table && pvp_unwind_function(m->table, address - m->from, &start, &end);
	if (is) {
		*ret_start = m->from + start;
		*ret_size = end - start;
	}
	pvp_unwind_leave();
	return is;
}
