/*
 * The format of callgrind: costs of functions, and of calls between them with all that they caused.
 *
 * A reader adds up what a function itself cost and what its calls caused. So that this stays the
 * truth with recursion, a call causes nothing where its caller is on the stack a second time, and
 * never what its caller itself spends below it; between two calls of one function by itself there is
 * no difference: they count, and cost nothing.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/export/export.h"

/* Calls what nothing calls, at no cost of its own: readers take what calls cost for the callee's all. */
#define ROOT 0u

struct arc {
	uint32_t caller, callee;
	uint64_t calls;
};

/* A node whose callers are all in the list before it. */
struct open {
	uint32_t node;
	bool outermost; /* nothing but itself calls its function on this path */
};

struct grind {
	const struct pv_profile *p;
	FILE *out;
	const struct pv_measure *measure[PV_MEASURES];
	size_t k;          /* measures */
	uint64_t *own;     /* [node][k] */
	uint64_t *below;   /* [node][k], with own */
	uint64_t *spent;   /* [function][k]: own of what was met so far */
	uint64_t *entry;   /* [node][k]: spent by its caller when it was entered */
	uint32_t *on_path; /* by function: how often it is open */
	uint32_t *number;  /* by function: as it is written, from 1; 0: not yet */
	uint32_t numbers;
	PV_ARRAY(struct open) path;
	PV_ARRAY(struct arc) arc;
	PV_ARRAY(uint64_t) caused; /* [arc][k] */
	struct pv_map arc_of;      /* caller << 32 | callee */
	bool ok;
};

static uint32_t function_of(const struct grind *g, uint32_t node)
{
	return g->p->node.v[node].frame;
}

static bool is_class(const struct grind *g, uint32_t node)
{
	return g->p->node.v[node].frame & PV_FRAME_CLASS;
}

/* --- costs of nodes */

static void sum_rows(struct grind *g)
{
	for (size_t i = 0; i < g->p->row.n; i++) {
		const struct pv_profile_row *r = &g->p->row.v[i];
		uint32_t node = is_class(g, r->node) ? g->p->node.v[r->node].parent : r->node;
		for (size_t m = 0; m < g->k; m++)
			if (g->measure[m]->group == r->group)
				g->own[node * g->k + m] += r->value[g->measure[m]->value];
	}
}

static void sum_below(struct grind *g)
{
	memcpy(g->below, g->own, g->p->node.n * g->k * sizeof *g->below);
	for (size_t i = g->p->node.n; i-- > 1;)
		for (size_t m = 0; m < g->k; m++)
			g->below[g->p->node.v[i].parent * g->k + m] += g->below[i * g->k + m];
}

/* --- arcs */

static struct arc *arc_of(struct grind *g, uint32_t caller, uint32_t callee)
{
	uint64_t key = (uint64_t)caller << 32 | callee;
	uint32_t at = pv_map_get(&g->arc_of, key);
	if (at != PV_MAP_NONE)
		return &g->arc.v[at];
	at = (uint32_t)g->arc.n;
	if (!pv_reserve(&g->arc, 1) || !pv_reserve(&g->caused, g->k) ||
		!pv_map_set(&g->arc_of, key, at)) {
		g->ok = false;
		return NULL;
	}
	memset(g->caused.v + g->caused.n, 0, g->k * sizeof *g->caused.v);
	g->caused.n += g->k;
	g->arc.v[g->arc.n++] = (struct arc){ .caller = caller, .callee = callee };
	return &g->arc.v[at];
}

static uint64_t calls_of(const struct grind *g, uint32_t node)
{
	for (size_t m = 0; m < g->k; m++)
		if (strcmp(g->measure[m]->name, "calls") == 0)
			return g->own[node * g->k + m];
	return 0;
}

static void enter(struct grind *g, uint32_t node)
{
	uint32_t f = function_of(g, node), parent = g->p->node.v[node].parent;
	uint32_t caller = function_of(g, parent);
	bool own_caller = parent && caller == f && g->path.v[g->path.n - 1].outermost;
	g->ok = g->ok && pv_reserve(&g->path, 1);
	if (!g->ok)
		return;
	g->on_path[f]++;
	g->path.v[g->path.n++] = (struct open){ node, g->on_path[f] == 1 || own_caller };
	for (size_t m = 0; m < g->k; m++) {
		g->entry[node * g->k + m] = parent ? g->spent[caller * g->k + m] : 0;
		g->spent[f * g->k + m] += g->own[node * g->k + m];
	}
}

static void leave(struct grind *g)
{
	uint32_t node = g->path.v[--g->path.n].node, f = function_of(g, node);
	uint32_t parent = g->p->node.v[node].parent,
		 caller = parent ? function_of(g, parent) : ROOT;
	g->on_path[f]--;
	struct arc *arc = arc_of(g, caller, f);
	if (!arc)
		return;
	arc->calls += calls_of(g, node);
	uint64_t *caused = &g->caused.v[(size_t)(arc - g->arc.v) * g->k];
	for (size_t m = 0; !parent && m < g->k; m++)
		caused[m] += g->below[node * g->k + m];
	for (size_t m = 0; parent && m < g->k && caller != f && g->path.v[g->path.n - 1].outermost;
		m++)
		caused[m] += g->below[node * g->k + m] -
			     (g->spent[caller * g->k + m] - g->entry[node * g->k + m]);
}

static bool has_figures(const struct grind *g, uint32_t node)
{
	for (size_t m = 0; m < g->k; m++)
		if (g->below[node * g->k + m])
			return true;
	return false;
}

/* In the order of ranks a node follows its caller, with only what that called between them. */
static void walk(struct grind *g)
{
	for (size_t i = 1; g->ok && i < g->p->order.n; i++) {
		uint32_t node = g->p->order.v[i];
		if (is_class(g, node) || !has_figures(g, node))
			continue;
		while (g->path.n && g->path.v[g->path.n - 1].node != g->p->node.v[node].parent)
			leave(g);
		enter(g, node);
	}
	while (g->ok && g->path.n)
		leave(g);
}

/* --- writing */

static void put_name(struct grind *g, const char *what, uint32_t f)
{
	bool known = g->number[f] != 0;
	char *text = known ? NULL : f == ROOT ? strdup("(root)") : pv_profile_text(g->p, f);
	g->ok = g->ok && (known || text);
	if (!known)
		g->number[f] = ++g->numbers;
	fprintf(g->out, "%s=(%" PRIu32 ")", what, g->number[f]);
	if (text)
		fprintf(g->out, " %s", text);
	putc('\n', g->out);
	free(text);
}

static void put_costs(struct grind *g, const uint64_t *cost)
{
	putc('0', g->out);
	for (size_t m = 0; m < g->k; m++)
		fprintf(g->out, " %" PRIu64, cost[m]);
	putc('\n', g->out);
}

static int by_names(const void *a, const void *b, void *ctx)
{
	const struct grind *g = ctx;
	const struct arc *x = a, *y = b;
	const struct pv_intern *text = &g->p->text;
	int order = strcmp(pv_intern_text(text, x->caller), pv_intern_text(text, y->caller));
	return order ? order
		     : strcmp(pv_intern_text(text, x->callee), pv_intern_text(text, y->callee));
}

static int by_name(const void *a, const void *b, void *ctx)
{
	const struct grind *g = ctx;
	return strcmp(pv_intern_text(&g->p->text, *(const uint32_t *)a),
		pv_intern_text(&g->p->text, *(const uint32_t *)b));
}

/* Costs of arcs stand by their numbers before they are sorted. */
static void put_calls(struct grind *g, const struct arc *arc)
{
	uint32_t at = pv_map_get(&g->arc_of, (uint64_t)arc->caller << 32 | arc->callee);
	put_name(g, "cfn", arc->callee);
	/* Samples know of no calls; with none a reader takes what they cost for the caller's own. */
	fprintf(g->out, "calls=%" PRIu64 " 0\n", arc->calls ? arc->calls : 1);
	put_costs(g, &g->caused.v[at * g->k]);
}

static void put_functions(struct grind *g)
{
	PV_ARRAY(uint32_t) function = { 0 };
	for (size_t i = 1; g->ok && i < g->p->node.n; i++) {
		uint32_t f = function_of(g, (uint32_t)i);
		if (is_class(g, (uint32_t)i) || !has_figures(g, (uint32_t)i) || g->on_path[f])
			continue;
		g->on_path[f] = 1; /* of no further use for its first purpose */
		g->ok = pv_reserve(&function, 1);
		if (g->ok)
			function.v[function.n++] = f;
	}
	if (g->ok && function.n)
		qsort_r(function.v, function.n, sizeof *function.v, by_name, g);
	if (g->ok && g->arc.n)
		qsort_r(g->arc.v, g->arc.n, sizeof *g->arc.v, by_names, g);
	size_t a = 0;
	put_name(g, "fn", ROOT);
	put_costs(g, &g->spent[ROOT * g->k]);
	for (; g->ok && a < g->arc.n && g->arc.v[a].caller == ROOT; a++)
		put_calls(g, &g->arc.v[a]);
	putc('\n', g->out);
	for (size_t i = 0; g->ok && i < function.n; i++) {
		put_name(g, "fn", function.v[i]);
		put_costs(g, &g->spent[function.v[i] * g->k]);
		for (; a < g->arc.n && g->arc.v[a].caller == function.v[i]; a++)
			put_calls(g, &g->arc.v[a]);
		putc('\n', g->out);
	}
	pv_array_finish(&function);
}

static void put_head(struct grind *g, const struct pv_export_about *a)
{
	fprintf(g->out, "# callgrind format\nversion: 1\ncreator: profview " PV_VERSION "\n");
	fprintf(g->out, "pid: %" PRIu32 "\ncmd: %s\n", a->pid, a->title);
	for (size_t i = 0; i < a->line.n; i++)
		fprintf(g->out, "desc: %s\n", a->line.v[i]);
	fputs("positions: line\n", g->out);
	for (size_t m = 0; m < g->k; m++)
		fprintf(g->out, "event: %s : %s\n", g->measure[m]->name, g->measure[m]->title);
	fputs("events:", g->out);
	for (size_t m = 0; m < g->k; m++)
		fprintf(g->out, " %s", g->measure[m]->name);
	fputs("\nsummary:", g->out);
	for (size_t m = 0; m < g->k; m++)
		fprintf(g->out, " %" PRIu64, g->below[m]);
	fputs("\n\nfl=(1) ???\n", g->out);
}

/* Time before counts: what a reader shows at first is the first event. */
static void choose_measures(struct grind *g)
{
	for (int counts = 0; counts < 2; counts++)
		for (size_t i = 0; i < PV_MEASURES; i++)
			if (pv_profile_has(g->p, &pv_measures[i]) &&
				(strcmp(pv_measures[i].unit, "count") == 0) == counts)
				g->measure[g->k++] = &pv_measures[i];
}

static bool make_room(struct grind *g)
{
	size_t nodes = g->p->node.n, functions = g->p->text.text.n + 1;
	g->own = calloc(nodes * g->k, sizeof *g->own);
	g->below = calloc(nodes * g->k, sizeof *g->below);
	g->entry = calloc(nodes * g->k, sizeof *g->entry);
	g->spent = calloc(functions * g->k, sizeof *g->spent);
	g->on_path = calloc(functions, sizeof *g->on_path);
	g->number = calloc(functions, sizeof *g->number);
	return g->own && g->below && g->entry && g->spent && g->on_path && g->number;
}

static void finish(struct grind *g)
{
	free(g->own);
	free(g->below);
	free(g->entry);
	free(g->spent);
	free(g->on_path);
	free(g->number);
	pv_array_finish(&g->path);
	pv_array_finish(&g->arc);
	pv_array_finish(&g->caused);
	pv_map_finish(&g->arc_of);
}

bool pv_export_callgrind(const struct pv_profile *p, const struct pv_export_options *o, FILE *out)
{
	struct grind g = { .p = p, .out = out };
	choose_measures(&g);
	g.ok = make_room(&g);
	if (g.ok) {
		sum_rows(&g);
		sum_below(&g);
		walk(&g);
	}
	if (g.ok) {
		put_head(&g, o->about);
		put_functions(&g);
	}
	finish(&g);
	return g.ok;
}
