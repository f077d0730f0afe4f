/* SPDX-License-Identifier: MIT */
/* Reads a log again for a list of calls, waits, spans and other events with their times. */
#include "common/ingest/again/timed_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/map.h"
#include "common/base/text/readable_name.h"
#include "common/base/saturate.h"
#include "common/format/batch_event.h"
#include "common/ingest/again/reread.h"
#include "common/ingest/ingest_parts.h"
#include "common/model/event_filter.h"
#include "common/model/event_line.h"

/* Deeper calls have no slice, lest a log with enters only take all memory. */
enum { DEPTH_MAX = 4096, NAME_MAX_BYTES = 1024 };

struct open_call {
	uint64_t method;
	int64_t from_ns;
};

struct timeline {
	uint64_t thread;
	PV_ARRAY(struct open_call) call;
	uint64_t deeper; /* calls above DEPTH_MAX */
	bool waits;
	uint64_t object;
	int64_t wait_ns;
};

struct reading {
	const struct pv_timed_wish *wish;
	struct pv_timed_list *ret;
	struct pv_event_filter filter;
	struct pv_model *model;
	int64_t zero_ns;
	PV_ARRAY(struct timeline) line;
	struct pv_map line_of; /* thread > index */
	bool no_memory;
};

/* --- threads --- */

static bool wants_thread(const struct reading *r, uint64_t thread)
{
	const struct pv_timed_wish *w = r->wish;
	size_t low = 0, high = w->threads;
	while (w->thread && low < high) {
		size_t mid = low + (high - low) / 2;
		if (w->thread[mid] < thread)
			low = mid + 1;
		else
			high = mid;
	}
	return !w->thread || (low < w->threads && w->thread[low] == thread);
}

static struct timeline *line_of(struct reading *r, uint64_t thread)
{
	uint32_t at = pv_map_get(&r->line_of, thread);
	if (at != PV_MAP_NONE)
		return &r->line.v[at];
	if (!pv_reserve(&r->line, 1) || !pv_map_set(&r->line_of, thread, (uint32_t)r->line.n)) {
		r->no_memory = true;
		return NULL;
	}
	r->line.v[r->line.n] = (struct timeline){ .thread = thread };
	return &r->line.v[r->line.n++];
}

/* --- records --- */

struct words {
	const char *name, *more; /* more: "" if nothing else is known */
	const struct pv_batch *b;
	size_t i;
};

/* Applies the filter to the event that ends the record, by kind, thread and name. */
static bool record_passes(const struct reading *r, uint64_t thread, const struct words *w)
{
	char who[160], both[200], line[2 * NAME_MAX_BYTES];
	if (!r->wish->filter || !w->b)
		return !r->wish->filter;
	if (!r->filter.kind[w->b->kind[w->i]])
		return false;
	pv_event_thread_text(r->model, thread, (int64_t)w->b->time[w->i], who, sizeof who);
	snprintf(both, sizeof both, "%s 0x%" PRIx64, who, thread);
	snprintf(line, sizeof line, "%s %s", w->name, w->more);
	return pv_event_filter_has(&r->filter, w->b, w->i, both, line);
}

static void put_timed_record(struct reading *r, struct pv_timed t, const struct words *w)
{
	const struct pv_timed_wish *wish = r->wish;
	bool point = t.took_ns < 0;
	int64_t end = t.from_ns + (point ? 0 : t.took_ns);
	if (t.from_ns >= wish->to_ns || end < wish->from_ns || (!point && end == wish->from_ns) ||
		!record_passes(r, t.thread, w))
		return;
	if (!point && t.from_ns < wish->from_ns) {
		t.from_ns = wish->from_ns;
		t.cut = true;
	}
	if (!point && end > wish->to_ns) {
		end = wish->to_ns;
		t.cut = true;
	}
	t.took_ns = point ? -1 : pv_sat_span(t.from_ns, end);
	r->ret->all++;
	if (r->ret->v.n >= PV_TIMED_MOST)
		return;
	t.place = (uint32_t)r->ret->v.n;
	if (!pv_intern_add(&r->ret->text, w->name, strlen(w->name), &t.name) ||
		!pv_intern_add(&r->ret->text, w->more, strlen(w->more), &t.more) ||
		!pv_reserve(&r->ret->v, 1)) {
		r->no_memory = true;
		return;
	}
	r->ret->v.v[r->ret->v.n++] = t;
}

/* --- calls --- */

static void name_method(const struct reading *r, uint64_t key, int64_t time, char *to, size_t size)
{
	uint32_t name = pv_names_key_method(&r->model->names, key, time);
	const char *text = pv_intern_text(&r->model->names.text, name);
	if (!name)
		snprintf(to, size, "0x%" PRIx64, key);
	else if (r->wish->raw_names ||
		 !pv_readable_method(text, strlen(text), PV_NAME_READABLE, to, size))
		snprintf(to, size, "%s", text);
}

static void end_call(
	struct reading *r, struct timeline *l, int64_t end_ns, const struct pv_batch *b, size_t i)
{
	char name[NAME_MAX_BYTES];
	struct open_call c = l->call.v[--l->call.n];
	if (c.from_ns >= r->wish->to_ns || end_ns < r->wish->from_ns)
		return;
	if (!r->wish->filter && r->ret->v.n >= PV_TIMED_MOST) {
		r->ret->all++; /* the name will not be needed */
		return;
	}
	name_method(r, c.method, pv_sat_add(c.from_ns, r->zero_ns), name, sizeof name);
	put_timed_record(r,
		(struct pv_timed){ .kind = PV_TIMED_CALL,
			.thread = l->thread,
			.from_ns = c.from_ns,
			.took_ns = pv_sat_span(c.from_ns, end_ns) },
		&(struct words){ name, "", b, i });
}

static void enter_timed_call(struct timeline *l, struct reading *r, uint64_t method, int64_t ns)
{
	if (l->call.n >= DEPTH_MAX)
		l->deeper++;
	else if (!pv_reserve(&l->call, 1))
		r->no_memory = true;
	else
		l->call.v[l->call.n++] = (struct open_call){ method, ns };
}

/* Ends the call, and the calls above it, whose own ends were lost. */
static void leave_timed_call(
	struct reading *r, struct timeline *l, const struct pv_batch *b, size_t i, int64_t ns)
{
	size_t at = l->call.n;
	if (l->deeper) {
		l->deeper--;
		return;
	}
	while (at > 0 && l->call.v[at - 1].method != b->key[i])
		at--;
	if (at == 0)
		return;
	for (; l->call.n > at; r->ret->unended++)
		end_call(r, l, ns, b, i);
	end_call(r, l, ns, b, i);
}

/* --- other events --- */

/* Splits "object 0x12  in A < B" into name and rest. */
static void split_line(char *line, const char **ret_more)
{
	char *stack = strstr(line, "  in ");
	*ret_more = stack ? stack + 2 : "";
	if (stack)
		*stack = 0;
}

static void wait_ends(struct reading *r, struct timeline *l, const struct pv_batch *b, size_t i,
	int64_t ns, const char *more)
{
	char name[64];
	snprintf(name, sizeof name, "waits for 0x%" PRIx64, l->object);
	l->waits = false;
	put_timed_record(r,
		(struct pv_timed){ .kind = PV_TIMED_WAIT,
			.thread = l->thread,
			.from_ns = l->wait_ns,
			.took_ns = pv_sat_span(l->wait_ns, ns) },
		&(struct words){ name, more, b, i });
}

static void take_monitor(struct reading *r, struct timeline *l, const struct pv_batch *b, size_t i,
	const struct pv_event *e, int64_t ns)
{
	char line[PV_EVENT_LINE_MAX];
	const char *more;
	if (e->kind == PV_KIND_MONITOR_CONTENTION) {
		r->ret->unended += l->waits;
		l->waits = true;
		l->object = e->monitor.object;
		l->wait_ns = ns;
	} else if (l->waits && l->object == e->monitor.object) {
		pv_event_line(r->model, b, i, !r->wish->raw_names, line, sizeof line);
		split_line(line, &more);
		wait_ends(r, l, b, i, ns, more);
	}
}

static void take_event_line(struct reading *r, uint64_t thread, const struct pv_batch *b, size_t i,
	enum pv_timed_kind kind, int64_t from_ns, int64_t took_ns)
{
	char line[PV_EVENT_LINE_MAX];
	const char *more;
	pv_event_line(r->model, b, i, !r->wish->raw_names, line, sizeof line);
	split_line(line, &more);
	char *took = kind == PV_TIMED_SPAN ? strstr(line, "  took ") : NULL;
	if (took)
		*took = 0;
	/* Stock Mono gives the object, not the class. */
	bool bare = kind == PV_TIMED_THROW && strncmp(line, "object ", 7) == 0;
	const char *name = bare ? "exception" : line;
	if (bare && !*more)
		more = line;
	put_timed_record(r,
		(struct pv_timed){ .kind = (uint8_t)kind,
			.thread = thread,
			.from_ns = from_ns,
			.took_ns = took_ns },
		&(struct words){ name, more, b, i });
}

static void take_other(
	struct reading *r, struct timeline *l, const struct pv_batch *b, size_t i, int64_t ns)
{
	const struct pv_event *e = pv_batch_event(b, i);
	switch (e->kind) {
	case PV_KIND_MONITOR_CONTENTION:
	case PV_KIND_MONITOR_DONE:
	case PV_KIND_MONITOR_FAIL:
		take_monitor(r, l, b, i, e, ns);
		return;
	case PV_KIND_EXCEPTION_THROW:
		take_event_line(r, l->thread, b, i, PV_TIMED_THROW, ns, -1);
		return;
	case PV_KIND_EXT_MARK:
		take_event_line(r, l->thread, b, i, PV_TIMED_MARK, ns, -1);
		return;
	case PV_KIND_EXT_SPAN: {
		uint64_t took = e->span.took_ns < INT64_MAX ? e->span.took_ns : INT64_MAX;
		int64_t from = ns > INT64_MIN + (int64_t)took ? ns - (int64_t)took : ns;
		take_event_line(r, l->thread, b, i, PV_TIMED_SPAN, from, ns - from);
		return;
	}
	default:
		return;
	}
}

static void take_event(struct reading *r, const struct pv_batch *b, size_t i)
{
	uint64_t thread = pv_event_thread(b, i);
	unsigned kind = b->kind[i];
	bool call = kind >= PV_KIND_METHOD_ENTER && kind <= PV_KIND_METHOD_EXC_LEAVE;
	if (kind == PV_KIND_ALLOC || kind == PV_KIND_SAMPLE_HIT || (call && r->wish->no_calls) ||
		!wants_thread(r, thread))
		return;
	struct timeline *l = line_of(r, thread);
	int64_t ns = (int64_t)(b->time[i] - (uint64_t)r->zero_ns);
	if (!l)
		return;
	if (!call)
		take_other(r, l, b, i, ns);
	else if (kind == PV_KIND_METHOD_ENTER)
		enter_timed_call(l, r, b->key[i], ns);
	else
		leave_timed_call(r, l, b, i, ns);
}

static bool on_timed_buffer(void *ctx, const struct mlpd_buffer_header *h, const struct pv_batch *b)
{
	struct reading *r = ctx;
	(void)h;
	pv_model_lock(r->model);
	for (size_t i = 0; i < b->n && !r->no_memory; i++)
		take_event(r, b, i);
	pv_model_unlock(r->model);
	return !r->no_memory;
}

/* Calls and waits without an end are open until the recording ends. */
static void end_all(struct reading *r)
{
	for (size_t i = 0; i < r->line.n; i++) {
		struct timeline *l = &r->line.v[i];
		r->ret->unended += l->call.n + l->waits;
		while (l->call.n && !r->wish->filter)
			end_call(r, l, r->wish->end_ns, NULL, 0);
		if (l->waits && !r->wish->filter)
			wait_ends(r, l, NULL, 0, r->wish->end_ns, "");
	}
}

static bool read_timed_events(struct reading *r, struct pv_source *source, struct pv_error *reterr)
{
	struct pv_reread to = { .ctx = r, .buffer = on_timed_buffer, .err = reterr };
	bool ok = pv_reread_source(&to, source);
	r->ret->damaged = to.damaged;
	if (ok)
		end_all(r);
	return r->no_memory ? pv_fail(reterr, PV_ENOMEM, 0, "out of memory") : ok;
}

bool pv_timed_read(struct pv_ingest *in, const struct pv_timed_wish *wish,
	struct pv_timed_list *ret, struct pv_error *reterr)
{
	struct reading r = { .wish = wish, .ret = ret, .model = in->model };
	struct pv_filter_error wrong;
	*ret = (struct pv_timed_list){ .all = 0 };
	if (in->model->target.text && !pv_target_is_event_stream(&in->model->target))
		return wish->no_calls || /* nor any of the others */
		       pv_fail(reterr, PV_EUSAGE, 0,
			       "a text of stacks has nothing but samples: their times are "
			       "written with --to firefox");
	if (wish->filter && !pv_event_filter_make(&r.filter, wish->filter, PV_FILTER_WORDS, &wrong))
		return pv_fail(reterr, wrong.no_memory ? PV_ENOMEM : PV_EUSAGE, 0,
			"--filter, character %zu: %s", wrong.at + 1, wrong.what);
	struct pv_source *source = pv_source_again(in->source, reterr);
	r.zero_ns = in->model->zero_ns;
	bool ok = source && read_timed_events(&r, source, reterr);
	if (source)
		pv_source_close(source);
	for (size_t i = 0; i < r.line.n; i++)
		pv_array_finish(&r.line.v[i].call);
	pv_array_finish(&r.line);
	pv_map_finish(&r.line_of);
	if (wish->filter)
		pv_event_filter_finish(&r.filter);
	return ok;
}
