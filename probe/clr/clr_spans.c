/*
 * Spans of work, from the event sources of the framework: requests that are sent and served, SQL
 * commands. A begin waits here for its end, which comes with the same activity, maybe on another
 * thread; then both are one event. Where there is no room, begins are forgotten.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/status.h"
#include "probe/clr/clr_payload.h"
#include "probe/clr/clr_runtime.h"
#include "probe/core/emit.h"

enum { OPEN = 1024, NAME = 300, PROVIDERS = 16, PROVIDER = 64, STEPS = 3 };

enum step { BEGIN, END, FAIL };

typedef size_t describe_fn(struct pvp_payload *p, char *to, size_t room);

/* scheme, host, port, path */
static size_t describe_request(struct pvp_payload *p, char *to, size_t room)
{
	char scheme[16], host[128], path[NAME];
	pvp_payload_text(p, scheme, sizeof scheme);
	pvp_payload_text(p, host, sizeof host);
	unsigned port = (unsigned)pvp_payload_number(p, 4);
	pvp_payload_text(p, path, sizeof path);
	int n = snprintf(to, room, "%s://%s:%u%.150s", scheme, host, port, path);
	return n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

/* verb, path */
static size_t describe_served(struct pvp_payload *p, char *to, size_t room)
{
	char verb[32], path[NAME];
	pvp_payload_text(p, verb, sizeof verb);
	pvp_payload_text(p, path, sizeof path);
	int n = snprintf(to, room, "%s %.250s", verb, path);
	return n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

/* number, server, data base, command */
static size_t describe_command(struct pvp_payload *p, char *to, size_t room)
{
	pvp_payload_number(p, 4);
	pvp_payload_skip_text(p);
	pvp_payload_skip_text(p);
	return pvp_payload_text(p, to, room);
}

static const struct source {
	const char *provider, *what;
	uint64_t keywords;
	uint32_t step[STEPS];  /* ids of its events */
	describe_fn *describe; /* a begin */
	bool numbered;         /* begin and end have a number instead of an activity */
} sources[PVP_CLR_SPAN_SOURCES] = {
	{ "System.Net.Http", "HTTP", UINT32_MAX, { 1, 2, 3 }, describe_request, false },
	{ "Microsoft.AspNetCore.Hosting", "served", UINT32_MAX, { 3, 4, 5 }, describe_served,
		false },
	{ "Microsoft.Data.SqlClient.EventSource", "SQL", 1, { 1, 2, 0 }, describe_command, true },
	/* Keeps activities across waits; tells nothing itself. */
	{ "System.Threading.Tasks.TplEventSource", NULL, 0x80, { 0, 0, 0 }, NULL, false },
};

struct span {
	const struct source *source;
	struct pvp_guid activity;
	uint64_t since;
	size_t name_n, stack_n;
	char name[NAME];
	uint64_t stack[PVP_MANAGED_FRAMES];
	bool failed;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct span *open[OPEN];
static size_t opens;
static struct {
	uint64_t id;
	const struct source *source; /* NULL: none of ours */
} known[PROVIDERS];
static size_t knowns;

bool pvp_clr_spans_provider(size_t i, pvp_char *name, size_t room, uint64_t *ret_keywords)
{
	if (!(pvp_clr_more() & PVP_CLR_SPANS) || i >= PV_COUNT_OF(sources))
		return false;
	const char *text = sources[i].provider;
	size_t n = strlen(text) + 1;
	for (size_t k = 0; k < n && k < room; k++)
		name[k] = (pvp_char)text[k];
	*ret_keywords = sources[i].keywords;
	return n <= room;
}

static const struct source *ask(uint64_t provider)
{
	struct pvp_clr_info *info = pvp_clr.info;
	pvp_char wide[PROVIDER];
	char name[3 * PROVIDER];
	uint32_t n = 0;
	if (info->is->provider_info(info, provider, PROVIDER, &n, wide) < 0)
		return NULL;
	pvp_clr_utf8(wide, n < PROVIDER ? n : PROVIDER, name, sizeof name);
	for (size_t i = 0; i < PV_COUNT_OF(sources); i++)
		if (strcmp(name, sources[i].provider) == 0)
			return &sources[i];
	return NULL;
}

/* Providers live as long as the process; there are few, and those beyond are asked each time. */
static const struct source *source_of(uint64_t provider)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < knowns; i++) {
		if (known[i].id != provider)
			continue;
		const struct source *s = known[i].source;
		pthread_mutex_unlock(&lock);
		return s;
	}
	pthread_mutex_unlock(&lock);
	const struct source *s = ask(provider);
	pthread_mutex_lock(&lock);
	if (knowns < PROVIDERS) {
		known[knowns].id = provider;
		known[knowns++].source = s;
	}
	pthread_mutex_unlock(&lock);
	return s;
}

static void begin(const struct source *s, const struct pvp_guid *activity, struct pvp_payload p)
{
	struct span *span = calloc(1, sizeof *span);
	if (!span)
		return;
	*span = (struct span){ .source = s, .activity = *activity, .since = pvp_monotonic() };
	span->name_n = s->describe(&p, span->name, sizeof span->name);
	span->stack_n = pvp_clr_stack_of_work(span->stack);
	pthread_mutex_lock(&lock);
	bool room = p.ok && opens < OPEN;
	if (room)
		open[opens++] = span;
	pthread_mutex_unlock(&lock);
	if (!room)
		free(span);
}

/* The newest of this activity; taken out when it is over. */
static struct span *find(const struct source *s, const struct pvp_guid *activity, bool over)
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

static void end(const struct source *s, const struct pvp_guid *activity, bool failed)
{
	struct span *span = find(s, activity, true);
	if (!span)
		return;
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

bool pvp_clr_spans_take(
	uint64_t provider, uint32_t id, struct pvp_payload p, const struct pvp_guid *activity)
{
	struct pvp_guid none = { 0 };
	const struct source *s = source_of(provider);
	uint64_t state = 0;
	if (!s)
		return false; /* the runtime's own */
	if (!s->what || !(pvp_clr_more() & PVP_CLR_SPANS))
		return true;
	if (s->numbered) {
		struct pvp_payload first = p;
		none.a = (uint32_t)pvp_payload_number(&first, 4);
		state = pvp_payload_number(&first, 4); /* of an end: bit 0 is set when it is well */
		activity = &none;
	}
	if (!activity)
		activity = &none;
	if (id == s->step[BEGIN])
		begin(s, activity, p);
	else if (id == s->step[END])
		end(s, activity, s->numbered && !(state & 1));
	else if (id == s->step[FAIL])
		find(s, activity, false);
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
