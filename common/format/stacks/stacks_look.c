/* SPDX-License-Identifier: MIT */
/* Counts the possible kinds of lines at a text's beginning, then judges. */
#include "common/format/stacks/stacks_look.h"

#include <string.h>

#include "common/base/text/merged_text.h"
#include "common/format/stacks/stack_line.h"
#include "common/format/stacks/stacks_text.h"

enum { MOST_DECIMALS = 9, MOST_LEAD = 15 /* digits of the largest count, with its decimals */ };

struct looking {
	struct pv_stack_look *to;
	size_t heads, heads_with;     /* with times; heads with a frame */
	size_t untimed, untimed_with; /* heads without times */
	bool head_before, untimed_before;
	/* Folded lines: of several frames, of one, and of these lines the ones with blanks. */
	size_t stacks, singles, wordy;
	size_t pairs; /* folded lines that end in two figures */
	size_t others;
	int least_exponent;   /* of the counts */
	unsigned most_digits; /* before the point */
};

/* --- events */

/* "cpu_core/cycles/u", "cycles:u" and "cycles" are "cycles". */
static struct pv_text plain(struct pv_text event)
{
	static const char modifiers[] = "ukhHGIPpSDWe";
	const char *slash = event.len ? memchr(event.at, '/', event.len) : NULL;
	size_t n = event.len;
	if (slash) {
		size_t rest = (size_t)(event.at + event.len - slash - 1);
		const char *end = memchr(slash + 1, '/', rest);
		return (struct pv_text){ slash + 1, end ? (size_t)(end - slash - 1) : rest };
	}
	while (n && strchr(modifiers, event.at[n - 1]))
		n--;
	if (n > 1 && event.at[n - 1] == ':')
		event.len = n - 1;
	return event;
}

bool pv_stack_is_tracepoint(struct pv_text event)
{
	event = plain(event);
	return event.len && memchr(event.at, ':', event.len) != NULL;
}

bool pv_stack_same_event(struct pv_text a, struct pv_text b)
{
	if (a.len == b.len && memcmp(a.at, b.at, a.len) == 0)
		return true;
	bool tracepoints = pv_stack_is_tracepoint(a);
	if (tracepoints || pv_stack_is_tracepoint(b))
		return tracepoints && pv_stack_is_tracepoint(b);
	a = plain(a);
	b = plain(b);
	return a.len == b.len && memcmp(a.at, b.at, a.len) == 0;
}

/* --- lines */

static void note_event(struct pv_stack_look *to, const struct pv_stack_head *h)
{
	if (!to->event.len) {
		to->event = h->event;
		to->period = to->most_period = h->period;
		return;
	}
	if (!pv_stack_same_event(to->event, h->event))
		return;
	to->periods_differ |= h->period != to->period;
	to->most_period = h->period > to->most_period ? h->period : to->most_period;
}

static bool note_head(struct looking *l, const char *line, size_t n)
{
	struct pv_stack_head h;
	struct pv_stack_frame frame;
	bool timed = pv_stack_head(line, n, &h);
	if (!timed && !pv_stack_head_untimed(line, n, &h))
		return false;
	l->head_before = l->untimed_before = false;
	if (h.record)
		return true;
	bool with = h.frame.len && pv_stack_frame_last(h.frame, &frame);
	if (!timed) {
		l->untimed++;
		l->untimed_with += with;
		l->untimed_before = !with;
		if (l->heads == 0)
			note_event(l->to, &h);
		return true;
	}
	if (l->heads++ == 0) {
		l->to->event.len = 0; /* reset after lines that only resembled heads */
		l->to->periods_differ = false;
		l->to->first_ns = h.time_ns;
	}
	l->heads_with += with;
	l->head_before = !with;
	l->to->first_ns = h.time_ns < l->to->first_ns ? h.time_ns : l->to->first_ns;
	note_event(l->to, &h);
	return true;
}

static bool note_frame(struct looking *l, const char *line, size_t n)
{
	struct pv_stack_frame f;
	bool after_head = l->head_before || l->untimed_before;
	bool ok = pv_stack_frame(line, n, &f) && (*line == ' ' || *line == '\t' || f.object.len);
	if (!ok)
		return false;
	l->heads_with += l->head_before;
	l->untimed_with += l->untimed_before;
	l->head_before = l->untimed_before = false;
	return after_head || *line == '\t' || *line == ' ';
}

/* A name of one word, with a letter: a line of prose that ends in a figure has more words. */
static bool is_one_name(struct pv_text name)
{
	int depth = 0;
	bool letter = false;
	for (size_t i = 0; i < name.len; i++) {
		char c = name.at[i];
		depth += c == '<' || c == '(' || c == '[';
		depth -= (c == '>' || c == ')' || c == ']') && depth > 0;
		if (c == ' ' && depth == 0)
			return false;
		letter |= ((unsigned char)(c | 32) >= 'a' && (c | 32) <= 'z') || (c & 0x80);
	}
	return letter;
}

static void note_count(struct looking *l, const struct pv_stack_number *count)
{
	unsigned digits = 0;
	for (uint64_t d = count->digits; d; d /= 10)
		digits++;
	int lead = (int)digits + count->exponent;
	if (count->digits && count->exponent < l->least_exponent)
		l->least_exponent = count->exponent;
	if (lead > 0 && (unsigned)lead > l->most_digits)
		l->most_digits = (unsigned)lead;
}

static bool note_folded(struct looking *l, const char *line, size_t n)
{
	struct pv_stack_folded f, inner;
	if (!pv_stack_folded(line, n, &f))
		return false;
	bool deep = memchr(f.stack.at, ';', f.stack.len) != NULL;
	l->pairs += pv_stack_folded(f.stack.at, f.stack.len, &inner);
	l->stacks += deep;
	l->singles += !deep;
	l->wordy += !deep && !is_one_name(f.stack);
	note_count(l, &f.count);
	return true;
}

static void note_line(struct looking *l, const char *line, size_t n)
{
	if (*line == '\t' || *line == ' ') {
		if (note_frame(l, line, n) || (*line == ' ' && note_head(l, line, n)))
			return;
		l->others += !pv_stack_is_place(line, n);
		return;
	}
	if (note_frame(l, line, n) || note_head(l, line, n) || note_folded(l, line, n))
		return;
	l->others++;
}

/* --- judgement */

static void judge_folded(const struct looking *l)
{
	struct pv_stack_look *to = l->to;
	size_t all = l->stacks + l->singles;
	bool folded = l->stacks ? l->stacks >= l->others : l->singles && !l->others && !l->wordy;
	bool pairs = all > 1 && l->pairs == all; /* a single name may end in a figure */
	if (!folded)
		return;
	to->kind = PV_STACK_FOLDED;
	if (pairs)
		to->refusal = "folded stacks with the figures of two recordings on each line: give "
			      "the two texts that they were made from to profview diff";
	unsigned decimals = l->least_exponent < 0 ? (unsigned)-l->least_exponent : 0;
	decimals = decimals < MOST_DECIMALS ? decimals : MOST_DECIMALS;
	while (decimals && decimals + l->most_digits > MOST_LEAD)
		decimals--;
	to->decimals = decimals;
}

static enum pv_sniffed judge_kind(const struct looking *l)
{
	struct pv_stack_look *to = l->to;
	if (l->heads_with || (l->heads && !l->others && !l->stacks))
		to->kind = PV_STACK_PERF;
	else if (l->untimed_with && l->untimed_with * 2 >= l->untimed)
		to->kind = PV_STACK_UNTIMED;
	else
		judge_folded(l);
	if (to->kind == PV_STACK_UNTIMED || to->kind == PV_STACK_FOLDED)
		to->first_ns = 0;
	return to->kind == PV_STACK_NONE ? PV_SNIFF_NO : PV_SNIFF_YES;
}

size_t pv_stack_text_mark(const uint8_t *bytes, size_t n)
{
	return n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

static bool take_merged(struct pv_stack_look *to, const char *line, size_t n)
{
	const size_t head = sizeof PV_MERGED_HEAD - 1;
	if (to->merged.at || n < head || memcmp(line, PV_MERGED_HEAD, head) != 0)
		return false;
	to->merged = (struct pv_text){ line + head, n - head };
	return true;
}

enum pv_sniffed pv_stack_look(const uint8_t *bytes, size_t n, bool ended, struct pv_stack_look *ret)
{
	struct looking l = { .to = ret };
	const char *at = (const char *)bytes, *end = at + n;
	size_t comments = 0, others = 0; /* bytes of whole lines */
	*ret = (struct pv_stack_look){ .event = { "", 0 } };
	at += pv_stack_text_mark(bytes, n);
	while (at < end && others < PV_STACK_TEXT_SNIFF && comments < PV_STACK_TEXT_COMMENTS) {
		/* A line that begins within the limit may be as long as any other. */
		const char *feed = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((feed ? feed : end) - at), whole = len + (feed != NULL);
		bool comment = *at == '#';
		if (!feed && !ended && len <= PV_STACK_TEXT_LINE)
			return PV_SNIFF_UNSURE;
		if (len && at[len - 1] == '\r')
			len--;
		if (comment)
			take_merged(ret, at, len);
		else if (len > PV_STACK_TEXT_LINE)
			l.others++;
		else if (len)
			note_line(&l, at, len);
		*(comment ? &comments : &others) += whole;
		at += whole;
	}
	bool over = others >= PV_STACK_TEXT_SNIFF || comments >= PV_STACK_TEXT_COMMENTS;
	return over || ended ? judge_kind(&l) : PV_SNIFF_UNSURE;
}
