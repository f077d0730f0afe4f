/* SPDX-License-Identifier: MIT */
/*
 * A log as the screen sees it: opened, decoded by ingest in the background, its model handed out.
 */
#include "tui/feed/feed.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "common/ingest/convert/convert.h"
#include "common/base/saturate.h"
#include "common/base/utf8.h"
#include "common/ingest/ingest.h"
#include "common/io/source.h"
#include "common/model/model.h"
#include "common/model/time/window.h"
#include "common/query/log_end.h"
#include "common/query/requests_chosen.h"
#include "common/report/report.h"
#include "tui/feed/feed_again.h"
#include "tui/feed/feed_tell.h"
#include "tui/feed/memory.h"
#include "tui/draw/time_range.h"

struct ui_feed {
	struct ui_feed_options options;
	struct pv_ingest *ingest;
	struct pv_ingest *scout;        /* an unrestricted first reading, NULL mostly */
	struct pv_request_times chosen; /* in the scout's log */
	struct pv_model *model;         /* handed out to the screen */
	bool (*shoot)(void *ctx, struct pv_error *reterr); /* or NULL */
	void *shoot_ctx;
	void (*end)(void *ctx); /* or NULL */
	void *end_ctx;
	long joined; /* the process's number here; 0: not joined */
};

void ui_feed_shoot_by(
	struct ui_feed *f, bool (*shoot)(void *ctx, struct pv_error *reterr), void *ctx)
{
	f->shoot = shoot;
	f->shoot_ctx = ctx;
}

void ui_feed_joined(struct ui_feed *f, long pid)
{
	f->joined = pid;
	pv_ingest_process(f->ingest, pid);
}

void ui_feed_end_by(struct ui_feed *f, void (*end)(void *ctx), void *ctx)
{
	f->end = end;
	f->end_ctx = ctx;
}

void ui_feed_let_end(struct ui_feed *f)
{
	const struct itimerspec limit = { .it_value.tv_sec = 2 };
	int timer = f->end ? timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC) : -1;
	if (!f->end)
		return;
	f->end(f->end_ctx);
	f->end = NULL;
	if (timer >= 0 && timerfd_settime(timer, 0, &limit, NULL) == 0)
		ui_feed_load(f, &timer);
	if (timer >= 0)
		close(timer);
}

bool ui_feed_shot_by(struct ui_feed *f, bool *ret_ok, struct pv_error *reterr)
{
	if (f->shoot)
		*ret_ok = f->shoot(f->shoot_ctx, reterr);
	return f->shoot != NULL;
}

/* "0x1f" and "31" are a native id, everything else a name. */
static void restrict_thread(struct pv_restrict *only, const char *thread)
{
	char *end;
	if (!thread)
		return;
	only->threaded = true;
	only->thread_name = thread;
	if (strncmp(thread, "0x", 2) != 0 && thread[strspn(thread, "0123456789")])
		return;
	errno = 0;
	uint64_t id = strtoull(thread, &end, strncmp(thread, "0x", 2) == 0 ? 16 : 10);
	if (*end == 0 && errno == 0) {
		only->thread_name = NULL;
		only->thread_id = id;
	}
}

static bool is_a_file(const char *path)
{
	struct stat st;
	return strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* NULL and *reterr set where the source is NULL. */
static struct pv_ingest *start_on(struct pv_source *source, const struct ui_feed_options *o,
	const struct pv_restrict *only, struct pv_error *reterr)
{
	/* An index must answer ranges, no matter which command made the index. */
	bool indexed = !o->no_index && !o->sample_times && !only->ranged &&
		       !pv_restricts_threads(only) && is_a_file(o->path);
	bool ranges = o->ranges || indexed;
	struct pv_ingest_options io = { .jobs = o->jobs,
		.follow = o->follow,
		.record = o->record != NULL,
		.index = !o->no_index && !o->sample_times,
		.give_way = o->give_way,
		.ranges = ranges,
		.no_window = o->no_index && !ranges,
		.only = *only };
	return source ? pv_ingest_start(source, &io, reterr) : NULL;
}

static struct pv_ingest *start_ingest(
	const struct ui_feed_options *o, const struct pv_restrict *only, struct pv_error *reterr)
{
	struct pv_source_options so = { .follow = o->follow,
		.record = o->record,
		.spool_limit = o->spool_limit,
		.patient = o->patient };
	return start_on(pv_source_open(o->path, &so, reterr), o, only, reterr);
}

static bool over(const struct pv_ingest_status *s)
{
	return s->state == PV_INGEST_ENDED || s->state == PV_INGEST_FAILED;
}

/*
 * A named pipe without a writer, or a file that is not there yet. Standard input does not count: a
 * command may take time before it writes.
 */
static bool waits_for_somebody(const struct pv_ingest_status *s)
{
	return s->source.waiting && s->source.kind != PV_SOURCE_STDIN;
}

enum { LOOK_MS = 200 /* ms between two reports of progress */ };

/* False when stopped. */
static bool wait_until_over(
	struct pv_ingest *in, const int *stop_fd, const struct ui_feed_options *o)
{
	struct pv_ingest_status s;
	bool said = !o->waits;
	int silent = 0;
	for (pv_ingest_status(in, &s); !over(&s); pv_ingest_status(in, &s)) {
		struct pollfd p[] = { { .fd = pv_ingest_fd(in), .events = POLLIN },
			{ .fd = stop_fd ? *stop_fd : -1, .events = POLLIN } };
		bool tell = !said && waits_for_somebody(&s);
		int n = poll(p, 2, o->reads ? LOOK_MS : tell ? PV_SOURCE_SILENCE_MS : -1);
		if (n < 0 && errno != EINTR)
			return false;
		if (p[1].revents)
			return false;
		if (o->reads && !o->reads(o->path, s.source.input_read, s.source.file_bytes))
			return false;
		if (n == 0 && tell && (!o->reads || ++silent * LOOK_MS >= PV_SOURCE_SILENCE_MS)) {
			o->waits(o->path);
			said = true;
		}
		pv_ingest_clear(in);
		ui_memory_ahead();
	}
	return true;
}

/* Times are what the log says: their difference may wrap. */
static bool range_of(const struct pv_model *m, unsigned relative, int64_t *from_ns, int64_t *to_ns,
	struct pv_error *reterr)
{
	const struct ui_log_time log = { pv_sat_span(m->zero_ns, m->last_ns),
		m->target.start_time_ms };
	struct ui_range r = {
		.on = true, .from_ns = *from_ns, .to_ns = *to_ns, .relative = relative
	};
	if (!ui_range_resolve(&r, &log, reterr) || !ui_range_check(&r, log.duration_ns, reterr))
		return false;
	*from_ns = r.from_ns;
	*to_ns = r.to_ns;
	return true;
}

static bool has_thread(
	const struct pv_model *m, const struct pv_restrict *only, struct pv_error *reterr)
{
	const struct pv_threads *t = &m->threads;
	bool found = t->other != 0; /* the row "other" may hold any thread */
	for (size_t i = 1; !found && i < t->thread.n; i++) {
		const struct pv_thread *th = t->thread.v[i];
		found = only->thread_name
				? th->name && strcmp(pv_intern_text(&m->names.text, th->name),
						      only->thread_name) == 0
				: th->id == only->thread_id;
	}
	return found || pv_fail(reterr, PV_EUSAGE, 0,
				"the log has no such thread; report --section threads lists them");
}

static bool some_requests(struct pv_model *m, uint64_t n, struct pv_error *reterr)
{
	pv_model_lock(m);
	const bool any = m->runtime.spans > 0;
	pv_model_unlock(m);
	return n || pv_fail(reterr, PV_EUSAGE, 0,
			    any ? "the log has no such request; report --section routes lists them"
				: "the log has no requests; the word spans records them");
}

static bool choose_requests(
	struct ui_feed *f, struct pv_model *m, struct pv_restrict *only, struct pv_error *reterr)
{
	pv_model_lock(m);
	bool ok = pv_requests_choose(m, f->options.requests, &f->chosen, reterr);
	pv_model_unlock(m);
	only->requests = &f->chosen;
	return ok && some_requests(m, f->chosen.requests, reterr);
}

/*
 * A restriction needs facts beforehand: the end of the log, the thread of a name, an old log's
 * zero. A first reading finds them; its model stays as the scout of the second.
 */
static bool scout(struct ui_feed *f, struct pv_restrict *only, struct pv_error *reterr)
{
	const struct ui_feed_options *o = &f->options;
	struct pv_restrict all = { 0 };
	if (!is_a_file(o->path) && !only->thread_name && !o->relative && !o->requests)
		return true;
	f->scout = start_ingest(o, &all, reterr);
	if (!f->scout)
		return false;
	wait_until_over(f->scout, NULL, o);
	struct pv_model *m = pv_ingest_adopt(f->scout);
	only->scout = m;
	return (!only->ranged || range_of(m, o->relative, &only->from_ns, &only->to_ns, reterr)) &&
	       (!only->threaded || has_thread(m, only, reterr)) &&
	       (!o->requests || choose_requests(f, m, only, reterr));
}

struct ui_feed *ui_feed_open(const struct ui_feed_options *options, struct pv_error *reterr)
{
	struct pv_restrict only = { .ranged = options->ranged,
		.from_ns = options->from_ns,
		.to_ns = options->to_ns,
		.sample_times = options->sample_times };
	struct ui_feed *f = calloc(1, sizeof *f);
	if (!f) {
		pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
		return NULL;
	}
	f->options = *options;
	restrict_thread(&only, options->thread);
	bool restricted = only.ranged || only.thread_name || options->requests;
	if (!restricted || scout(f, &only, reterr))
		f->ingest = !f->scout || is_a_file(options->path)
				    ? start_ingest(options, &only, reterr)
				    : start_on(pv_ingest_again(f->scout, reterr), options, &only,
					      reterr);
	if (!f->ingest) {
		ui_feed_close(f);
		return NULL;
	}
	f->model = pv_ingest_adopt(f->ingest);
	return f;
}

void ui_feed_close(struct ui_feed *f)
{
	if (!f)
		return;
	pv_ingest_destroy(f->ingest);
	pv_ingest_destroy(f->scout);
	pv_request_times_finish(&f->chosen);
	free(f);
}

static enum ui_feed_state state_of(const struct pv_ingest_status *s)
{
	switch (s->state) {
	case PV_INGEST_LOADING:
		return UI_FEED_LOADING;
	case PV_INGEST_LIVE:
		return UI_FEED_LIVE;
	case PV_INGEST_WAITING:
		return UI_FEED_WAITING;
	case PV_INGEST_ENDED:
		return UI_FEED_ENDED;
	case PV_INGEST_FAILED:
		break;
	}
	return UI_FEED_FAILED;
}

static void say_error(const struct pv_ingest_status *s, char *to, size_t size)
{
	if (s->state == PV_INGEST_FAILED && s->error.offset)
		snprintf(to, size, "%s, at byte %llu", PV_FIT(s->error.what, 160),
			(unsigned long long)s->error.offset);
	else if (s->state == PV_INGEST_FAILED)
		snprintf(to, size, "%s", s->error.what);
	else if (s->source.record_error)
		snprintf(to, size, "%s", s->source.record_error);
	else if (s->source.spool_error)
		snprintf(to, size, "%s", s->source.spool_error);
	else if (s->source.dropped)
		snprintf(to, size, "%llu bytes dropped unread: the spool was full",
			(unsigned long long)s->source.dropped);
}

/* The first damaged place, once nothing more will come. */
static void say_damage(const struct pv_ingest_status *s, char *to, size_t size)
{
	const struct pv_damage_entry *d = &s->first;
	if (s->places == 0)
		return;
	int n = snprintf(to, size, "%s at byte %llu (%llu bytes)", d->reason,
		(unsigned long long)d->offset, (unsigned long long)d->bytes);
	if (n < 0 || (size_t)n >= size)
		return;
	if (s->places > 1)
		snprintf(to + n, size - (size_t)n, " and %llu more places; the rest is shown",
			(unsigned long long)(s->places - 1));
	else
		snprintf(to + n, size - (size_t)n, "; the rest is shown");
}

static void say_status(const struct pv_ingest_status *s, struct ui_feed_status *ret)
{
	*ret = (struct ui_feed_status){ .state = state_of(s),
		.bytes_read = s->source.input_read,
		.bytes_total = s->source.file_bytes,
		.bytes_per_s = s->bytes_per_s,
		.events_per_s = s->events_per_s,
		.lag_ns = s->lag_ns,
		.models = s->models,
		.damaged = s->places,
		.lost = s->lost_events };
	if (s->state == PV_INGEST_ENDED)
		say_damage(s, ret->error, sizeof ret->error);
	ret->stock_pipe = s->source.kind == PV_SOURCE_PIPE && s->state == PV_INGEST_LIVE;
	ret->unkept = s->source.record_error || s->source.spool_error;
	ret->exit_code = s->state == PV_INGEST_FAILED ? (s->error.code == PV_ENOMEM ? 125 : 3)
			 : ret->unkept                ? 125
			 : ret->damaged               ? 4
						      : 0;
	ret->no_log = s->state == PV_INGEST_FAILED && s->recordings == 0;
	say_error(s, ret->error, sizeof ret->error);
}

void ui_feed_status(struct ui_feed *f, struct ui_feed_status *ret)
{
	struct pv_ingest_status s;
	pv_ingest_status(f->ingest, &s);
	say_status(&s, ret);
	ret->pid_here = f->joined ? f->joined : s.source.writer;
}

bool ui_feed_status_now(struct ui_feed *f, struct ui_feed_status *ret)
{
	struct pv_ingest_status s;
	if (!pv_ingest_status_now(f->ingest, &s))
		return false;
	say_status(&s, ret);
	ret->pid_here = f->joined ? f->joined : s.source.writer;
	return true;
}

struct pv_model *ui_feed_adopt(struct ui_feed *f)
{
	return f->model = pv_ingest_adopt(f->ingest);
}

void ui_feed_stop(struct ui_feed *f)
{
	pv_ingest_cut(f->ingest);
}

struct pv_ingest *ui_feed_ingest(struct ui_feed *f)
{
	return f->ingest;
}

int ui_feed_fd(const struct ui_feed *f)
{
	return pv_ingest_fd(f->ingest);
}

void ui_feed_turn(struct ui_feed *f)
{
	pv_ingest_clear(f->ingest);
}

bool ui_feed_load(struct ui_feed *f, const int *stop_fd)
{
	bool all = wait_until_over(f->ingest, stop_fd, &f->options);
	ui_feed_adopt(f);
	struct pv_ingest_status s;
	pv_ingest_status(f->ingest, &s);
	return all && s.state != PV_INGEST_FAILED;
}

static int64_t feed_now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void ui_feed_await_log(struct ui_feed *f, int ms)
{
	struct pv_ingest_status s;
	struct pollfd p = { .fd = pv_ingest_fd(f->ingest), .events = POLLIN };
	for (int64_t end = feed_now_ms() + ms, left = ms; left > 0; left = end - feed_now_ms()) {
		pv_ingest_status(f->ingest, &s);
		if (s.state != PV_INGEST_LOADING || s.recordings > 0)
			return;
		if (poll(&p, 1, (int)left) < 0 && errno != EINTR)
			return;
		pv_ingest_clear(f->ingest);
	}
}

void ui_feed_report_source(struct ui_feed *f, struct pv_report_source *ret)
{
	struct pv_ingest_status s;
	pv_ingest_status(f->ingest, &s);
	*ret = (struct pv_report_source){ .path = f->options.path,
		.bytes = s.stream_bytes,
		.file_bytes = s.source.file_bytes,
		.compressed = s.source.compressed,
		.complete = s.complete };
	/* A restricted model has not read to the log's end; the scout has. */
	struct pv_model *m = pv_ingest_adopt(f->scout ? f->scout : f->ingest);
	pv_model_lock(m);
	ret->end = pv_model_log_end(m);
	pv_log_end_line(m, ret->end_line, sizeof ret->end_line);
	pv_model_unlock(m);
}

void ui_feed_zero_window(struct ui_feed *f)
{
	pv_model_lock(f->model);
	pv_window_zero(f->model);
	pv_model_unlock(f->model);
}

bool ui_feed_decay(struct ui_feed *f)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	struct pv_ingest_status s;
	pv_ingest_status(f->ingest, &s);
	if (s.lag_ns < 0)
		return false; /* the log's clock is not this machine's, or nothing is live */
	pv_model_lock(f->model);
	bool more = pv_window_advance(f->model, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
	pv_model_unlock(f->model);
	return more;
}

struct pv_model *ui_feed_model(struct ui_feed *f)
{
	return f->model;
}

const char *ui_feed_path(const struct ui_feed *f)
{
	return f->options.path;
}

bool ui_feed_readonly(const struct ui_feed *f)
{
	return f->options.readonly;
}

/* Words for kinds whose name would not say what was lost. */
static const char *left_out_name(unsigned kind, uint64_t n)
{
	switch (kind) {
	case PV_KIND_HEAP_DEAD:
		return n == 1 ? "object found dead" : "objects found dead";
	case PV_KIND_HEAP_SUMMARY:
		return n == 1 ? "class of a heap shot summed up"
			      : "classes of heap shots summed up";
	case PV_KIND_CLASS_LOAD_FAIL:
		return n == 1 ? "class that failed to load" : "classes that failed to load";
	case PV_KIND_METHOD_JIT_FAIL:
		return n == 1 ? "method that failed to compile" : "methods that failed to compile";
	default:
		return pv_kind_name(kind);
	}
}

_Static_assert(PV_CONVERT_FRAMES == 256, "the text below, and the manual page");

static void say_part(char *text, size_t size, const char *what, uint64_t n)
{
	size_t at = strlen(text);
	if (n)
		snprintf(text + at, size - at, "%s%s of %" PRIu64 " event%s", at ? "; " : "", what,
			n, n == 1 ? "" : "s");
}

/* The first kinds by name, in the order of the kinds; the rest is a number. */
static void name_left_out(const struct pv_convert_totals *t, char *text, size_t size)
{
	enum { NAMED = 8 };
	uint64_t rest = t->left_out;
	*text = 0;
	for (unsigned kind = 0, named = 0; kind < PV_KIND_COUNT && named < NAMED; kind++) {
		uint64_t of_kind = t->left_out_kind[kind];
		size_t n = strlen(text);
		if (of_kind == 0)
			continue;
		snprintf(text + n, size - n, "%s%" PRIu64 " %s", named++ ? ", " : "", of_kind,
			left_out_name(kind, of_kind));
		rest -= of_kind;
	}
	size_t n = strlen(text);
	if (rest)
		snprintf(text + n, size - n, " and %" PRIu64 " events more", rest);
	say_part(text, size, "the stacks", t->stacks_left_out);
	say_part(text, size, "the classes", t->classes_left_out);
	say_part(text, size, "the durations", t->durations_left_out);
	say_part(text, size, "frames beyond the innermost 256 of the stacks", t->stacks_cut);
}

bool ui_feed_convert(
	const struct ui_convert_options *o, struct ui_converted *ret, struct pv_error *reterr)
{
	const struct pv_convert_options co = { .ranged = o->ranged,
		.from_ns = o->from_ns,
		.to_ns = o->to_ns,
		.thread = o->thread,
		.data_version = o->data_version };
	struct pv_convert_totals totals = { 0 };
	bool ok = strcmp(o->output, "-") == 0
			  ? pv_convert(o->path, &co, stdout, &totals, reterr)
			  : pv_convert_file(o->path, &co, o->output, &totals, reterr);
	ret->damaged = totals.damaged;
	name_left_out(&totals, ret->left_out, sizeof ret->left_out);
	return ok;
}

/* --- ranges --- */

bool ui_feed_knows_thread(const struct ui_feed *f, struct pv_error *reterr)
{
	struct pv_restrict only = { 0 };
	restrict_thread(&only, f->options.thread);
	return !only.threaded || has_thread(f->model, &only, reterr);
}

bool ui_feed_has_requests(struct ui_feed *f, uint64_t chosen, struct pv_error *reterr)
{
	return some_requests(f->model, chosen, reterr);
}

bool ui_feed_range(const struct ui_feed *f, unsigned relative, int64_t *from_ns, int64_t *to_ns,
	struct pv_error *reterr)
{
	return range_of(f->model, relative, from_ns, to_ns, reterr);
}

bool ui_feed_indexed(const char *path)
{
	return is_a_file(path) && pv_ingest_indexed(path);
}
