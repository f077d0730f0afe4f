/* SPDX-License-Identifier: MIT */
/*
 * The format of callgrind: costs of functions, and of calls with all costs caused.
 *
 * A reader adds up a function's own cost and the costs caused by its calls. To keep sums true with
 * recursion, a call causes nothing while its caller is on the stack a second time, and never the
 * caller's own cost further below. Calls of a function by itself count, and cost nothing.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/showable.h"
#include "common/export/export.h"

/*
 * Caller of functions without a caller, at no own cost: readers take a callee's cost from its
 * calls.
 */
#define ROOT 0u

/* A function is a text, the name in its frames; a frame is the function at a line. */
struct arc {
	uint32_t caller, callee; /* a frame, a function */
	uint64_t calls;
};

/* A node with all callers before in the list. */
struct open {
	uint32_t node;
	bool outermost; /* on this path, only the function itself calls its function */
};

struct grind {
	const struct pv_profile *p;
	FILE *out;
	const struct pv_measure *measure[PV_MEASURES];
	size_t k;              /* measures */
	uint64_t *own;         /* [node][k] */
	uint64_t *below;       /* [node][k], with own */
	uint64_t *spent;       /* [function][k]: own costs so far */
	uint64_t *at;          /* [frame][k]: own */
	uint64_t *entry;       /* [node][k]: spent by the caller on entry */
	uint32_t *on_path;     /* by function: calls open */
	uint32_t *number;      /* by function: number in the file, from 1; 0: none yet */
	uint32_t *file;        /* by function: text of the file; 0: not known */
	uint32_t *file_number; /* by text, likewise */
	uint32_t numbers, files;
	uint32_t in; /* the current file in the output */
	PV_ARRAY(struct open) path;
	PV_ARRAY(struct arc) arc;
	PV_ARRAY(uint64_t) caused; /* [arc][k] */
	struct pv_map arc_of;      /* caller << 32 | callee */
	PV_ARRAY(uint32_t) frame;  /* frames with figures, by name, file and line */
	bool ok;
};

static uint32_t function_of(const struct grind *g, uint32_t node)
{
	return node ? pv_profile_frame_of(g->p, g->p->node.v[node].frame)->text : ROOT;
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
	for (size_t i = 1; i < g->p->node.n; i++)
		for (size_t m = 0; m < g->k && !is_class(g, (uint32_t)i); m++)
			g->at[g->p->node.v[i].frame * g->k + m] += g->own[i * g->k + m];
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

static void enter_function(struct grind *g, uint32_t node)
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

static void leave_function(struct grind *g)
{
	uint32_t node = g->path.v[--g->path.n].node, f = function_of(g, node);
	uint32_t parent = g->p->node.v[node].parent, caller = function_of(g, parent);
	g->on_path[f]--;
	struct arc *arc = arc_of(g, parent ? g->p->node.v[parent].frame : ROOT, f);
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

/* By rank a node follows its caller, with only nodes below the caller in between. */
static void walk_profile(struct grind *g)
{
	for (size_t i = 1; g->ok && i < g->p->order.n; i++) {
		uint32_t node = g->p->order.v[i];
		if (is_class(g, node) || !has_figures(g, node))
			continue;
		while (g->path.n && g->path.v[g->path.n - 1].node != g->p->node.v[node].parent)
			leave_function(g);
		enter_function(g, node);
	}
	while (g->ok && g->path.n)
		leave_function(g);
}

/* --- writing */

static void put_function_name(struct grind *g, const char *what, uint32_t f)
{
	bool known = g->number[f] != 0;
	char *text = known       ? NULL
		     : f == ROOT ? strdup("(root)")
				 : pv_showable_text(pv_intern_text(&g->p->text, f));
	g->ok = g->ok && (known || text);
	if (!known)
		g->number[f] = ++g->numbers;
	fprintf(g->out, "%s=(%" PRIu32 ")", what, g->number[f]);
	if (text)
		fprintf(g->out, " %s", text);
	putc('\n', g->out);
	free(text);
}

static void put_file(struct grind *g, const char *what, uint32_t file)
{
	bool known = g->file_number[file] != 0;
	char *text = known  ? NULL
		     : file ? pv_showable_text(pv_intern_text(&g->p->text, file))
			    : strdup("???");
	g->ok = g->ok && (known || text);
	if (!known)
		g->file_number[file] = ++g->files;
	fprintf(g->out, "%s=(%" PRIu32 ")", what, g->file_number[file]);
	if (text)
		fprintf(g->out, " %s", text);
	putc('\n', g->out);
	free(text);
}

static void put_function(struct grind *g, uint32_t f)
{
	put_file(g, "fl", g->file[f]);
	put_function_name(g, "fn", f);
	g->in = g->file[f];
}

static void put_costs(struct grind *g, uint32_t line, const uint64_t *cost)
{
	fprintf(g->out, "%" PRIu32, line);
	for (size_t m = 0; m < g->k; m++)
		fprintf(g->out, " %" PRIu64, cost[m]);
	putc('\n', g->out);
}

static int by_frames(const void *a, const void *b, void *ctx)
{
	const struct grind *g = ctx;
	return pv_profile_frame_order(g->p, *(const uint32_t *)a, *(const uint32_t *)b);
}

static int by_names(const void *a, const void *b, void *ctx)
{
	const struct grind *g = ctx;
	const struct arc *x = a, *y = b;
	const struct pv_intern *text = &g->p->text;
	int order = pv_profile_frame_order(g->p, x->caller, y->caller);
	return order ? order
		     : strcmp(pv_intern_text(text, x->callee), pv_intern_text(text, y->callee));
}

/* Costs of arcs stand by their numbers before they are sorted. */
static void put_calls(struct grind *g, const struct arc *arc, uint32_t line)
{
	uint32_t at = pv_map_get(&g->arc_of, (uint64_t)arc->caller << 32 | arc->callee);
	put_file(g, "cfi", g->file[arc->callee]);
	put_function_name(g, "cfn", arc->callee);
	/* Samples have no calls; a reader takes the cost of 0 calls for the caller's own. */
	fprintf(g->out, "calls=%" PRIu64 " 0\n", arc->calls ? arc->calls : 1);
	put_costs(g, line, &g->caused.v[at * g->k]);
}

/* Lists frames with figures; a function's file is the first known file of these frames. */
static void list_frames(struct grind *g)
{
	bool *met = calloc(g->p->frame.v.n + 1, sizeof *met);
	g->ok = g->ok && met;
	for (size_t i = 1; g->ok && i < g->p->node.n; i++) {
		uint32_t frame = g->p->node.v[i].frame;
		if (is_class(g, (uint32_t)i) || !has_figures(g, (uint32_t)i) || met[frame])
			continue;
		met[frame] = true;
		g->ok = pv_reserve(&g->frame, 1);
		if (g->ok)
			g->frame.v[g->frame.n++] = frame;
	}
	free(met);
	if (g->ok && g->frame.n)
		qsort_r(g->frame.v, g->frame.n, sizeof *g->frame.v, by_frames, g);
	for (size_t i = 0; i < g->frame.n; i++) {
		const struct pv_profile_frame *f = pv_profile_frame_of(g->p, g->frame.v[i]);
		if (!g->file[f->text])
			g->file[f->text] = f->file;
	}
}

/* Costs of the function at the line, and calls from there; returns the next arc. */
static size_t put_frame(struct grind *g, uint32_t frame, size_t arc)
{
	const struct pv_profile_frame *f = pv_profile_frame_of(g->p, frame);
	if (g->in != f->file)
		put_file(g, f->file == g->file[f->text] ? "fe" : "fi", f->file);
	g->in = f->file;
	put_costs(g, f->line, &g->at[frame * g->k]);
	for (; arc < g->arc.n && g->arc.v[arc].caller == frame; arc++)
		put_calls(g, &g->arc.v[arc], f->line);
	return arc;
}

static void put_functions(struct grind *g)
{
	uint32_t last = ROOT;
	list_frames(g);
	if (g->ok && g->arc.n)
		qsort_r(g->arc.v, g->arc.n, sizeof *g->arc.v, by_names, g);
	size_t a = 0;
	put_function(g, ROOT);
	put_costs(g, 0, &g->spent[ROOT * g->k]);
	for (; g->ok && a < g->arc.n && g->arc.v[a].caller == ROOT; a++)
		put_calls(g, &g->arc.v[a], 0);
	for (size_t i = 0; g->ok && i < g->frame.n; i++) {
		const uint32_t f = pv_profile_frame_of(g->p, g->frame.v[i])->text;
		if (f != last) {
			putc('\n', g->out);
			put_function(g, f);
		}
		last = f;
		a = put_frame(g, g->frame.v[i], a);
	}
	putc('\n', g->out);
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
	fputs("\n\n", g->out);
}

/* Time before counts: readers show the first event first. */
static void choose_measures(struct grind *g)
{
	for (int counts = 0; counts < 2; counts++)
		for (size_t i = 0; i < PV_MEASURES; i++)
			if (pv_profile_has(g->p, &pv_measures[i]) &&
				(strcmp(pv_measures[i].unit, "count") == 0) == counts)
				g->measure[g->k++] = &pv_measures[i];
}

static bool make_grind_room(struct grind *g)
{
	size_t nodes = g->p->node.n, functions = g->p->text.text.n + 1;
	g->own = calloc(nodes * g->k, sizeof *g->own);
	g->below = calloc(nodes * g->k, sizeof *g->below);
	g->entry = calloc(nodes * g->k, sizeof *g->entry);
	g->spent = calloc(functions * g->k, sizeof *g->spent);
	g->on_path = calloc(functions, sizeof *g->on_path);
	g->number = calloc(functions, sizeof *g->number);
	g->file = calloc(functions, sizeof *g->file);
	g->file_number = calloc(functions, sizeof *g->file_number);
	g->at = calloc((g->p->frame.v.n + 1) * g->k, sizeof *g->at);
	return g->at && g->file && g->file_number && g->own && g->below && g->entry && g->spent &&
	       g->on_path && g->number;
}

static void finish_grind(struct grind *g)
{
	free(g->own);
	free(g->below);
	free(g->entry);
	free(g->spent);
	free(g->on_path);
	free(g->number);
	free(g->file);
	free(g->file_number);
	free(g->at);
	pv_array_finish(&g->frame);
	pv_array_finish(&g->path);
	pv_array_finish(&g->arc);
	pv_array_finish(&g->caused);
	pv_map_finish(&g->arc_of);
}

bool pv_export_callgrind(const struct pv_profile *p, const struct pv_export_options *o, FILE *out)
{
	struct grind g = { .p = p, .out = out };
	choose_measures(&g);
	g.ok = make_grind_room(&g);
	if (g.ok) {
		sum_rows(&g);
		sum_below(&g);
		walk_profile(&g);
	}
	if (g.ok) {
		put_head(&g, o->about);
		put_functions(&g);
	}
	finish_grind(&g);
	return g.ok;
}
