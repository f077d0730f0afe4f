/* SPDX-License-Identifier: MIT */
/* Writes a comparison as text, JSON, CSV or Markdown. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/showable.h"
#include "common/base/text/units.h"
#include "common/compare/diff_parts.h"
#include "common/report/lists.h"

enum { JUDGED = 12 };

struct writing {
	struct pv_diff *d;
	struct pv_diff_judged judged[JUDGED];
	size_t n;
	FILE *out;
};

static const char *const *keys_of(const struct pv_diff_judged *j)
{
	return j->measure->list == PV_DIFF_SITES ? pv_diff_site_keys : pv_diff_row_keys;
}

/* --- text --- */

static void put_logs(struct writing *w, const char *label, enum pv_diff_side side)
{
	for (size_t i = 0; i < w->d->log[side].n; i++) {
		const struct pv_diff_log *l = &w->d->log[side].v[i];
		char clock[PV_UNIT_MAX], events[PV_UNIT_MAX];
		fprintf(w->out, "%-10s ", label);
		label = "";
		pv_showable_put(w->out, l->path);
		fprintf(w->out, ", %s, %s events\n",
			pv_units_clock(clock, sizeof clock, l->duration_ns),
			pv_units_exact(events, sizeof events, l->events));
	}
}

static bool put_diff_text(struct writing *w)
{
	fprintf(w->out, "%-10s %s\n", "profview", PV_VERSION);
	put_logs(w, "base", PV_DIFF_BASE);
	put_logs(w, "new", PV_DIFF_NEW);
	for (size_t i = 0; i < w->d->note.n; i++) {
		fprintf(w->out, "%-10s ", i ? "" : "note");
		pv_showable_put(w->out, w->d->note.v[i]);
		putc('\n', w->out);
	}
	struct pv_table *t = pv_diff_totals_table(w->d, w->judged, w->n);
	if (!t)
		return false;
	fputs("\nTotals, and how many rows changed\n", w->out);
	pv_list_text(w->out, t);
	pv_table_destroy(t);
	for (size_t i = 0; i < w->n; i++) {
		const struct pv_diff_judged *j = &w->judged[i];
		t = pv_diff_rows_table(w->d, j);
		if (!t)
			return false;
		if (t->rows) {
			fprintf(w->out, "\n%s (%s)\n", j->measure->title, j->measure->section);
			pv_list_text(w->out, t);
		}
		pv_table_destroy(t);
	}
	return true;
}

/* --- JSON --- */

static bool put_json_string(FILE *out, const char *text)
{
	char *json = pv_showable_json(text, strlen(text));
	if (json)
		fputs(json, out);
	free(json);
	return json != NULL;
}

static bool put_json_logs(struct writing *w, const char *lead, enum pv_diff_side side)
{
	fputs(lead, w->out);
	bool ok = true;
	for (size_t i = 0; ok && i < w->d->log[side].n; i++) {
		const struct pv_diff_log *l = &w->d->log[side].v[i];
		fputs(i ? ",{\"path\":" : "[{\"path\":", w->out);
		ok = put_json_string(w->out, l->path);
		fprintf(w->out,
			",\"duration_ns\":%" PRId64 ",\"events\":%" PRIu64
			",\"lost_events\":%" PRIu64 ",\"damage\":%" PRIu64 ",\"samples\":%" PRIu64
			",\"sample_period_ns\":%" PRIu64 ",\"options\":",
			l->duration_ns, l->events, l->lost, l->damaged, l->samples, l->period_ns);
		ok = ok && put_json_string(w->out, l->args);
		if (w->d->options->per == PV_PER_CALL || w->d->options->per == PV_PER_COUNTER)
			fprintf(w->out, ",\"units\":%.17g", l->units);
		fputs("}", w->out);
	}
	fputs("]", w->out);
	return ok;
}

static bool put_diff_json(struct writing *w)
{
	fprintf(w->out, "{\"profview\": \"%s\",\n  \"schema\": 1", PV_VERSION);
	if (!put_json_logs(w, ",\n  \"base\": ", PV_DIFF_BASE) ||
		!put_json_logs(w, ",\n  \"new\": ", PV_DIFF_NEW))
		return false;
	fputs(",\n  \"notes\": [", w->out);
	for (size_t i = 0; i < w->d->note.n; i++) {
		fputs(i ? "," : "", w->out);
		if (!put_json_string(w->out, w->d->note.v[i]))
			return false;
	}
	fputs("],\n  \"totals\": ", w->out);
	struct pv_table *t = pv_diff_totals_table(w->d, w->judged, w->n);
	bool ok = t && pv_list_json(w->out, t, pv_diff_total_keys);
	pv_table_destroy(t);
	for (size_t i = 0; ok && i < w->n; i++) {
		fprintf(w->out, ",\n  \"%s\": ", w->judged[i].measure->section);
		if (!w->judged[i].recorded) {
			fputs("null", w->out);
			continue;
		}
		t = pv_diff_rows_table(w->d, &w->judged[i]);
		ok = t && pv_list_json(w->out, t, keys_of(&w->judged[i]));
		pv_table_destroy(t);
	}
	fputs("}\n", w->out);
	return ok;
}

static bool put_one(struct writing *w)
{
	bool totals = strcmp(w->d->options->sections, "totals") == 0;
	bool markdown = w->d->options->format == PV_REPORT_MARKDOWN;
	struct pv_table *t = totals ? pv_diff_totals_table(w->d, w->judged, w->n)
				    : pv_diff_rows_table(w->d, &w->judged[0]);
	bool ok = t && pv_list_csv(w->out, t, totals ? pv_diff_total_keys : keys_of(&w->judged[0]),
			       markdown);
	pv_table_destroy(t);
	return ok;
}

static bool judge_all(struct writing *w)
{
	const struct pv_diff_options *o = w->d->options;
	bool totals = o->sections && strcmp(o->sections, "totals") == 0;
	if (!pv_diff_join(w->d) || !pv_diff_note_all(w->d))
		return false;
	for (size_t i = 0; i < pv_diff_measure_count && w->n < JUDGED; i++) {
		if (!totals && !pv_diff_wants(o, &pv_diff_measures[i]))
			continue;
		if (!pv_diff_judge(w->d, &pv_diff_measures[i], &w->judged[w->n++]))
			return false;
	}
	return true;
}

bool pv_diff_write(struct pv_diff *d, FILE *out, struct pv_error *reterr)
{
	struct writing w = { .d = d, .out = out };
	enum pv_report_format format = d->options->format;
	bool ok = judge_all(&w) && (format == PV_REPORT_TEXT          ? put_diff_text(&w)
					   : format == PV_REPORT_JSON ? put_diff_json(&w)
								      : put_one(&w));
	for (size_t i = 0; i < w.n; i++)
		pv_diff_judged_clear(&w.judged[i]);
	if (!ok)
		return pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	if (fflush(out) != 0 || ferror(out))
		return pv_fail(reterr, PV_EIO, 0, "cannot write: %s",
			errno ? strerror(errno) : "the output failed");
	return true;
}
