/* SPDX-License-Identifier: MIT */
/* Facts of a recording, which an export carries as comments. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/text/showable.h"
#include "common/base/utf8.h"
#include "common/export/export.h"
#include "common/query/facts.h"
#include "common/query/views.h"

static bool add_fact(struct pv_export_about *a, const char *what, const char *text)
{
	char *shown = pv_showable_text(text);
	const char *line = shown ? pv_arena_printf(&a->arena, "%s: %s", what, shown) : NULL;
	free(shown);
	if (!line || !pv_reserve(&a->line, 1))
		return false;
	a->line.v[a->line.n++] = line;
	return true;
}

/* Adds "samples: partial, ..." for everything recorded, or not whole. */
static bool add_coverage(struct pv_export_about *a, struct pv_model *m)
{
	const struct pv_query q = { .sort = NULL };
	struct pv_table *t = pv_view_table(m, PV_VIEW_COVERAGE, &q);
	int what = t ? pv_table_column(t, "what") : -1,
	    state = t ? pv_table_column(t, "state") : -1,
	    detail = t ? pv_table_column(t, "detail") : -1;
	bool ok = t && what >= 0 && state >= 0 && detail >= 0;
	for (size_t i = 0; ok && i < t->rows; i++) {
		const struct pv_cell *c = t->row[i].cell;
		const char *more = c[detail].state == PV_CELL_VALUE ? c[detail].s : "";
		char text[500];
		snprintf(text, sizeof text, "%s, %s%s%s", c[what].s, c[state].s, *more ? ", " : "",
			PV_FIT(more, 380));
		ok = add_fact(a, "coverage", text);
	}
	pv_table_destroy(t);
	return ok;
}

static bool add_time(struct pv_export_about *a)
{
	char when[64];
	time_t seconds = (time_t)(a->start_time_ms / 1000);
	struct tm tm;
	if (!a->start_time_ms || !gmtime_r(&seconds, &tm))
		return true;
	strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S UTC", &tm);
	return add_fact(a, "started", when);
}

static bool add_facts(struct pv_export_about *a, const struct pv_facts *f)
{
	char text[80];
	snprintf(text, sizeof text, "%lld ns", (long long)f->duration_ns);
	return add_fact(a, "made by", "profview " PV_VERSION) && add_fact(a, "log", a->title) &&
	       (!*f->args || add_fact(a, "options of the profiler", f->args)) &&
	       (!*f->arch || add_fact(a, "processor", f->arch)) &&
	       (!*f->os || add_fact(a, "system", f->os)) && add_time(a) &&
	       add_fact(a, "duration", text) && add_fact(a, "end of the log", f->end);
}

bool pv_export_about(struct pv_model *m, const char *path, struct pv_export_about *ret)
{
	const char *slash = strrchr(path, '/');
	struct pv_facts f;
	*ret = (struct pv_export_about){ 0 };
	pv_view_facts(m, &f);
	char *title = pv_showable_text(slash ? slash + 1 : path);
	ret->title = title ? pv_arena_copy(&ret->arena, title, strlen(title)) : NULL;
	free(title);
	ret->start_time_ms = f.start_time_ms;
	ret->duration_ns = f.duration_ns;
	ret->pid = (uint32_t)f.pid;
	return ret->title && add_facts(ret, &f) && add_coverage(ret, m);
}

void pv_export_about_clear(struct pv_export_about *a)
{
	pv_arena_finish(&a->arena);
	pv_array_finish(&a->line);
}
