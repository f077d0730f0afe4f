/* SPDX-License-Identifier: MIT */
/*
 * A processed profile for Firefox Profiler, version 56, which later versions upgrade. One measure
 * by thread and stack: samples at their own times; other measures are sums, spread over the
 * recording in the order of stacks; markers have their own times.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/map.h"
#include "common/base/text/showable.h"
#include "common/export/export.h"
#include "common/export/json_text.h"
#include "common/query/views.h"

enum { VERSION = 56, PHASE_INSTANT = 0, PHASE_INTERVAL = 1 };

struct fox_sample {
	int64_t time_ns;
	uint64_t weight;
	uint32_t stack; /* + 1; 0: none */
};

/* A text shared by all threads, with a row in each table. */
struct fox_string {
	uint32_t frame; /* the frame with this name; of a file: text in the profile */
	bool is_file;
	uint32_t function; /* row */
	uint32_t file;     /* place of the file's text; 0: none */
};
#define FILE_OF (UINT64_C(1) << 32)

struct fox {
	const struct pv_profile *p;
	const struct pv_export_options *o;
	FILE *out;
	unsigned first;                     /* thread */
	unsigned *owner;                    /* by marker: thread */
	PV_ARRAY(struct fox_string) string; /* after the words of markers */
	struct pv_map number;               /* frame, or FILE_OF and text > place in `string` */
	struct pv_map function;             /* name << 32 | file > place of the first frame */
	PV_ARRAY(uint32_t) stack, prefix;   /* of the current thread: string; stack + 1, 0: none */
	PV_ARRAY(struct fox_sample) sample; /* likewise */
	PV_ARRAY(struct pv_profile_sample) known; /* of all threads, by thread and node */
	struct pv_map child;                      /* prefix << 32 | string > stack */
	bool ok;
};

static uint32_t string_add(struct fox *f, uint64_t key, const struct fox_string *is)
{
	uint32_t at = (uint32_t)f->string.n;
	if (!pv_reserve(&f->string, 1) || !pv_map_set(&f->number, key, at)) {
		f->ok = false;
		return 0;
	}
	f->string.v[f->string.n++] = *is;
	return at;
}

static uint32_t file_of(struct fox *f, uint32_t text)
{
	uint32_t at = text ? pv_map_get(&f->number, FILE_OF | text) : 0;
	const struct fox_string is = { .frame = text, .is_file = true };
	return at == PV_MAP_NONE ? string_add(f, FILE_OF | text, &is) : at;
}

/* Place of the function's first frame: frames at all lines share a function. */
static uint32_t function_of(struct fox *f, uint32_t frame, uint32_t at)
{
	const struct pv_profile_frame *is = pv_profile_frame_of(f->p, frame);
	const uint64_t key = (uint64_t)is->text << 32 | is->file;
	if (frame == PV_FRAME_CUT || frame & PV_FRAME_CLASS)
		return at;
	const uint32_t known = pv_map_get(&f->function, key);
	f->ok = f->ok && (known != PV_MAP_NONE || pv_map_set(&f->function, key, at));
	return known == PV_MAP_NONE ? at : known;
}

static uint32_t string_of(struct fox *f, uint32_t frame)
{
	uint32_t at = pv_map_get(&f->number, frame);
	if (at != PV_MAP_NONE)
		return at;
	const uint32_t file = file_of(f, pv_profile_frame_of(f->p, frame)->file);
	const struct fox_string is = { .frame = frame, .file = file };
	at = string_add(f, frame, &is);
	if (f->ok)
		f->string.v[at].function = function_of(f, frame, at);
	return at;
}

/* The stack below `prefix` (+ 1; 0: none), + 1. */
static uint32_t stack_below(struct fox *f, uint32_t prefix, uint32_t frame)
{
	uint32_t string = string_of(f, frame);
	uint64_t key = (uint64_t)prefix << 32 | string;
	uint32_t at = pv_map_get(&f->child, key);
	if (at != PV_MAP_NONE)
		return at + 1;
	at = (uint32_t)f->stack.n;
	if (!pv_reserve(&f->stack, 1) || !pv_reserve(&f->prefix, 1) ||
		!pv_map_set(&f->child, key, at)) {
		f->ok = false;
		return 0;
	}
	f->stack.v[f->stack.n++] = string;
	f->prefix.v[f->prefix.n++] = prefix;
	return at + 1;
}

static uint32_t stack_of(struct fox *f, uint32_t node)
{
	uint32_t frame[PV_STACK_FRAMES], class, at = 0;
	size_t n = pv_profile_stack(f->p, node, frame, &class);
	for (size_t i = 0; f->ok && i < n; i++)
		at = stack_below(f, at, frame[i]);
	return class && f->ok ? stack_below(f, at, class) : at;
}

static void put_ms(FILE *out, int64_t ns)
{
	uint64_t size = ns < 0 ? (uint64_t)-(ns + 1) + 1 : (uint64_t)ns;
	fprintf(out, "%s%" PRIu64 ".%06" PRIu64, ns < 0 ? "-" : "", size / 1000000, size % 1000000);
}

static void put_fox_text(struct fox *f, const char *text)
{
	f->ok = f->ok && pv_export_json(f->out, text);
}

/* A member with a list of n equal values. */
static void put_all(struct fox *f, const char *member, size_t n, int value)
{
	put_fox_text(f, member);
	fputs(":[", f->out);
	for (size_t i = 0; i < n; i++)
		fprintf(f->out, i ? ",%d" : "%d", value);
	fputs("],", f->out);
}

enum word { NOTHING, FALSE };
static void put_words(struct fox *f, const char *member, size_t n, enum word w)
{
	put_fox_text(f, member);
	fputs(":[", f->out);
	for (size_t i = 0; i < n; i++) {
		fputs(i ? "," : "", f->out);
		fputs(w == FALSE ? "false" : "null", f->out);
	}
	fputs("],", f->out);
}

enum row { ROW, FUNCTION, FRAME_LINE, FILE_NAME, FUNCTION_LINE };

/* Of a string's row; 0: not known. */
static uint32_t cell_of(const struct fox *f, uint32_t at, enum row row)
{
	static const struct pv_profile_frame none;
	const struct fox_string *s = &f->string.v[at];
	const bool named = at >= PV_TIMED_KINDS && !s->is_file;
	const struct pv_profile_frame *frame = named ? pv_profile_frame_of(f->p, s->frame) : &none;
	switch (row) {
	case FUNCTION:
		return named ? s->function : at;
	case FRAME_LINE:
		return frame->line;
	case FILE_NAME:
		return s->file;
	case FUNCTION_LINE:
		return frame->start;
	default:
		return at;
	}
}

static void put_rows(struct fox *f, const char *member, size_t n, enum row row)
{
	put_fox_text(f, member);
	fputs(":[", f->out);
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t v = cell_of(f, i, row);
		fputs(i ? "," : "", f->out);
		if (v || row == ROW || row == FUNCTION)
			fprintf(f->out, "%" PRIu32, v);
		else
			fputs("null", f->out);
	}
	fputs("],", f->out);
}

/* --- samples of a thread --- */

static int by_thread_and_node(const void *a, const void *b)
{
	const struct pv_profile_sample *x = a, *y = b;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

/* Whether a sample of thread 0 has a thread of its own. */
static bool is_elsewhere(const struct pv_profile *p, const struct pv_profile_sample *s)
{
	for (size_t k = 1; s->thread == 0 && k < p->thread.n; k++)
		if (p->thread.v[k].id == s->id)
			return true;
	return false;
}

static void sort_times(struct fox *f)
{
	const struct pv_profile *p = f->p;
	f->ok = f->ok && pv_reserve(&f->known, p->sample.n);
	for (size_t i = 0; f->ok && i < p->sample.n; i++)
		if (!is_elsewhere(p, &p->sample.v[i]))
			f->known.v[f->known.n++] = p->sample.v[i];
	if (f->known.n)
		qsort(f->known.v, f->known.n, sizeof *f->known.v, by_thread_and_node);
}

/* Samples with times for the thread and node: *ret_first and count; 0 unless all have times. */
static size_t known_of(
	const struct fox *f, unsigned thread, const struct pv_profile_row *r, size_t *ret_first)
{
	size_t low = 0, high = f->known.n, n = 0;
	uint64_t all = 0;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct pv_profile_sample *s = &f->known.v[mid];
		if (s->thread < thread || (s->thread == thread && s->node < r->node))
			low = mid + 1;
		else
			high = mid;
	}
	*ret_first = low;
	for (; low + n < f->known.n; n++) {
		const struct pv_profile_sample *s = &f->known.v[low + n];
		if (s->thread != thread || s->node != r->node)
			break;
		all += s->samples;
	}
	return all == r->value[0] ? n : 0;
}

static int by_sample_time(const void *a, const void *b)
{
	const struct fox_sample *x = a, *y = b;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->stack != y->stack ? (x->stack < y->stack ? -1 : 1)
				    : (x->weight > y->weight) - (x->weight < y->weight);
}

static void add_sample(struct fox *f, int64_t time_ns, uint64_t weight, uint32_t stack)
{
	f->ok = f->ok && pv_reserve(&f->sample, 1);
	if (f->ok)
		f->sample.v[f->sample.n++] = (struct fox_sample){ time_ns, weight, stack };
}

/* Samples at their own times; other figures evenly over the recording. */
static void gather_samples(struct fox *f, unsigned thread)
{
	const struct pv_measure *m = f->o->measure;
	size_t first, n = pv_profile_rows(f->p, m->group, thread, &first);
	bool samples = m->group == PV_GROUP_OF_SAMPLES;
	f->sample.n = 0;
	for (size_t i = first; f->ok && i < first + n; i++) {
		const struct pv_profile_row *r = &f->p->row.v[i];
		uint64_t v = r->value[m->value];
		if (!v)
			continue;
		size_t from = 0, known = samples ? known_of(f, thread, r, &from) : 0;
		uint32_t stack = stack_of(f, r->node);
		double part = (double)(i - first) / (double)n;
		if (!known)
			add_sample(f, (int64_t)((double)f->o->about->duration_ns * part), v, stack);
		for (size_t k = from; k < from + known; k++) {
			const struct pv_profile_sample *s = &f->known.v[k];
			add_sample(f, s->time_ns,
				m->value ? s->samples * f->p->period_ns : s->samples, stack);
		}
	}
	if (f->sample.n)
		qsort(f->sample.v, f->sample.n, sizeof *f->sample.v, by_sample_time);
}

enum column { STACKS, TIMES, WEIGHTS };

static void put_samples(struct fox *f, enum column c)
{
	bool ns = strcmp(f->o->measure->unit, "nanoseconds") == 0;
	for (size_t i = 0; i < f->sample.n; i++) {
		const struct fox_sample *s = &f->sample.v[i];
		fputs(i ? "," : "", f->out);
		if (c == STACKS && !s->stack)
			fputs("null", f->out);
		else if (c == STACKS)
			fprintf(f->out, "%" PRIu32, s->stack - 1);
		else if (c == TIMES)
			put_ms(f->out, s->time_ns);
		else if (ns)
			put_ms(f->out, s->weight < INT64_MAX ? (int64_t)s->weight : INT64_MAX);
		else
			fprintf(f->out, "%" PRIu64, s->weight);
	}
}

static const char *weight_type(const struct pv_measure *m)
{
	return strcmp(m->unit, "nanoseconds") == 0 ? "tracing-ms"
	       : strcmp(m->unit, "bytes") == 0     ? "bytes"
						   : "samples";
}

/* A frame and a function for each string, of the same number; not all are used. */
static void put_tables(struct fox *f)
{
	size_t n = f->string.n;
	fputs("\"stackTable\":{\"frame\":[", f->out);
	for (size_t i = 0; i < f->stack.n; i++)
		fprintf(f->out, i ? ",%" PRIu32 : "%" PRIu32, f->stack.v[i]);
	fputs("],\"prefix\":[", f->out);
	for (size_t i = 0; i < f->stack.n; i++) {
		fputs(i ? "," : "", f->out);
		if (f->prefix.v[i])
			fprintf(f->out, "%" PRIu32, f->prefix.v[i] - 1);
		else
			fputs("null", f->out);
	}
	fprintf(f->out, "],\"length\":%zu},\n\"frameTable\":{", f->stack.n);
	put_all(f, "address", n, -1);
	put_all(f, "inlineDepth", n, 0);
	put_all(f, "category", n, 0);
	put_all(f, "subcategory", n, 0);
	put_rows(f, "func", n, FUNCTION);
	put_words(f, "nativeSymbol", n, NOTHING);
	put_all(f, "innerWindowID", n, 0);
	put_rows(f, "line", n, FRAME_LINE);
	put_words(f, "column", n, NOTHING);
	fprintf(f->out, "\"length\":%zu},\n\"funcTable\":{", n);
	put_rows(f, "name", n, ROW);
	put_words(f, "isJS", n, FALSE);
	put_words(f, "relevantForJS", n, FALSE);
	put_all(f, "resource", n, -1);
	put_rows(f, "fileName", n, FILE_NAME);
	put_rows(f, "lineNumber", n, FUNCTION_LINE);
	put_words(f, "columnNumber", n, NOTHING);
	fprintf(f->out,
		"\"length\":%zu},\n\"resourceTable\":{\"lib\":[],\"name\":[],\"host\":[],\"type\":[],"
		"\"length\":0},\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],"
		"\"functionSize\":[],\"length\":0},\n",
		n);
}

/* --- markers: on their threads; collections on the first --- */

static void find_owners(struct fox *f)
{
	const struct pv_timed_list *l = f->o->timed;
	f->owner = l ? calloc(l->v.n + 1, sizeof *f->owner) : NULL;
	f->ok = f->ok && (f->owner || !l);
	for (size_t i = 0; f->owner && i < l->v.n; i++) {
		const struct pv_timed *t = &l->v.v[i];
		f->owner[i] = f->first;
		for (unsigned k = 1; k < f->p->thread.n && t->kind != PV_TIMED_GC; k++)
			if (f->p->thread.v[k].id == t->thread)
				f->owner[i] = k;
	}
}

static void put_marker(struct fox *f, const struct pv_timed *t, char column)
{
	static const char *const schema[PV_TIMED_KINDS] = { "Call", "Wait", "Span", "Exception",
		"Mark", "GC" };
	bool point = t->took_ns < 0;
	switch (column) {
	case 'd':
		fputs("{\"type\":", f->out);
		put_fox_text(f, schema[t->kind]);
		fputs(",\"name\":", f->out);
		put_fox_text(f, pv_intern_text(&f->o->timed->text, t->name));
		fputs("}", f->out);
		return;
	case 'n': /* kinds are the first strings */
		fprintf(f->out, "%u", (unsigned)t->kind);
		return;
	case 's':
		put_ms(f->out, t->from_ns);
		return;
	case 'e':
		if (point)
			fputs("null", f->out);
		else
			put_ms(f->out, t->from_ns + t->took_ns);
		return;
	case 'p':
		fprintf(f->out, "%d", point ? PHASE_INSTANT : PHASE_INTERVAL);
		return;
	default:
		fputs("0", f->out);
	}
}

static void put_markers(struct fox *f, unsigned thread)
{
	static const struct {
		const char *name;
		char column;
	} columns[] = { { "data", 'd' }, { "name", 'n' }, { "startTime", 's' }, { "endTime", 'e' },
		{ "phase", 'p' }, { "category", 'c' } };
	const struct pv_timed_list *l = f->o->timed;
	size_t n = 0;
	fputs("\"markers\":{", f->out);
	for (size_t c = 0; c < PV_COUNT_OF(columns); c++) {
		put_fox_text(f, columns[c].name);
		fputs(":[", f->out);
		n = 0;
		for (size_t i = 0; l && i < l->v.n; i++) {
			if (f->owner[i] != thread)
				continue;
			fputs(n++ ? "," : "", f->out);
			put_marker(f, &l->v.v[i], columns[c].column);
		}
		fputs("],", f->out);
	}
	fprintf(f->out, "\"length\":%zu}", n);
}

/* --- threads --- */

static void put_thread(struct fox *f, unsigned thread)
{
	const struct pv_profile_thread *t = &f->p->thread.v[thread];
	char number[40];
	snprintf(number, sizeof number, "thread 0x%" PRIx64, t->id);
	f->stack.n = f->prefix.n = 0;
	pv_map_clear(&f->child);
	fputs(thread == f->first ? "\n{\"name\":" : ",\n{\"name\":", f->out);
	put_fox_text(f, thread == 0 ? (f->p->thread.n > 1 ? "other threads" : "all threads")
			: t->name && *t->name ? t->name
					      : number);
	fputs(",\"processName\":", f->out);
	put_fox_text(f, f->o->about->title);
	fprintf(f->out,
		",\"processType\":\"default\",\"isMainThread\":%s,\"pid\":\"%" PRIu32
		"\",\"tid\":%" PRIu64
		",\"processStartupTime\":0,\"processShutdownTime\":null,\"registerTime\":0,"
		"\"unregisterTime\":null,\"pausedRanges\":[],\n\"samples\":{\"stack\":[",
		thread == f->first ? "true" : "false", f->o->about->pid, t->id);
	gather_samples(f, thread);
	put_samples(f, STACKS);
	fputs("],\"time\":[", f->out);
	put_samples(f, TIMES);
	fputs("],\"weight\":[", f->out);
	put_samples(f, WEIGHTS);
	fputs("],\"weightType\":", f->out);
	put_fox_text(f, weight_type(f->o->measure));
	fprintf(f->out, ",\"length\":%zu},\n", f->sample.n);
	put_tables(f);
	put_markers(f, thread);
	putc('}', f->out);
}

static void put_strings(struct fox *f)
{
	static const char *const word[PV_TIMED_KINDS] = { "Call", "Wait for a lock", "Span",
		"Exception", "Mark", "Collection" };
	fputs("],\n\"shared\":{\"stringArray\":[", f->out);
	for (size_t i = 0; f->ok && i < f->string.n; i++) {
		const struct fox_string *s = &f->string.v[i];
		char *text = i < PV_TIMED_KINDS ? NULL
			     : s->is_file ? pv_showable_text(pv_intern_text(&f->p->text, s->frame))
					  : pv_profile_text(f->p, s->frame);
		fputs(i ? ",\n" : "\n", f->out);
		f->ok = i < PV_TIMED_KINDS || text;
		put_fox_text(f, text ? text : word[i < PV_TIMED_KINDS ? i : 0]);
		free(text);
	}
	fputs("]}}\n", f->out);
}

static void put_meta(struct fox *f)
{
	static const char *const schema[] = { "Wait", "Span", "Exception", "Mark", "GC" };
	fprintf(f->out,
		"{\"meta\":{\"interval\":1,\"startTime\":%" PRIu64
		",\"processType\":0,\"stackwalk\":1,\"version\":29,"
		"\"preprocessedProfileVersion\":%d,\"symbolicated\":true,\"debug\":false,"
		"\"product\":",
		f->o->about->start_time_ms, (int)VERSION);
	put_fox_text(f, f->o->about->title);
	fputs(",\"importedFrom\":", f->out);
	f->ok = f->ok && pv_export_json_about(f->out, f->o->about);
	fputs(",\"categories\":[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}],"
	      "\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"},"
	      "\"keepProfileThreadOrder\":true,\"usesOnlyOneStackType\":true,\"markerSchema\":[",
		f->out);
	for (size_t i = 0; i < PV_COUNT_OF(schema); i++) {
		fputs(i ? ",{\"name\":" : "{\"name\":", f->out);
		put_fox_text(f, schema[i]);
		fputs(",\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],"
		      "\"tooltipLabel\":\"{marker.data.name}\",\"tableLabel\":\"{marker.data.name}\","
		      "\"fields\":[{\"key\":\"name\",\"label\":\"What\",\"format\":\"string\"}]}",
			f->out);
	}
	fputs("]},\"libs\":[],\"pages\":[],\"counters\":[],\n\"threads\":[", f->out);
}

bool pv_export_firefox(const struct pv_profile *p, const struct pv_export_options *o, FILE *out)
{
	struct fox f = { .p = p, .o = o, .out = out, .ok = true };
	for (uint32_t i = 0; i < PV_TIMED_KINDS && f.ok; i++) {
		f.ok = pv_reserve(&f.string, 1);
		if (f.ok)
			f.string.v[f.string.n++] = (struct fox_string){ 0 };
	}
	/* The row of all threads is needed if other threads lack some figures. */
	f.first = p->thread.n > 1 && pv_profile_sum_of(p, o->measure, 0) == 0;
	find_owners(&f);
	sort_times(&f);
	if (f.ok)
		put_meta(&f);
	for (unsigned t = f.first; f.ok && t < p->thread.n; t++)
		put_thread(&f, t);
	put_strings(&f);
	pv_array_finish(&f.string);
	pv_array_finish(&f.stack);
	pv_array_finish(&f.sample);
	pv_array_finish(&f.known);
	pv_array_finish(&f.prefix);
	pv_map_finish(&f.number);
	pv_map_finish(&f.function);
	pv_map_finish(&f.child);
	free(f.owner);
	return f.ok;
}

bool pv_export_collections(struct pv_model *m, struct pv_timed_list *to)
{
	const struct pv_query q = { .sort = "start_ns" };
	struct pv_table *t = pv_view_table(m, PV_VIEW_COLLECTIONS, &q);
	int start = t ? pv_table_column(t, "start_ns") : -1,
	    took = t ? pv_table_column(t, "duration_ns") : -1,
	    generation = t ? pv_table_column(t, "generation") : -1;
	bool ok = t != NULL;
	for (size_t i = 0; ok && i < t->rows; i++) {
		const struct pv_cell *c = t->row[i].cell;
		char name[64];
		struct pv_timed v = { .kind = PV_TIMED_GC };
		snprintf(name, sizeof name, "generation %" PRIu64, c[generation].u);
		v.from_ns = c[start].state == PV_CELL_VALUE ? c[start].i : 0;
		v.took_ns = c[took].state == PV_CELL_VALUE ? c[took].i : 0;
		ok = pv_intern_add(&to->text, name, strlen(name), &v.name) && pv_reserve(&to->v, 1);
		if (ok)
			to->v.v[to->v.n++] = v;
	}
	pv_table_destroy(t);
	return ok;
}
