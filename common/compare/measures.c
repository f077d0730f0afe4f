/* SPDX-License-Identifier: MIT */
/* The figures compared, and the options to choose among them. */
#include <string.h>

#include "common/compare/diff_parts.h"
#include "common/base/utf8.h"

const struct pv_diff_source pv_diff_sources[PV_DIFF_LISTS] = {
	[PV_DIFF_METHODS] = { PV_VIEW_METHODS,
		{ "samples_self", "samples_total", "self_ns", "total_ns", "calls" }, "name", NULL,
		NULL, PV_COLUMN_METHOD },
	[PV_DIFF_CLASSES] = { PV_VIEW_CLASSES, { "allocated_bytes", "allocations" }, "name", NULL,
		"error_bytes", PV_COLUMN_CLASS },
	[PV_DIFF_SITES] = { PV_VIEW_ALLOCATION_SITES, { "allocated_bytes", "allocations" }, "class",
		"stack", NULL, PV_COLUMN_CLASS },
	[PV_DIFF_HEAP] = { PV_VIEW_SHOT_CLASSES, { "bytes", "objects" }, "name", NULL, NULL,
		PV_COLUMN_CLASS },
	[PV_DIFF_THROWN] = { PV_VIEW_EXCEPTIONS, { "thrown" }, "name", NULL, NULL,
		PV_COLUMN_CLASS },
};

const struct pv_diff_measure pv_diff_measures[] = {
	{ "methods.samples_self", "Samples in methods themselves", PV_DIFF_METHODS, 0, "samples",
		PV_DIFF_SAMPLED, PV_UNIT_COUNT },
	{ "methods.samples_total", "Samples in methods and what they call", PV_DIFF_METHODS, 1,
		"samples", PV_DIFF_SAMPLED, PV_UNIT_COUNT },
	{ "methods.self_ns", "Time of calls, in methods themselves", PV_DIFF_METHODS, 2, "calls",
		PV_DIFF_TIMED, PV_UNIT_NS },
	{ "methods.total_ns", "Time of calls, with what they call", PV_DIFF_METHODS, 3, "calls",
		PV_DIFF_TIMED, PV_UNIT_NS },
	{ "methods.calls", "Calls", PV_DIFF_METHODS, 4, "calls", PV_DIFF_COUNTED, PV_UNIT_COUNT },
	{ "classes.allocated_bytes", "Allocated bytes by class", PV_DIFF_CLASSES, 0, "allocations",
		PV_DIFF_COUNTED, PV_UNIT_BYTES },
	{ "classes.allocations", "Allocations by class", PV_DIFF_CLASSES, 1, "allocations",
		PV_DIFF_COUNTED, PV_UNIT_COUNT },
	{ "allocation_sites.allocated_bytes", "Allocated bytes by site", PV_DIFF_SITES, 0,
		"allocation_stacks", PV_DIFF_COUNTED, PV_UNIT_BYTES },
	{ "allocation_sites.allocations", "Allocations by site", PV_DIFF_SITES, 1,
		"allocation_stacks", PV_DIFF_COUNTED, PV_UNIT_COUNT },
	{ "heap_shots.bytes", "Bytes alive in the last heap shot", PV_DIFF_HEAP, 0, "heap_shots",
		PV_DIFF_LEVEL, PV_UNIT_BYTES },
	{ "heap_shots.objects", "Objects alive in the last heap shot", PV_DIFF_HEAP, 1,
		"heap_shots", PV_DIFF_LEVEL, PV_UNIT_COUNT },
	{ "exceptions.thrown", "Exceptions thrown", PV_DIFF_THROWN, 0, "exceptions",
		PV_DIFF_COUNTED, PV_UNIT_COUNT },
};
const size_t pv_diff_measure_count = PV_COUNT_OF(pv_diff_measures);

const char *pv_diff_verdict_text(enum pv_diff_verdict v)
{
	static const char *const text[PV_DIFF_VERDICTS] = { [PV_DIFF_SAME] = "same",
		[PV_DIFF_NOISE] = "within noise",
		[PV_DIFF_ADDED] = "new",
		[PV_DIFF_GONE] = "gone",
		[PV_DIFF_MORE] = "more",
		[PV_DIFF_LESS] = "less",
		[PV_DIFF_INCOMPARABLE] = "not comparable" };
	return text[v];
}

bool pv_diff_per_of(const char *text, struct pv_diff_options *ret)
{
	static const struct {
		const char *word;
		enum pv_diff_per per;
	} words[] = { { "none", PV_PER_NONE }, { "share", PV_PER_SHARE },
		{ "second", PV_PER_SECOND }, { "sample", PV_PER_SAMPLE } };
	for (size_t i = 0; i < PV_COUNT_OF(words); i++) {
		if (strcmp(text, words[i].word) == 0) {
			ret->per = words[i].per;
			return true;
		}
	}
	bool call = strncmp(text, "call:", 5) == 0, counter = strncmp(text, "counter:", 8) == 0;
	ret->unit = text + (call ? 5 : counter ? 8 : 0);
	ret->per = call ? PV_PER_CALL : PV_PER_COUNTER;
	return (call || counter) && *ret->unit;
}

/* "methods" stands for every "methods.x". */
static bool word_names_measure(const struct pv_diff_measure *m, const char *word, size_t len)
{
	return strncmp(m->section, word, len) == 0 && (!m->section[len] || m->section[len] == '.');
}

bool pv_diff_wants(const struct pv_diff_options *o, const struct pv_diff_measure *m)
{
	if (!o->sections || !*o->sections)
		return true;
	for (const char *at = o->sections; *at;) {
		size_t len = strcspn(at, ",");
		if (len && word_names_measure(m, at, len))
			return true;
		at += len + (at[len] == ',');
	}
	return false;
}

bool pv_diff_wants_list(const struct pv_diff_options *o, enum pv_diff_list list)
{
	bool wants = o->sections && strcmp(o->sections, "totals") == 0;
	for (size_t i = 0; i < pv_diff_measure_count; i++)
		wants = wants || (pv_diff_measures[i].list == list &&
					 pv_diff_wants(o, &pv_diff_measures[i]));
	return wants;
}

static bool is_section(const char *word, size_t len)
{
	for (size_t i = 0; i < pv_diff_measure_count; i++)
		if (word_names_measure(&pv_diff_measures[i], word, len))
			return true;
	return false;
}

bool pv_diff_check(const struct pv_diff_options *o, struct pv_error *reterr)
{
	size_t chosen = 0;
	bool totals = o->sections && strcmp(o->sections, "totals") == 0;
	for (const char *at = o->sections && !totals ? o->sections : ""; *at;) {
		size_t len = strcspn(at, ",");
		if (len && !is_section(at, len))
			return pv_fail(reterr, PV_EUSAGE, 0,
				"no section \"%s\"; there are totals, methods, classes, "
				"allocation_sites, heap_shots, exceptions, and single ones like "
				"methods.samples_self",
				PV_FIT_LEN(at, len, 40));
		at += len + (at[len] == ',');
	}
	for (size_t i = 0; i < pv_diff_measure_count; i++)
		chosen += pv_diff_wants(o, &pv_diff_measures[i]);
	bool one = o->format == PV_REPORT_CSV || o->format == PV_REPORT_MARKDOWN;
	return !one || totals || chosen == 1 ||
	       pv_fail(reterr, PV_EUSAGE, 0,
		       "this format takes exactly one list, for example --section totals, "
		       "--section methods.samples_self");
}
