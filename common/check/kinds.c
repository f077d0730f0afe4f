/* SPDX-License-Identifier: MIT */
/* The kinds of rules, and matching of names and lines. */
#include "common/check/kinds.h"

#include <stdio.h>
#include <string.h>

#include "common/base/text/span_source.h"

#define CLASS_ALLOCS "allocations", "classes", PV_VIEW_CLASSES, "name"
#define METHOD(sort) "methods", PV_VIEW_METHODS, "name", sort

/* clang-format off */
const struct pv_check_kind pv_check_kinds[] = {
	{ "duration", "", "", "", PV_VIEW_EVENTS, NULL, NULL, NULL, PV_CHECK_SUM, PV_CHECK_NS, PV_CHECK_DURATION },
	{ "alloc.total", "bytes", CLASS_ALLOCS, "allocated_bytes", "error_bytes", PV_CHECK_SUM, PV_CHECK_BYTES, PV_CHECK_INIT },
	{ "alloc.total", "objects", CLASS_ALLOCS, "allocations", NULL, PV_CHECK_SUM, PV_CHECK_COUNT, 0 },
	{ "alloc.class", "bytes", CLASS_ALLOCS, "allocated_bytes", "error_bytes", PV_CHECK_SUM, PV_CHECK_BYTES, PV_CHECK_NAMED | PV_CHECK_CLASS },
	{ "alloc.class", "objects", CLASS_ALLOCS, "allocations", NULL, PV_CHECK_SUM, PV_CHECK_COUNT, PV_CHECK_NAMED | PV_CHECK_CLASS },
	{ "alloc.namespace", "bytes", CLASS_ALLOCS, "allocated_bytes", "error_bytes", PV_CHECK_SUM, PV_CHECK_BYTES, PV_CHECK_NAMED | PV_CHECK_BY_NAMESPACE },
	{ "alloc.namespace", "objects", CLASS_ALLOCS, "allocations", NULL, PV_CHECK_SUM, PV_CHECK_COUNT, PV_CHECK_NAMED | PV_CHECK_BY_NAMESPACE },
	{ "alloc.method", "bytes", "allocation_stacks", "allocation_sites", PV_VIEW_ALLOCATION_SITES, "stack", "allocated_bytes", NULL, PV_CHECK_SUM, PV_CHECK_BYTES, PV_CHECK_NAMED | PV_CHECK_METHOD | PV_CHECK_INNERMOST },
	{ "alloc.method", "objects", "allocation_stacks", "allocation_sites", PV_VIEW_ALLOCATION_SITES, "stack", "allocations", NULL, PV_CHECK_SUM, PV_CHECK_COUNT, PV_CHECK_NAMED | PV_CHECK_METHOD | PV_CHECK_INNERMOST },
	{ "heap.class", "objects", "heap_shots", "heap_shots.classes", PV_VIEW_SHOT_CLASSES, "name", "objects", NULL, PV_CHECK_SUM, PV_CHECK_COUNT, PV_CHECK_NAMED | PV_CHECK_CLASS | PV_CHECK_LAST_SHOT },
	{ "heap.class", "bytes", "heap_shots", "heap_shots.classes", PV_VIEW_SHOT_CLASSES, "name", "bytes", NULL, PV_CHECK_SUM, PV_CHECK_BYTES, PV_CHECK_NAMED | PV_CHECK_CLASS | PV_CHECK_LAST_SHOT },
	{ "heap.total", "bytes", "heap_shots", "heap_shots", PV_VIEW_SHOT_CLASSES, "name", "bytes", NULL, PV_CHECK_SUM, PV_CHECK_BYTES, PV_CHECK_LAST_SHOT | PV_CHECK_INIT },
	{ "heap.total", "objects", "heap_shots", "heap_shots", PV_VIEW_SHOT_CLASSES, "name", "objects", NULL, PV_CHECK_SUM, PV_CHECK_COUNT, PV_CHECK_LAST_SHOT },
	{ "heap.retained", "", "heap_shots", "heap_classes", PV_VIEW_HEAP_CLASSES, "name", "retained_bytes", NULL, PV_CHECK_MOST, PV_CHECK_BYTES, PV_CHECK_NAMED | PV_CHECK_CLASS | PV_CHECK_LAST_SHOT | PV_CHECK_RETAINED },
	{ "gc.pause", "max", "gc", "gc.pauses", PV_VIEW_PAUSES, NULL, "duration_ns", NULL, PV_CHECK_MOST, PV_CHECK_NS, PV_CHECK_INIT },
	{ "gc.pause", "p99", "gc", "gc.pauses", PV_VIEW_PAUSES, NULL, "duration_ns", NULL, PV_CHECK_P99, PV_CHECK_NS, 0 },
	{ "gc.pause", "sum", "gc", "gc.pauses", PV_VIEW_PAUSES, NULL, "duration_ns", NULL, PV_CHECK_SUM, PV_CHECK_NS, 0 },
	{ "gc.pause", "percent", "gc", "gc.pauses", PV_VIEW_PAUSES, NULL, "duration_ns", NULL, PV_CHECK_PART, PV_CHECK_PERCENT, 0 },
	{ "gc.count", "", "gc", "gc.generations", PV_VIEW_GENERATIONS, "generation", "count", NULL, PV_CHECK_SUM, PV_CHECK_COUNT, PV_CHECK_ABSENT_IS_ZERO },
	{ "exceptions", "", "exceptions", "exceptions.classes", PV_VIEW_EXCEPTIONS, "name", "thrown", NULL, PV_CHECK_SUM, PV_CHECK_COUNT, PV_CHECK_CLASS | PV_CHECK_ABSENT_IS_ZERO | PV_CHECK_INIT },
	{ "lock.wait", "sum", "locks", "locks.objects", PV_VIEW_LOCKS, "class", "wait_ns", NULL, PV_CHECK_SUM, PV_CHECK_NS, PV_CHECK_CLASS | PV_CHECK_ABSENT_IS_ZERO | PV_CHECK_INIT },
	{ "lock.wait", "max", "locks", "locks.objects", PV_VIEW_LOCKS, "class", "max_wait_ns", NULL, PV_CHECK_MOST, PV_CHECK_NS, PV_CHECK_CLASS | PV_CHECK_ABSENT_IS_ZERO },
	{ "lock.wait", "contentions", "locks", "locks.objects", PV_VIEW_LOCKS, "class", "contentions", NULL, PV_CHECK_SUM, PV_CHECK_COUNT, PV_CHECK_CLASS | PV_CHECK_ABSENT_IS_ZERO },
	{ "method.self", "share", "samples", METHOD("samples_percent"), "samples_error", PV_CHECK_SUM, PV_CHECK_PERCENT, PV_CHECK_NAMED | PV_CHECK_METHOD },
	{ "method.self", "samples", "samples", METHOD("samples_self"), NULL, PV_CHECK_SUM, PV_CHECK_COUNT, PV_CHECK_NAMED | PV_CHECK_METHOD },
	{ "method.self", "time", "calls", METHOD("self_ns"), NULL, PV_CHECK_SUM, PV_CHECK_NS, PV_CHECK_NAMED | PV_CHECK_METHOD },
	{ "method.total", "time", "calls", METHOD("total_ns"), NULL, PV_CHECK_MOST, PV_CHECK_NS, PV_CHECK_NAMED | PV_CHECK_METHOD },
	{ "method.total", "samples", "samples", METHOD("samples_total"), NULL, PV_CHECK_MOST, PV_CHECK_COUNT, PV_CHECK_NAMED | PV_CHECK_METHOD },
	{ "line.self", "share", "samples", "lines", PV_VIEW_LINES, "file", "samples_self_percent", "samples_error", PV_CHECK_SUM, PV_CHECK_PERCENT, PV_CHECK_NAMED | PV_CHECK_LINE },
	{ "line.self", "samples", "samples", "lines", PV_VIEW_LINES, "file", "samples_self", NULL, PV_CHECK_SUM, PV_CHECK_COUNT, PV_CHECK_NAMED | PV_CHECK_LINE },
	{ "line.total", "share", "samples", "lines", PV_VIEW_LINES, "file", "samples_percent", NULL, PV_CHECK_MOST, PV_CHECK_PERCENT, PV_CHECK_NAMED | PV_CHECK_LINE },
	{ "line.total", "samples", "samples", "lines", PV_VIEW_LINES, "file", "samples", NULL, PV_CHECK_MOST, PV_CHECK_COUNT, PV_CHECK_NAMED | PV_CHECK_LINE },
	{ "line.allocated", "bytes", "allocation_stacks", "lines", PV_VIEW_LINES, "file", "allocated_bytes", NULL, PV_CHECK_SUM, PV_CHECK_BYTES, PV_CHECK_NAMED | PV_CHECK_LINE },
	{ "line.allocated", "objects", "allocation_stacks", "lines", PV_VIEW_LINES, "file", "allocations", NULL, PV_CHECK_SUM, PV_CHECK_COUNT, PV_CHECK_NAMED | PV_CHECK_LINE },
	{ "method.calls", "", "calls", METHOD("calls"), NULL, PV_CHECK_SUM, PV_CHECK_COUNT, PV_CHECK_NAMED | PV_CHECK_METHOD },
	{ "jit", "methods", "jit", "jit", PV_VIEW_JIT_METHODS, "name", "code_bytes", NULL, PV_CHECK_ROWS_OF, PV_CHECK_COUNT, PV_CHECK_METHOD },
	{ "jit", "bytes", "jit", "jit", PV_VIEW_JIT_METHODS, "name", "code_bytes", NULL, PV_CHECK_SUM, PV_CHECK_BYTES, PV_CHECK_METHOD },
	{ "threads", "", "threads", "threads", PV_VIEW_THREADS, "name", "events", NULL, PV_CHECK_ROWS_OF, PV_CHECK_COUNT, 0 },
	{ "counter", "last", "counters", "counters", PV_VIEW_COUNTERS, "name", "last", NULL, PV_CHECK_SUM, PV_CHECK_COUNT, PV_CHECK_NAMED | PV_CHECK_DEPTH },
	{ "counter", "max", "counters", "counters", PV_VIEW_COUNTERS, "name", "max", NULL, PV_CHECK_MOST, PV_CHECK_COUNT, PV_CHECK_NAMED | PV_CHECK_DEPTH },
	{ "finalizers", "", "finalizers", "finalizers", PV_VIEW_FINALIZERS, "class", "objects", NULL, PV_CHECK_SUM, PV_CHECK_COUNT, PV_CHECK_CLASS | PV_CHECK_ABSENT_IS_ZERO },
	{ "handles", "", "handles", "handles", PV_VIEW_HANDLES, "type", "live", NULL, PV_CHECK_SUM, PV_CHECK_COUNT, PV_CHECK_ABSENT_IS_ZERO },
	{ "route.p99", "", "spans", "routes", PV_VIEW_ROUTES, "name", "p99_ns", NULL, PV_CHECK_MOST, PV_CHECK_NS, PV_CHECK_NAMED },
	{ "route.errors", "", "spans", "routes", PV_VIEW_ROUTES, "name", "errors", NULL, PV_CHECK_SUM, PV_CHECK_COUNT, PV_CHECK_STATUS },
	{ "query.count", "", "spans", "spans", PV_VIEW_SPANS, "name", "queries", NULL, PV_CHECK_MOST, PV_CHECK_COUNT, 0 },
	{ "loss", "", "", "source.damage", PV_VIEW_EVENTS, NULL, NULL, NULL, PV_CHECK_SUM, PV_CHECK_COUNT, PV_CHECK_LOSS },
	{ "leak", "", "", "findings", PV_VIEW_FINDINGS, "finding", "score", NULL, PV_CHECK_SUM, PV_CHECK_COUNT, PV_CHECK_FINDING },
	{ "finding", "", "", "findings", PV_VIEW_FINDINGS, "finding", "score", NULL, PV_CHECK_SUM, PV_CHECK_COUNT, PV_CHECK_FINDING },
};
/* clang-format on */
const size_t pv_check_kind_count = PV_COUNT_OF(pv_check_kinds);

static const char finding[] = "finding.";

static bool is_kind(const struct pv_check_kind *k, const char *kind)
{
	if (strncmp(kind, finding, strlen(finding)) == 0)
		return strcmp(k->kind, "finding") == 0;
	return strcmp(k->kind, kind) == 0 && strcmp(kind, "finding") != 0;
}

bool pv_check_kind_exists(const char *kind)
{
	for (size_t i = 0; i < pv_check_kind_count; i++)
		if (is_kind(&pv_check_kinds[i], kind))
			return true;
	return false;
}

/* Without `of` the limit's unit decides. */
static bool kind_fits(const struct pv_check_kind *k, const struct pv_check_rule *r)
{
	const struct pv_check_limit *l = r->max.given ? &r->max : &r->min;
	if (r->of)
		return strcmp(k->of, r->of) == 0;
	return !l->given || l->unit == k->unit;
}

const struct pv_check_kind *pv_check_kind_of(const struct pv_check_rule *r, const char **ret_why)
{
	*ret_why = NULL;
	for (size_t i = 0; i < pv_check_kind_count; i++) {
		const struct pv_check_kind *k = &pv_check_kinds[i];
		if (!is_kind(k, r->kind) || !kind_fits(k, r))
			continue;
		if (k->flags & PV_CHECK_NAMED && !r->match)
			*ret_why = "it wants match = NAME";
		const struct pv_check_limit *l = r->max.given ? &r->max : &r->min;
		if (l->given && l->unit != k->unit)
			*ret_why = "the limit has the wrong unit";
		return *ret_why ? NULL : k;
	}
	*ret_why = r->of ? "there is no such `of`" : "the limit has the wrong unit";
	return NULL;
}

bool pv_check_matches(const char *pattern, const char *text)
{
	const char *star = NULL, *back = NULL;
	while (*text) {
		if (*pattern == '*') {
			star = pattern++;
			back = text;
		} else if (*pattern == *text) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star + 1;
			text = ++back;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

bool pv_check_matches_line(
	const char *pattern, const char *file, uint64_t line, char ret_name[PV_CHECK_PLACE])
{
	snprintf(ret_name, PV_CHECK_PLACE, "%s:%llu", file, (unsigned long long)line);
	const char *slash = strrchr(ret_name, '/');
	return pv_check_matches(pattern, ret_name) ||
	       (slash && !strchr(pattern, '/') && pv_check_matches(pattern, slash + 1));
}

/* The meter of the web server has the status of all requests. */
bool pv_check_lacks_status(
	const struct pv_check_kind *k, const char *match, const struct pv_table *t)
{
	const int name = pv_table_column(t, "name"), what = pv_table_column(t, "what");
	bool lacks = false;
	if (!(k->flags & PV_CHECK_STATUS))
		return false;
	for (size_t i = 0; i < t->rows; i++) {
		const struct pv_cell *c = t->row[i].cell;
		if (match && !pv_check_matches(match, c[name].s))
			continue;
		if (strcmp(c[what].s, "meter") == 0)
			return false;
		lacks |= !pv_span_says_failure(c[what].s);
	}
	return lacks;
}

bool pv_check_set_wants(const struct pv_check_set *s, const char *what)
{
	const char *why;
	for (size_t i = 0; i < s->rule.n; i++) {
		const struct pv_check_kind *k = pv_check_kind_of(&s->rule.v[i], &why);
		if (k && strcmp(k->what, what) == 0)
			return true;
	}
	return false;
}

const char *pv_check_records(const char *what)
{
	static const struct {
		const char *what, *option;
	} options[] = { { "calls", "--calls" }, { "allocations", "--alloc" },
		{ "allocation_stacks", "--alloc" }, { "samples", "--sample" },
		{ "heap_shots", "--heapshot" }, { "gc", "--probe gc" },
		{ "exceptions", "--probe exception" }, { "locks", "--probe monitor" },
		{ "jit", "--probe jit" }, { "counters", "--probe counter" },
		{ "finalizers", "--probe finalization" }, { "handles", "--probe gchandle" },
		{ "spans", "--probe spans" } };
	for (size_t i = 0; i < PV_COUNT_OF(options); i++)
		if (strcmp(options[i].what, what) == 0)
			return options[i].option;
	return NULL;
}
