/* SPDX-License-Identifier: MIT */
/* A log's self-description: header, marks, native symbols and binaries. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/base/saturate.h"
#include "common/base/status.h"
#include "common/base/text/units.h"
#include "common/model/model.h"
#include "common/query/log_end.h"
#include "common/query/groups/specs.h"

/* --- the header and related facts, as words */

static const struct pv_column fact_columns[] = {
	{ "name", "FACT", PV_UNIT_TEXT, 16, 0, PV_COLUMN_ASCENDING, .json = 1 },
	{ "value", "", PV_UNIT_TEXT, 40, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS, .json = 2 },
};

static void fact(struct pv_build *b, const char *name, const char *value)
{
	struct pv_cell *c = pv_build_row(b, b->table ? b->table->rows + 1 : 1);
	pv_cell_s(&c[0], name);
	pv_cell_s(&c[1], value[0] ? value : NULL);
}

static void put_number_fact(struct pv_build *b, const char *name, uint64_t v, const char *unit)
{
	char digits[PV_UNIT_MAX];
	fact(b, name, pv_build_printf(b, "%s%s", pv_units_exact(digits, sizeof digits, v), unit));
}

static void put_versions(struct pv_build *b, const struct pv_target_info *t)
{
	if (t->logging2007) {
		fact(b, "format", "logging profiler of 2007");
		fact(b, "stage", t->stage ? t->stage : "");
		return;
	}
	if (t->text) {
		fact(b, "format", t->text);
		return;
	}
	fact(b, "format", "mlpd");
	put_number_fact(b, "data version", t->data_version, "");
	if (t->rules && t->rules != t->data_version)
		put_number_fact(b, "read by rules of", t->rules, "");
	fact(b, "header version", pv_build_printf(b, "%u.%u", t->header_major, t->header_minor));
}

static void put_start(struct pv_build *b, const struct pv_target_info *t)
{
	char when[40] = "";
	time_t seconds = (time_t)(t->start_time_ms / 1000);
	struct tm tm;
	if (t->start_time_ms && gmtime_r(&seconds, &tm))
		strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S UTC", &tm);
	fact(b, "started", pv_build_text(b, when));
	put_number_fact(b, "start time", t->start_time_ms, " ms since 1970");
	if (t->startup_ns)
		put_number_fact(b, "startup clock", t->startup_ns, " ns");
}

static void put_target(struct pv_build *b, const struct pv_target_info *t)
{
	if (t->pointer_size)
		put_number_fact(b, "pointer size", t->pointer_size, " bytes");
	put_start(b, t);
	put_number_fact(b, "timer overhead", t->timer_overhead_ns, " ns");
	fact(b, "pid", pv_build_printf(b, "%" PRIu32, t->pid));
	fact(b, "command port", t->port ? pv_build_printf(b, "%u", t->port) : "");
	fact(b, "options", t->args ? t->args : "");
	fact(b, "command", t->command ? t->command : "");
	fact(b, "processor", t->arch ? t->arch : "");
	fact(b, "system", t->os ? t->os : "");
}

/* "12 cycles, 3 other": the numbers that are not 0. */
static void put_parts(struct pv_build *b, const char *name, const uint64_t *n,
	const char *const *word, size_t words)
{
	char text[300] = "", digits[PV_UNIT_MAX];
	for (size_t i = 0, at = 0; i < words && at < sizeof text; i++)
		if (n[i])
			at += (size_t)snprintf(text + at, sizeof text - at, "%s%s %s",
				at ? ", " : "", pv_units_exact(digits, sizeof digits, n[i]),
				word[i]);
	fact(b, name, pv_build_text(b, text));
}

static void put_end(struct pv_build *b, const struct pv_model *m)
{
	char end[PV_LOG_END_LINE], time[PV_UNIT_MAX];
	bool not_all = m->ended && !m->complete;
	fact(b, "end",
		pv_build_printf(b, "%s%s", pv_log_end_line(m, end, sizeof end),
			not_all ? "; not complete" : ""));
	if (m->ended && m->events)
		fact(b, "last event",
			pv_build_text(b, pv_units_ns(time, sizeof time,
						 pv_sat_span(m->zero_ns, m->last_ns))));
}

static void put_contents(struct pv_build *b, const struct pv_model *m)
{
	static const char *const sync[PV_SYNC_TYPES] = { "periodic", "world stop", "world start",
		"of another type" };
	static const char *const hits[PV_HIT_TYPES] = { "untold", "cycles", "instructions",
		"cache misses", "cache references", "branches", "branch misses", "other" };
	unsigned rules = m->target.rules ? m->target.rules : m->target.data_version;
	put_number_fact(b, "recordings", m->recordings ? m->recordings : 1, "");
	put_number_fact(b, "buffers", m->buffers, "");
	put_number_fact(b, "events", m->events, "");
	put_parts(b, "sync points", m->notes.sync, sync, PV_SYNC_TYPES);
	if (m->calls.samples && rules < 14 && !m->target.logging2007)
		put_parts(b, "samples by", m->notes.hits, hits, PV_HIT_TYPES);
	fact(b, "AOT id", m->aot_id ? pv_intern_text(&m->names.text, m->aot_id) : "");
	if (m->target.joined)
		fact(b, "joined", "after its beginning");
	put_end(b, m);
}

static void copy_facts(struct pv_build *b, struct pv_model *m)
{
	put_versions(b, &m->target);
	put_target(b, &m->target);
	put_contents(b, m);
}

const struct pv_view_spec pv_spec_source = { .column = fact_columns,
	.columns = PV_COUNT_OF(fact_columns),
	.name = "name",
	.copy = copy_facts };

/* --- marks of the program */

static const struct pv_column mark_columns[] = {
	{ "time_ns", "TIME", PV_UNIT_TIME, 12, 0, PV_COLUMN_ASCENDING, .json = 1 },
	{ "thread", "THREAD", PV_UNIT_THREAD, 14, 1, PV_COLUMN_ASCENDING, .json = 2 },
	{ "text", "MARK", PV_UNIT_TEXT, 30, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS, .json = 3,
		.help = "What the program said" },
};

static void copy_marks(struct pv_build *b, struct pv_model *m)
{
	for (size_t i = 0; i < m->notes.mark.n; i++) {
		const struct pv_mark *n = &m->notes.mark.v[i];
		struct pv_cell *c = pv_build_row(b, i + 1);
		pv_cell_time(&c[0], m, n->time_ns);
		pv_cell_u(&c[1], n->thread);
		pv_cell_s(&c[2], pv_intern_text(&m->names.text, n->text));
	}
}

const struct pv_view_spec pv_spec_marks = { .column = mark_columns,
	.columns = PV_COUNT_OF(mark_columns),
	.name = "text",
	.sort = "time_ns",
	.copy = copy_marks };

/* --- native symbols and binaries */

enum { N_KIND, N_ADDRESS, N_SIZE, N_OFFSET, N_TIME, N_NAME };

static const struct pv_column native_columns[] = {
	[N_KIND] = { "kind", "KIND", PV_UNIT_TEXT, 7, 3, PV_COLUMN_ASCENDING, .json = 1 },
	[N_ADDRESS] = { "address", "ADDRESS", PV_UNIT_ADDRESS, 14, 1, PV_COLUMN_ASCENDING,
		.json = 3 },
	[N_SIZE] = { "size", "SIZE", PV_UNIT_BYTES, 9, 2, .json = 4 },
	[N_OFFSET] = { "file_offset", "OFFSET", PV_UNIT_ADDRESS, 10, 5, PV_COLUMN_ASCENDING,
		.json = 5, .help = "Where in its file it begins" },
	[N_TIME] = { "time_ns", "TIME", PV_UNIT_TIME, 12, 4, PV_COLUMN_ASCENDING, .json = 6 },
	[N_NAME] = { "name", "NAME", PV_UNIT_TEXT, 30, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS,
		.json = 2 },
};

static void copy_native(struct pv_build *b, struct pv_model *m)
{
	for (size_t i = 0; i < m->notes.native.n; i++) {
		const struct pv_native *n = &m->notes.native.v[i];
		struct pv_cell *c = pv_build_row(b, i + 1);
		pv_cell_s(&c[N_KIND], n->binary ? "binary" : "symbol");
		pv_cell_u(&c[N_ADDRESS], n->address);
		pv_cell_u_if(&c[N_SIZE], n->size, n->size);
		pv_cell_u_if(&c[N_OFFSET], n->binary, n->file_offset);
		pv_cell_time(&c[N_TIME], m, n->time_ns);
		pv_cell_s(&c[N_NAME], pv_intern_text(&m->names.text, n->name));
	}
}

const struct pv_view_spec pv_spec_native = { .column = native_columns,
	.columns = PV_COUNT_OF(native_columns),
	.name = "name",
	.sort = "kind",
	.then = "address",
	.copy = copy_native };
