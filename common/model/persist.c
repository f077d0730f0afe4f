/*
 * Each store is written as its structure with the arrays taken out, then array by array. So a new
 * number in a store is kept without a line here, while a new array changes the structure's size
 * and stops the build below: say here how it is kept, then note the new size.
 */
#include "common/model/persist.h"

#include <stdlib.h>
#include <string.h>

#include "common/model/buckets_parts.h"
#include "common/model/gc_parts.h"
#include "common/model/natives.h"
#include "common/model/window_parts.h"

enum { LAYOUT = 6 }; /* to be raised when a field's meaning changes but no size does */

#define SAME_SIZE(type, size)                                                                      \
	_Static_assert(sizeof(void *) != 8 || sizeof(type) == (size),                              \
		#type ": new arrays must be described in this file")
#define TAKE_OUT(array) ((array).v = NULL, (array).n = (array).room = 0)
#define TAKE_OUT_MAP(map) ((map) = (struct pv_map){ 0 })

/* --- names and stacks */

SAME_SIZE(struct pv_names, 1424);
SAME_SIZE(struct pv_ranges, 40);

static void archive_ranges(struct pv_archive *a, struct pv_ranges *r)
{
	struct pv_ranges plain = *r;
	TAKE_OUT(plain.range);
	pv_archive_value(a, plain);
	pv_archive_array(a, &r->range);
	r->sorted = plain.sorted;
	r->added = plain.added;
}

static void archive_names(struct pv_archive *a, struct pv_names *n)
{
	struct pv_names plain = *n;
	plain.text = (struct pv_intern){ 0 };
	for (unsigned i = 0; i < PV_ENTITY_KINDS; i++) {
		TAKE_OUT(plain.entity[i]);
		TAKE_OUT_MAP(plain.entity_of[i]);
		TAKE_OUT_MAP(plain.owned[i]);
	}
	TAKE_OUT(plain.method);
	TAKE_OUT_MAP(plain.method_of);
	TAKE_OUT(plain.class_use);
	TAKE_OUT_MAP(plain.class_of);
	TAKE_OUT(plain.symbols.range);
	TAKE_OUT(plain.functions.range);
	TAKE_OUT(plain.code.range);
	TAKE_OUT_MAP(plain.native_of);
	TAKE_OUT_MAP(plain.methods_of);
	TAKE_OUT_MAP(plain.living);
	TAKE_OUT_MAP(plain.in_domain);
	TAKE_OUT_MAP(plain.use_of_entity);
	TAKE_OUT_MAP(plain.use_unbound);
	TAKE_OUT(plain.newly_shared);
	memset(plain.key_epochs, 0, sizeof plain.key_epochs);
	memset(&plain.method_epochs, 0, sizeof plain.method_epochs);
	pv_archive_value(a, plain);
	if (a->loading && !a->failed) {
		plain.changes += n->changes + 1;
		pv_names_finish(n);
		*n = plain;
	}
	pv_archive_intern(a, &n->text);
	for (unsigned i = 0; i < PV_ENTITY_KINDS; i++) {
		pv_archive_array(a, &n->entity[i]);
		pv_archive_map(a, &n->entity_of[i]);
		pv_archive_map(a, &n->owned[i]);
	}
	pv_archive_array(a, &n->method);
	pv_archive_map(a, &n->method_of);
	pv_archive_array(a, &n->class_use);
	pv_archive_map(a, &n->class_of);
	archive_ranges(a, &n->symbols);
	archive_ranges(a, &n->functions);
	archive_ranges(a, &n->code);
	pv_archive_map(a, &n->native_of);
	pv_archive_map(a, &n->methods_of);
	pv_archive_map(a, &n->living);
	pv_archive_map(a, &n->in_domain);
	if (a->loading && !a->failed)
		a->failed = !pv_names_link(n);
}

SAME_SIZE(struct pv_stacks, 72);

static void archive_stacks(struct pv_archive *a, struct pv_stacks *s)
{
	pv_archive_array(a, &s->node);
	pv_archive_map(a, &s->child);
	pv_archive_value(a, s->cap);
	pv_archive_value(a, s->fold_at);
	pv_archive_value(a, s->folded);
}

/* --- calls, sites */

SAME_SIZE(struct pv_calls, 176);

static void archive_calls(struct pv_archive *a, struct pv_calls *c)
{
	struct pv_calls plain = *c;
	TAKE_OUT(plain.node);
	TAKE_OUT(plain.of_method);
	TAKE_OUT(plain.next_of_method);
	TAKE_OUT_MAP(plain.wide);
	pv_archive_value(a, plain);
	if (a->loading && !a->failed) {
		pv_calls_finish(c);
		*c = plain;
	}
	pv_archive_table(a, &c->node);
	pv_archive_map(a, &c->wide);
}

SAME_SIZE(struct pv_lines, 136);

static void archive_lines(struct pv_archive *a, struct pv_lines *l)
{
	pv_archive_array(a, &l->table);
	pv_archive_array(a, &l->line);
	pv_archive_array(a, &l->hits);
	pv_archive_map(a, &l->table_of);
	pv_archive_map(a, &l->hits_of);
	pv_archive_value(a, l->samples);
	pv_archive_value(a, l->dropped);
}

SAME_SIZE(struct pv_fields, 176);

static void archive_fields(struct pv_archive *a, struct pv_fields *f)
{
	pv_archive_array(a, &f->field);
	pv_archive_array(a, &f->parent);
	pv_archive_array(a, &f->elements);
	pv_archive_map(a, &f->field_of);
	pv_archive_map(a, &f->parent_of);
	pv_archive_map(a, &f->elements_of);
	pv_archive_map(a, &f->known);
	pv_archive_value(a, f->dropped);
}

SAME_SIZE(struct pv_tree_sums, 112);

static void archive_tree_sums(struct pv_archive *a, struct pv_tree_sums *t)
{
	struct pv_tree_sums plain = *t;
	TAKE_OUT(plain.cpu);
	TAKE_OUT(plain.entry);
	TAKE_OUT(plain.path);
	pv_archive_value(a, plain);
	if (a->loading && !a->failed) {
		pv_tree_sums_finish(t);
		*t = plain;
	}
	pv_archive_array(a, &t->cpu);
	pv_archive_array(a, &t->entry);
}

SAME_SIZE(struct pv_sites, 96);

static void archive_sites(struct pv_archive *a, struct pv_sites *s)
{
	struct pv_sites plain = *s;
	TAKE_OUT(plain.site);
	TAKE_OUT_MAP(plain.of);
	TAKE_OUT_MAP(plain.other);
	pv_archive_value(a, plain);
	if (a->loading && !a->failed) {
		pv_sites_finish(s);
		*s = plain;
	}
	pv_archive_array(a, &s->site);
	pv_archive_map(a, &s->of);
	pv_archive_map(a, &s->other);
}

SAME_SIZE(struct pv_allocs, 184);

static void archive_allocs(struct pv_archive *a, struct pv_allocs *s)
{
	struct pv_allocs plain = *s;
	TAKE_OUT(plain.class_use);
	memset(&plain.sites, 0, sizeof plain.sites);
	pv_archive_value(a, plain);
	if (a->loading && !a->failed) {
		plain.sites = s->sites;
		pv_array_finish(&s->class_use);
		*s = plain;
	}
	pv_archive_array(a, &s->class_use);
	archive_sites(a, &s->sites);
}

SAME_SIZE(struct pv_throws, 296);

static void archive_throws(struct pv_archive *a, struct pv_throws *t)
{
	struct pv_throws plain = *t;
	TAKE_OUT(plain.by_method);
	TAKE_OUT_MAP(plain.by_method_of);
	plain.waiting = (struct pv_lates){ 0 };
	plain.messages = (struct pv_messages){ 0 };
	memset(&plain.sites, 0, sizeof plain.sites);
	pv_archive_value(a, plain);
	if (a->loading && !a->failed) {
		plain.sites = t->sites;
		pv_array_finish(&t->by_method);
		pv_map_finish(&t->by_method_of);
		*t = plain;
	}
	pv_archive_array(a, &t->by_method);
	pv_archive_map(a, &t->by_method_of);
	pv_lates_archive(a, &t->waiting);
	pv_messages_archive(a, &t->messages);
	archive_sites(a, &t->sites);
}

SAME_SIZE(struct pv_locks, 304);

static void archive_locks(struct pv_archive *a, struct pv_locks *l)
{
	struct pv_locks plain = *l;
	TAKE_OUT(plain.lock);
	TAKE_OUT_MAP(plain.of);
	memset(&plain.sites, 0, sizeof plain.sites);
	memset(&plain.by_lock, 0, sizeof plain.by_lock);
	pv_archive_value(a, plain);
	if (a->loading && !a->failed) {
		plain.sites = l->sites;
		plain.by_lock = l->by_lock;
		pv_array_finish(&l->lock);
		pv_map_finish(&l->of);
		*l = plain;
	}
	pv_archive_array(a, &l->lock);
	pv_archive_map(a, &l->of);
	archive_sites(a, &l->sites);
	archive_sites(a, &l->by_lock);
}

/* --- threads */

SAME_SIZE(struct pv_thread, 592);
SAME_SIZE(struct pv_threads, 88);

static void archive_thread(struct pv_archive *a, struct pv_thread *th)
{
	struct pv_thread plain = *th;
	TAKE_OUT(plain.stack.stack);
	plain.stack.open = NULL;
	pv_archive_value(a, plain);
	if (a->loading && !a->failed)
		*th = plain;
	pv_archive_array(a, &th->stack.stack);
}

/* A pointer a thread; [0] is none. */
static void archive_threads(struct pv_archive *a, struct pv_threads *t)
{
	struct pv_threads plain = *t;
	size_t n = pv_archive_count(a, t->thread.n, PV_THREADS_CAP + 2);
	TAKE_OUT(plain.thread);
	TAKE_OUT_MAP(plain.newest);
	pv_archive_value(a, plain);
	for (size_t i = 1; i < n && !a->failed; i++) {
		if (a->loading) {
			struct pv_thread *th = calloc(1, sizeof *th);
			if (!th || !pv_reserve(&t->thread, 1)) {
				free(th);
				a->failed = true;
				break;
			}
			t->thread.v[t->thread.n++] = th;
		}
		archive_thread(a, t->thread.v[i]);
	}
	pv_archive_map(a, &t->newest);
	if (a->loading && !a->failed) {
		plain.thread.v = t->thread.v;
		plain.thread.n = t->thread.n;
		plain.thread.room = t->thread.room;
		plain.newest = t->newest;
		*t = plain;
	}
}

/* --- collections, shots */

SAME_SIZE(struct pv_gc, 480);

static void archive_gc(struct pv_archive *a, struct pv_model *m)
{
	struct pv_gc *gc = &m->gc;
	if (!a->loading)
		pv_gc_sort(gc);
	struct pv_gc plain = *gc;
	memset(&plain.by_start, 0, sizeof plain.by_start);
	memset(plain.of_generation, 0, sizeof plain.of_generation);
	TAKE_OUT(plain.collections);
	TAKE_OUT(plain.pauses);
	TAKE_OUT(plain.sizes);
	plain.pending = NULL;
	pv_archive_value(a, plain);
	if (a->loading && !a->failed) {
		plain.pending = gc->pending;
		*gc = plain; /* nothing was in it */
	}
	pv_archive_array(a, &gc->collections);
	pv_archive_array(a, &gc->pauses);
	pv_archive_array(a, &gc->sizes);
	pv_gc_archive_pending(a, m);
	if (a->loading && !a->failed)
		a->failed = !pv_gc_rebuild(gc);
}

SAME_SIZE(struct pv_heap_shots, 128);
SAME_SIZE(struct pv_shot, 136);

static void archive_shots(struct pv_archive *a, struct pv_heap_shots *s)
{
	struct pv_heap_shots plain = *s;
	TAKE_OUT(plain.shot);
	TAKE_OUT(plain.row_of);
	pv_archive_value(a, plain);
	if (a->loading && !a->failed)
		*s = plain;
	size_t n = pv_archive_count(a, s->shot.n, PV_SHOTS_LIST + 2);
	for (size_t i = 0; i < n && !a->failed; i++) {
		struct pv_shot shot = { 0 };
		if (!a->loading)
			shot = s->shot.v[i];
		TAKE_OUT(shot.classes);
		pv_archive_value(a, shot);
		TAKE_OUT(shot.classes);
		if (a->loading && !pv_reserve(&s->shot, 1))
			a->failed = true;
		else if (a->loading)
			s->shot.v[s->shot.n++] = shot;
		if (!a->failed)
			pv_archive_array(a, &s->shot.v[i].classes);
	}
	pv_archive_array(a, &s->row_of);
}

/* --- the rest */

SAME_SIZE(struct pv_counters, 80);
SAME_SIZE(struct pv_counter, 104);

static void archive_counters(struct pv_archive *a, struct pv_counters *c)
{
	struct pv_counters plain = *c;
	TAKE_OUT(plain.counter);
	TAKE_OUT_MAP(plain.of);
	pv_archive_value(a, plain);
	if (a->loading && !a->failed) {
		pv_counters_finish(c);
		*c = plain;
	}
	size_t n = pv_archive_count(a, c->counter.n, PV_COUNTERS_CAP + 2);
	for (size_t i = 0; i < n && !a->failed; i++) {
		struct pv_counter one = { 0 };
		if (!a->loading)
			one = c->counter.v[i];
		TAKE_OUT(one.samples);
		pv_archive_value(a, one);
		TAKE_OUT(one.samples);
		if (a->loading && !pv_reserve(&c->counter, 1))
			a->failed = true;
		else if (a->loading)
			c->counter.v[c->counter.n++] = one;
		if (!a->failed)
			pv_archive_array(a, &c->counter.v[i].samples);
	}
	pv_archive_map(a, &c->of);
}

SAME_SIZE(struct pv_helpers, 416);

static void archive_helpers(struct pv_archive *a, struct pv_helpers *h)
{
	struct pv_helpers plain = *h;
	TAKE_OUT(plain.assemblies);
	TAKE_OUT(plain.classes);
	TAKE_OUT(plain.methods);
	TAKE_OUT(plain.statements);
	TAKE_OUT_MAP(plain.method_of);
	TAKE_OUT(plain.named);
	TAKE_OUT_MAP(plain.named_of);
	pv_archive_value(a, plain);
	if (a->loading && !a->failed) {
		pv_helpers_finish(h);
		*h = plain;
	}
	pv_archive_array(a, &h->assemblies);
	pv_archive_array(a, &h->classes);
	pv_archive_array(a, &h->methods);
	pv_archive_array(a, &h->statements);
	pv_archive_map(a, &h->method_of);
	pv_archive_array(a, &h->named);
	pv_archive_map(a, &h->named_of);
}

SAME_SIZE(struct pv_loads, 120);

static void archive_loads(struct pv_archive *a, struct pv_loads *s)
{
	struct pv_loads plain = *s;
	TAKE_OUT(plain.load);
	TAKE_OUT(plain.compile);
	TAKE_OUT_MAP(plain.compile_of);
	pv_archive_value(a, plain);
	if (a->loading && !a->failed) {
		pv_loads_finish(s);
		*s = plain;
	}
	pv_archive_array(a, &s->load);
	pv_archive_array(a, &s->compile);
	pv_archive_map(a, &s->compile_of);
}

static void archive_timeline(struct pv_archive *a, struct pv_timeline *t)
{
	pv_archive_value(a, t->origin_ns);
	pv_archive_value(a, t->width_ns);
	t->used = pv_archive_count(a, t->used, PV_TIMELINE_CELLS);
	for (unsigned i = 0; i < PV_TRACKS && !a->failed; i++)
		pv_archive_bytes(a, t->cell[i], t->used * sizeof t->cell[i][0]);
}

SAME_SIZE(struct pv_target_info, 96);

static void archive_target(struct pv_archive *a, struct pv_model *m)
{
	struct pv_target_info *t = &m->target, plain = *t;
	plain.stage = plain.args = plain.arch = plain.os = NULL;
	pv_archive_value(a, plain);
	if (a->loading && !a->failed)
		*t = plain;
	/* Constants and interned texts alike become texts of the loaded model. */
	pv_archive_text(a, &m->names.text, &t->stage);
	pv_archive_text(a, &m->names.text, &t->args);
	pv_archive_text(a, &m->names.text, &t->arch);
	pv_archive_text(a, &m->names.text, &t->os);
}

static void archive_own(struct pv_archive *a, struct pv_model *m)
{
	struct pv_model_private *p = m->private;
	pv_archive_value(a, m->zero_ns);
	pv_archive_value(a, m->have_zero);
	pv_archive_value(a, m->first_ns);
	pv_archive_value(a, m->last_ns);
	pv_archive_value(a, m->kinds);
	pv_archive_value(a, m->buffers);
	pv_archive_value(a, m->bytes);
	pv_archive_value(a, m->events);
	pv_archive_value(a, m->recordings);
	pv_archive_array(a, &m->damage);
	pv_archive_value(a, m->damaged);
	pv_archive_value(a, m->damaged_bytes);
	pv_archive_value(a, m->lost_events);
	pv_archive_value(a, m->pauses);
	pv_archive_value(a, m->sync_points);
	pv_archive_value(a, m->aot_id);
	pv_archive_value(a, m->ended);
	pv_archive_value(a, m->complete);
	pv_archive_value(a, m->ending.promised);
	pv_archive_value(a, m->ending.said);
	pv_archive_value(a, m->ending.abrupt);
	pv_archive_value(a, m->ending.inside);
	pv_archive_value(a, m->ending.unsealed);
	pv_archive_value(a, m->ending.full);
	pv_archive_value(a, p->zero_open);
	pv_archive_value(a, p->first_base_ns);
	pv_addresses_archive(a, &p->addresses);
}

SAME_SIZE(struct pv_model, 373424);

static void archive_model(struct pv_archive *a, struct pv_model *m)
{
	archive_names(a, &m->names);
	archive_target(a, m);
	archive_own(a, m);
	archive_stacks(a, &m->stacks);
	archive_calls(a, &m->calls);
	archive_tree_sums(a, &m->tree_sums);
	archive_lines(a, &m->lines);
	archive_fields(a, &m->fields);
	archive_allocs(a, &m->allocs);
	archive_threads(a, &m->threads);
	archive_gc(a, m);
	pv_gc_archive_places(a, m);
	archive_shots(a, &m->shots);
	archive_locks(a, &m->locks);
	archive_throws(a, &m->throws);
	archive_counters(a, &m->counters);
	archive_helpers(a, &m->helpers);
	archive_loads(a, &m->loads);
	archive_timeline(a, &m->timeline);
	pv_buckets_archive(a, m);
}

/* --- in and out */

uint64_t pv_model_layout(void)
{
	const uint64_t sizes[] = { LAYOUT, sizeof(struct pv_model), sizeof(struct pv_thread),
		sizeof(struct pv_tree_node), sizeof(struct pv_site), sizeof(struct pv_method),
		sizeof(struct pv_entity), sizeof(struct pv_class_use), sizeof(struct pv_collection),
		sizeof(struct pv_shot), sizeof(struct pv_counter), sizeof(struct pv_lock),
		sizeof(struct pv_covered_method), sizeof(struct pv_stack_node), PV_KIND_COUNT,
		PV_TRACKS, sizeof(size_t), sizeof(struct pv_damage_entry),
		sizeof(struct pv_bucket_entry), sizeof(struct pv_load), sizeof(struct pv_compile),
		sizeof(struct pv_field), sizeof(struct pv_parent) };
	uint64_t h = 0x70766964; /* reads differently in the other byte order */
	const uint8_t *bytes = (const uint8_t *)&h;
	h = pv_hash(h ^ bytes[0]);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		h = pv_hash(h ^ pv_hash(sizes[i] + i));
	for (const char *v = PV_VERSION; *v; v++)
		h = pv_hash(h ^ (uint8_t)*v);
	return h;
}

bool pv_model_save(const struct pv_model *m, pv_archive_write_fn write, void *ctx)
{
	struct pv_archive a = { .write = write, .ctx = ctx };
	archive_model(&a, (struct pv_model *)m); /* saving changes nothing */
	return !a.failed;
}

/* --- names alone */

struct memory {
	PV_ARRAY(uint8_t) bytes;
	size_t at;
};

static bool remember(void *ctx, const void *bytes, size_t n)
{
	struct memory *to = ctx;
	if (!pv_reserve(&to->bytes, n))
		return false;
	if (n)
		memcpy(to->bytes.v + to->bytes.n, bytes, n);
	to->bytes.n += n;
	return true;
}

static bool recall(void *ctx, void *to, size_t n)
{
	struct memory *from = ctx;
	if (n > from->bytes.n - from->at)
		return false;
	if (n)
		memcpy(to, from->bytes.v + from->at, n);
	from->at += n;
	return true;
}

bool pv_model_copy_names(const struct pv_model *from, struct pv_model *to)
{
	struct memory bytes = { 0 };
	struct pv_archive out = { .write = remember, .ctx = &bytes };
	archive_names(&out, (struct pv_names *)&from->names); /* saving changes nothing */
	struct pv_archive in = {
		.loading = true, .read = recall, .ctx = &bytes, .left = bytes.bytes.n
	};
	bool ok = !out.failed;
	if (ok)
		archive_names(&in, &to->names);
	ok = ok && !in.failed && pv_threads_know(to, &from->threads);
	pv_array_finish(&bytes.bytes);
	return ok;
}

/* The window knows nothing of what was loaded. */
static void forget_window(struct pv_model *m)
{
	for (size_t i = 0; i < m->calls.node.n; i++)
		m->calls.node.v[i].cell = i ? pv_window_untouched(m) : 0;
	struct pv_sites *s = &m->allocs.sites;
	for (size_t i = 0; i < s->site.n; i++)
		s->site.v[i].cell = i ? pv_window_untouched(m) : 0;
}

bool pv_model_load(struct pv_model *m, pv_archive_read_fn read, void *ctx, uint64_t n)
{
	struct pv_archive a = { .loading = true, .read = read, .ctx = ctx, .left = n };
	archive_model(&a, m);
	if (a.failed || a.left > 0)
		return false;
	forget_window(m);
	m->generation++;
	return pv_natives_again(m);
}
