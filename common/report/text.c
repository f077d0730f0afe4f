/* SPDX-License-Identifier: MIT */
/* Writes a report as text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/mem.h"
#include "common/base/text/units.h"
#include "common/base/text/showable.h"
#include "common/query/coverage/coverage_advice.h"
#include "common/report/lists.h"
#include "common/report/report_sections.h"

enum { CELL = 512 };

/* Leaves out the advice on recording more: the list of coverage has it once. */
static void put_coverage(FILE *out, const char *line)
{
	size_t n, head;
	const char *advice = pv_coverage_advice(line, &n);
	char *text = n ? strdup(line) : NULL;
	if (!text) {
		pv_showable_put(out, line);
		return;
	}
	head = (size_t)(advice - line);
	memmove(text + head, text + head + n, strlen(text + head + n) + 1);
	pv_showable_put(out, text);
	free(text);
}

static void put_table(const struct pv_report *r, const struct pv_view_row *s,
	const struct pv_table *t, const char *suffix)
{
	fprintf(r->out, "\n%s%s\n", s->title, suffix);
	if (!(s->flags & PV_SECTION_FACT)) {
		fputs("  (", r->out);
		put_coverage(r->out, t->coverage);
		fputs(")\n", r->out);
	}
	if (t->rows == 0) {
		bool lacks = s->flags & PV_SECTION_SINCE_MLPD && r->facts.logging2007;
		bool none = pv_report_knows(r, s) && !lacks;
		fputs(none ? "  none\n" : "  not recorded\n", r->out);
		return;
	}
	pv_list_text(r->out, t);
}

/* --- the head of the report --- */

static void put_labelled(FILE *out, const char *label, const char *text)
{
	fprintf(out, "%-10s ", label);
	pv_showable_put(out, text);
}

/* The coverage of the whole log: "complete" only if known. */
static const char *completeness(const struct pv_report_source *s)
{
	if (!s->complete)
		return s->end == PV_LOG_CUT_OFF ? "not complete, cut off" : "not complete";
	return s->end == PV_LOG_ENDED     ? "complete"
	       : s->end == PV_LOG_CUT_OFF ? "cut off"
	       : s->end == PV_LOG_UNKNOWN ? "end unknown"
					  : "end not reached";
}

static void put_source(const struct pv_report *r)
{
	const struct pv_facts *f = &r->facts;
	const struct pv_report_source *s = r->source;
	char bytes[PV_UNIT_MAX], stored[PV_UNIT_MAX], n[PV_UNIT_MAX];
	put_labelled(r->out, "source", s->path ? s->path : "-");
	if (f->text)
		fprintf(r->out, ", %s", f->text);
	else if (f->logging2007)
		fprintf(r->out, ", logging 2007 stage %s", f->stage ? f->stage : "?");
	else
		fprintf(r->out, ", mlpd data version %u", f->data_version);
	fprintf(r->out, ", %s", pv_units_bytes(bytes, sizeof bytes, s->bytes));
	if (s->compressed)
		fprintf(r->out, " from %s of gzip",
			pv_units_bytes(stored, sizeof stored, s->file_bytes));
	fprintf(r->out, ", %s buffer%s, %s\n", pv_units_exact(n, sizeof n, f->buffers),
		f->buffers == 1 ? "" : "s", completeness(s));
}

/* Events that the profiler asked for. */
static void put_mask(FILE *out, uint64_t mask)
{
	static const char *const word[] = { "domains", "assemblies", "modules", "classes", "jit",
		"inlining", "exceptions", "allocations", "gc", "threads", "remoting", "transitions",
		"calls", "coverage", "instruction coverage", "samples", "methods", "locks",
		"i/o map", "moves" };
	bool any = false;
	for (size_t i = 0; i < PV_COUNT_OF(word); i++) {
		if (!(mask >> i & 1))
			continue;
		fprintf(out, any ? ", %s" : "events     %s", word[i]);
		any = true;
	}
	if (any)
		putc('\n', out);
}

static void put_target(const struct pv_report *r)
{
	const struct pv_facts *f = &r->facts;
	char when[40] = "at an unknown time";
	time_t seconds = (time_t)(f->start_time_ms / 1000);
	struct tm tm;
	if (f->start_time_ms && gmtime_r(&seconds, &tm))
		strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S UTC", &tm);
	if (f->logging2007) { /* the writer says no more in these logs */
		fprintf(r->out, "%-10s started %s\n", "target", when);
		put_mask(r->out, f->event_mask);
		return;
	}
	fprintf(r->out, "%-10s pid %" PRIu64 ", ", "target", f->pid);
	pv_showable_put(r->out, f->arch[0] ? f->arch : "unknown processor");
	putc(' ', r->out);
	pv_showable_put(r->out, f->os[0] ? f->os : "unknown system");
	fprintf(r->out, ", %u-byte pointers, started %s\n", f->pointer_size, when);
	if (*f->runtime_version || f->gc_mode) {
		put_labelled(r->out, "runtime", ".NET ");
		pv_showable_put(r->out, f->runtime_version);
		fputs(*f->runtime_version && f->gc_mode ? ", " : "", r->out);
		pv_showable_put(r->out, f->gc_mode ? f->gc_mode : "");
		fputs(f->gc_mode ? " GC\n" : "\n", r->out);
	}
	if (f->command[0]) {
		put_labelled(r->out, "command", f->command);
		putc('\n', r->out);
	}
	if (!f->args[0])
		return;
	put_labelled(r->out, "options", f->args);
	putc('\n', r->out);
}

static void put_duration(const struct pv_report *r)
{
	char clock[PV_UNIT_MAX], events[PV_UNIT_MAX];
	fprintf(r->out, "%-10s %s, %s events\n", "duration",
		pv_units_clock(clock, sizeof clock, r->facts.duration_ns),
		pv_units_exact(events, sizeof events, r->facts.events));
	if (*r->source->end_line) {
		put_labelled(r->out, "end", r->source->end_line);
		putc('\n', r->out);
	}
}

/* --- figures outside the lists --- */

struct figure {
	const char *section; /* printed in front of this section's table */
	const char *label;
	unsigned group;
	size_t at; /* offset in struct pv_totals */
	enum pv_unit unit;
};

#define FIGURE(section, label, group, member, unit)                                                \
	{ section, label, group, offsetof(struct pv_totals, member), unit }

static const struct figure figures[] = {
	FIGURE("gc.collections", "greatest heap", PV_GROUP_GC, max_heap_bytes, PV_UNIT_BYTES),
	FIGURE("gc.collections", "heap resizes", PV_GROUP_GC, gc_resizes, PV_UNIT_COUNT),
	FIGURE("gc.collections", "objects moved", PV_GROUP_MOVES, moved_objects, PV_UNIT_COUNT),
	FIGURE("gc.collections", "handles created", PV_GROUP_HANDLES, handles_created,
		PV_UNIT_COUNT),
	FIGURE("gc.collections", "handles destroyed", PV_GROUP_HANDLES, handles_destroyed,
		PV_UNIT_COUNT),
	FIGURE("gc.collections", "objects finalized", PV_GROUP_FINALIZERS, objects_finalized,
		PV_UNIT_COUNT),
	FIGURE("finalizers", "runs of finalizers", PV_GROUP_FINALIZERS, finalizer_runs,
		PV_UNIT_COUNT),
	FIGURE("finalizers", "together", PV_GROUP_FINALIZERS, finalizing_ns, PV_UNIT_NS),
	FIGURE("exceptions.clauses", "exceptions thrown", PV_GROUP_EXCEPTIONS, thrown,
		PV_UNIT_COUNT),
	FIGURE("locks.objects", "contentions", PV_GROUP_LOCKS, contentions, PV_UNIT_COUNT),
	FIGURE("locks.objects", "acquired", PV_GROUP_LOCKS, acquired, PV_UNIT_COUNT),
	FIGURE("locks.objects", "failed", PV_GROUP_LOCKS, failed, PV_UNIT_COUNT),
	FIGURE("locks.objects", "waited", PV_GROUP_LOCKS, wait_ns, PV_UNIT_NS),
	FIGURE("samples", "samples", PV_GROUP_SAMPLES, samples, PV_UNIT_COUNT),
	FIGURE("jit.methods", "methods compiled", PV_GROUP_JIT, jit_methods, PV_UNIT_COUNT),
	FIGURE("jit.methods", "bytes of code", PV_GROUP_CODE, code_bytes, PV_UNIT_COUNT),
	FIGURE("jit.methods", "helpers", PV_GROUP_CODE, helpers, PV_UNIT_COUNT),
	FIGURE("jit.methods", "bytes of helpers", PV_GROUP_CODE, helper_bytes, PV_UNIT_COUNT),
	FIGURE("jit.methods", "failed", PV_GROUP_JIT_TIMES, jit_failed, PV_UNIT_COUNT),
	FIGURE("jit.methods", "time to compile", PV_GROUP_JIT_TIMES, jit_ns, PV_UNIT_NS),
	FIGURE("jit.methods", "longest", PV_GROUP_JIT_TIMES, jit_max_ns, PV_UNIT_NS),
	FIGURE("loads", "loads and unloads", PV_GROUP_LOADS, loads, PV_UNIT_COUNT),
	FIGURE("loads", "failed", PV_GROUP_LOADS, loads_failed, PV_UNIT_COUNT),
};

#undef FIGURE

static void put_figures(const struct pv_report *r, const struct pv_view_row *s)
{
	bool any = false;
	for (size_t i = 0; i < PV_COUNT_OF(figures); i++) {
		const struct figure *f = &figures[i];
		char buf[CELL];
		struct pv_cell c = { .state = PV_CELL_VALUE };
		if (strcmp(f->section, s->section) != 0 || !(r->totals.known & f->group))
			continue;
		memcpy(&c.u, (const char *)&r->totals + f->at, sizeof c.u);
		fprintf(r->out, "%s%s %s", any ? ", " : "\n", f->label,
			pv_report_cell(&c, f->unit, buf, sizeof buf));
		any = true;
	}
	if (any)
		putc('\n', r->out);
}

/* --- sections --- */

static bool put_section(const struct pv_report *r, const struct pv_view_row *s, uint64_t select,
	const char *suffix, struct pv_error *reterr)
{
	struct pv_table *t = pv_report_table(r, s, select, reterr);
	if (!t)
		return false;
	if (!(s->flags & PV_SECTION_IF_ANY) || t->rows > 0)
		put_table(r, s, t, suffix);
	pv_table_destroy(t);
	return true;
}

/* Text has the classes of the newest shot only; JSON and CSV of all shots. */
static bool put_shot_classes(
	const struct pv_report *r, const struct pv_view_row *s, struct pv_error *reterr)
{
	const struct pv_view_row *shots = pv_section_find("heap_shots");
	struct pv_report all = *r;
	struct pv_report_options every = { .format = PV_REPORT_TEXT, .limited = true };
	all.options = &every;
	struct pv_table *t = pv_report_table(&all, shots, 0, reterr);
	if (!t)
		return false;
	uint64_t newest = t->rows ? t->row[t->rows - 1].id : 0;
	pv_table_destroy(t);
	char suffix[48] = "";
	if (newest)
		snprintf(suffix, sizeof suffix, ", shot %" PRIu64, newest - 1);
	return put_section(r, s, newest, suffix, reterr);
}

bool pv_report_text(struct pv_report *r, struct pv_error *reterr)
{
	fprintf(r->out, "%-10s %s\n", "profview", PV_VERSION);
	put_source(r);
	put_target(r);
	put_duration(r);
	const struct pv_view_row *coverage = NULL; /* after the chosen sections */
	for (const struct pv_view_row *s = NULL; (s = pv_section_next(s));) {
		bool ok = true;
		if (!pv_report_wants(r, s)) {
			coverage = s->flags & PV_SECTION_ALWAYS ? s : coverage;
			continue;
		}
		put_figures(r, s);
		if (s->flags & PV_TRAIT_OF_SHOT)
			ok = put_shot_classes(r, s, reterr);
		else if (!(s->flags & PV_SECTION_FIGURES))
			ok = put_section(r, s, 0, "", reterr);
		if (!ok)
			return false;
	}
	return !coverage || put_section(r, coverage, 0, "", reterr);
}
