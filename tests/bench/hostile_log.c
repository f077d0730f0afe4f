/* SPDX-License-Identifier: MIT */
#include "tests/bench/hostile_log.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kit/wire.h"
#include "tests/kit/wire_rows.h"

enum {
	KEYS = 1000,        /* of a benign log */
	PAYLOAD = 48 << 10, /* of a buffer */
	LIST = 300,         /* entries of a long one */
	FEWER = 50,         /* events with such a list */
	STEP = 10,          /* ns */
	PARTS = 5,
	PTR_BASE = 0x1000,
	KEY_BASE = 0x10000,
	OBJ_BASE = 0x10000000,
	THREAD_BASE = 0x40000000,
};
#define BEGINS UINT64_C(1000000000000)

const char *const hostile_pattern_names[HOSTILE_PATTERNS] = { "benign", "many", "open", "crossed",
	"same key", "renamed", "one time", "back", "shuffled", "deep", "wide", "threads" };

/* --- families */

struct part {
	uint8_t kind;
	uint8_t step; /* of GC_EVENT */
};

/* Begins and ends; the ends come in the order given. */
struct family {
	const char *name;
	struct part begin[PARTS], end[PARTS];
};

#define NO_MORE  { PV_KIND_COUNT, 0 }
#define E(kind)  { PV_KIND_##kind, 0 }
#define GC(step) { PV_KIND_GC_EVENT, PV_GC_##step }
#define L(...)   { __VA_ARGS__, NO_MORE }

static const struct family families[] = {
	{ "calls", L(E(METHOD_ENTER)), L(E(METHOD_LEAVE)) },
	{ "calls that throw", L(E(METHOD_ENTER)), L(E(METHOD_EXC_LEAVE)) },
	{ "named calls", L(E(METHOD_JIT), E(METHOD_ENTER)), L(E(METHOD_LEAVE)) },
	{ "calls that allocate", L(E(METHOD_ENTER), E(ALLOC)), L(E(METHOD_LEAVE)) },
	{ "sampled calls", L(E(METHOD_ENTER), E(SAMPLE_HIT)), L(E(METHOD_LEAVE)) },
	{ "collections", L(GC(START)), L(GC(END)) },
	{ "stops", L(GC(PRE_STOP)), L(GC(POST_START)) },
	{ "stopped collections", L(GC(PRE_STOP), GC(START)), L(GC(END), GC(POST_START)) },
	{ "collections of a heap", L(GC(PRE_STOP), GC(START)),
		L(GC(END), E(GC_RESIZE), GC(POST_START)) },
	{ "caused collections", L(GC(START), E(EXT_COLLECTION)), L(E(EXT_GENERATION), GC(END)) },
	{ "marked collections", L(GC(START), GC(MARK_START)), L(GC(MARK_END), GC(END)) },
	{ "collected allocations", L(E(ALLOC), GC(START)), L(GC(END)) },
	{ "finalizer runs", L(E(GC_FINALIZE_START)), L(E(GC_FINALIZE_END)) },
	{ "finalizers", L(E(GC_FINALIZE_OBJECT_START)), L(E(GC_FINALIZE_OBJECT_END)) },
	{ "finalizers in runs", L(E(GC_FINALIZE_START), E(GC_FINALIZE_OBJECT_START)),
		L(E(GC_FINALIZE_OBJECT_END), E(GC_FINALIZE_END)) },
	{ "handles", L(E(GC_HANDLE_CREATED)), L(E(GC_HANDLE_DESTROYED)) },
	{ "handles of objects", L(E(GC_HANDLE_CREATED), E(ALLOC)), L(E(GC_HANDLE_DESTROYED)) },
	{ "classes", L(E(CLASS_LOAD)), L(E(CLASS_UNLOAD)) },
	{ "used classes", L(E(CLASS_LOAD), E(VTABLE_LOAD), E(ALLOC)), L(E(CLASS_UNLOAD)) },
	{ "classes with methods", L(E(CLASS_LOAD), E(METHOD_JIT)), L(E(CLASS_UNLOAD)) },
	{ "methods that run", L(E(CLASS_LOAD), E(METHOD_JIT), E(METHOD_ENTER)),
		L(E(METHOD_LEAVE), E(CLASS_UNLOAD)) },
	{ "images", L(E(IMAGE_LOAD)), L(E(IMAGE_UNLOAD)) },
	{ "images of classes", L(E(IMAGE_LOAD), E(CLASS_LOAD)), L(E(IMAGE_UNLOAD)) },
	{ "assemblies", L(E(ASSEMBLY_LOAD)), L(E(ASSEMBLY_UNLOAD)) },
	{ "assemblies of images", L(E(ASSEMBLY_LOAD), E(IMAGE_LOAD), E(CLASS_LOAD)),
		L(E(ASSEMBLY_UNLOAD)) },
	{ "domains", L(E(DOMAIN_LOAD), E(DOMAIN_NAME)), L(E(DOMAIN_UNLOAD)) },
	{ "domains of vtables", L(E(DOMAIN_LOAD), E(VTABLE_LOAD), E(CONTEXT_LOAD)),
		L(E(DOMAIN_UNLOAD)) },
	{ "contexts", L(E(CONTEXT_LOAD), E(EXT_CONTEXT_NAME)), L(E(CONTEXT_UNLOAD)) },
	{ "assemblies of contexts", L(E(CONTEXT_LOAD), E(ASSEMBLY_LOAD), E(EXT_ASSEMBLY_IN)),
		L(E(CONTEXT_UNLOAD)) },
	{ "threads", L(E(THREAD_START), E(THREAD_NAME)), L(E(THREAD_END)) },
	{ "threads that call", L(E(THREAD_START), E(METHOD_ENTER)), L(E(THREAD_END)) },
	{ "waits", L(E(MONITOR_CONTENTION)), L(E(MONITOR_DONE)) },
	{ "failed waits", L(E(MONITOR_CONTENTION)), L(E(MONITOR_FAIL)) },
	{ "held waits", L(E(EXT_HOLDER), E(MONITOR_CONTENTION)), L(E(MONITOR_DONE)) },
	{ "waits for objects", L(E(ALLOC), E(MONITOR_CONTENTION)), L(E(MONITOR_DONE)) },
	{ "throws", L(E(ALLOC), E(EXCEPTION_THROW), E(EXCEPTION_CLAUSE)), L(NO_MORE) },
	{ "throws before classes", L(E(EXCEPTION_THROW)), L(E(ALLOC)) },
	{ "moves", L(E(ALLOC)), L(E(GC_MOVE)) },
	{ "shots", L(E(HEAP_START), E(HEAP_OBJECT)), L(E(HEAP_END)) },
	{ "shots in collections", L(GC(START), E(HEAP_START), E(HEAP_OBJECT)),
		L(E(HEAP_END), GC(END)) },
	{ "shots of strings", L(E(HEAP_START), E(HEAP_OBJECT), E(EXT_STRING)), L(E(HEAP_END)) },
	{ "objects of a shot", L(E(HEAP_OBJECT)), L(E(HEAP_ROOTS)) },
	{ "root areas", L(E(HEAP_ROOT_REGISTER)), L(E(HEAP_ROOT_UNREGISTER)) },
	{ "root areas with slots", L(E(HEAP_ROOT_REGISTER), E(HEAP_ROOTS)),
		L(E(HEAP_ROOT_UNREGISTER)) },
	{ "slots before areas", L(E(HEAP_ROOTS)), L(E(HEAP_ROOT_REGISTER)) },
	{ "slots after areas", L(E(HEAP_ROOT_REGISTER)),
		L(E(HEAP_ROOT_UNREGISTER), E(HEAP_ROOTS)) },
	{ "lists of roots", L(GC(START), E(HEAP_ROOTS)), L(GC(END)) },
	{ "samples of methods", L(E(METHOD_JIT), E(EXT_LINES), E(EXT_IL_MAP), E(EXT_PLACE)),
		L(E(SAMPLE_HIT)) },
	{ "samples of symbols", L(E(SAMPLE_HIT)), L(E(SAMPLE_SYMBOL)) },
	{ "symbols of samples", L(E(SAMPLE_SYMBOL)), L(E(SAMPLE_HIT)) },
	{ "processor time of samples", L(E(SAMPLE_HIT), E(EXT_CPU)), L(NO_MORE) },
	{ "counters", L(E(COUNTERS_DESCRIBE)), L(E(COUNTERS_SAMPLE)) },
	{ "covered statements", L(E(COVERAGE_ASSEMBLY), E(COVERAGE_CLASS), E(COVERAGE_METHOD)),
		L(E(COVERAGE_STATEMENT)) },
	{ "covered statements of ours",
		L(E(EXT_COVERED_ASSEMBLY), E(EXT_COVERED_CLASS), E(EXT_COVERED_METHOD)),
		L(E(EXT_COVERED_STATEMENT)) },
	{ "summed calls", L(E(EXT_TREE_CALL), E(EXT_TREE_CPU)), L(NO_MORE) },
	{ "summed calls of names", L(E(METHOD_JIT)), L(E(EXT_TREE_CALL)) },
	{ "fields", L(E(CLASS_LOAD), E(EXT_PARENT), E(EXT_ELEMENTS)), L(E(EXT_FIELD)) },
	{ "bodies", L(E(METHOD_JIT), E(EXT_BODY), E(EXT_JIT_TIME)), L(E(EXT_CODE_GONE)) },
	{ "transitions", L(E(METHOD_JIT)), L(E(EXT_TRANSITION)) },
	{ "native blocks", L(E(ALLOC)), L(E(EXT_NATIVE_FREE)) },
	{ "memory held", L(E(EXT_HELD)), L(E(EXT_HELD_ALL)) },
};

/* --- events */

struct writer {
	struct wire w;
	struct pv_batch pools;
	enum hostile_pattern p;
	unsigned name;   /* of the next event: its key's, or another */
	uint64_t thread; /* that writes; 0: none yet */
	uint64_t dice;
	char text[32];
	bool only; /* one row of the format, and no family */
};

static unsigned entries(const struct writer *x)
{
	return x->p == HOSTILE_WIDE || (x->p == HOSTILE_DEEP && x->only) ? LIST : 1;
}

static uint64_t pointer(uint64_t key)
{
	return KEY_BASE + key * 64;
}

static uint64_t object(uint64_t key)
{
	return OBJ_BASE + key * 64;
}

/* Of an unsigned number, by its name. */
static uint64_t number(const struct part *part, const char *member, uint64_t key)
{
	if (strcmp(member, "gc.step") == 0)
		return part->step;
	if (strstr(member, ".generation") || strstr(member, "left.") ||
		strstr(member, "collection."))
		return key % 3;
	if (strcmp(member, "holder.thread") == 0)
		return THREAD_BASE + (key + 1) * 16;
	if (strstr(member, ".type") || strstr(member, ".failed"))
		return key % 4;
	if (strcmp(member, "tree.back") == 0)
		return 0;
	return strstr(member, "method_id") || strstr(member, "ns") ? key : 32;
}

static void set_scalar(
	const struct part *part, const struct mlpd_field *field, uint64_t *at, uint64_t key)
{
	switch (field->type) {
	case MLPD_PTR:
	case MLPD_SPTR:
	case MLPD_METH:
		*at = pointer(key);
		break;
	case MLPD_OBJ:
		*at = object(key);
		break;
	case MLPD_HANDLE:
		*at = key + 1;
		break;
	case MLPD_BYTE:
	case MLPD_ULEB:
		*at = strcmp(field->name, "root_area.source") == 0 ? key % 17
								   : number(part, field->name, key);
		break;
	case MLPD_SIZE:
		*at = 48;
		break;
	default: /* as it is */
		break;
	}
}

/* A list of pointers or objects, which are neighbours of the key's. */
static void set_list(
	struct writer *x, const struct mlpd_field *field, struct pv_span *s, uint64_t key)
{
	const bool pairs = field->type == MLPD_OBJS || field->type == MLPD_REFS ||
			   field->type == MLPD_ROOTS || field->type == MLPD_STEPS;
	const bool deep = x->p == HOSTILE_DEEP;
	*s = (struct pv_span){ (uint32_t)x->pools.pool.n, entries(x) * (pairs ? 2 : 1) };
	ck_assert(pv_reserve(&x->pools.pool, s->n));
	for (uint32_t i = 0; i < s->n; i++) {
		uint64_t of = deep ? key : key + i / (pairs ? 2 : 1), v = pointer(of);
		if (pairs && (i % 2 || field->type == MLPD_OBJS))
			v = object(of + i % 2);
		else if (field->type == MLPD_REFS)
			v = 8 * i;
		x->pools.pool.v[x->pools.pool.n++] = v;
	}
}

static void set_field(struct writer *x, const struct part *part, const struct mlpd_field *field,
	struct pv_event *e, uint64_t key)
{
	void *at = (char *)e + field->member;
	switch (field->type) {
	case MLPD_CSTR:
		*(struct pv_text *)at = (struct pv_text){ x->text, strlen(x->text) };
		break;
	case MLPD_BT:
	case MLPD_IPS:
	case MLPD_FRAMES:
	case MLPD_OBJS:
	case MLPD_REFS:
	case MLPD_ROOTS:
	case MLPD_STEPS:
		if (field->form == MLPD_PLAIN || field->form == MLPD_POINTERS)
			set_list(x, field, at, key);
		break;
	default:
		if (field->type < MLPD_CSTR)
			set_scalar(part, field, at, key);
		break;
	}
}

static void put_row(
	struct writer *x, const struct mlpd_row *row, const struct part *part, uint64_t key)
{
	struct pv_event e = wire_row_event(row, &x->w.format, (unsigned)key % 1024, &x->pools);
	const bool method = row->kind == PV_KIND_METHOD_JIT || row->kind == PV_KIND_EXT_JIT_FAILED;
	snprintf(x->text, sizeof x->text, method ? "N.C%u:M ()" : "N.C%u", x->name);
	for (const struct mlpd_field *field = row->field; field->type; field++)
		if (x->w.format.data_version >= field->since &&
			x->w.format.data_version <= field->until)
			set_field(x, part, field, &e, key);
	if (x->w.events.n > PAYLOAD || x->thread == 0)
		wire_buffer(&x->w, x->thread ? x->thread : (x->thread = THREAD_BASE));
	wire_event(&x->w, &e, &x->pools);
	if (x->p == HOSTILE_SHUFFLED) {
		x->dice = x->dice * UINT64_C(6364136223846793005) + 1442695040888963407;
		x->w.step = BEGINS + (x->dice >> 40) - x->w.now;
	}
	pv_batch_reset(&x->pools);
}

/* --- patterns */

/* One family, or one row of the format. */
struct made {
	const struct family *family;
	const struct mlpd_row *row;
};

static void put_part(struct writer *x, const struct part *part, uint64_t key)
{
	struct pv_event e = { .kind = part->kind };
	const struct mlpd_row *row = mlpd_row_for(&e, &x->w.format);
	if (row)
		put_row(x, row, part, key);
}

static void put_parts(struct writer *x, const struct part *part, uint64_t key, unsigned name)
{
	x->name = name;
	if (x->p == HOSTILE_THREADS && x->thread != THREAD_BASE + key * 16) {
		x->thread = THREAD_BASE + key * 16;
		wire_buffer(&x->w, x->thread);
	}
	for (; part->kind != PV_KIND_COUNT; part++)
		put_part(x, part, key);
}

static void put_begin(struct writer *x, const struct made *m, uint64_t key, unsigned name)
{
	const struct part only = { m->row ? m->row->kind : 0, (uint8_t)(key % 12) };
	if (!m->row) {
		put_parts(x, m->family->begin, key, name);
		return;
	}
	put_parts(x, (const struct part[]){ NO_MORE }, key, name);
	put_row(x, m->row, &only, key);
}

static void put_end(struct writer *x, const struct made *m, uint64_t key)
{
	if (!m->row)
		put_parts(x, m->family->end, key, (unsigned)key);
}

static void put_call(struct writer *x, uint8_t kind)
{
	const struct part call = { kind, 0 };
	put_part(x, &call, KEYS * KEYS);
}

static bool has_list(const struct mlpd_row *row)
{
	for (const struct mlpd_field *f = row->field; f->type; f++)
		if (f->type > MLPD_CSTR && f->type != MLPD_FLAGS)
			return true;
	return false;
}

static bool part_has_list(const struct writer *x, const struct part *p)
{
	const struct pv_event e = { .kind = p->kind };
	const struct mlpd_row *row = mlpd_row_for(&e, &x->w.format);
	return row && has_list(row);
}

/* Long lists take the place of many events. */
static unsigned events(const struct writer *x, const struct made *m, unsigned n)
{
	bool lists = m->row && has_list(m->row);
	for (const struct part *p = m->row ? NULL : m->family->begin; p && p->kind != PV_KIND_COUNT;
		p++)
		lists |= part_has_list(x, p);
	for (const struct part *p = m->row ? NULL : m->family->end; p && p->kind != PV_KIND_COUNT;
		p++)
		lists |= part_has_list(x, p);
	return lists && entries(x) > 1 ? n / FEWER + 1 : n;
}

static void put_pattern(struct writer *x, const struct made *m, unsigned n)
{
	n = events(x, m, n);
	bool parted = x->p == HOSTILE_OPEN || x->p == HOSTILE_CROSSED || x->p == HOSTILE_DEEP;
	if (x->p == HOSTILE_WIDE)
		put_call(x, PV_KIND_METHOD_ENTER);
	for (unsigned i = 0; i < n; i++) {
		bool same = x->p == HOSTILE_SAME || x->p == HOSTILE_RENAMED;
		unsigned key = same ? 1 : x->p == HOSTILE_BENIGN ? i % KEYS : i;
		put_begin(x, m, key, x->p == HOSTILE_RENAMED ? i : key);
		if (!parted)
			put_end(x, m, key);
	}
	for (unsigned i = 0; parted && i < n; i++)
		put_end(x, m, x->p == HOSTILE_OPEN ? n + i : x->p == HOSTILE_DEEP ? n - 1 - i : i);
	if (x->p == HOSTILE_WIDE)
		put_call(x, PV_KIND_METHOD_LEAVE);
}

/* The newest format that has the row. */
static struct mlpd_format format_of(const struct mlpd_row *row)
{
	unsigned version = !row || row->until > MLPD_NEWEST ? MLPD_NEWEST : row->until;
	return (struct mlpd_format){ (uint8_t)version,
		version >= 16   ? 3
		: version >= 14 ? 2
				: version == 13,
		8, row ? row->layout : 0 };
}

/* The data version that the header of such a log states (mlpd_layout.c). */
static struct mlpd_format stated(struct mlpd_format f)
{
	if (f.layout == MLPD_WIDE_COUNTERS)
		f.data_version = 15;
	if (f.layout == MLPD_SYNC_12)
		f.data_version = 13;
	return f;
}

static uint64_t step_of(enum hostile_pattern p)
{
	return p == HOSTILE_ONE_TIME ? 0 : p == HOSTILE_BACK ? (uint64_t)0 - STEP : STEP;
}

static void write_mlpd(
	const struct made *m, enum hostile_pattern p, unsigned n, struct hostile_bytes *ret)
{
	struct writer x = { .p = p, .only = m->row };
	wire_init(&x.w);
	x.w.format = stated(format_of(m->row));
	x.w.now = BEGINS;
	x.w.step = step_of(p);
	wire_header(&x.w, 1, 1000);
	x.w.format = format_of(m->row);
	put_pattern(&x, m, n);
	wire_end_buffer(&x.w);
	*ret = (struct hostile_bytes){ x.w.out.v, x.w.out.n, x.w.out.room };
	x.w.out.v = NULL;
	x.w.out.n = x.w.out.room = 0;
	wire_finish(&x.w);
	pv_batch_finish(&x.pools);
}

/* --- all of them */

static bool is_written(const struct mlpd_row *row)
{
	const struct mlpd_format f = format_of(row);
	return wire_row_is_written(row, &f);
}

static size_t rows(void)
{
	size_t n = 0;
	for (size_t i = 0; i < mlpd_row_count; i++)
		n += is_written(&mlpd_rows[i]);
	return n;
}

static const struct mlpd_row *row_at(size_t at)
{
	size_t i = 0;
	while (!is_written(&mlpd_rows[i]) || at-- > 0)
		i++;
	return &mlpd_rows[i];
}

static struct made made(size_t family)
{
	if (family < PV_COUNT_OF(families))
		return (struct made){ .family = &families[family] };
	return (struct made){ .row = row_at(family - PV_COUNT_OF(families)) };
}

static size_t families_mlpd(void)
{
	return PV_COUNT_OF(families) + rows();
}

size_t hostile_families(void)
{
	return families_mlpd() + hostile_families07() + hostile_families_raw() +
	       hostile_families_made();
}

/* After all others, from 0; SIZE_MAX: it is one of those. */
static size_t made_up(size_t family)
{
	size_t others = families_mlpd() + hostile_families07() + hostile_families_raw();
	return family >= others ? family - others : SIZE_MAX;
}

const char *hostile_family_name(size_t family)
{
	size_t n = families_mlpd(), n07 = hostile_families07();
	if (made_up(family) != SIZE_MAX)
		return hostile_family_name_made(made_up(family));
	if (family >= n + n07)
		return hostile_family_name_raw(family - n - n07);
	if (family >= n)
		return hostile_family_name07(family - n);
	const struct made m = made(family);
	return m.row ? m.row->symbol : m.family->name;
}

bool hostile_is_made(size_t family)
{
	return made_up(family) != SIZE_MAX;
}

bool hostile_is_heap(size_t family)
{
	return hostile_is_made(family) && hostile_is_heap_made(made_up(family));
}

bool hostile_is_quick(size_t family, enum hostile_pattern p)
{
	bool one_row = family >= PV_COUNT_OF(families) && family < families_mlpd();
	if (family >= families_mlpd() + hostile_families07())
		return p == HOSTILE_MANY || !hostile_is_made(family);
	if (family >= families_mlpd())
		return hostile_is_quick07(family - families_mlpd(), p);
	return !one_row || p == HOSTILE_MANY;
}

bool hostile_is_asked(size_t family, enum hostile_pattern p)
{
	return p == HOSTILE_MANY && (hostile_is_made(family) || family < PV_COUNT_OF(families));
}

unsigned hostile_quick_n(size_t family, unsigned n)
{
	size_t mlpd = families_mlpd();
	return family < mlpd || family >= mlpd + hostile_families07() ? n : n * 2 / 5;
}

bool hostile_has(size_t family, enum hostile_pattern p)
{
	size_t n = families_mlpd(), n07 = hostile_families07();
	if (family >= n + n07)
		return p == HOSTILE_BENIGN || p == HOSTILE_MANY;
	if (family >= n)
		return hostile_has07(family - n, p);
	const struct made m = made(family);
	if (!m.row)
		return true;
	if (p == HOSTILE_DEEP)
		return has_list(m.row);
	return p != HOSTILE_OPEN && p != HOSTILE_CROSSED;
}

void hostile_write(size_t family, enum hostile_pattern p, unsigned n, struct hostile_bytes *ret)
{
	size_t mlpd = families_mlpd(), n07 = hostile_families07();
	if (made_up(family) != SIZE_MAX) {
		hostile_write_made(made_up(family), p == HOSTILE_BENIGN, n, ret);
	} else if (family >= mlpd + n07) {
		hostile_write_raw(family - mlpd - n07, p == HOSTILE_BENIGN, n, ret);
	} else if (family >= mlpd) {
		hostile_write07(family - mlpd, p, n, ret);
	} else {
		const struct made m = made(family);
		write_mlpd(&m, p, n, ret);
	}
}
