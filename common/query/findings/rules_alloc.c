/* SPDX-License-Identifier: MIT */
/* Rules about allocations. Shares are of all counted bytes or objects. */
#include <stdio.h>
#include <string.h>

#include "common/base/status.h"
#include "common/base/text/units.h"
#include "common/query/findings/rule.h"

/* Further classes and sites do not matter. */
enum { CLASSES = 512, SITES = 256, FEWEST_OBJECTS = 1000 };

static bool is_one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(name, *list) == 0)
			return true;
	return false;
}

static bool is_text_class(const char *name)
{
	static const char *const list[] = { "System.String", "System.Char[]",
		"System.Text.StringBuilder", "string", "char[]", NULL };
	return is_one_of(name, list);
}

static bool ends_as_array(const char *name)
{
	size_t n = strlen(name);
	return (n > 2 && strcmp(name + n - 2, "[]") == 0) ||
	       (n > 2 && strcmp(name + n - 2, ",]") == 0);
}

/*
 * Value types of the runtime, also by their names in .NET's stream: an object of a value type is a
 * box. So is an object of a generic structure, given without arguments.
 */
static bool is_box(const char *name)
{
	static const char *const list[] = { "System.Boolean", "System.Byte", "System.SByte",
		"System.Char", "System.Int16", "System.UInt16", "System.Int32", "System.UInt32",
		"System.Int64", "System.UInt64", "System.IntPtr", "System.UIntPtr", "System.Single",
		"System.Double", "System.Decimal", "System.DateTime", "System.DateTimeOffset",
		"System.TimeSpan", "System.Guid", "System.Threading.CancellationToken", "bool",
		"byte", "sbyte", "char", "short", "ushort", "int", "uint", "long", "ulong", "nint",
		"nuint", "float", "double", "decimal", NULL };
	static const char *const generic[] = { "System.Nullable",
		"System.Collections.Generic.KeyValuePair", "System.ValueTuple",
		"System.ArraySegment", "System.Memory", "System.ReadOnlyMemory", NULL };
	char own[80];
	size_t n = strcspn(name, "`<[");
	if (is_one_of(name, list))
		return true;
	if (!name[n] || n >= sizeof own || ends_as_array(name))
		return false;
	memcpy(own, name, n);
	own[n] = 0;
	return is_one_of(own, generic);
}

/* Classes made by the compiler for lambdas, iterators and async methods; delegates. */
static bool is_closure(const char *name)
{
	static const char *const delegates[] = { "System.Func", "System.Action", "System.Predicate",
		"System.Comparison", "System.EventHandler", NULL };
	if (strstr(name, "<>c__DisplayClass") || strstr(name, ">d__") ||
		strstr(name, "c__Iterator") || strstr(name, "c__AnonStorey"))
		return true;
	for (const char *const *d = delegates; *d; d++)
		if (strncmp(name, *d, strlen(*d)) == 0 && strchr("`<", name[strlen(*d)]))
			return !ends_as_array(name); /* strchr() also finds the end of the name */
	return false;
}

struct share {
	double part;           /* of bytes or objects, 0 to 1 */
	double most;           /* of the class with the most */
	double bytes, objects; /* of all matching classes */
	char first[PV_FINDING_SUBJECT];
};

static void note_first(struct share *s, double value, const char *name)
{
	if (value <= s->most)
		return;
	s->most = value;
	snprintf(s->first, sizeof s->first, "%s", name);
}

static bool enough_objects(const struct pv_judge *j, struct pv_finding *f)
{
	if (j->sum.allocations >= FEWEST_OBJECTS)
		return true;
	pv_finding_skip(f, "fewer than 1 000 allocations");
	return false;
}

/* The share of matching classes. False: too few objects, or out of memory. */
static bool share_of(const struct pv_judge *j, struct pv_finding *f,
	bool (*matching)(const char *name), bool in_bytes, struct share *ret)
{
	*ret = (struct share){ 0 };
	if (!enough_objects(j, f))
		return false;
	struct pv_table *t = pv_judge_table(j, f, &pv_spec_classes, PV_VIEW_CLASSES,
		in_bytes ? "allocated_bytes" : "allocations", CLASSES);
	if (!t)
		return false;
	double named = 0, unnamed = 0;
	for (size_t i = 0; i < t->rows; i++) {
		const char *name = pv_judge_text(t, i, "name");
		double bytes = pv_judge_value(t, i, "allocated_bytes");
		double objects = pv_judge_value(t, i, "allocations");
		*(name[0] && strcmp(name, "NULL") != 0 ? &named : &unnamed) += objects;
		if (!matching(name))
			continue;
		ret->bytes += bytes;
		ret->objects += objects;
		note_first(ret, in_bytes ? bytes : objects, name);
	}
	pv_table_destroy(t);
	if (unnamed > named) {
		pv_finding_skip(f, "the classes of most objects are not known on this host");
		return false;
	}
	const double all = (double)(in_bytes ? j->sum.allocated_bytes : j->sum.allocations);
	ret->part = all > 0 ? (in_bytes ? ret->bytes : ret->objects) / all : 0;
	return true;
}

void pv_judge_string_churn(const struct pv_judge *j, struct pv_finding *f)
{
	struct share s;
	char bytes[PV_UNIT_MAX];
	if (!share_of(j, f, is_text_class, true, &s))
		return;
	pv_finding_say(f,
		pv_score_of_allocation(j, pv_scale_score(s.part, 0.30, 0.50, 0.80), s.bytes, 0),
		"%.0f %% of allocated bytes are text, %s", 100 * s.part,
		pv_units_bytes(bytes, sizeof bytes, (uint64_t)s.bytes));
	snprintf(f->subject, sizeof f->subject, "%s", s.first);
}

/* A finding about objects that names the class with the most. */
static void judge_objects(const struct pv_judge *j, struct pv_finding *f,
	bool (*matching)(const char *name), const char *what, const double limit[3])
{
	struct share s;
	char n[PV_UNIT_MAX];
	if (!share_of(j, f, matching, false, &s))
		return;
	double score = pv_scale_score(s.part, limit[0], limit[1], limit[2]);
	pv_finding_say(f, pv_score_of_allocation(j, score, s.bytes, s.objects),
		"%.0f %% of objects are %s, %s%s%s", 100 * s.part, what,
		pv_units_count(n, sizeof n, (uint64_t)s.objects),
		s.first[0] ? ", most of them " : "", s.first);
	snprintf(f->subject, sizeof f->subject, "%s", s.first);
}

void pv_judge_boxing(const struct pv_judge *j, struct pv_finding *f)
{
	judge_objects(j, f, is_box, "boxed values", (const double[]){ 0.05, 0.15, 0.50 });
}

void pv_judge_closures(const struct pv_judge *j, struct pv_finding *f)
{
	judge_objects(j, f, is_closure, "closures, iterators or delegates",
		(const double[]){ 0.10, 0.25, 0.60 });
}

/* --- large objects --- */

static bool is_native(const struct pv_judge *j)
{
	return strncmp(j->sum.args, "profview:native", strlen("profview:native")) == 0;
}

/* From this size on objects are in a heap for large objects: Mono's and .NET's limits. */
static double large_from(const struct pv_judge *j)
{
	pv_model_lock(j->m);
	bool stream = pv_target_is_event_stream(&j->m->target);
	pv_model_unlock(j->m);
	return stream || strstr(j->sum.runtime, "coreclr") || strstr(j->sum.args, "coreclr") ? 85000
											     : 8000;
}

/* Bytes of objects in wholly large size ranges: the range around the limit is left out. */
static bool sum_large(const struct pv_judge *j, struct pv_finding *f, double from, struct share *s)
{
	struct pv_table *t =
		pv_judge_table(j, f, &pv_spec_allocation_sizes, PV_VIEW_ALLOCATION_SIZES, NULL, 0);
	if (!t)
		return false;
	double bytes = 0, objects = 0;
	for (size_t i = 0; i < t->rows; i++) {
		if (pv_judge_value(t, i, "from_bytes") < from)
			continue;
		bytes += pv_judge_value(t, i, "allocated_bytes");
		objects += pv_judge_value(t, i, "allocations");
	}
	pv_table_destroy(t);
	s->bytes = bytes > s->bytes ? bytes : s->bytes;
	s->objects = objects > s->objects ? objects : s->objects;
	return true;
}

void pv_judge_large_objects(const struct pv_judge *j, struct pv_finding *f)
{
	const double from = large_from(j);
	struct share s = { 0 };
	char bytes[PV_UNIT_MAX];
	if (is_native(j)) {
		pv_finding_skip(f, "native programs have no heap of large objects");
		return;
	}
	struct pv_table *t =
		pv_judge_table(j, f, &pv_spec_classes, PV_VIEW_CLASSES, "allocated_bytes", CLASSES);
	if (!t)
		return;
	for (size_t i = 0; i < t->rows; i++) {
		double all = pv_judge_value(t, i, "allocated_bytes");
		double n = pv_judge_value(t, i, "allocations");
		if (n <= 0 || all / n < from)
			continue;
		s.bytes += all;
		s.objects += n;
		note_first(&s, all, pv_judge_text(t, i, "name"));
	}
	pv_table_destroy(t);
	if (!sum_large(j, f, from, &s)) /* in a class's mean, small objects hide large ones */
		return;
	s.part = j->sum.allocated_bytes ? s.bytes / (double)j->sum.allocated_bytes : 0;
	double score = pv_scale_score(s.part, 0.20, 0.40, 0.80);
	if (s.objects < 20)
		score = score < 24 ? score : 24;
	pv_finding_say(f, pv_score_of_allocation(j, score, s.bytes, 0),
		"%.0f %% of allocated bytes are large objects, %s%s%s", 100 * s.part,
		pv_units_bytes(bytes, sizeof bytes, (uint64_t)s.bytes),
		s.first[0] ? ", most of them " : "", s.first);
	snprintf(f->subject, sizeof f->subject, "%s", s.first);
}

/* --- growing collections --- */

/* A method that makes room in a collection; type arguments may stand between both parts. */
struct growth {
	const char *type, *method;
};

static bool is_growth(const char *frame, size_t len)
{
	static const struct growth list[] = { { ".List", ":set_Capacity" }, { ".List", ":Grow" },
		{ ".List", ":EnsureCapacity" }, { ".List", ":AddWithResize" },
		{ ".Dictionary", ":Resize" }, { ".HashSet", ":Resize" },
		{ ".HashSet", ":IncreaseCapacity" }, { ".Queue", ":SetCapacity" },
		{ ".Queue", ":Grow" }, { ".Stack", ":Grow" }, { ".ArrayList", ":EnsureCapacity" },
		{ ".Hashtable", ":expand" }, { ".StringBuilder", ":ExpandByABlock" },
		{ ".MemoryStream", ":set_Capacity" }, { "System.Array", ":Resize" } };
	for (size_t i = 0; i < PV_COUNT_OF(list); i++) {
		const size_t n = strlen(list[i].type);
		const char *type = memmem(frame, len, list[i].type, n);
		if (type && strchr("`<:", type[n]) &&
			memmem(type, len - (size_t)(type - frame), list[i].method,
				strlen(list[i].method)))
			return true;
	}
	return false;
}

/* Whether an innermost frame, last in the stack, is such a method. */
static bool grows_a_collection(const char *stack)
{
	enum { INNERMOST = 3 };
	const char *end = stack + strlen(stack);
	for (int depth = 0; depth < INNERMOST && end > stack; depth++) {
		const char *frame = end;
		while (frame > stack && frame[-1] != '\n')
			frame--;
		if (is_growth(frame, (size_t)(end - frame)))
			return true;
		end = frame > stack ? frame - 1 : stack;
	}
	return false;
}

void pv_judge_resizing(const struct pv_judge *j, struct pv_finding *f)
{
	struct share s = { 0 };
	char bytes[PV_UNIT_MAX];
	struct pv_table *t = pv_judge_table(j, f, &pv_spec_allocation_sites,
		PV_VIEW_ALLOCATION_SITES, "allocated_bytes", SITES);
	if (!t)
		return;
	bool stacks = false;
	for (size_t i = 0; i < t->rows; i++) {
		const char *stack = pv_judge_text(t, i, "stack");
		stacks |= stack[0] != 0;
		if (!grows_a_collection(stack))
			continue;
		double all = pv_judge_value(t, i, "allocated_bytes");
		s.bytes += all;
		note_first(&s, all, pv_judge_text(t, i, "class"));
	}
	pv_table_destroy(t);
	if (!stacks) {
		pv_finding_skip(f, "allocations have no stacks");
		return;
	}
	s.part = j->sum.allocated_bytes ? s.bytes / (double)j->sum.allocated_bytes : 0;
	pv_finding_say(f,
		pv_score_of_allocation(j, pv_scale_score(s.part, 0.05, 0.15, 0.40), s.bytes, 0),
		"%.0f %% of allocated bytes are collections that were made larger, %s%s%s",
		100 * s.part, pv_units_bytes(bytes, sizeof bytes, (uint64_t)s.bytes),
		s.first[0] ? ", most of them " : "", s.first);
	snprintf(f->subject, sizeof f->subject, "%s", s.first);
}
