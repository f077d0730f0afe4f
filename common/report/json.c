/* SPDX-License-Identifier: MIT */
/* Writes a report as JSON. */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/showable.h"
#include "common/report/json_row.h"
#include "common/report/report_sections.h"

/* Rows are made one at a time and written at once, so a report needs memory for one row. */
struct json {
	const struct pv_report *r;
	struct pv_error *reterr;
	struct pv_json_names *names;
	bool ok;
};

static void fail_json(struct json *j)
{
	if (j->ok)
		pv_fail(j->reterr, PV_ENOMEM, 0, "out of memory");
	j->ok = false;
}

/* --- values --- */

static cJSON *unless(bool unknown, uint64_t v)
{
	return unknown ? cJSON_CreateNull() : pv_json_unsigned(v);
}

static void add_item(struct json *j, cJSON *object, const char *key, cJSON *item)
{
	if (!object || !item || !cJSON_AddItemToObject(object, key, item)) {
		cJSON_Delete(item);
		fail_json(j);
	}
}

/* An object of numbers; null when there is nothing to count. */
static cJSON *numbers(
	struct json *j, const char *const *key, const uint64_t *v, size_t n, bool known)
{
	cJSON *o = known ? cJSON_CreateObject() : cJSON_CreateNull();
	for (size_t i = 0; known && i < n; i++)
		add_item(j, o, key[i], pv_json_unsigned(v[i]));
	return o;
}

/* --- rows --- */

/* Writes and frees the object; `open` leaves off the closing brace, for more to follow. */
static void put_json_object(struct json *j, cJSON *object, bool open)
{
	char *text = object && j->ok ? cJSON_PrintUnformatted(object) : NULL;
	size_t len = text ? strlen(text) : 0;
	if (!text)
		fail_json(j);
	else
		fwrite(text, 1, open ? len - 1 : len, j->r->out);
	cJSON_free(text);
	cJSON_Delete(object);
}

/* Members of a row; the object is left open. */
static void put_members(struct json *j, struct pv_json_rows *rows, size_t i)
{
	if (j->ok && !(pv_json_put(rows, "{") && pv_json_row(rows, i)))
		fail_json(j);
}

/* The same, written out at once. */
static void write_members(struct json *j, struct pv_json_rows *rows, size_t i)
{
	put_members(j, rows, i);
	pv_json_flush(rows, 0, j->r->out);
}

static void put_words(struct json *j, struct pv_json_rows *rows, const char *words)
{
	if (j->ok && !pv_json_put(rows, words))
		fail_json(j);
}

static void begin_rows(
	struct json *j, struct pv_json_rows *rows, const struct pv_table *t, const char *const *key)
{
	if (t && !pv_json_rows_begin(rows, t, key, j->names))
		fail_json(j);
	fputs("[", j->r->out);
}

static void finish_rows(struct json *j, struct pv_json_rows *rows, bool any)
{
	pv_json_flush(rows, 0, j->r->out);
	fputs(any ? "\n  ]" : "]", j->r->out);
	pv_json_rows_finish(rows);
}

/* A key at the report's top level, after the head. */
static void put_key(struct json *j, const char *name)
{
	fprintf(j->r->out, ",\n  \"%s\": ", name);
}

/* A row of a list with a nested list. */
typedef void put_row(struct json *j, struct pv_json_rows *rows, size_t i);

static void put_plain(struct json *j, struct pv_json_rows *rows, size_t i)
{
	put_members(j, rows, i);
	put_words(j, rows, "}");
}

static struct pv_table *ask_section(struct json *j, const struct pv_view_row *s, uint64_t select)
{
	struct pv_table *t = j->ok ? pv_report_table(j->r, s, select, j->reterr) : NULL;
	j->ok = t != NULL;
	return t;
}

static void put_list_of(struct json *j, const struct pv_view_row *s, uint64_t select, put_row *put)
{
	struct pv_table *t = ask_section(j, s, select);
	struct pv_json_rows rows = { 0 };
	const char *key[PV_MAX_KEYS];
	bool any = false;
	pv_section_keys(s, key);
	begin_rows(j, &rows, t, key);
	for (size_t i = 0; t && j->ok && i < t->rows && !ferror(j->r->out); i++) {
		if (s->flags & PV_SECTION_LEAVES && t->row[i].depth == 0)
			continue; /* sections are keys in JSON, not rows */
		put_words(j, &rows, any ? ",\n    " : "\n    ");
		any = true;
		put(j, &rows, i);
		pv_json_flush(&rows, PV_JSON_MUCH, j->r->out);
	}
	finish_rows(j, &rows, any);
	pv_table_destroy(t);
}

static void put_shot(struct json *j, struct pv_json_rows *rows, size_t i)
{
	write_members(j, rows, i);
	fputs(",\"classes\":", j->r->out);
	put_list_of(j, pv_section_find("heap_shots.classes"), rows->table->row[i].id, put_plain);
	fputs("}", j->r->out);
}

/* A row of covered methods with all statements: a limit is on methods only. */
static void put_covered(struct json *j, struct pv_json_rows *rows, size_t i)
{
	struct pv_report_options every = { .format = PV_REPORT_JSON };
	struct pv_report r = *j->r;
	struct json inner = *j;
	r.options = &every;
	inner.r = &r;
	write_members(j, rows, i);
	fputs(",\"lines\":", j->r->out);
	put_list_of(
		&inner, pv_section_find("code_coverage.lines"), rows->table->row[i].id, put_plain);
	j->ok = j->ok && inner.ok;
	fputs("}", j->r->out);
}

/* Values as raw digits: a counter may exceed a double's precision. */
static void put_samples(struct json *j, uint64_t counter, bool strings)
{
	struct pv_report_options every = { .format = PV_REPORT_JSON };
	struct pv_report r = *j->r;
	r.options = &every; /* a limit is on counters, not on samples */
	struct pv_table *t =
		pv_report_table(&r, pv_section_find("counters.samples"), counter, j->reterr);
	j->ok = j->ok && t;
	int time = t ? pv_table_column(t, "time_ns") : 0,
	    value = t ? pv_table_column(t, "value") : 0;
	const struct pv_column text = { .unit = PV_UNIT_TEXT };
	for (size_t i = 0; j->ok && i < t->rows; i++) {
		const struct pv_cell *c = &t->row[i].cell[value];
		fprintf(j->r->out, "%s[%" PRId64 ",", i ? "," : "", t->row[i].cell[time].i);
		if (strings || c->state != PV_CELL_VALUE)
			put_json_object(j, pv_json_cell(c, &text), false);
		else
			fputs(c->s, j->r->out);
		fputs("]", j->r->out);
	}
	pv_table_destroy(t);
}

static void put_counter(struct json *j, struct pv_json_rows *rows, size_t i)
{
	const struct pv_row *row = &rows->table->row[i];
	const struct pv_cell *type = &row->cell[pv_table_column(rows->table, "type")];
	write_members(j, rows, i);
	fputs(",\"samples\":[", j->r->out);
	put_samples(j, row->id, type->s && strcmp(type->s, "string") == 0);
	fputs("]}", j->r->out);
}

/* --- trees: rows name their parents by preorder number --- */

static void put_branch(struct json *j, struct pv_json_rows *rows, size_t i, size_t parent)
{
	bool ok = j->ok && pv_json_put(rows, "{\"id\":") && pv_json_put_unsigned(rows, i + 1) &&
		  pv_json_put(rows, ",\"parent\":") && pv_json_put_unsigned(rows, parent) &&
		  pv_json_row(rows, i) && pv_json_put(rows, "}");
	if (!ok)
		fail_json(j);
}

static void put_tree(struct json *j, const struct pv_view_row *s)
{
	struct pv_table *t = ask_section(j, s, 0);
	struct pv_json_rows rows = { 0 };
	const char *key[PV_MAX_KEYS];
	PV_ARRAY(size_t) path = { 0 }; /* number of the row at each depth */
	pv_section_keys(s, key);
	begin_rows(j, &rows, t, key);
	for (size_t i = 0; t && j->ok && i < t->rows && !ferror(j->r->out); i++) {
		path.n = t->row[i].depth;
		if (!pv_reserve(&path, 1)) {
			fail_json(j);
			break;
		}
		put_words(j, &rows, i ? ",\n    " : "\n    ");
		put_branch(j, &rows, i, path.n ? path.v[path.n - 1] : 0);
		path.v[path.n++] = i + 1;
		pv_json_flush(&rows, PV_JSON_MUCH, j->r->out);
	}
	finish_rows(j, &rows, t && t->rows);
	pv_array_finish(&path);
	pv_table_destroy(t);
}

/* --- groups: figures and lists under one key --- */

static void known_number(
	struct json *j, cJSON *object, const char *name, unsigned group, uint64_t v)
{
	bool known = j->r->totals.known & group;
	add_item(j, object, name, known ? pv_json_unsigned(v) : cJSON_CreateNull());
}

/*
 * Begins `"name": `. True: an object is to follow. False: not asked for, or null because no group
 * is known.
 */
static bool begin_group(struct json *j, const char *name, unsigned groups)
{
	bool wanted = false;
	size_t len = strlen(name);
	for (const struct pv_view_row *s = NULL; (s = pv_section_next(s));)
		if (strncmp(s->section, name, len) == 0 &&
			(s->section[len] == '.' || s->section[len] == 0))
			wanted |= pv_report_wants(j->r, s);
	if (!wanted || !j->ok)
		return false;
	put_key(j, name);
	bool known = j->r->totals.known & groups;
	if (!known)
		fputs("null", j->r->out);
	return known;
}

static void put_inner(struct json *j, const char *lead, const char *section)
{
	const struct pv_view_row *s = pv_section_find(section);
	fputs(lead, j->r->out);
	if (pv_report_knows(j->r, s))
		put_list_of(j, s, 0, put_plain);
	else
		fputs("null", j->r->out);
}

static void put_gc(struct json *j)
{
	const unsigned of_gc =
		PV_GROUP_GC | PV_GROUP_MOVES | PV_GROUP_HANDLES | PV_GROUP_FINALIZERS;
	const struct pv_totals *t = &j->r->totals;
	if (!begin_group(j, "gc", of_gc))
		return;
	put_inner(j, "{\"collections\":", "gc.collections");
	put_inner(j, ",\n  \"pauses\":", "gc.pauses");
	put_inner(j, ",\n  \"generations\":", "gc.generations");
	put_inner(j, ",\n  \"percentiles\":", "gc.percentiles");
	put_inner(j, ",\n  \"survived\":", "gc.survived");
	cJSON *o = cJSON_CreateObject();
	known_number(j, o, "resizes", PV_GROUP_GC, t->gc_resizes);
	add_item(j, o, "max_heap_bytes",
		t->gc_resizes ? pv_json_unsigned(t->max_heap_bytes) : cJSON_CreateNull());
	known_number(j, o, "moved_objects", PV_GROUP_MOVES, t->moved_objects);
	known_number(j, o, "handles_created", PV_GROUP_HANDLES, t->handles_created);
	known_number(j, o, "handles_destroyed", PV_GROUP_HANDLES, t->handles_destroyed);
	known_number(j, o, "handles_live", PV_GROUP_HANDLES, t->handles_live);
	known_number(j, o, "objects_finalized", PV_GROUP_FINALIZERS, t->objects_finalized);
	known_number(j, o, "finalizer_runs", PV_GROUP_FINALIZERS, t->finalizer_runs);
	known_number(j, o, "finalizing_ns", PV_GROUP_FINALIZERS, (uint64_t)t->finalizing_ns);
	fputs(",\n  \"", j->r->out);
	char *text = j->ok ? cJSON_PrintUnformatted(o) : NULL;
	if (text)
		fputs(text + 2, j->r->out); /* without the opening {" */
	else
		fail_json(j);
	cJSON_free(text);
	cJSON_Delete(o);
}

static void put_clauses(struct json *j)
{
	struct pv_table *t = ask_section(j, pv_section_find("exceptions.clauses"), 0);
	cJSON *o = cJSON_CreateObject();
	int name = t ? pv_table_column(t, "name") : 0, n = t ? pv_table_column(t, "count") : 0;
	for (size_t i = 0; t && i < t->rows; i++)
		add_item(j, o, t->row[i].cell[name].s,
			t->row[i].cell[n].state == PV_CELL_NULL
				? cJSON_CreateNull()
				: pv_json_unsigned(t->row[i].cell[n].u));
	put_json_object(j, o, false);
	pv_table_destroy(t);
}

static void put_exceptions(struct json *j)
{
	if (!begin_group(j, "exceptions", PV_GROUP_EXCEPTIONS))
		return;
	fprintf(j->r->out, "{\"thrown\":%" PRIu64 ",\"clauses\":", j->r->totals.thrown);
	if (j->r->facts.logging2007)
		fputs("null", j->r->out);
	else
		put_clauses(j);
	put_inner(j, ",\"classes\":", "exceptions.classes");
	if (j->r->facts.logging2007)
		fputs(",\"clause_methods\":null", j->r->out);
	else
		put_inner(j, ",\n  \"clause_methods\":", "exceptions.clause_methods");
	fputs("}", j->r->out);
}

static void put_locks(struct json *j)
{
	const struct pv_totals *t = &j->r->totals;
	if (!begin_group(j, "locks", PV_GROUP_LOCKS))
		return;
	fprintf(j->r->out,
		"{\"contentions\":%" PRIu64 ",\"acquired\":%" PRIu64 ",\"failed\":%" PRIu64
		",\"wait_ns\":%" PRId64,
		t->contentions, t->acquired, t->failed, t->wait_ns);
	put_inner(j, ",\"objects\":", "locks.objects");
	fputs("}", j->r->out);
}

static void put_samples_total(struct json *j)
{
	static const char *const type[] = { "untold", "cycles", "instructions", "cache_misses",
		"cache_references", "branches", "branch_misses", "other" };
	const struct pv_facts *f = &j->r->facts;
	if (!begin_group(j, "samples", PV_GROUP_SAMPLES))
		return;
	cJSON *o = cJSON_CreateObject();
	add_item(j, o, "total", pv_json_unsigned(j->r->totals.samples));
	add_item(j, o, "types",
		numbers(j, type, f->hits, PV_COUNT_OF(type), !f->logging2007 && f->rules < 14));
	put_json_object(j, o, true);
	put_inner(j, ",\n  \"states\":", "samples.states");
	fputs("}", j->r->out);
}

/* Logs of 2007 have durations of compiling, other logs have sizes. */
static void put_jit(struct json *j)
{
	const struct pv_totals *t = &j->r->totals;
	if (!begin_group(j, "jit", PV_GROUP_JIT))
		return;
	cJSON *o = cJSON_CreateObject();
	add_item(j, o, "methods", pv_json_unsigned(t->jit_methods));
	known_number(j, o, "code_bytes", PV_GROUP_CODE, t->code_bytes);
	known_number(j, o, "helpers", PV_GROUP_CODE, t->helpers);
	known_number(j, o, "helper_bytes", PV_GROUP_CODE, t->helper_bytes);
	known_number(j, o, "failed", PV_GROUP_JIT_TIMES, t->jit_failed);
	known_number(j, o, "total_ns", PV_GROUP_JIT_TIMES, (uint64_t)t->jit_ns);
	known_number(j, o, "max_ns", PV_GROUP_JIT_TIMES, (uint64_t)t->jit_max_ns);
	put_json_object(j, o, true);
	put_inner(j, ",\"helper_types\":", "jit.helpers");
	put_inner(j, ",\n  \"bodies\":", "jit.bodies");
	fputs("}", j->r->out);
}

/* --- the head --- */

static void put_events(struct json *j)
{
	const struct pv_view_row *s = pv_section_find("events");
	if (!pv_report_wants(j->r, s))
		return;
	struct pv_table *t = ask_section(j, s, 0);
	int name = t ? pv_table_column(t, "name") : 0, n = t ? pv_table_column(t, "count") : 0;
	put_key(j, s->section);
	fputs("{", j->r->out);
	for (size_t i = 0; t && i < t->rows; i++) {
		const char *kind = t->row[i].cell[name].s;
		char *text = pv_showable_json(kind, strlen(kind));
		j->ok = j->ok && text;
		fputs(i ? ",\n    " : "\n    ", j->r->out);
		if (text)
			fputs(text, j->r->out);
		fprintf(j->r->out, ": %" PRIu64, t->row[i].cell[n].u);
		free(text);
	}
	fputs("}", j->r->out);
	pv_table_destroy(t);
}

static void put_header(struct json *j, cJSON *o)
{
	static const char *const sync[] = { "periodic", "world_stop", "world_start", "other" };
	const struct pv_facts *f = &j->r->facts;
	bool old = f->logging2007 || f->text;
	char version[32];
	snprintf(version, sizeof version, "%u.%u", f->header_major, f->header_minor);
	add_item(j, o, "header_version", old ? cJSON_CreateNull() : pv_json_text(version));
	add_item(j, o, "rules", old ? cJSON_CreateNull() : pv_json_unsigned(f->rules));
	add_item(j, o, "startup_ns",
		f->startup_ns ? pv_json_unsigned(f->startup_ns) : cJSON_CreateNull());
	add_item(j, o, "joined", cJSON_CreateBool(f->joined));
	add_item(j, o, "aot_id", f->aot_id ? pv_json_text(f->aot_id) : cJSON_CreateNull());
	add_item(j, o, "sync_points",
		numbers(j, sync, f->sync_points, PV_COUNT_OF(sync), !old && f->rules >= 13));
}

static void put_source(struct json *j)
{
	const struct pv_facts *f = &j->r->facts;
	const struct pv_report_source *s = j->r->source;
	bool old = f->logging2007 || f->text;
	cJSON *o = cJSON_CreateObject();
	add_item(j, o, "path", pv_json_text(s->path));
	add_item(j, o, "format", pv_json_text(f->text ? f->text : old ? "logging2007" : "mlpd"));
	add_item(
		j, o, "data_version", old ? cJSON_CreateNull() : pv_json_unsigned(f->data_version));
	add_item(j, o, "stage", old && f->stage ? pv_json_text(f->stage) : cJSON_CreateNull());
	add_item(j, o, "bytes", pv_json_unsigned(s->bytes));
	add_item(j, o, "file_bytes", pv_json_unsigned(s->file_bytes));
	add_item(j, o, "compressed", cJSON_CreateBool(s->compressed));
	add_item(j, o, "buffers", pv_json_unsigned(f->buffers));
	add_item(j, o, "recordings", pv_json_unsigned(f->recordings));
	bool whole = s->complete && s->end != PV_LOG_CUT_OFF;
	bool known = !whole || s->end == PV_LOG_ENDED;
	add_item(j, o, "complete", known ? cJSON_CreateBool(whole) : cJSON_CreateNull());
	add_item(j, o, "end",
		s->end == PV_LOG_OPEN ? cJSON_CreateNull() : pv_json_text(pv_log_end_text(s->end)));
	add_item(j, o, "end_known_from",
		*s->end_line ? pv_json_text(s->end_line) : cJSON_CreateNull());
	put_header(j, o);
	put_json_object(j, o, true);
	fputs(",\"damage\":", j->r->out);
	put_list_of(j, pv_section_find("source.damage"), 0, put_plain);
	fputs("}", j->r->out);
}

static void put_target(struct json *j)
{
	const struct pv_facts *f = &j->r->facts;
	cJSON *o = cJSON_CreateObject();
	bool old = f->logging2007 || f->text; /* neither field is in such logs */
	add_item(j, o, "pid", unless(old && !f->pid, f->pid));
	add_item(j, o, "pointer_size", unless(old && !f->pointer_size, f->pointer_size));
	add_item(j, o, "start_time_ms", pv_json_unsigned(f->start_time_ms));
	add_item(j, o, "args", pv_json_text(f->args));
	add_item(j, o, "arch", pv_json_text(f->arch));
	add_item(j, o, "os", pv_json_text(f->os));
	add_item(j, o, "timer_overhead_ns", unless(old, f->timer_overhead_ns));
	add_item(j, o, "control_port", unless(!f->port, f->port));
	if (f->command[0])
		add_item(j, o, "command", pv_json_text(f->command));
	if (*f->runtime_version)
		add_item(j, o, "runtime_version", pv_json_text(f->runtime_version));
	if (f->gc_mode)
		add_item(j, o, "gc_mode", pv_json_text(f->gc_mode));
	if (f->children) /* a lower bound; unknown is not 0 */
		add_item(j, o, "children", pv_json_unsigned(f->children));
	add_item(j, o, "event_mask",
		f->event_mask ? pv_json_address(f->event_mask) : cJSON_CreateNull());
	put_json_object(j, o, false);
}

static void put_head(struct json *j)
{
	FILE *out = j->r->out;
	fprintf(out, "{\"profview\": \"%s\",\n  \"source\": ", PV_VERSION);
	put_source(j);
	fputs(",\n  \"target\": ", out);
	put_target(j);
	fprintf(out,
		",\n  \"duration_ns\": %" PRId64 ",\n  \"coverage\": ", j->r->facts.duration_ns);
	put_list_of(j, pv_section_find("coverage"), 0, put_plain);
}

/* --- all sections */

/* Sections other than a list of rows under a key. */
static const struct special {
	const char *section;
	void (*put)(struct json *j); /* NULL: a list under a key, */
	put_row *row;                /* with rows like this */
} specials[] = {
	{ "coverage", put_head, NULL },
	{ "events", put_events, NULL },
	{ "gc.collections", put_gc, NULL },
	{ "heap_shots", NULL, put_shot },
	{ "exceptions.clauses", put_exceptions, NULL },
	{ "locks.objects", put_locks, NULL },
	{ "samples", put_samples_total, NULL },
	{ "jit.methods", put_jit, NULL },
	{ "counters", NULL, put_counter },
	{ "code_coverage", NULL, put_covered },
};

/* A list under a key; null when the log cannot have such a list. */
static void put_section(struct json *j, const struct pv_view_row *s)
{
	static const struct special plain = { .row = put_plain };
	const struct special *how = &plain;
	for (size_t i = 0; i < PV_COUNT_OF(specials); i++)
		how = strcmp(specials[i].section, s->section) == 0 ? &specials[i] : how;
	if (how->put) {
		how->put(j);
		return;
	}
	if (!pv_report_wants(j->r, s) || strchr(s->section, '.'))
		return;
	put_key(j, s->section);
	if (!pv_report_knows(j->r, s))
		fputs("null", j->r->out);
	else if (s->flags & PV_SECTION_TREE)
		put_tree(j, s);
	else
		put_list_of(j, s, 0, how->row);
}

/* The section, and all sections to follow. */
static void put_from(struct json *j, const struct pv_view_row *first)
{
	put_section(j, first);
	for (const struct pv_view_row *s = NULL; (s = pv_section_next(s));)
		if (s->json_after && strcmp(s->json_after, first->section) == 0)
			put_from(j, s);
}

bool pv_report_json(struct pv_report *r, struct pv_error *reterr)
{
	struct pv_json_names names = { 0 };
	struct json j = { .r = r, .reterr = reterr, .names = &names, .ok = true };
	for (const struct pv_view_row *s = NULL; (s = pv_section_next(s));)
		if (!s->json_after)
			put_from(&j, s);
	fputs("}\n", r->out);
	pv_json_names_finish(&names);
	return j.ok;
}
