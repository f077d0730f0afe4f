/* SPDX-License-Identifier: MIT */
/* Estimates the cost of recording from two readings of the probe's statistics. */
#include "tui/draw/cost.h"

#include <stdlib.h>
#include <string.h>

const char *const ui_cost_names[UI_COST_KINDS] = { "calls", "alloc", "gc", "exception", "monitor",
	"sample", "heapshot", "counter", "names", "other" };

/* ns an event, on the program's threads; 0: as a call, times two. Names are the writer's work. */
static const uint64_t usual_ns[UI_COST_KINDS] = { [UI_COST_GC] = 300,
	[UI_COST_EXCEPTION] = 3000,
	[UI_COST_MONITOR] = 3000,
	[UI_COST_SAMPLE] = 8000,
	[UI_COST_HEAPSHOT] = 30,
	[UI_COST_COUNTER] = 1,
	[UI_COST_NAMES] = 1,
	[UI_COST_OTHER] = 100 };

static const enum ui_cost_kind switches[] = { UI_COST_CALLS, UI_COST_ALLOC, UI_COST_EXCEPTION,
	UI_COST_MONITOR, UI_COST_SAMPLE };

/* The text after " KEY=", or after "KEY=" in front; NULL: no such key. */
static const char *word(const char *answer, const char *lead, const char *name)
{
	size_t a = strlen(lead), b = strlen(name);
	for (const char *at = answer; *at;) {
		if (strncmp(at, lead, a) == 0 && strncmp(at + a, name, b) == 0 && at[a + b] == '=')
			return at + a + b + 1;
		at += strcspn(at, " ");
		at += *at == ' ';
	}
	return NULL;
}

static uint64_t answer_number(const char *answer, const char *lead, const char *name)
{
	const char *text = word(answer, lead, name);
	return text ? strtoull(text, NULL, 10) : 0;
}

static bool answer_is(const char *answer, const char *key, const char *value)
{
	const char *text = word(answer, "", key);
	size_t n = strlen(value);
	return text && strncmp(text, value, n) == 0 && (!text[n] || text[n] == ' ');
}

bool ui_stats_parse(const char *answer, struct ui_stats *ret)
{
	if (!word(answer, "", "ms") || !word(answer, "", "call_ns"))
		return false;
	*ret = (struct ui_stats){ .ms = answer_number(answer, "", "ms"),
		.lag_ms = answer_number(answer, "", "lag_ms"),
		.lost = answer_number(answer, "", "lost"),
		.written = answer_number(answer, "", "written"),
		.call_ns = answer_number(answer, "", "call_ns"),
		.cpu_us = answer_number(answer, "", "cpu_us"),
		.writer_cpu_us = answer_number(answer, "", "writer_cpu_us"),
		.paused = answer_is(answer, "paused", "on") };
	for (int i = 0; i < UI_COST_KINDS; i++) {
		ret->events[i] = answer_number(answer, "events.", ui_cost_names[i]);
		ret->bytes[i] = answer_number(answer, "bytes.", ui_cost_names[i]);
		ret->off[i] = answer_is(answer, ui_cost_names[i], "off");
	}
	return true;
}

static uint64_t since(uint64_t before, uint64_t after)
{
	return after > before ? after - before : 0;
}

static uint64_t cost_ns(const struct ui_stats *s, enum ui_cost_kind kind, uint64_t events)
{
	if (kind == UI_COST_CALLS)
		return events * s->call_ns;
	return events * (usual_ns[kind] ? usual_ns[kind] : 2 * s->call_ns);
}

static void add_cost_row(struct ui_cost *c, struct ui_cost_row row)
{
	size_t at = c->n++;
	for (; at > 0 && (c->row[at - 1].slower < row.slower ||
				 (c->row[at - 1].slower <= row.slower &&
					 c->row[at - 1].bytes_per_s < row.bytes_per_s));
		at--)
		c->row[at] = c->row[at - 1];
	c->row[at] = row;
}

void ui_cost_between(
	const struct ui_stats *before, const struct ui_stats *after, struct ui_cost *ret)
{
	uint64_t ms = since(before->ms, after->ms), ns[UI_COST_KINDS], all = 0;
	uint64_t cpu = 1000 * since(before->cpu_us, after->cpu_us);
	uint64_t writer = 1000 * since(before->writer_cpu_us, after->writer_cpu_us);
	*ret = (struct ui_cost){ .known = ms > 0,
		.paused = after->paused,
		.lag_ms = after->lag_ms,
		.lost = after->lost };
	if (!ms)
		return;
	for (int i = 0; i < UI_COST_KINDS; i++) {
		ns[i] = cost_ns(
			after, (enum ui_cost_kind)i, since(before->events[i], after->events[i]));
		all += ns[i];
	}
	/* Share left without the probe; never less than a tenth, as estimates are no more exact. */
	uint64_t own = since(writer, cpu), least = own / 10 + 1;
	own = own > all + least ? own - all : least;
	ret->bytes_per_s = since(before->written, after->written) * 1000 / ms;
	ret->slower = 100.0 * (double)all / (double)own;
	ret->outside = 100.0 * (double)writer / (double)own;
	for (int i = 0; i < UI_COST_KINDS; i++) {
		struct ui_cost_row row = { .kind = (enum ui_cost_kind)i,
			.events_per_s = since(before->events[i], after->events[i]) * 1000 / ms,
			.bytes_per_s = since(before->bytes[i], after->bytes[i]) * 1000 / ms,
			.slower = 100.0 * (double)ns[i] / (double)own };
		if (after->events[i] > before->events[i])
			add_cost_row(ret, row);
	}
}

static bool has_switch(enum ui_cost_kind kind)
{
	for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++)
		if (switches[i] == kind)
			return true;
	return false;
}

enum ui_cost_kind ui_cost_dearest_now(const struct ui_cost *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (has_switch(c->row[i].kind))
			return c->row[i].kind;
	return UI_COST_KINDS;
}

enum ui_cost_kind ui_cost_dearest(const struct ui_stats *s)
{
	enum ui_cost_kind dearest = UI_COST_KINDS;
	uint64_t most = 0;
	for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
		uint64_t ns = cost_ns(s, switches[i], s->events[switches[i]]);
		if (s->off[switches[i]] || ns <= most)
			continue;
		most = ns;
		dearest = switches[i];
	}
	return dearest;
}
