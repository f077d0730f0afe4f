/* SPDX-License-Identifier: MIT */
/* Single waits for locks, who waits for whom, and cycles of waiting; see lock_waits.h. */
#include <stdio.h>
#include <string.h>

#include "common/base/map.h"
#include "common/base/saturate.h"
#include "common/base/status.h"
#include "common/base/utf8.h"
#include "common/model/model.h"
#include "common/query/groups/groups.h"
#include "common/query/lock_waits.h"
#include "common/query/groups/readable.h"
#include "common/query/groups/site_rows.h"
#include "common/query/groups/specs.h"

/* The waits with all that rows need, made once a table. */
struct waits {
	struct pv_build *b;
	const struct pv_model *m;
	struct pv_groups classes;
	struct pv_lock_waits all;
};

static bool begin_waits(struct waits *w, struct pv_build *b, struct pv_model *m)
{
	*w = (struct waits){ .b = b, .m = m };
	return pv_groups_classes_by_name(m, b, &w->classes) && pv_lock_waits_make(&w->all, m);
}

static void finish_waits(struct waits *w, bool ok)
{
	if (!ok)
		pv_build_fail(w->b);
	pv_groups_finish(&w->classes);
	pv_lock_waits_finish(&w->all);
}

static const char *thread_text(const struct waits *w, uint32_t index, uint64_t id)
{
	const struct pv_thread *t = index ? w->m->threads.thread.v[index] : NULL;
	if (t && t->name)
		return pv_intern_text(&w->m->names.text, t->name);
	if (!t && !id)
		return NULL;
	return pv_build_hex(w->b, t ? t->id : id);
}

static uint64_t thread_id(const struct waits *w, uint32_t index, uint64_t other)
{
	return index ? w->m->threads.thread.v[index]->id : other;
}

static const char *class_text(const struct waits *w, uint32_t lock)
{
	if (!lock)
		return "(other)";
	const struct pv_lock *l = &w->m->locks.lock.v[lock];
	return pv_group_name(w->b, &w->classes, pv_group_of(&w->classes, l->class_use));
}

static uint64_t row_id(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t id = pv_hash(pv_hash(pv_hash(a) * 31 + b) * 31 + c);
	return id && id != PV_ROW_OUTSIDE ? id : 1;
}

/* --- single waits --- */

enum {
	W_WAIT,
	W_START,
	W_THREAD,
	W_HOLDER,
	W_KNOWN,
	W_ENDED,
	W_OBJECT,
	W_CLASS,
	W_STACK,
	W_HOLDER_STACK,
	W_THREAD_ID,
	W_HOLDER_ID
};

static const struct pv_column wait_columns[] = {
	[W_WAIT] = { "wait_ns", "WAITED", PV_UNIT_NS, 9, 0, PV_COLUMN_ADDS, .json = 1,
		.help = "How long this wait was, or is by now" },
	[W_START] = { "start_ns", "SINCE", PV_UNIT_TIME, 12, 3, PV_COLUMN_ASCENDING, .json = 2,
		.help = "When it began to wait" },
	[W_THREAD] = { "thread", "WHO WAITED", PV_UNIT_TEXT, 10, 0, PV_COLUMN_ASCENDING, .json = 4,
		.help = "The thread that waited" },
	[W_HOLDER] = { "holder", "HELD BY", PV_UNIT_TEXT, 10, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS, .json = 6 },
	[W_KNOWN] = { "holder_known", "KNOWN", PV_UNIT_TEXT, 8, 4, PV_COLUMN_ASCENDING, .json = 8,
		.help = "said: the log says who; inferred: from who had to wait for it, too" },
	[W_ENDED] = { "ended", "ENDED", PV_UNIT_TEXT, 11, 2, PV_COLUMN_ASCENDING, .json = 3,
		.help = "How the wait ended, if it did" },
	[W_OBJECT] = { "object", "OBJECT", PV_UNIT_ADDRESS, 14, 6, PV_COLUMN_ASCENDING, .json = 9 },
	[W_CLASS] = { "class", "CLASS", PV_UNIT_TEXT, 20, 5,
		PV_COLUMN_ASCENDING | PV_COLUMN_CLASS | PV_COLUMN_HIDE_SCREEN, .json = 10 },
	[W_STACK] = { "stack", "WAITED IN", PV_UNIT_LIST, 16, 1, .json = 11,
		.help = "Where it waited, innermost method first" },
	[W_HOLDER_STACK] = { "holder_stack", "THE HOLDER WAS IN", PV_UNIT_LIST, 24, 7, .json = 12,
		.help = "Where the holder waited itself then, or had waited for this lock" },
	[W_THREAD_ID] = { "thread_id", "THREAD", PV_UNIT_THREAD, 14, 8,
		PV_COLUMN_ASCENDING | PV_COLUMN_HIDE_SCREEN, .json = 5 },
	[W_HOLDER_ID] = { "holder_id", "HOLDER", PV_UNIT_THREAD, 14, 9,
		PV_COLUMN_ASCENDING | PV_COLUMN_HIDE_SCREEN, .json = 7 },
};

/* Whether a method is the runtime's waiting itself; Mono calls its own through "(wrapper KIND) ". */
static bool is_waiting_itself(const char *name)
{
	static const char wrapper[] = "(wrapper ";
	static const char *const own[] = { "System.Threading.Monitor:", "System.Threading.Lock:",
		"object:__icall_wrapper_mono_monitor_" };
	const char *kind_end =
		strncmp(name, wrapper, sizeof wrapper - 1) == 0 ? strstr(name, ") ") : NULL;
	name = kind_end ? kind_end + 2 : name;
	bool is_own = false;
	for (size_t i = 0; i < PV_COUNT_OF(own); i++)
		is_own |= strncmp(name, own[i], strlen(own[i])) == 0;
	return is_own;
}

/*
 * Skips the innermost frames of the waiting itself, so that rows differ by callers. A runtime has
 * few such frames; a damaged log may have any number for each wait.
 */
static uint32_t above_monitor(const struct pv_model *m, uint32_t stack)
{
	enum { OWN_MOST = 16 };
	const struct pv_stack_node *v = m->stacks.node.v;
	for (int own_n = 0;
		own_n < OWN_MOST && stack && stack < m->stacks.node.n && v[stack].parent; own_n++) {
		uint32_t name =
			v[stack].method ? pv_names_method_name(&m->names, v[stack].method) : 0;
		const char *text = name ? pv_intern_text(&m->names.text, name) : "";
		if (!is_waiting_itself(text))
			break;
		stack = v[stack].parent;
	}
	return stack;
}

static void put_wait_stack(const struct pv_model *m, struct pv_cell *c, uint32_t stack)
{
	stack = above_monitor(m, stack);
	*c = (struct pv_cell){ .u = stack, .state = stack ? PV_CELL_PENDING : PV_CELL_NULL };
}

static void put_wait(const struct waits *w, const struct pv_lock_wait *x)
{
	static const char *const ended[PV_WAIT_ENDS] = { [PV_WAIT_OPEN] = "still waits",
		[PV_WAIT_GOT] = "got it",
		[PV_WAIT_GAVE_UP] = "gave up" };
	static const char *const known[] = { [PV_HOLDER_UNKNOWN] = NULL,
		[PV_HOLDER_SAID] = "said",
		[PV_HOLDER_AFTER] = "inferred",
		[PV_HOLDER_LAST] = "inferred" };
	const struct pv_waited *at = &x->at;
	struct pv_cell *c =
		pv_build_row(w->b, row_id(at->thread, (uint64_t)at->start_ns, (uint64_t)at->lock));
	uint64_t holder = thread_id(w, x->holder, at->holder);
	pv_cell_i(&c[W_WAIT], pv_sat_span(at->start_ns, at->end_ns));
	pv_cell_time(&c[W_START], w->m, at->start_ns);
	pv_cell_s(&c[W_THREAD], thread_text(w, at->thread, 0));
	pv_cell_s(&c[W_HOLDER], thread_text(w, x->holder, at->holder));
	pv_cell_s(&c[W_KNOWN], known[x->from]);
	pv_cell_s(&c[W_ENDED], ended[at->ended]);
	pv_cell_u_if(&c[W_OBJECT], at->lock, w->m->locks.lock.v[at->lock].object);
	pv_cell_s(&c[W_CLASS], class_text(w, at->lock));
	put_wait_stack(w->m, &c[W_STACK], at->stack);
	put_wait_stack(w->m, &c[W_HOLDER_STACK], x->holder_stack);
	pv_cell_u(&c[W_THREAD_ID], thread_id(w, at->thread, 0));
	pv_cell_u_if(&c[W_HOLDER_ID], holder, holder);
}

/* Whether the query asks for the wait: `select` is the row of a lock. */
static bool is_meant(const struct waits *w, const struct pv_lock_wait *x)
{
	uint64_t select = w->b->query->select;
	if (x->aside)
		return false;
	return !select || select - 1 == x->at.lock;
}

static void copy_waits(struct pv_build *b, struct pv_model *m)
{
	struct waits w;
	bool ok = begin_waits(&w, b, m);
	for (size_t i = 0; ok && b->table && i < w.all.one.n; i++)
		if (is_meant(&w, &w.all.one.v[i]))
			put_wait(&w, &w.all.one.v[i]);
	finish_waits(&w, ok);
}

const struct pv_view_spec pv_spec_lock_waits = { .column = wait_columns,
	.columns = PV_COUNT_OF(wait_columns),
	.name = "thread",
	.sort = "wait_ns",
	.then = "start_ns",
	.copy = copy_waits,
	.fill_chosen = pv_site_rows_text };

/* --- sites: a method waits for a lock that another method has --- */

enum { S_WAIT, S_COUNT, S_MAX, S_THREADS, S_METHOD, S_HOLDER };

static const struct pv_column site_columns[] = {
	[S_WAIT] = { "wait_ns", "WAITED", PV_UNIT_NS, 9, 0, PV_COLUMN_ADDS, .json = 5,
		.help = "Time that threads waited there, all together" },
	[S_COUNT] = { "waits", "TIMES", PV_UNIT_COUNT, 6, 1, PV_COLUMN_ADDS, .json = 3,
		.help = "How often one waited there" },
	[S_MAX] = { "max_wait_ns", "LONGEST", PV_UNIT_NS, 9, 3, .json = 6 },
	[S_THREADS] = { "threads", "THREADS", PV_UNIT_COUNT, 7, 4, .json = 4,
		.help = "How many threads did, by their names" },
	[S_METHOD] = { "method", "WAITED IN", PV_UNIT_TEXT, 16, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_METHOD, .json = 1,
		.help = "The method that waited" },
	[S_HOLDER] = { "holder_method", "HELD IN", PV_UNIT_TEXT, 16, 2,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS, .json = 2,
		.help = "Where the holder waited then, else had last waited for it; empty: it never did" },
};

/* Interned name of the innermost method outside of the waiting; 0: not known. */
static uint32_t site_method(const struct pv_model *m, uint32_t stack)
{
	stack = above_monitor(m, stack);
	const uint32_t method =
		stack && stack < m->stacks.node.n ? m->stacks.node.v[stack].method : 0;
	return method ? pv_names_method_name(&m->names, method) : 0;
}

/* A readable name, if wanted: the table makes only one column readable. */
static const char *site_holder(const struct waits *w, uint32_t name)
{
	char room[PV_READABLE_MAX];
	const char *raw = name ? pv_intern_text(&w->m->names.text, name) : NULL;
	if (!raw || !w->b->query->readable)
		return raw;
	return pv_build_text(
		w->b, pv_readable_text(&site_columns[S_METHOD], raw, PV_NAME_READABLE, room));
}

/* Threads differ by their names, else by their ids. */
static uint64_t thread_key(const struct waits *w, uint32_t index, uint64_t other)
{
	const struct pv_thread *t = index ? w->m->threads.thread.v[index] : NULL;
	return t && t->name ? t->name : pv_hash(t ? t->id : other) | UINT64_C(1) << 63;
}

static bool add_lock_site(
	struct waits *w, struct pv_map *of, struct pv_map *met, const struct pv_lock_wait *x)
{
	const uint32_t method = site_method(w->m, x->at.stack),
		       holder = site_method(w->m, x->holder_stack);
	const uint64_t id = row_id(method, holder, 0);
	const int64_t ns = pv_sat_span(x->at.start_ns, x->at.end_ns);
	uint32_t row = pv_map_get(of, id);
	if (!w->b->table)
		return false;
	if (row == PV_MAP_NONE) {
		row = (uint32_t)w->b->table->rows;
		struct pv_cell *c = pv_build_row(w->b, id);
		if (!w->b->table || !pv_map_set(of, id, row))
			return false;
		pv_cell_s(&c[S_METHOD],
			method ? pv_intern_text(&w->m->names.text, method) : "(not recorded)");
		pv_cell_s(&c[S_HOLDER], site_holder(w, holder));
	}
	struct pv_cell *c = w->b->table->row[row].cell;
	const uint64_t thread = row_id(id, thread_key(w, x->at.thread, 0), 0);
	c[S_COUNT].u++;
	c[S_WAIT].i = pv_sat_add(c[S_WAIT].i, ns);
	c[S_MAX].i = ns > c[S_MAX].i ? ns : c[S_MAX].i;
	if (pv_map_get(met, thread) != PV_MAP_NONE)
		return true;
	c[S_THREADS].u++;
	return pv_map_set(met, thread, 1);
}

static void copy_lock_sites(struct pv_build *b, struct pv_model *m)
{
	struct waits w;
	struct pv_map of = { 0 }, met = { 0 };
	bool ok = begin_waits(&w, b, m);
	for (size_t i = 0; ok && i < w.all.one.n; i++)
		if (is_meant(&w, &w.all.one.v[i]))
			ok = add_lock_site(&w, &of, &met, &w.all.one.v[i]);
	pv_map_finish(&of);
	pv_map_finish(&met);
	finish_waits(&w, ok);
}

const struct pv_view_spec pv_spec_lock_sites = { .column = site_columns,
	.columns = PV_COUNT_OF(site_columns),
	.name = "method",
	.sort = "wait_ns",
	.then = "waits",
	.copy = copy_lock_sites };

/* --- edges: a thread waits for another --- */

enum { E_WAIT, E_COUNT, E_MAX, E_THREAD, E_HOLDER, E_OBJECT, E_CLASS };

static const struct pv_column edge_columns[] = {
	[E_WAIT] = { "wait_ns", "WAITED", PV_UNIT_NS, 9, 0, PV_COLUMN_ADDS, .json = 6,
		.help = "Time that it waited for the other, all together" },
	[E_COUNT] = { "waits", "TIMES", PV_UNIT_COUNT, 8, 1, PV_COLUMN_ADDS, .json = 5 },
	[E_MAX] = { "max_wait_ns", "LONGEST", PV_UNIT_NS, 9, 2, .json = 7 },
	[E_THREAD] = { "thread", "WHO WAITED", PV_UNIT_TEXT, 10, 0, PV_COLUMN_ASCENDING, .json = 1,
		.help = "The thread that waited" },
	[E_HOLDER] = { "holder", "FOR WHOM", PV_UNIT_TEXT, 10, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS, .json = 2 },
	[E_OBJECT] = { "object", "OBJECT", PV_UNIT_ADDRESS, 14, 4, PV_COLUMN_ASCENDING, .json = 3 },
	[E_CLASS] = { "class", "CLASS", PV_UNIT_TEXT, 20, 3, PV_COLUMN_ASCENDING | PV_COLUMN_CLASS,
		.json = 4 },
};

static bool add_edge(struct waits *w, struct pv_map *of, const struct pv_lock_wait *x)
{
	const struct pv_waited *at = &x->at;
	uint64_t holder = thread_id(w, x->holder, at->holder);
	uint64_t id =
		row_id(thread_key(w, at->thread, 0), thread_key(w, x->holder, holder), at->lock);
	uint32_t row = pv_map_get(of, id);
	int64_t ns = pv_sat_span(at->start_ns, at->end_ns);
	if (row == PV_MAP_NONE) {
		if (!w->b->table || !pv_map_set(of, id, (uint32_t)w->b->table->rows))
			return false;
		row = (uint32_t)w->b->table->rows;
		struct pv_cell *c = pv_build_row(w->b, id);
		if (!w->b->table)
			return false;
		pv_cell_s(&c[E_THREAD], thread_text(w, at->thread, 0));
		pv_cell_s(&c[E_HOLDER], thread_text(w, x->holder, at->holder));
		pv_cell_u_if(&c[E_OBJECT], at->lock, w->m->locks.lock.v[at->lock].object);
		pv_cell_s(&c[E_CLASS], class_text(w, at->lock));
	}
	struct pv_cell *c = w->b->table->row[row].cell;
	c[E_COUNT].u++;
	c[E_WAIT].i = pv_sat_add(c[E_WAIT].i, ns);
	if (ns > c[E_MAX].i)
		c[E_MAX].i = ns;
	return true;
}

static void copy_edges(struct pv_build *b, struct pv_model *m)
{
	struct waits w;
	struct pv_map of = { 0 };
	bool ok = begin_waits(&w, b, m);
	for (size_t i = 0; ok && i < w.all.one.n; i++)
		if (!w.all.one.v[i].aside)
			ok = add_edge(&w, &of, &w.all.one.v[i]);
	pv_map_finish(&of);
	finish_waits(&w, ok);
}

const struct pv_view_spec pv_spec_lock_edges = { .column = edge_columns,
	.columns = PV_COUNT_OF(edge_columns),
	.name = "thread",
	.sort = "wait_ns",
	.then = "waits",
	.copy = copy_edges };

/* --- cycles --- */

enum { C_LASTED, C_START, C_STATE, C_THREADS, C_TEXT, C_KNOWN };

static const struct pv_column cycle_columns[] = {
	[C_LASTED] = { "lasted_ns", "LASTED", PV_UNIT_NS, 9, 0, .json = 3,
		.help = "From the last thread's wait until one gave up, or the log's end" },
	[C_START] = { "start_ns", "SINCE", PV_UNIT_TIME, 12, 4, PV_COLUMN_ASCENDING, .json = 2,
		.help = "When the last of them began to wait" },
	[C_STATE] = { "state", "STATE", PV_UNIT_TEXT, 12, 2, PV_COLUMN_ASCENDING, .json = 1,
		.help = "deadlock: none gave up to the end of the log" },
	[C_THREADS] = { "threads", "THREADS", PV_UNIT_COUNT, 7, 3, .json = 4,
		.help = "How many threads wait in a circle" },
	[C_TEXT] = { "cycle", "WHO WAITS FOR WHOM, ON WHAT", PV_UNIT_TEXT, 60, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS, .json = 5,
		.help = "Which thread waits for which, on what object" },
	[C_KNOWN] = { "known", "KNOWN", PV_UNIT_TEXT, 8, 5,
		PV_COLUMN_ASCENDING | PV_COLUMN_HIDE_SCREEN, .json = 6,
		.help = "said: the log says every holder; inferred: not of all" },
};

/* Every thread of the cycle, however long the names are. */
static const char *cycle_text(const struct waits *w, const struct pv_lock_cycle *c)
{
	enum { THREAD = 60, CLASS = 120, PART = 2 * THREAD + CLASS + 60 };
	char text[PV_CYCLE_MOST * PART];
	size_t n = 0;
	for (uint32_t i = 0; i < c->n && n < sizeof text; i++) {
		const struct pv_lock_wait *x = &w->all.one.v[c->wait[i]];
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%s waits for %s on %s 0x%llx",
			i ? ", " : "", PV_FIT(thread_text(w, x->at.thread, 0), THREAD),
			PV_FIT(thread_text(w, x->holder, x->at.holder), THREAD),
			PV_FIT(class_text(w, x->at.lock), CLASS),
			(unsigned long long)w->m->locks.lock.v[x->at.lock].object);
	}
	return pv_build_text(w->b, text);
}

static void copy_cycles(struct pv_build *b, struct pv_model *m)
{
	struct waits w;
	struct pv_lock_cycles found = { 0 };
	bool ok = begin_waits(&w, b, m) && pv_lock_cycles_find(&found, &w.all);
	for (size_t i = 0; ok && b->table && i < found.one.n; i++) {
		const struct pv_lock_cycle *x = &found.one.v[i];
		struct pv_cell *c = pv_build_row(
			b, row_id(w.all.one.v[x->wait[0]].at.thread, (uint64_t)x->start_ns, x->n));
		pv_cell_i(&c[C_LASTED], pv_sat_span(x->start_ns, x->end_ns));
		pv_cell_time(&c[C_START], m, x->start_ns);
		pv_cell_s(&c[C_STATE], x->open ? "deadlock" : "one gave up");
		pv_cell_u(&c[C_THREADS], x->n);
		pv_cell_s(&c[C_TEXT], cycle_text(&w, x));
		pv_cell_s(&c[C_KNOWN], x->said ? "said" : "inferred");
	}
	pv_lock_cycles_finish(&found);
	finish_waits(&w, ok);
}

const struct pv_view_spec pv_spec_lock_cycles = { .column = cycle_columns,
	.columns = PV_COUNT_OF(cycle_columns),
	.name = "cycle",
	.sort = "lasted_ns",
	.then = "start_ns",
	.copy = copy_cycles };
