/* SPDX-License-Identifier: MIT */
/* Waits of async methods: graphs made by hand. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "common/base/status.h"
#include "common/heap/awaits.h"
#include "common/heap/graph.h"
#include "tests/kit/suite.h"

#define BOX(m)                                                                                                   \
	"System.Runtime.CompilerServices.AsyncTaskMethodBuilder/AsyncStateMachineBox<System.Int32,Shop.Cart/<" m \
	">d__0>"

enum { PLACE, PRICE, TAX, DONE, ACTION, LIST, ARRAY, WAIT, SENTINEL, STATE, CLASSES };
static const char *const name_of[CLASSES] = { [PLACE] = BOX("Place"),
	[PRICE] = BOX("Price"),
	[TAX] = BOX("Tax"),
	[DONE] = BOX("Done"),
	[ACTION] = "System.Action",
	[LIST] = "System.Collections.Generic.List<System.Object>",
	[ARRAY] = "System.Object[]",
	[WAIT] = "System.Threading.Tasks.Task/SetOnInvokeMres",
	[SENTINEL] = "System.Object",
	[STATE] = "System.Threading.ExecutionContext" };

/* Fields of a box: bytes from its start. */
enum { AT_ACTION = 8, AT_STATE = 16, AT_WAITER = 32, AT_LOCAL = 64, AT_SELF = 72, AT_AWAITS = 80 };

struct made {
	struct pv_graph g;
	struct {
		uint32_t from, to, offset;
	} edge[100];
	uint32_t edges;
};

static uint32_t node(struct made *m, uint32_t klass)
{
	m->g.class_of[m->g.nodes] = klass;
	m->g.size[m->g.nodes] = 100;
	return m->g.nodes++;
}

static void refer(struct made *m, uint32_t from, uint32_t offset, uint32_t to)
{
	ck_assert_uint_lt(m->edges, PV_COUNT_OF(m->edge));
	m->edge[m->edges].from = from;
	m->edge[m->edges].to = to;
	m->edge[m->edges++].offset = offset;
}

static void begin(struct made *m)
{
	enum { ROOM = 100 };
	*m = (struct made){ 0 };
	m->g.size = calloc(ROOM, sizeof *m->g.size);
	m->g.class_of = calloc(ROOM, sizeof *m->g.class_of);
	ck_assert(pv_reserve(&m->g.klass, CLASSES));
	for (uint32_t c = 0; c < CLASSES; c++)
		m->g.klass.v[m->g.klass.n++] = (struct pv_graph_class){ .name = name_of[c] };
}

/* A box that `waiter` (an object on the way to who waits, or NONE) is the continuation of. */
static uint32_t box(struct made *m, uint32_t klass, uint32_t state, uint32_t waiter)
{
	const uint32_t b = node(m, klass);
	refer(m, b, AT_STATE, state);
	if (waiter != PV_GRAPH_NONE)
		refer(m, b, AT_WAITER, waiter);
	return b;
}

static void awaits(struct made *m, uint32_t waiter, uint32_t awaited)
{
	refer(m, waiter, AT_SELF, waiter);
	if (awaited != PV_GRAPH_NONE)
		refer(m, waiter, AT_AWAITS, awaited);
}

static void link_up(struct made *m, bool offsets)
{
	struct pv_graph *g = &m->g;
	g->edges = m->edges;
	g->first = calloc(g->nodes + 1, sizeof *g->first);
	g->to = calloc(m->edges, sizeof *g->to);
	g->offset = calloc(m->edges, sizeof *g->offset);
	for (uint32_t i = 0, e = 0; i < g->nodes; i++) {
		for (uint32_t k = 0; k < m->edges; k++) {
			if (m->edge[k].from != i)
				continue;
			g->to[e] = m->edge[k].to;
			g->offset[e++] = offsets ? m->edge[k].offset : PV_GRAPH_NONE;
		}
		g->first[i + 1] = e;
	}
}

static void find(struct made *m, bool offsets, struct pv_awaits *ret)
{
	link_up(m, offsets);
	ck_assert(pv_awaits_find(&m->g, ret));
}

static void end(struct made *m, struct pv_awaits *a)
{
	pv_awaits_finish(a);
	pv_graph_finish(&m->g);
}

static const struct pv_await_row *row_of(const struct pv_awaits *a, uint32_t klass)
{
	const struct pv_await_row *found = NULL;
	for (size_t i = 0; i < a->row.n; i++) {
		if (a->row.v[i].klass != klass)
			continue;
		ck_assert_msg(!found, "%s twice", name_of[klass]);
		found = &a->row.v[i];
	}
	ck_assert_msg(found, "%s", name_of[klass]);
	return found;
}

/*
 * Five Place wait for a Price each; these for one Tax in common, which keeps a list of them, some
 * by an action. A finished Price waits for it no more. A thread waits for another Tax.
 */
static void make_shop(struct made *m)
{
	begin(m);
	const uint32_t state = node(m, STATE), sentinel = node(m, SENTINEL);
	const uint32_t list = node(m, LIST), array = node(m, ARRAY);
	refer(m, list, 8, array);
	const uint32_t tax = box(m, TAX, state, list);
	awaits(m, tax, PV_GRAPH_NONE);
	for (uint32_t i = 0; i < 5; i++) {
		const uint32_t place = box(m, PLACE, state, PV_GRAPH_NONE);
		const uint32_t price = box(m, PRICE, state, place);
		refer(m, place, AT_LOCAL, price);
		awaits(m, place, price);
		refer(m, price, AT_LOCAL, tax);
		awaits(m, price, tax);
		uint32_t entry = price;
		if (i < 2) {
			entry = node(m, ACTION);
			refer(m, entry, 8, price);
			refer(m, price, AT_ACTION, entry);
		}
		refer(m, array, 16 + 8 * i, entry);
	}
	refer(m, array, 56, box(m, DONE, state, sentinel));
	const uint32_t wait = node(m, WAIT);
	awaits(m, box(m, TAX, state, wait), PV_GRAPH_NONE);
}

static void check_shop(const struct made *m, const struct pv_awaits *a)
{
	char name[PV_AWAIT_NAME];
	ck_assert_uint_eq(a->row.n, 5);
	ck_assert_uint_eq(a->methods, 13);
	ck_assert_uint_eq(a->methods_bytes, 1300);
	ck_assert_uint_eq(a->finished, 1);
	ck_assert_uint_eq(a->threads, 1);
	ck_assert(!a->cut);
	const struct pv_await_row *place = row_of(a, PLACE), *price = row_of(a, PRICE);
	ck_assert_uint_eq(place->parent, PV_GRAPH_NONE);
	ck_assert_uint_eq(place->objects, 5);
	ck_assert_uint_eq(place->bytes, 500);
	ck_assert_uint_eq(place->ends, 0);
	ck_assert_uint_eq(place->chains, 1);
	ck_assert_ptr_eq(&a->row.v[price->parent], place);
	ck_assert_uint_eq(price->objects, 5);
	for (size_t i = 0; i < a->row.n; i++) {
		const struct pv_await_row *r = &a->row.v[i];
		if (r->klass != TAX)
			continue;
		const struct pv_await_row *by = &a->row.v[r->parent];
		ck_assert(by == price || by->kind == PV_AWAIT_THREAD);
		ck_assert_uint_eq(r->objects, 1);
		ck_assert_uint_eq(r->ends, 1);
		ck_assert_str_eq(pv_await_name(&m->g, r, name), "Shop.Cart/<Tax>d__0:MoveNext ()");
	}
	ck_assert_str_eq(
		pv_await_name(&m->g, row_of(a, WAIT), name), "System.Threading.Tasks.Task:Wait ()");
}

START_TEST(by_offset)
{
	struct made m;
	struct pv_awaits a;
	make_shop(&m);
	find(&m, true, &a);
	ck_assert_uint_eq(a.link, PV_AWAIT_BY_OFFSET);
	check_shop(&m, &a);
	end(&m, &a);
}
END_TEST

START_TEST(by_order)
{
	struct made m;
	struct pv_awaits a;
	make_shop(&m);
	find(&m, false, &a);
	ck_assert_uint_eq(a.link, PV_AWAIT_BY_ORDER);
	check_shop(&m, &a);
	end(&m, &a);
}
END_TEST

/* The name wins over what seems to be the field: here of a parent class, as it is in .NET. */
START_TEST(by_name)
{
	struct made m;
	struct pv_awaits a;
	struct pv_graph_field field = { .layout = 1, .offset = 40, .name = "m_continuationObject" };
	begin(&m);
	const uint32_t state = node(&m, STATE), tax = node(&m, TAX), price = node(&m, PRICE);
	const uint32_t other = node(&m, DONE);
	refer(&m, tax, AT_STATE, state);
	refer(&m, tax, AT_WAITER, other);
	refer(&m, tax, 40, price);
	struct pv_graph_layout layout[2] = { { .owner = "Box", .parent = 2 },
		{ .owner = "Task", .fields = { 0, 1 } } };
	m.g.layout.v = layout;
	m.g.layout.n = 2;
	m.g.field = (struct pv_graph_fields){ &field, 1, 1 };
	for (uint32_t c = 0; c < CLASSES; c++)
		m.g.klass.v[c].layout = 1;
	find(&m, true, &a);
	ck_assert_uint_eq(a.link, PV_AWAIT_NAMED);
	ck_assert_ptr_eq(&a.row.v[row_of(&a, TAX)->parent], row_of(&a, PRICE));
	ck_assert_uint_eq(row_of(&a, DONE)->parent, PV_GRAPH_NONE);
	m.g.layout.v = NULL;
	m.g.field = (struct pv_graph_fields){ 0 };
	end(&m, &a);
}
END_TEST

/* Rings cannot be. They have no outermost one; nothing runs away. */
START_TEST(rings)
{
	struct made m;
	struct pv_awaits a;
	begin(&m);
	const uint32_t state = node(&m, STATE), place = node(&m, PLACE), list = node(&m, LIST);
	const uint32_t array = node(&m, ARRAY), price = box(&m, PRICE, state, place);
	refer(&m, place, AT_WAITER, price);
	const uint32_t tax = box(&m, TAX, state, list);
	refer(&m, list, 8, array);
	refer(&m, array, 16, tax);
	refer(&m, array, 24, list);
	refer(&m, array, 32, box(&m, DONE, state, PV_GRAPH_NONE));
	find(&m, true, &a);
	ck_assert_uint_eq(a.methods, 4);
	ck_assert_uint_eq(a.row.n, 2);
	ck_assert_ptr_eq(&a.row.v[row_of(&a, TAX)->parent], row_of(&a, DONE));
	end(&m, &a);
}
END_TEST

/* A method that awaits itself, deeper than there is room for. */
START_TEST(too_deep)
{
	enum { DEEP = PV_AWAIT_ROWS + 10 };
	struct made m;
	struct pv_awaits a;
	begin(&m);
	struct pv_graph *g = &m.g;
	g->nodes = g->edges = DEEP;
	free(g->size);
	free(g->class_of);
	g->size = calloc(DEEP, sizeof *g->size);
	g->class_of = calloc(DEEP, sizeof *g->class_of);
	g->first = calloc(DEEP + 1, sizeof *g->first);
	g->to = calloc(DEEP, sizeof *g->to);
	g->offset = calloc(DEEP, sizeof *g->offset);
	for (uint32_t i = 0; i < DEEP; i++) {
		g->first[i] = i;
		g->to[i] = i ? i - 1 : 0;
		g->offset[i] = AT_WAITER;
	}
	g->first[DEEP] = DEEP;
	ck_assert(pv_awaits_find(g, &a));
	ck_assert_uint_eq(a.row.n, PV_AWAIT_ROWS);
	ck_assert(a.cut);
	end(&m, &a);
}
END_TEST

/* Many tasks with one list of many entries, all the same task, which has many references. */
START_TEST(hostile_list)
{
	enum { MANY = 200000, TASKS = 2000, ALL = 3 + TASKS };
	enum { A_LIST, AN_ARRAY, WAITER, FIRST };
	struct made m;
	struct pv_awaits a;
	begin(&m);
	struct pv_graph *g = &m.g;
	free(g->size);
	free(g->class_of);
	g->nodes = ALL;
	g->edges = 1 + 2 * MANY + TASKS;
	g->size = calloc(ALL, sizeof *g->size);
	g->class_of = calloc(ALL, sizeof *g->class_of);
	g->first = calloc(ALL + 1, sizeof *g->first);
	g->to = calloc(g->edges, sizeof *g->to);
	g->offset = calloc(g->edges, sizeof *g->offset);
	uint32_t e = 0;
	for (uint32_t i = 0; i < ALL; i++) {
		const uint32_t n = i == A_LIST || i >= FIRST ? 1 : MANY;
		g->class_of[i] = i == A_LIST     ? LIST
				 : i == AN_ARRAY ? ARRAY
				 : i == WAITER   ? TAX
						 : PRICE;
		for (uint32_t k = 0; k < n; k++, e++) {
			g->to[e] = i == A_LIST ? AN_ARRAY : i == AN_ARRAY ? WAITER : A_LIST;
			g->offset[e] = i == WAITER ? AT_LOCAL : AT_WAITER;
		}
		g->first[i + 1] = e;
	}
	ck_assert_uint_eq(e, g->edges);
	ck_assert(pv_awaits_find(g, &a));
	ck_assert(a.cut);
	ck_assert_uint_eq(row_of(&a, TAX)->parent, PV_GRAPH_NONE);
	ck_assert_uint_eq(row_of(&a, TAX)->objects, 1);
	end(&m, &a);
}
END_TEST

/* Of .NET's runtime async a shot has no names. */
START_TEST(runtime_async)
{
	struct pv_graph g = { 0 };
	struct pv_awaits a;
	ck_assert(pv_reserve(&g.klass, 1));
	g.klass.v[g.klass.n++] =
		(struct pv_graph_class){ .name = "System.Runtime.CompilerServices.Continuation",
			.objects = 469 };
	ck_assert(pv_awaits_find(&g, &a));
	ck_assert_uint_eq(a.unnamed, 469);
	ck_assert_uint_eq(a.row.n, 0);
	pv_awaits_finish(&a);
	pv_graph_finish(&g);
}
END_TEST

START_TEST(names)
{
	static const struct {
		const char *klass, *name;
		enum pv_await_kind kind;
	} rows[] = {
		{ "AsyncStateMachineBox<int,A/<M>d__0<System.Tuple<int,B>>>",
			"A/<M>d__0<System.Tuple<int,B>>:MoveNext ()", PV_AWAIT_METHOD },
		{ "AsyncStateMachineBox<int[0...,0...],A/<M>d__0>", "A/<M>d__0:MoveNext ()",
			PV_AWAIT_METHOD },
		{ "AsyncStateMachineBox", "AsyncStateMachineBox", PV_AWAIT_METHOD },
		{ "AsyncStateMachineBox<", "AsyncStateMachineBox<", PV_AWAIT_METHOD },
		{ "AsyncStateMachineBox<>", ":MoveNext ()", PV_AWAIT_METHOD },
		{ "System.Threading.Tasks.Task/DelayPromise",
			"System.Threading.Tasks.Task:Delay ()", PV_AWAIT_PROMISE },
		{ "System.Threading.Tasks.SomePromise", "System.Threading.Tasks.SomePromise",
			PV_AWAIT_PROMISE },
	};
	char name[PV_AWAIT_NAME];
	for (size_t i = 0; i < PV_COUNT_OF(rows); i++) {
		struct pv_graph g = { 0 };
		ck_assert(pv_reserve(&g.klass, 1));
		g.klass.v[g.klass.n++] = (struct pv_graph_class){ .name = rows[i].klass };
		const struct pv_await_row r = { .kind = (uint8_t)rows[i].kind };
		ck_assert_str_eq(pv_await_name(&g, &r, name), rows[i].name);
		pv_graph_finish(&g);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("awaits");
	TCase *t = tcase_create("awaits");
	tcase_add_test(t, by_offset);
	tcase_add_test(t, by_order);
	tcase_add_test(t, by_name);
	tcase_add_test(t, rings);
	tcase_add_test(t, too_deep);
	tcase_add_test(t, hostile_list);
	tcase_add_test(t, runtime_async);
	tcase_add_test(t, names);
	suite_add_tcase(s, t);
	return run_suite(s);
}
