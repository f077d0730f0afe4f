/* SPDX-License-Identifier: MIT */
/* Writes a timeline as Chrome's trace events. */
#include "common/export/chrome.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/export/export.h"
#include "common/export/export_threads.h"
#include "common/export/json_text.h"
#include "common/query/views.h"

/* The collector's own thread: a number above the log's would be too large for some readers. */
enum { GC_THREAD = 1 };

struct writing {
	const struct pv_chrome *c;
	FILE *out;
	struct pv_export_threads threads;
	bool first, ok;
	uint64_t events;
};

/* --- order: by time, outer events first --- */

static int by_start_and_thread(const void *a, const void *b)
{
	const struct pv_timed *x = a, *y = b;
	if (x->from_ns != y->from_ns)
		return x->from_ns < y->from_ns ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->took_ns != y->took_ns)
		return x->took_ns > y->took_ns ? -1 : 1;
	/* Calls are logged at their end: of equal calls the outer is last. */
	return x->place > y->place ? -1 : x->place < y->place;
}

/* --- events --- */

/* Microseconds with three decimals are nanoseconds. */
static void put_us(FILE *out, int64_t ns)
{
	uint64_t size = ns < 0 ? (uint64_t)-(ns + 1) + 1 : (uint64_t)ns;
	fprintf(out, "%s%" PRIu64 ".%03" PRIu64, ns < 0 ? "-" : "", size / 1000, size % 1000);
}

/* Every event has all members: some readers refuse events without. */
static void begin_trace_event(struct writing *w, const char *name, const char *category, char phase,
	uint64_t thread, int64_t ns)
{
	fputs(w->first ? "\n{\"name\":" : ",\n{\"name\":", w->out);
	w->first = false;
	w->ok = w->ok && pv_export_json(w->out, name);
	fputs(",\"cat\":", w->out);
	w->ok = w->ok && pv_export_json(w->out, category);
	fprintf(w->out, ",\"ph\":\"%c\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu64, phase,
		w->c->about->pid, thread);
	fputs(",\"ts\":", w->out);
	put_us(w->out, ns);
}

static void put_took(struct writing *w, int64_t ns)
{
	fputs(",\"dur\":", w->out);
	put_us(w->out, ns);
}

static void put_name_metadata(
	struct writing *w, uint64_t thread, const char *kind, const char *name)
{
	begin_trace_event(w, kind, "__metadata", 'M', thread, 0);
	fputs(",\"args\":{\"name\":", w->out);
	w->ok = w->ok && pv_export_json(w->out, name);
	fputs("}}", w->out);
}

static void put_names(struct writing *w)
{
	put_name_metadata(w, 0, "process_name", w->c->about->title);
	put_name_metadata(w, GC_THREAD, "thread_name", "garbage collector");
	for (size_t i = 0; i < w->threads.thread.n; i++) {
		const struct pv_export_thread *t = &w->threads.thread.v[i];
		char number[32];
		snprintf(number, sizeof number, "thread 0x%" PRIx64, t->id);
		put_name_metadata(w, t->id, "thread_name", *t->name ? t->name : number);
	}
}

static void put_timed(struct writing *w, const struct pv_timed *t)
{
	static const char *const category[PV_TIMED_KINDS] = { [PV_TIMED_CALL] = "call",
		[PV_TIMED_WAIT] = "lock",
		[PV_TIMED_SPAN] = "span",
		[PV_TIMED_THROW] = "exception",
		[PV_TIMED_MARK] = "mark",
		[PV_TIMED_GC] = "gc" };
	const struct pv_intern *text = &w->c->timed->text;
	bool point = t->took_ns < 0;
	begin_trace_event(w, pv_intern_text(text, t->name), category[t->kind], point ? 'i' : 'X',
		t->thread, t->from_ns);
	if (point)
		fputs(t->kind == PV_TIMED_MARK ? ",\"s\":\"p\"" : ",\"s\":\"t\"", w->out);
	else
		put_took(w, t->took_ns);
	fputs(",\"args\":{", w->out);
	if (t->cut)
		fputs("\"cut\":true", w->out);
	if (t->more) {
		fputs(t->cut ? ",\"detail\":" : "\"detail\":", w->out);
		w->ok = w->ok && pv_export_json(w->out, pv_intern_text(text, t->more));
	}
	fputs("}}", w->out);
	w->events++;
}

/* --- the collector --- */

static int64_t whole(const struct pv_row *row, int column)
{
	bool known = column >= 0 && row->cell[column].state == PV_CELL_VALUE;
	return known ? row->cell[column].i : 0;
}

static void put_gc(struct writing *w, enum pv_view view, const char *name, bool numbered)
{
	const struct pv_query q = { .sort = "start_ns", .invert = false };
	struct pv_table *t = pv_view_table(w->c->model, view, &q);
	if (!t) {
		w->ok = false;
		return;
	}
	int start = pv_table_column(t, "start_ns"), took = pv_table_column(t, "duration_ns"),
	    generation = numbered ? pv_table_column(t, "generation") : -1,
	    after = numbered ? pv_table_column(t, "heap_after") : -1;
	for (size_t i = 0; i < t->rows; i++) {
		const struct pv_row *row = &t->row[i];
		char text[64];
		snprintf(text, sizeof text, generation < 0 ? "%s" : "%s %" PRIi64, name,
			whole(row, generation));
		begin_trace_event(w, text, "gc", 'X', GC_THREAD, whole(row, start));
		put_took(w, whole(row, took));
		fputs(",\"args\":{", w->out);
		if (after >= 0 && row->cell[after].state == PV_CELL_VALUE)
			fprintf(w->out, "\"heap_after\":%" PRIu64, row->cell[after].u);
		fputs("}}", w->out);
		w->events++;
	}
	pv_table_destroy(t);
}

/* --- the whole file --- */

static bool too_many(const struct pv_chrome *c, struct pv_error *reterr)
{
	double fits = (double)PV_TIMED_MOST / (double)c->timed->all;
	return pv_fail(reterr, PV_EUSAGE, 0,
		"%" PRIu64 " calls and other events are more than viewers open (%d); a --range of "
		"about %.3gs has fewer",
		c->timed->all, (int)PV_TIMED_MOST, fits * (double)c->about->duration_ns / 1e9 / 2);
}

static bool put_all(struct writing *w)
{
	struct pv_timed_list *l = w->c->timed;
	if (!pv_export_threads(w->c->model, &w->threads))
		return false;
	fputs("{\"traceEvents\":[", w->out);
	put_names(w);
	put_gc(w, PV_VIEW_COLLECTIONS, "collection of generation", true);
	put_gc(w, PV_VIEW_PAUSES, "world stopped", false);
	if (l->v.n)
		qsort(l->v.v, l->v.n, sizeof *l->v.v, by_start_and_thread);
	for (size_t i = 0; w->ok && i < l->v.n; i++)
		put_timed(w, &l->v.v[i]);
	fputs("\n],\"displayTimeUnit\":\"ns\",\"otherData\":{\"about\":", w->out);
	w->ok = w->ok && pv_export_json_about(w->out, w->c->about);
	fputs("}}\n", w->out);
	return w->ok;
}

bool pv_chrome_write(const struct pv_chrome *c, FILE *out, struct pv_error *reterr)
{
	struct writing w = { .c = c, .out = out, .first = true, .ok = true };
	if (c->timed->all > PV_TIMED_MOST)
		return too_many(c, reterr);
	bool ok = put_all(&w);
	pv_export_threads_clear(&w.threads);
	if (!ok)
		return pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	if (w.events == 0)
		return pv_fail(reterr, PV_EUSAGE, 0,
			"nothing that has a time is there: no calls, waits, exceptions, spans, "
			"marks or collections were recorded, or none pass");
	if (fflush(out) != 0 || ferror(out))
		return pv_fail(reterr, PV_EOUTPUT, 0, "cannot write: %s",
			errno ? strerror(errno) : "the output failed");
	return true;
}

static bool write_trace(const void *ctx, FILE *out, struct pv_error *reterr)
{
	return pv_chrome_write(ctx, out, reterr);
}

bool pv_chrome_file(const struct pv_chrome *c, const char *path, struct pv_error *reterr)
{
	return pv_export_new_file(path, c, write_trace, reterr);
}

void pv_chrome_lacks(const struct pv_chrome *c, char *text, size_t size)
{
	int n = snprintf(text, size, "samples, allocations, heap shots, counters");
	if (c->timed->unended && n > 0 && (size_t)n < size)
		snprintf(text + n, size - (size_t)n, ", the ends of %" PRIu64 " calls and waits",
			c->timed->unended);
}
