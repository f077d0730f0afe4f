#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/showable.h"
#include "common/report/json_row.h"
#include "common/report/report_sections.h"

/* Rows are made one at a time and written at once, so a report needs memory for one row. */
struct json {
	const struct pv_report *r;
	struct pv_error *reterr;
	struct pv_section_set there; /* sections that have their key */
	bool ok;
};

static void fail(struct json *j)
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

static void add(struct json *j, cJSON *object, const char *key, cJSON *item)
{
	if (!object || !item || !cJSON_AddItemToObject(object, key, item)) {
		cJSON_Delete(item);
		fail(j);
	}
}

/* An object of numbers; null when there is nothing to count. */
static cJSON *numbers(
	struct json *j, const char *const *key, const uint64_t *v, size_t n, bool known)
{
	cJSON *o = known ? cJSON_CreateObject() : cJSON_CreateNull();
	for (size_t i = 0; known && i < n; i++)
		add(j, o, key[i], pv_json_unsigned(v[i]));
	return o;
}

/* --- rows --- */

/* Writes and frees the object; `open` leaves off its closing brace, for more to follow. */
static void put_object(struct json *j, cJSON *object, bool open)
{
	char *text = object && j->ok ? cJSON_PrintUnformatted(object) : NULL;
	size_t len = text ? strlen(text) : 0;
	if (!text)
		fail(j);
	else
		fwrite(text, 1, open ? len - 1 : len, j->r->out);
	cJSON_free(text);
	cJSON_Delete(object);
}

/* Members of a row; the object is left open. */
static void put_members(struct json *j, struct pv_json_rows *rows, const char *lead, size_t i)
{
	if (j->ok && !pv_json_row(rows, lead, i, j->r->out))
		fail(j);
}

/* A key of the report itself; the head stands before it. */
static void put_key(struct json *j, const char *name)
{
	const struct pv_section *s = pv_section_find(name);
	if (s)
		pv_section_choose(&j->there, (size_t)(s - pv_sections));
	fprintf(j->r->out, ",\n  \"%s\": ", name);
}

/* A row of a list with something nested in it. */
typedef void put_row(struct json *j, struct pv_json_rows *rows, size_t i);

static void put_plain(struct json *j, struct pv_json_rows *rows, size_t i)
{
	put_members(j, rows, "{", i);
	fputs("}", j->r->out);
}

static struct pv_table *ask(struct json *j, const struct pv_section *s, uint64_t select)
{
	struct pv_table *t = j->ok ? pv_report_table(j->r, s, select, j->reterr) : NULL;
	j->ok = t != NULL;
	return t;
}

static void put_list_of(struct json *j, const struct pv_section *s, uint64_t select, put_row *put)
{
	struct pv_table *t = ask(j, s, select);
	struct pv_json_rows rows = { 0 };
	bool any = false;
	if (t)
		pv_json_rows_begin(&rows, t, s->keys);
	fputs("[", j->r->out);
	for (size_t i = 0; t && j->ok && i < t->rows && !ferror(j->r->out); i++) {
		if (s->view == PV_VIEW_COUNTERS && t->row[i].depth == 0)
			continue; /* sections are keys here, not rows */
		fputs(any ? ",\n    " : "\n    ", j->r->out);
		any = true;
		put(j, &rows, i);
	}
	fputs(any ? "\n  ]" : "]", j->r->out);
	pv_json_rows_finish(&rows);
	pv_table_destroy(t);
}

/* A list under its own key; null when the log has nothing to say about it. */
static void put_section(struct json *j, const char *name, put_row *put)
{
	const struct pv_section *s = pv_section_find(name);
	if (!pv_report_wants(j->r, s))
		return;
	put_key(j, name);
	if (pv_report_knows(j->r, s))
		put_list_of(j, s, 0, put);
	else
		fputs("null", j->r->out);
}

static void put_shot(struct json *j, struct pv_json_rows *rows, size_t i)
{
	put_members(j, rows, "{", i);
	fputs(",\"classes\":", j->r->out);
	put_list_of(j, pv_section_find("heap_shots.classes"), rows->table->row[i].id, put_plain);
	fputs("}", j->r->out);
}

/* A limit is on methods, not on their statements. */
static void put_covered(struct json *j, struct pv_json_rows *rows, size_t i)
{
	struct pv_report_options every = { .format = PV_REPORT_JSON };
	struct pv_report r = *j->r;
	struct json inner = *j;
	r.options = &every;
	inner.r = &r;
	put_members(j, rows, "{", i);
	fputs(",\"lines\":", j->r->out);
	put_list_of(
		&inner, pv_section_find("code_coverage.lines"), rows->table->row[i].id, put_plain);
	j->ok = j->ok && inner.ok;
	fputs("}", j->r->out);
}

/* Values as raw digits: a counter may hold more than a double does. */
static void put_samples(struct json *j, uint64_t counter, bool strings)
{
	struct pv_report_options every = { .format = PV_REPORT_JSON };
	struct pv_report r = *j->r;
	r.options = &every; /* a limit is on counters, not on what they counted */
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
			put_object(j, pv_json_cell(c, &text), false);
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
	put_members(j, rows, "{", i);
	fputs(",\"samples\":[", j->r->out);
	put_samples(j, row->id, type->s && strcmp(type->s, "string") == 0);
	fputs("]}", j->r->out);
}

/* --- trees: rows name their parents by preorder number --- */

static void put_tree(struct json *j, const char *name)
{
	const struct pv_section *s = pv_section_find(name);
	if (!pv_report_wants(j->r, s))
		return;
	put_key(j, s->name);
	if (!pv_report_knows(j->r, s)) {
		fputs("null", j->r->out);
		return;
	}
	struct pv_table *t = ask(j, s, 0);
	struct pv_json_rows rows = { 0 };
	PV_ARRAY(size_t) path = { 0 }; /* number of the row at each depth */
	if (t)
		pv_json_rows_begin(&rows, t, s->keys);
	fputs("[", j->r->out);
	for (size_t i = 0; t && j->ok && i < t->rows && !ferror(j->r->out); i++) {
		uint32_t depth = t->row[i].depth;
		path.n = depth;
		if (!pv_reserve(&path, 1)) {
			fail(j);
			break;
		}
		path.v[path.n++] = i + 1;
		char lead[80];
		snprintf(lead, sizeof lead, "{\"id\":%zu,\"parent\":%zu", i + 1,
			depth ? path.v[depth - 1] : 0);
		fputs(i ? ",\n    " : "\n    ", j->r->out);
		put_members(j, &rows, lead, i);
		fputs("}", j->r->out);
	}
	fputs(t && t->rows ? "\n  ]" : "]", j->r->out);
	pv_json_rows_finish(&rows);
	pv_array_finish(&path);
	pv_table_destroy(t);
}

/* --- groups: figures and lists under one key --- */

static void known_number(
	struct json *j, cJSON *object, const char *name, unsigned group, uint64_t v)
{
	bool known = j->r->totals.known & group;
	add(j, object, name, known ? pv_json_unsigned(v) : cJSON_CreateNull());
}

/*
 * Begins `"name": ` and says whether an object is to follow: not when it was not asked for, nor
 * when it is null because none of the groups is known.
 */
static bool begin_group(struct json *j, const char *name, unsigned groups)
{
	bool wanted = false;
	size_t len = strlen(name);
	for (size_t i = 0; i < pv_section_count; i++)
		if (strncmp(pv_sections[i].name, name, len) == 0 &&
			(pv_sections[i].name[len] == '.' || pv_sections[i].name[len] == 0))
			wanted |= pv_report_wants(j->r, &pv_sections[i]);
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
	const struct pv_section *s = pv_section_find(section);
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
	add(j, o, "max_heap_bytes",
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
		fputs(text + 2, j->r->out); /* without its {" */
	else
		fail(j);
	cJSON_free(text);
	cJSON_Delete(o);
}

static void put_clauses(struct json *j)
{
	struct pv_table *t = ask(j, pv_section_find("exceptions.clauses"), 0);
	cJSON *o = cJSON_CreateObject();
	int name = t ? pv_table_column(t, "name") : 0, n = t ? pv_table_column(t, "count") : 0;
	for (size_t i = 0; t && i < t->rows; i++)
		add(j, o, t->row[i].cell[name].s,
			t->row[i].cell[n].state == PV_CELL_NULL
				? cJSON_CreateNull()
				: pv_json_unsigned(t->row[i].cell[n].u));
	put_object(j, o, false);
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
	add(j, o, "total", pv_json_unsigned(j->r->totals.samples));
	add(j, o, "types",
		numbers(j, type, f->hits, PV_COUNT_OF(type), !f->logging2007 && f->rules < 14));
	put_object(j, o, true);
	put_inner(j, ",\n  \"states\":", "samples.states");
	fputs("}", j->r->out);
}

/* Logs of 2007 tell how long it took, others what came out of it. */
static void put_jit(struct json *j)
{
	const struct pv_totals *t = &j->r->totals;
	if (!begin_group(j, "jit", PV_GROUP_JIT))
		return;
	cJSON *o = cJSON_CreateObject();
	add(j, o, "methods", pv_json_unsigned(t->jit_methods));
	known_number(j, o, "code_bytes", PV_GROUP_CODE, t->code_bytes);
	known_number(j, o, "helpers", PV_GROUP_CODE, t->helpers);
	known_number(j, o, "helper_bytes", PV_GROUP_CODE, t->helper_bytes);
	known_number(j, o, "failed", PV_GROUP_JIT_TIMES, t->jit_failed);
	known_number(j, o, "total_ns", PV_GROUP_JIT_TIMES, (uint64_t)t->jit_ns);
	known_number(j, o, "max_ns", PV_GROUP_JIT_TIMES, (uint64_t)t->jit_max_ns);
	put_object(j, o, true);
	put_inner(j, ",\"helper_types\":", "jit.helpers");
	put_inner(j, ",\n  \"bodies\":", "jit.bodies");
	fputs("}", j->r->out);
}

/* --- the head --- */

static void put_events(struct json *j)
{
	const struct pv_section *s = pv_section_find("events");
	if (!pv_report_wants(j->r, s))
		return;
	struct pv_table *t = ask(j, s, 0);
	int name = t ? pv_table_column(t, "name") : 0, n = t ? pv_table_column(t, "count") : 0;
	put_key(j, s->name);
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
	add(j, o, "header_version", old ? cJSON_CreateNull() : pv_json_text(version));
	add(j, o, "rules", old ? cJSON_CreateNull() : pv_json_unsigned(f->rules));
	add(j, o, "startup_ns",
		f->startup_ns ? pv_json_unsigned(f->startup_ns) : cJSON_CreateNull());
	add(j, o, "joined", cJSON_CreateBool(f->joined));
	add(j, o, "aot_id", f->aot_id ? pv_json_text(f->aot_id) : cJSON_CreateNull());
	add(j, o, "sync_points",
		numbers(j, sync, f->sync_points, PV_COUNT_OF(sync), !old && f->rules >= 13));
}

static void put_source(struct json *j)
{
	const struct pv_facts *f = &j->r->facts;
	const struct pv_report_source *s = j->r->source;
	bool old = f->logging2007 || f->text;
	cJSON *o = cJSON_CreateObject();
	add(j, o, "path", pv_json_text(s->path));
	add(j, o, "format", pv_json_text(f->text ? f->text : old ? "logging2007" : "mlpd"));
	add(j, o, "data_version", old ? cJSON_CreateNull() : pv_json_unsigned(f->data_version));
	add(j, o, "stage", old && f->stage ? pv_json_text(f->stage) : cJSON_CreateNull());
	add(j, o, "bytes", pv_json_unsigned(s->bytes));
	add(j, o, "file_bytes", pv_json_unsigned(s->file_bytes));
	add(j, o, "compressed", cJSON_CreateBool(s->compressed));
	add(j, o, "buffers", pv_json_unsigned(f->buffers));
	add(j, o, "recordings", pv_json_unsigned(f->recordings));
	bool whole = s->complete && s->end != PV_LOG_CUT_OFF;
	bool known = !whole || s->end == PV_LOG_ENDED;
	add(j, o, "complete", known ? cJSON_CreateBool(whole) : cJSON_CreateNull());
	add(j, o, "end",
		s->end == PV_LOG_OPEN ? cJSON_CreateNull() : pv_json_text(pv_log_end_text(s->end)));
	add(j, o, "end_known_from", *s->end_line ? pv_json_text(s->end_line) : cJSON_CreateNull());
	put_header(j, o);
	put_object(j, o, true);
	fputs(",\"damage\":", j->r->out);
	put_list_of(j, pv_section_find("source.damage"), 0, put_plain);
	fputs("}", j->r->out);
}

static void put_target(struct json *j)
{
	const struct pv_facts *f = &j->r->facts;
	cJSON *o = cJSON_CreateObject();
	bool old = f->logging2007 || f->text; /* they say neither */
	add(j, o, "pid", unless(old && !f->pid, f->pid));
	add(j, o, "pointer_size", unless(old && !f->pointer_size, f->pointer_size));
	add(j, o, "start_time_ms", pv_json_unsigned(f->start_time_ms));
	add(j, o, "args", pv_json_text(f->args));
	add(j, o, "arch", pv_json_text(f->arch));
	add(j, o, "os", pv_json_text(f->os));
	add(j, o, "timer_overhead_ns", unless(old, f->timer_overhead_ns));
	add(j, o, "control_port", unless(!f->port, f->port));
	if (f->children) /* at least; not known is not 0 */
		add(j, o, "children", pv_json_unsigned(f->children));
	add(j, o, "event_mask",
		f->event_mask ? pv_json_address(f->event_mask) : cJSON_CreateNull());
	put_object(j, o, false);
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
	const struct pv_section *coverage = pv_section_find("coverage");
	pv_section_choose(&j->there, (size_t)(coverage - pv_sections));
	put_list_of(j, coverage, 0, put_plain);
}

/* Sections that have no place of their own above. */
static void put_rest(struct json *j)
{
	for (size_t i = 0; i < pv_section_count; i++)
		if (!pv_section_in(&j->there, i) && !strchr(pv_sections[i].name, '.'))
			put_section(j, pv_sections[i].name, put_plain);
}

bool pv_report_json(struct pv_report *r, struct pv_error *reterr)
{
	struct json j = { .r = r, .reterr = reterr, .ok = true };
	put_head(&j);
	put_section(&j, "processes", put_plain);
	put_section(&j, "findings", put_plain);
	put_events(&j);
	put_section(&j, "methods", put_plain);
	put_section(&j, "callers", put_plain);
	put_section(&j, "callees", put_plain);
	put_tree(&j, "call_tree");
	put_tree(&j, "flame");
	put_section(&j, "classes", put_plain);
	put_section(&j, "held", put_plain);
	put_section(&j, "allocation_sites", put_plain);
	put_section(&j, "throw_sites", put_plain);
	put_section(&j, "wait_sites", put_plain);
	put_section(&j, "catches", put_plain);
	put_section(&j, "pool", put_plain);
	put_section(&j, "pool_changes", put_plain);
	put_section(&j, "lock_waits", put_plain);
	put_section(&j, "lock_sites", put_plain);
	put_section(&j, "lock_edges", put_plain);
	put_section(&j, "lock_cycles", put_plain);
	put_gc(&j);
	put_section(&j, "handles", put_plain);
	put_section(&j, "handle_sites", put_plain);
	put_section(&j, "finalizers", put_plain);
	put_section(&j, "roots", put_plain);
	put_section(&j, "root_areas", put_plain);
	put_section(&j, "heap_shots", put_shot);
	put_section(&j, "heap_classes", put_plain);
	put_section(&j, "heap_objects", put_plain);
	put_section(&j, "heap_path", put_plain);
	put_section(&j, "heap_references", put_plain);
	put_section(&j, "heap_referrers", put_plain);
	put_section(&j, "heap_dominators", put_plain);
	put_section(&j, "heap_keepers", put_plain);
	put_section(&j, "heap_duplicates", put_plain);
	put_tree(&j, "heap_merged_paths");
	put_tree(&j, "heap_awaits");
	put_section(&j, "heap_sets", put_plain);
	put_section(&j, "heap_diff", put_plain);
	put_section(&j, "heap_diff_sites", put_plain);
	put_section(&j, "heap_diff_threads", put_plain);
	put_section(&j, "lives", put_plain);
	put_section(&j, "heap_ladder", put_plain);
	put_section(&j, "heap_cohorts", put_plain);
	put_section(&j, "heap_births", put_plain);
	put_tree(&j, "heap_flame");
	put_exceptions(&j);
	put_locks(&j);
	put_section(&j, "code_kinds", put_plain);
	put_samples_total(&j);
	put_section(&j, "sample_lines", put_plain);
	put_section(&j, "threads", put_plain);
	put_section(&j, "timeline", put_plain);
	put_jit(&j);
	put_section(&j, "loads", put_plain);
	put_section(&j, "native", put_plain);
	put_section(&j, "marks", put_plain);
	put_section(&j, "spans", put_plain);
	put_section(&j, "routes", put_plain);
	put_section(&j, "suspensions", put_plain);
	put_section(&j, "transitions", put_plain);
	put_section(&j, "images", put_plain);
	put_section(&j, "assemblies", put_plain);
	put_section(&j, "domains", put_plain);
	put_section(&j, "contexts", put_plain);
	put_section(&j, "counters", put_counter);
	put_section(&j, "code_coverage", put_covered);
	put_rest(&j);
	fputs("}\n", r->out);
	return j.ok;
}
