/* SPDX-License-Identifier: MIT */
/*
 * Statements of our probes about their hooks (the header's args, the probes' counters): "complete"
 * and "none happened" hold only if the probe is known to have seen everything.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/status.h"
#include "common/base/utf8.h"
#include "common/base/text/units.h"
#include "common/model/model.h"
#include "common/query/coverage/coverage.h"
#include "common/query/coverage/coverage_advice.h"
#include "common/query/groups/specs.h"

enum { WORD = 200 };

/* The value of a word in the args, "" for a word without one; NULL: no such word. */
static const char *word(const struct pv_model *m, const char *key, char to[WORD])
{
	const char *at = m->target.args ? m->target.args : "";
	size_t len = strlen(key);
	for (at = strchr(at, ':'); at; at = strchr(at, ',')) {
		at++;
		if (strncmp(at, key, len) != 0 || (at[len] && !strchr("=,", at[len])))
			continue;
		at += len + (at[len] == '=');
		snprintf(to, WORD, "%.*s", (int)strcspn(at, ","), at);
		return to;
	}
	return NULL;
}

static bool by_probe(const struct pv_model *m, const char *host)
{
	const char *args = m->target.args ? m->target.args : "";
	size_t len = strlen(host);
	return strncmp(args, "profview:", 9) == 0 &&
	       (!len || (strncmp(args + 9, host, len) == 0 && strchr(",", args[9 + len])));
}

/* Puts a text before the detail. */
static void say_first(struct pv_coverage *c, const char *text)
{
	char before[sizeof c->detail];
	memcpy(before, c->detail, sizeof before);
	c->detail[0] = 0;
	pv_coverage_say(c, "%s", text);
	if (before[0])
		pv_coverage_say(c, "%s", before);
}

static void forget_none(const struct pv_model *m, struct pv_coverage *c)
{
	if (strcmp(c->detail, pv_coverage_none(m)) == 0)
		c->detail[0] = 0;
}

/* ---- the allocator */

static void bypass(const struct pv_model *m, struct pv_coverage *c, const char *text)
{
	c->state = PV_BYPASSED;
	forget_none(m, c);
	say_first(c, text);
}

/* Whether calls of the allocator bypassed the probe; says so. */
static bool is_bypassed(const struct pv_model *m, struct pv_coverage *c, bool frees)
{
	char value[WORD], text[2 * WORD];
	if (word(m, "mixed", value)) {
		snprintf(text, sizeof text,
			"malloc, free and realloc are of different libraries"
			" (%s): nothing was hooked",
			PV_FIT(value, 60));
		bypass(m, c, text);
		return true;
	}
	const char *library = word(m, "bypassed", value) ? strchr(value, ':') : NULL;
	bool only_frees = library && strncmp(value, "free:", 5) == 0;
	if (!library || (only_frees && !frees))
		return false;
	if (only_frees)
		snprintf(text, sizeof text,
			"free is that of %s, before the probe: what is given"
			" back is not seen",
			PV_FIT(library + 1, 60));
	else
		snprintf(text, sizeof text,
			"malloc is that of %s, before the probe: allocations"
			" are not seen",
			PV_FIT(library + 1, 60));
	bypass(m, c, text);
	return true;
}

static void say_none_seen(const struct pv_model *m, struct pv_coverage *c)
{
	char value[WORD];
	if (m->allocs.count || m->held.one.n > 1)
		return;
	if (word(m, "alloc", value) && *value) {
		c->state = PV_INFERRED;
		c->detail[0] = 0;
		pv_coverage_say(c, "none was among those sampled, one every %s bytes", value);
	} else if (by_probe(m, "native") && word(m, "gcalloc", value)) {
		c->state = PV_PARTIAL;
		c->detail[0] = 0;
		pv_coverage_say(c, "none was seen");
	}
}

/* Whether allocations are asked for, one by one or as sums of held memory; sums need frees, too. */
static bool allocates(const struct pv_model *m, bool *ret_frees)
{
	const unsigned enabled = pv_groups_enabled(m);
	*ret_frees = enabled & PV_GROUP_HELD;
	return enabled & (PV_GROUP_ALLOC | PV_GROUP_HELD);
}

static void of_allocations(const struct pv_model *m, struct pv_coverage *c)
{
	char value[WORD], text[2 * WORD];
	if (word(m, "late", value) && c->state != PV_NOT_RECORDED) {
		c->state = c->state == PV_COMPLETE ? PV_PARTIAL : c->state;
		pv_coverage_say(
			c, "a copy by fork, known from its first 20 ms of processor time on");
	}
	bool frees;
	if (!allocates(m, &frees) || is_bypassed(m, c, frees))
		return;
	say_none_seen(m, c);
	if (c->state != PV_NOT_RECORDED && word(m, "new-of", value)) {
		snprintf(text, sizeof text,
			"operator new is that of %s: seen where it calls"
			" malloc",
			PV_FIT(value, 60));
		c->state = c->state == PV_COMPLETE ? PV_PARTIAL : c->state;
		pv_coverage_say(c, "%s", text);
	}
}

/* ---- calls, losses */

static void of_calls(const struct pv_model *m, struct pv_coverage *c)
{
	bool none = c->state == PV_COMPLETE && strcmp(c->detail, pv_coverage_none(m)) == 0;
	if (!none || !by_probe(m, "native"))
		return;
	c->state = PV_NOT_RECORDED;
	c->detail[0] = 0;
	pv_coverage_say(
		c, "no -finstrument-functions code was seen: compile with it to have calls");
}

static void of_losses(const struct pv_model *m, struct pv_coverage *c)
{
	char value[WORD];
	bool waits = word(m, "block", value), bounded = word(m, "maxsize", value);
	if (m->lost_events && !waits && !bounded && !by_probe(m, "outside"))
		pv_coverage_say(c,
			"none is with --probe block=yes, or with --record and no screen, "
			"while the disk has room");
}

/* ---- samples */

/* NULL: the probe wrote no such counter. */
static const struct pv_counter *own_counter(const struct pv_model *m, const char *name)
{
	const struct pv_counters *k = &m->counters;
	for (size_t i = 1; i < k->counter.n; i++)
		if (k->counter.v[i].section == PV_SECTION_PROFILER &&
			strcmp(pv_intern_text(&m->names.text, k->counter.v[i].name), name) == 0)
			return &k->counter.v[i];
	return NULL;
}

uint64_t pv_coverage_counter(const struct pv_model *m, const char *name)
{
	const struct pv_counter *c = own_counter(m, name);
	return c ? c->raw : 0;
}

static void say_rate(const struct pv_model *m, struct pv_coverage *c)
{
	char asked[WORD], timer[WORD];
	if (by_probe(m, "outside"))
		pv_coverage_say(c, "from outside");
	if (by_probe(m, "native") && word(m, "inside", asked))
		pv_coverage_say(c, "by a library in the program, since perf events were refused");
	if (!word(m, "sample-timer", timer))
		return;
	if (strncmp(timer, "mono:", 5) == 0)
		pv_coverage_say(c, "up to %.20s a second of the process's time, by Mono's sampler",
			timer + 5);
	if (strncmp(timer, "mono-cpu:", 9) == 0)
		pv_coverage_say(c,
			"up to %.20s a second of processor time, where Mono's sampler meets it",
			timer + 9);
	if (strncmp(timer, "mono-perf:", 10) == 0)
		pv_coverage_say(c, "%.20s a second of processor time, met in the program's code",
			timer + 10);
	if (strncmp(timer, "user:", 5) == 0) {
		pv_coverage_say(c,
			"%.20s a second of processor time in the program's code, the kernel's is"
			" not sampled",
			timer + 5);
		c->state = c->state == PV_COMPLETE ? PV_PARTIAL : c->state;
	}
	if (strncmp(timer, "cpu:", 4) != 0)
		return;
	bool less = (word(m, "sample", asked) || word(m, "sample-real", asked)) &&
		    strcmp(asked, timer + 4) != 0;
	if (less)
		pv_coverage_say(c,
			"%.20s a second of processor time, the system's ticks: %.20s"
			" were asked for",
			timer + 4, asked);
	else
		pv_coverage_say(c, "%.20s a second of processor time", timer + 4);
}

/* Recording begins once a process is worth recording: says how much processor time came before. */
static void say_since(const struct pv_model *m, struct pv_coverage *c)
{
	char ms[WORD];
	if (!word(m, "since", ms))
		return;
	pv_coverage_say(c, "from %.10s ms of the process's processor time on", ms);
	c->state = c->state == PV_COMPLETE ? PV_PARTIAL : c->state;
}

/* Counters "samples missed: REASON". */
static void say_missed(const struct pv_model *m, struct pv_coverage *c)
{
	static const char prefix[] = "samples missed: ";
	const struct pv_counters *k = &m->counters;
	for (size_t i = 1; i < k->counter.n; i++) {
		const struct pv_counter *one = &k->counter.v[i];
		const char *name = pv_intern_text(&m->names.text, one->name);
		if (one->section != PV_SECTION_PROFILER || !one->raw ||
			strncmp(name, prefix, sizeof prefix - 1) != 0)
			continue;
		pv_coverage_say(c, "%.100s", name + sizeof prefix - 1);
		c->state = c->state == PV_COMPLETE ? PV_PARTIAL : c->state;
	}
}

/* A sampler meets a few of many short threads, or none where they end too soon. */
static void say_short_threads(const struct pv_model *m, struct pv_coverage *c)
{
	enum { MANY = 100, FEW = 50 }; /* MANY: threads; FEW: 1 in 50 */
	const struct pv_threads *t = &m->threads;
	char digits[PV_UNIT_MAX], of[PV_UNIT_MAX];
	uint64_t ended = 0, met = 0;
	for (size_t i = 1; i < t->thread.n; i++) {
		const struct pv_thread *one = t->thread.v[i];
		if (one->end_ns == PV_NEVER || one->start_ns == PV_NEVER)
			continue;
		ended++;
		met += one->samples > 0;
	}
	if (ended < MANY || met * FEW > ended)
		return;
	c->state = c->state == PV_COMPLETE ? PV_PARTIAL : c->state;
	pv_coverage_say(c, "of %s threads that began and ended %s had a sample",
		pv_units_exact(of, sizeof of, ended), pv_units_exact(digits, sizeof digits, met));
}

/* The kernel's share of the sampled processor time, in %; 0: none. */
static double kernel_share(const struct pv_model *m)
{
	struct pv_cpu_time all = { 0, 0 };
	for (size_t i = 0; i < m->tree_sums.cpu.n; i++) {
		all.user_ns += m->tree_sums.cpu.v[i].user_ns;
		all.kernel_ns += m->tree_sums.cpu.v[i].kernel_ns;
	}
	double sum = (double)all.user_ns + (double)all.kernel_ns;
	return sum > 0 ? 100 * (double)all.kernel_ns / sum : 0;
}

static const char kernel_advice[] =
	" % of the time is the kernel's, without its functions: --probe kernel has them";

const char *pv_coverage_advice(const char *line, size_t *ret_n)
{
	const char *rest = strstr(line, kernel_advice), *from = rest;
	while (from && from > line && (from[-1] >= '0' && from[-1] <= '9'))
		from--;
	if (from && from - line >= 2 && memcmp(from - 2, ", ", 2) == 0)
		from -= 2;
	*ret_n = rest ? (size_t)(rest - from) + sizeof kernel_advice - 1 : 0;
	return from ? from : line;
}

/* Says how much time is the kernel's, if the kernel's functions could have been recorded. */
static void say_kernel(const struct pv_model *m, struct pv_coverage *c)
{
	enum { MUCH = 10 };
	char kernel[WORD], timer[WORD];
	const char *of = word(m, "sample-timer", timer);
	if (word(m, "kernel", kernel)) {
		if (strcmp(kernel, "refused") == 0)
			pv_coverage_say(
				c, "the kernel's functions are refused (perf_event_paranoid)");
		return;
	}
	bool possible = of && (strncmp(of, "cpu:", 4) == 0 || strncmp(of, "mono-cpu:", 9) == 0);
	double share = possible ? kernel_share(m) : 0;
	if (share >= MUCH)
		pv_coverage_say(c, "%.0f%s", share, kernel_advice);
}

/* System calls that the program's filter refuses. */
static void say_filter(const struct pv_model *m, struct pv_coverage *c)
{
	char refused[WORD];
	if (!word(m, "filter", refused))
		return;
	pv_coverage_say(c, "the program's filter of system calls refuses %s", refused);
	if (strstr(refused, "timer_create"))
		c->state = PV_PARTIAL;
}

/* ---- ends of stacks, in counters "KIND stacks to their end", "KIND stacks cut in FILE: REASON" */

struct cut {
	const char *place, *reason; /* reason "": `place` says all */
	uint64_t n;
	int place_len;
};

static const char *after(const char *text, const char *prefix)
{
	size_t n = strlen(prefix);
	return strncmp(text, prefix, n) == 0 ? text + n : NULL;
}

/* Cuts counted without a file: the reason is the same in all files, or the probe is an old one. */
static const char *cut_text(const char *reason)
{
	static const char *const of[][2] = {
		{ "no frame pointer", "cut where no way to the caller is known" },
		{ "unreadable", "cut in unreadable memory" },
		{ "beyond what is copied", "deeper than what is copied, 64 KiB at most" },
		{ "too deep", "cut at the most callers that are kept" }, /* sample_rings.h */
	};
	for (size_t i = 0; i < PV_COUNT_OF(of); i++)
		if (strcmp(of[i][0], reason) == 0)
			return of[i][1];
	return NULL;
}

/* False: the counter is about something else. */
static bool cut_of(const char *name, const char *kind, struct cut *ret)
{
	char prefix[WORD];
	snprintf(prefix, sizeof prefix, "%s stacks cut", kind);
	const char *rest = after(name, prefix), *in = rest ? after(rest, " in ") : NULL;
	const char *colon = rest ? strstr(rest, ": ") : NULL, *next = colon;
	if (!colon)
		return false;
	while (in &&
		(next = strstr(next + 1, ": "))) /* files may have a colon, reasons have none */
		colon = next;
	*ret = (struct cut){ .place = in ? in : cut_text(colon + 2),
		.reason = in ? colon + 2 : "",
		.place_len = in ? (int)(colon - in) : WORD };
	return ret->place != NULL;
}

enum { NAMED_CUTS = 3 };

/* Inserts a cut, the largest first; *ret_more: the sum of the cuts left out. */
static size_t add_cut(struct cut cuts[NAMED_CUTS], size_t n, struct cut c, uint64_t *ret_more)
{
	for (size_t i = 0; i < n; i++) {
		if (cuts[i].n >= c.n)
			continue;
		struct cut less = cuts[i];
		cuts[i] = c;
		c = less;
	}
	if (n < NAMED_CUTS)
		cuts[n++] = c;
	else
		*ret_more += c.n;
	return n;
}

static void say_cut(struct pv_coverage *c, const struct cut *cut, double percent)
{
	enum { LONGEST = 60 };
	if (*cut->reason)
		pv_coverage_say(c, "%.3g %% end early in %.*s: %s", percent,
			cut->place_len < LONGEST ? cut->place_len : LONGEST, cut->place,
			PV_FIT(cut->reason, 60));
	else
		pv_coverage_say(c, "%.3g %% %s", percent, cut->place);
}

/* Says shares of all stacks: cut stacks are below wrong callers. */
static void say_ends(const struct pv_model *m, const char *kind, struct pv_coverage *c)
{
	const struct pv_counters *k = &m->counters;
	struct cut cuts[NAMED_CUTS], cut;
	char name[WORD];
	snprintf(name, sizeof name, "%s stacks to their end", kind);
	uint64_t whole = pv_coverage_counter(m, name), all, more = 0;
	snprintf(name, sizeof name, "%s stacks to the depth asked for", kind);
	uint64_t asked = pv_coverage_counter(m, name);
	all = whole += asked;
	size_t n = 0;
	for (size_t i = 1; i < k->counter.n; i++) {
		const struct pv_counter *one = &k->counter.v[i];
		const char *text = pv_intern_text(&m->names.text, one->name);
		if (one->section != PV_SECTION_PROFILER || !one->raw || !cut_of(text, kind, &cut))
			continue;
		cut.n = one->raw;
		all += cut.n;
		n = add_cut(cuts, n, cut, &more);
	}
	if (all == 0)
		return;
	const bool only_cuts = by_probe(m, "mono"); /* Mono's probe does not count whole stacks */
	if (only_cuts && m->kinds[PV_KIND_SAMPLE_HIT] > all)
		all = m->kinds[PV_KIND_SAMPLE_HIT];
	double part = 100 / (double)all;
	if (!only_cuts)
		pv_coverage_say(c, "stacks: %.3g %% to their end%s", part * (double)whole,
			asked ? " or the depth asked for" : "");
	for (size_t i = 0; i < n; i++)
		say_cut(c, &cuts[i], part * (double)cuts[i].n);
	if (more)
		pv_coverage_say(c, "%.3g %% elsewhere (counters have where)", part * (double)more);
	if (all > whole && c->state == PV_COMPLETE)
		c->state = PV_PARTIAL;
}

/* ---- child processes */

uint64_t pv_coverage_children(const struct pv_model *m)
{
	return pv_coverage_counter(m, "child processes");
}

/* Each child may have a log of its own; known of fork() only. */
static void say_logs(struct pv_coverage *c, const char *n, bool one, uint64_t logs)
{
	char with[PV_UNIT_MAX];
	pv_units_exact(with, sizeof with, logs);
	pv_coverage_say(c,
		"the program started at least %s child process%s, which %s not in this log (%s"
		" known to have %s own)",
		n, one ? "" : "es", one ? "is" : "are", logs ? with : "none",
		logs == 1 ? "its" : "their");
}

void pv_coverage_say_children(const struct pv_model *m, struct pv_coverage *c)
{
	char n[PV_UNIT_MAX], time[PV_UNIT_MAX];
	uint64_t children = pv_coverage_children(m);
	const struct pv_counter *logs = own_counter(m, "child processes with logs");
	uint64_t used = pv_coverage_counter(m, "processor time of child processes");
	if (children == 0)
		return;
	c->state = c->state == PV_COMPLETE ? PV_PARTIAL : c->state;
	pv_units_exact(n, sizeof n, children);
	if (logs)
		say_logs(c, n, children == 1, logs->raw);
	else
		pv_coverage_say(c, "at least %s child process%s not recorded", n,
			children == 1 ? " was" : "es were");
	if (used)
		pv_coverage_say(c, "%s of processor time by those that ended",
			pv_units_ns(time, sizeof time,
				used < INT64_MAX / 100 ? (int64_t)used * 100 : INT64_MAX));
}

static bool was_whole(enum pv_what what, struct pv_coverage *c)
{
	bool was = c->state == PV_COMPLETE && what != PV_WHAT_DAMAGE;
	c->state = was ? PV_PARTIAL : c->state;
	return was;
}

/* A process that becomes another program begins another recording, if old enough by then. */
static void say_images(const struct pv_model *m, enum pv_what what, struct pv_coverage *c)
{
	char n[PV_UNIT_MAX];
	if (what == PV_WHAT_LOSSES)
		pv_coverage_say(c, "what the process was for less than 20 ms is in none");
	else if (what != PV_WHAT_NAMES && was_whole(what, c))
		pv_coverage_say(c, "of the last of %s recordings",
			pv_units_exact(n, sizeof n, m->recordings));
}

/* Bytes of a pipe were dropped: whatever the log has, a part is missing. */
static void say_dropped(const struct pv_model *m, enum pv_what what, struct pv_coverage *c)
{
	char bytes[PV_UNIT_MAX];
	if (!was_whole(what, c))
		return;
	if (what == PV_WHAT_LOSSES)
		c->detail[0] = 0; /* "none" */
	pv_coverage_say(c, "%s of the log dropped unread, the spool being full (--spool)",
		pv_units_bytes(bytes, sizeof bytes, m->dropped));
}

/* .NET reports some of the collections within a background collection, not all. */
static void of_gc(const struct pv_model *m, struct pv_coverage *c)
{
	size_t background = 0;
	for (size_t i = 0; by_probe(m, "coreclr") && i < m->gc.collections.n; i++)
		background += m->gc.collections.v[i].concurrent;
	if (!background || c->state == PV_NOT_RECORDED)
		return;
	c->state = c->state == PV_COMPLETE ? PV_PARTIAL : c->state;
	pv_coverage_say(
		c, "%zu in the background, within which .NET does not tell of all", background);
}

void pv_coverage_probe(const struct pv_model *m, enum pv_what what, struct pv_coverage *c)
{
	bool frees;
	if (m->dropped)
		say_dropped(m, what, c);
	if (m->recordings > 1 && by_probe(m, "native"))
		say_images(m, what, c);
	if (!by_probe(m, ""))
		return;
	switch (what) {
	case PV_WHAT_THREADS: /* starts are not seen, only samples and allocations */
		if (c->state == PV_PARTIAL && by_probe(m, "native"))
			pv_coverage_say(c, "those without an event of their own are not counted");
		break;
	case PV_WHAT_CALLS:
		of_calls(m, c);
		break;
	case PV_WHAT_GC:
		of_gc(m, c);
		break;
	case PV_WHAT_ALLOCATIONS:
		of_allocations(m, c);
		break;
	case PV_WHAT_ALLOCATION_STACKS:
		if (allocates(m, &frees) && !is_bypassed(m, c, frees)) {
			say_none_seen(m, c);
			say_ends(m, "allocation", c);
		}
		break;
	case PV_WHAT_HEAP_SHOTS:
		if (pv_groups_enabled(m) & PV_GROUP_SHOTS)
			is_bypassed(m, c, true);
		break;
	case PV_WHAT_SAMPLES:
		if (c->state == PV_NOT_RECORDED)
			return;
		say_rate(m, c);
		say_filter(m, c);
		say_since(m, c);
		say_missed(m, c);
		say_short_threads(m, c);
		say_kernel(m, c);
		say_ends(m, "sample", c);
		break;
	case PV_WHAT_LOSSES:
		of_losses(m, c);
		break;
	default:
		break;
	}
}
