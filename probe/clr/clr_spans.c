/* SPDX-License-Identifier: MIT */
/*
 * Spans of work, from the event sources of the framework (span_source.h): requests sent and served,
 * SQL commands. A begin waits here for the end of the same activity, maybe on another thread; then
 * both are a single event. EXT_WORK reports when a thread begins, goes on with and ends a span.
 * Without room, begins are forgotten.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/span_source.h"
#include "common/base/status.h"
#include "probe/clr/clr_payload.h"
#include "probe/clr/clr_runtime.h"
#include "probe/core/emit.h"

enum { OPEN = 4096, PROVIDERS = 16, PROVIDER = 64 };

struct span {
	const struct pv_span_source *source;
	struct pvp_guid activity;
	uint64_t id, parent, since;
	size_t name_n, stack_n;
	char name[PV_SPAN_NAME];
	uint64_t stack[PVP_MANAGED_FRAMES];
	bool failed;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct span *open[OPEN];
static size_t opens;
static uint64_t newest_id;
static struct {
	uint64_t id;
	const struct pv_span_source *source; /* NULL: none of ours */
} known[PROVIDERS];
static size_t knowns;

bool pvp_clr_spans_provider(size_t i, pvp_char *name, size_t room, uint64_t *ret_keywords)
{
	const struct pv_span_source *s = pv_span_source(i);
	if (!(pvp_clr_more() & PVP_CLR_SPANS) || !s)
		return false;
	const char *text = s->provider;
	size_t n = strlen(text) + 1;
	for (size_t k = 0; k < n && k < room; k++)
		name[k] = (pvp_char)text[k];
	*ret_keywords = s->keywords;
	return n <= room;
}

static const struct pv_span_source *ask_provider(uint64_t provider)
{
	struct pvp_clr_info *info = pvp_clr.info;
	pvp_char wide[PROVIDER];
	char name[3 * PROVIDER];
	uint32_t n = 0;
	if (info->is->provider_info(info, provider, PROVIDER, &n, wide) < 0)
		return NULL;
	pvp_clr_utf8(wide, n < PROVIDER ? n : PROVIDER, name, sizeof name);
	return pv_span_source_of(name);
}

/* Providers live as long as the process; they are few, and further ones are asked each time. */
static const struct pv_span_source *source_of(uint64_t provider)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < knowns; i++) {
		if (known[i].id != provider)
			continue;
		const struct pv_span_source *s = known[i].source;
		pthread_mutex_unlock(&lock);
		return s;
	}
	pthread_mutex_unlock(&lock);
	const struct pv_span_source *s = ask_provider(provider);
	pthread_mutex_lock(&lock);
	if (knowns < PROVIDERS) {
		known[knowns].id = provider;
		known[knowns++].source = s;
	}
	pthread_mutex_unlock(&lock);
	return s;
}

/* With the lock: the id of the newest span of an activity, of any source; 0: none. */
static uint64_t newest_span_id(const struct pvp_guid *activity)
{
	static const struct pvp_guid none;
	bool any = activity && memcmp(activity, &none, sizeof none) != 0;
	for (size_t i = opens; any && i-- > 0;)
		if (!open[i]->source->numbered &&
			memcmp(&open[i]->activity, activity, sizeof *activity) == 0)
			return open[i]->id;
	return 0;
}

static void tell_work(uint64_t step, uint64_t id, uint64_t parent)
{
	struct pv_event ev = { .kind = PV_KIND_EXT_WORK,
		.work = { .id = id, .parent = parent, .step = step } };
	pvp_event(&ev, NULL, 0);
}

/* `own`: the span's activity; `within`: the enclosing span's, NULL: unknown. */
static void begin_span(const struct pv_span_source *s, const struct pvp_guid *own,
	const struct pvp_guid *within, struct pvp_payload p)
{
	struct span *span = calloc(1, sizeof *span);
	bool ok;
	if (!span)
		return;
	*span = (struct span){ .source = s, .activity = *own, .since = pvp_monotonic() };
	span->name_n = pv_span_name(s, p.at, (size_t)(p.end - p.at), span->name, &ok);
	span->stack_n = pvp_clr_stack_of_work(span->stack);
	pthread_mutex_lock(&lock);
	ok = ok && opens < OPEN;
	const uint64_t id = span->id = ok ? ++newest_id : 0;
	const uint64_t parent = span->parent = ok ? newest_span_id(within) : 0;
	if (ok)
		open[opens++] = span;
	pthread_mutex_unlock(&lock);
	if (ok)
		tell_work(PV_WORK_BEGINS, id, parent);
	else
		free(span);
}

void pvp_clr_spans_goes_on(const struct pvp_guid *activity)
{
	if (!(pvp_clr_more() & PVP_CLR_SPANS) || !activity)
		return;
	pthread_mutex_lock(&lock);
	const uint64_t id = newest_span_id(activity);
	pthread_mutex_unlock(&lock);
	if (id)
		tell_work(PV_WORK_GOES_ON, id, 0);
}

/* The newest span of this activity; removed if `over`. */
static struct span *find_span(
	const struct pv_span_source *s, const struct pvp_guid *activity, bool over)
{
	struct span *found = NULL;
	pthread_mutex_lock(&lock);
	for (size_t i = opens; i-- > 0 && !found;) {
		if (open[i]->source != s ||
			memcmp(&open[i]->activity, activity, sizeof *activity) != 0)
			continue;
		found = open[i];
		found->failed |= !over;
		if (over)
			open[i] = open[--opens];
	}
	pthread_mutex_unlock(&lock);
	return over ? found : NULL;
}

static void end_span(const struct pv_span_source *s, const struct pvp_guid *activity, bool failed)
{
	struct span *span = find_span(s, activity, true);
	if (!span)
		return;
	tell_work(PV_WORK_ENDS, span->id, span->parent);
	const struct pv_batch pools = { .pool = { span->stack, span->stack_n, span->stack_n } };
	struct pv_event ev = { .kind = PV_KIND_EXT_SPAN,
		.span = { .took_ns = pvp_monotonic() - span->since,
			.failed = span->failed || failed,
			.what = { s->what, strlen(s->what) },
			.name = { span->name, span->name_n },
			.stack = { 0, (uint32_t)span->stack_n } } };
	pvp_event(&ev, &pools, 0);
	free(span);
}

bool pvp_clr_spans_take(uint64_t provider, uint32_t id, struct pvp_payload p,
	const struct pvp_guid *activity, const struct pvp_guid *related)
{
	const struct pvp_guid none = { 0 };
	const struct pv_span_source *s = source_of(provider);
	if (!s)
		return false; /* the runtime's own */
	if (!s->what || !(pvp_clr_more() & PVP_CLR_SPANS))
		return true;
	const struct pvp_guid *within = related;
	struct pvp_guid own = activity ? *activity : none;
	bool failed = false;
	if (s->numbered) {
		within = activity ? activity : related;
		own = none;
		own.a = pv_span_number(p.at, (size_t)(p.end - p.at), &failed);
	}
	if (id == s->step[PV_SPAN_BEGIN])
		begin_span(s, &own, within, p);
	else if (id == s->step[PV_SPAN_END])
		end_span(s, &own, failed);
	else if (id == s->step[PV_SPAN_FAIL])
		find_span(s, &own, false);
	return true;
}

void pvp_clr_spans_forget(void)
{
	pthread_mutex_lock(&lock);
	while (opens)
		free(open[--opens]);
	knowns = 0;
	pthread_mutex_unlock(&lock);
}
