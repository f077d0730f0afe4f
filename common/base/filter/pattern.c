/* SPDX-License-Identifier: MIT */
/* Makes regular expressions into steps, and searches by following all ways at once. */
#include "common/base/filter/pattern.h"

#include <string.h>

enum what { BYTE, SET, GO, FORK, BEGIN, END, FOUND };

/* A pattern being read, up to an error (`why`). */
struct making {
	struct pv_pattern *p;
	const char *text;
	size_t len, at;
	unsigned depth;
	struct pv_pattern_error *err;
	bool bad;
};

static bool refuse_pattern(struct making *m, size_t at, const char *what)
{
	if (!m->bad)
		*m->err = (struct pv_pattern_error){ at, what };
	m->bad = true;
	return false;
}

static bool more(const struct making *m)
{
	return m->at < m->len;
}

static bool next_is(const struct making *m, char c)
{
	return more(m) && m->text[m->at] == c;
}

static uint8_t lower(uint8_t c)
{
	return c >= 'A' && c <= 'Z' ? (uint8_t)(c + 32) : c;
}

/* Adds a step that leads to the next step. */
static bool add_step(struct making *m, enum what what, unsigned byte)
{
	struct pv_pattern *p = m->p;
	if (p->steps == PV_PATTERN_STEPS)
		return refuse_pattern(m, m->at, "the regex is too long");
	p->step[p->steps] = (struct pv_pattern_step){
		.what = (uint8_t)what, .byte = (uint8_t)byte, .to = (uint16_t)(p->steps + 1)
	};
	p->steps++;
	return true;
}

/* --- sets */

static void set_byte(uint32_t *set, unsigned byte)
{
	set[byte >> 5] |= 1u << (byte & 31);
}

static bool in(const uint32_t *set, unsigned byte)
{
	return set[byte >> 5] >> (byte & 31) & 1;
}

/* Adds a step for these bytes; equal sets are shared. */
static bool add_set(struct making *m, const uint32_t set[8])
{
	struct pv_pattern *p = m->p;
	unsigned i = 0;
	while (i < p->sets && memcmp(p->set[i], set, sizeof p->set[i]) != 0)
		i++;
	if (i == PV_PATTERN_SETS)
		return refuse_pattern(m, m->at, "too many different [...]");
	memcpy(p->set[i], set, sizeof p->set[i]);
	p->sets += i == p->sets;
	return add_step(m, SET, i);
}

/* Adds a character of UTF-8 whose first byte is in the set, with all continuations. */
static bool add_character(struct making *m, uint32_t set[8])
{
	uint32_t rest[8] = { 0 };
	for (unsigned c = 0x80; c < 0xc0; c++)
		set_byte(rest, c);
	for (unsigned c = 0x80; c < 0xc0; c++)
		set[c >> 5] &= ~(1u << (c & 31));
	for (unsigned c = 0xc0; c < 0x100; c++)
		set_byte(set, c);
	if (!add_set(m, set))
		return false;
	unsigned fork = m->p->steps;
	if (!add_step(m, FORK, 0) || !add_set(m, rest) || !add_step(m, GO, 0))
		return false;
	m->p->step[fork].other = (uint16_t)m->p->steps;
	m->p->step[fork + 2].to = (uint16_t)fork;
	return true;
}

static bool is_named(const char *name, unsigned c)
{
	bool up = c >= 'A' && c <= 'Z', low = c >= 'a' && c <= 'z', digit = c >= '0' && c <= '9';
	bool graph = c > ' ' && c < 127;
	switch (name[0]) {
	case 'a':
		return up || low || (digit && name[2] == 'n');
	case 'd':
		return digit;
	case 'l':
		return low;
	case 'u':
		return up;
	case 's':
		return c == ' ' || (c >= '\t' && c <= '\r');
	case 'b':
		return c == ' ' || c == '\t';
	case 'x':
		return digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
	case 'g':
		return graph;
	case 'c':
		return c < ' ' || c == 127;
	default: /* print, punct */
		return name[1] == 'r' ? graph || c == ' ' : graph && !up && !low && !digit;
	}
}

/* "[:alpha:]", after "[:". */
static bool take_named(struct making *m, uint32_t set[8])
{
	static const char *const names[] = { "alpha", "alnum", "digit", "lower", "upper", "space",
		"blank", "xdigit", "graph", "cntrl", "print", "punct" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		size_t n = strlen(names[i]);
		if (m->len - m->at < n + 2 || memcmp(m->text + m->at, names[i], n) != 0 ||
			memcmp(m->text + m->at + n, ":]", 2) != 0)
			continue;
		for (unsigned c = 0; c < 128; c++)
			if (is_named(names[i], c))
				set_byte(set, c);
		m->at += n + 2;
		return true;
	}
	return refuse_pattern(m, m->at, "no such [:class:]");
}

/* The bytes within [ ], after "["; a "]" that comes first is an element. */
static bool take_set(struct making *m)
{
	uint32_t set[8] = { 0 };
	size_t open = m->at - 1;
	bool outside = next_is(m, '^');
	m->at += outside;
	for (size_t first = m->at; m->at == first || !next_is(m, ']');) {
		if (!more(m))
			return refuse_pattern(m, open, "this [ is never closed");
		unsigned c = (uint8_t)m->text[m->at++], to = c;
		if (c >= 0x80)
			return refuse_pattern(m, m->at - 1, "[...] takes ASCII only");
		if (c == '[' && next_is(m, ':')) {
			m->at++;
			if (!take_named(m, set))
				return false;
			continue;
		}
		if (next_is(m, '-') && m->at + 1 < m->len && m->text[m->at + 1] != ']') {
			to = (uint8_t)m->text[m->at + 1];
			m->at += 2;
			if (to >= 0x80 || to < c)
				return refuse_pattern(m, m->at - 1, "this range of [...] is empty");
		}
		for (; c <= to; c++)
			set_byte(set, c);
	}
	m->at++;
	for (unsigned c = 'a'; m->p->any_case && c <= 'z'; c++)
		if (in(set, c) || in(set, c - 32))
			set_byte(set, c), set_byte(set, c - 32);
	if (!outside)
		return add_set(m, set);
	for (unsigned i = 0; i < 8; i++)
		set[i] = ~set[i];
	return add_character(m, set);
}

/* --- repetition */

/* A copy of steps [from, to) at the end. */
static bool copy_steps(struct making *m, unsigned from, unsigned to)
{
	unsigned by = m->p->steps - from;
	for (unsigned i = from; i < to; i++) {
		struct pv_pattern_step s = m->p->step[i];
		if (!add_step(m, (enum what)s.what, s.byte))
			return false;
		m->p->step[i + by].to = (uint16_t)(s.to + by);
		m->p->step[i + by].other = (uint16_t)(s.other + by);
	}
	return true;
}

/* Makes room for a step before the step at `at`; targets in later steps are adjusted. */
static bool insert(struct making *m, unsigned at)
{
	struct pv_pattern *p = m->p;
	if (!add_step(m, GO, 0))
		return false;
	memmove(&p->step[at + 1], &p->step[at], (p->steps - 1 - at) * sizeof p->step[0]);
	for (unsigned i = at + 1; i < p->steps; i++) {
		p->step[i].to++;
		p->step[i].other++;
	}
	p->step[at] = (struct pv_pattern_step){ .what = FORK, .to = (uint16_t)(at + 1) };
	return true;
}

/* The steps from `at` on may be left out. */
static bool may_lack(struct making *m, unsigned at)
{
	if (!insert(m, at))
		return false;
	m->p->step[at].other = (uint16_t)m->p->steps;
	return true;
}

/* Lets the steps from `at` on come any number of times, or not at all. */
static bool any_times(struct making *m, unsigned at)
{
	if (!insert(m, at) || !add_step(m, GO, 0))
		return false;
	m->p->step[m->p->steps - 1].to = (uint16_t)at;
	m->p->step[at].other = (uint16_t)m->p->steps;
	return true;
}

static bool take_number(struct making *m, unsigned *ret)
{
	size_t from = m->at;
	*ret = 0;
	while (more(m) && m->text[m->at] >= '0' && m->text[m->at] <= '9') {
		*ret = *ret * 10 + (unsigned)(m->text[m->at++] - '0');
		if (*ret > 255)
			return refuse_pattern(m, from, "a repetition of more than 255");
	}
	return m->at > from;
}

/* "{2}", "{2,}", "{2,5}", after "{"; the steps to repeat begin at `at`. */
static bool take_count(struct making *m, unsigned at)
{
	size_t open = m->at - 1;
	unsigned least, most, end = m->p->steps;
	if (!take_number(m, &least))
		return refuse_pattern(m, open, "a repetition is {2}, {2,} or {2,5}");
	most = least;
	bool endless = next_is(m, ',');
	m->at += endless;
	if (endless && take_number(m, &most))
		endless = false;
	if (m->bad || !next_is(m, '}') || (!endless && most < least))
		return refuse_pattern(m, open, "a repetition is {2}, {2,} or {2,5}");
	m->at++;
	/* Copies are made of the first, which stays unchanged until then. */
	unsigned copies = endless ? least : most;
	for (unsigned i = 1; i < copies; i++)
		if (!copy_steps(m, at, end))
			return false;
	unsigned n = end - at;
	if (endless && least == 0)
		return any_times(m, at);
	if (endless)
		return copy_steps(m, at, end) && any_times(m, m->p->steps - n);
	if (most == 0) {
		m->p->steps = at;
		return true;
	}
	/* Each optional copy, from the last on, may be missing together with all that follow. */
	for (unsigned i = most; i > least; i--)
		if (!may_lack(m, at + (i - 1) * n))
			return false;
	return true;
}

static bool take_repetitions(struct making *m, unsigned at)
{
	while (more(m) && strchr("*+?{", m->text[m->at])) {
		char c = m->text[m->at++];
		unsigned n = m->p->steps - at;
		bool ok = c == '{'   ? take_count(m, at)
			  : c == '?' ? may_lack(m, at)
			  : c == '*' ? any_times(m, at)
				     : copy_steps(m, at, at + n) && any_times(m, at + n);
		if (!ok)
			return false;
	}
	return true;
}

/* --- the whole */

static bool take_choice(struct making *m);

static bool take_group(struct making *m)
{
	size_t open = m->at - 1;
	if (++m->depth > PV_PATTERN_DEPTH)
		return refuse_pattern(m, open, "too many groups within each other");
	if (!take_choice(m))
		return false;
	m->depth--;
	if (!next_is(m, ')'))
		return refuse_pattern(m, open, "this ( is never closed");
	m->at++;
	return true;
}

static bool take_escaped(struct making *m)
{
	if (!more(m))
		return refuse_pattern(m, m->at - 1, "nothing after \\");
	uint8_t c = (uint8_t)m->text[m->at++];
	if (c >= '0' && c <= '9')
		return refuse_pattern(m, m->at - 2, "\\1 and the like are not known");
	if (lower(c) >= 'a' && lower(c) <= 'z')
		return refuse_pattern(m, m->at - 2, "\\ stands before signs only");
	return add_step(m, BYTE, c);
}

static bool take_atom(struct making *m)
{
	uint32_t all[8];
	uint8_t c = (uint8_t)m->text[m->at++];
	switch (c) {
	case '(':
		return take_group(m);
	case '[':
		return take_set(m);
	case '.':
		memset(all, 0xff, sizeof all);
		return add_character(m, all);
	case '^':
		return add_step(m, BEGIN, 0);
	case '$':
		return add_step(m, END, 0);
	case '\\':
		return take_escaped(m);
	case '*':
	case '+':
	case '?':
	case '{':
		return refuse_pattern(m, m->at - 1, "nothing to repeat");
	default:
		return add_step(m, BYTE, m->p->any_case ? lower(c) : c);
	}
}

/* Takes the rest of a character of UTF-8, so that a repetition repeats the whole character. */
static bool take_rest_of_character(struct making *m, uint8_t first)
{
	while (first >= 0xc0 && more(m) && ((uint8_t)m->text[m->at] & 0xc0) == 0x80)
		if (!add_step(m, BYTE, (uint8_t)m->text[m->at++]))
			return false;
	return true;
}

static bool take_row(struct making *m)
{
	while (more(m) && m->text[m->at] != '|' && (m->text[m->at] != ')' || !m->depth)) {
		unsigned at = m->p->steps;
		uint8_t first = (uint8_t)m->text[m->at];
		if (!take_atom(m) || !take_rest_of_character(m, first) || !take_repetitions(m, at))
			return false;
	}
	return true;
}

/* a|b|c: each but the last ends with a step to the end of all. */
static bool take_choice(struct making *m)
{
	unsigned from = m->p->steps, last = UINT16_MAX;
	for (;;) {
		if (!take_row(m))
			return false;
		if (!next_is(m, '|'))
			break;
		m->at++;
		if (!insert(m, from) || !add_step(m, GO, 0))
			return false;
		unsigned here = m->p->steps - 1;
		m->p->step[from].other = (uint16_t)(here + 1);
		/* `other` links these steps to a list. */
		m->p->step[here].other = (uint16_t)last;
		last = here;
		from = here + 1;
	}
	while (last != UINT16_MAX) {
		struct pv_pattern_step *s = &m->p->step[last];
		last = s->other;
		s->to = (uint16_t)m->p->steps;
		s->other = 0;
	}
	return true;
}

bool pv_pattern_make(const char *text, size_t len, bool any_case, struct pv_pattern *ret,
	struct pv_pattern_error *reterr)
{
	struct making m = { .p = ret, .text = text, .len = len, .err = reterr };
	ret->steps = ret->sets = 0;
	ret->any_case = any_case;
	*reterr = (struct pv_pattern_error){ 0 };
	return take_choice(&m) && add_step(&m, FOUND, 0);
}

/* --- searching */

/* The steps that wait for a byte, each once. */
struct places {
	uint16_t at[PV_PATTERN_STEPS], n;
	uint32_t has[PV_PATTERN_STEPS / 32];
};

struct search {
	const struct pv_pattern *p;
	bool first, last; /* the place is the text's beginning; its end */
	bool found;
	uint64_t steps;
};

/* Adds a step, and every step reached from there without a byte. */
static void wait_at(struct search *s, struct places *to, unsigned from)
{
	uint16_t todo[PV_PATTERN_STEPS];
	unsigned n = 0;
	todo[n++] = (uint16_t)from;
	to->has[from >> 5] |= 1u << (from & 31);
	while (n) {
		unsigned at = todo[--n], next[2], nexts = 0;
		const struct pv_pattern_step *step = &s->p->step[at];
		s->steps++;
		if (step->what == FOUND)
			s->found = true;
		else if (step->what == BYTE || step->what == SET)
			to->at[to->n++] = (uint16_t)at;
		else if (step->what == GO || step->what == FORK ||
			 (step->what == BEGIN && s->first) || (step->what == END && s->last))
			next[nexts++] = step->to;
		if (step->what == FORK)
			next[nexts++] = step->other;
		while (nexts) {
			unsigned k = next[--nexts];
			if (to->has[k >> 5] >> (k & 31) & 1)
				continue;
			to->has[k >> 5] |= 1u << (k & 31);
			todo[n++] = (uint16_t)k;
		}
	}
}

static void empty(const struct pv_pattern *p, struct places *places)
{
	places->n = 0;
	memset(places->has, 0, (p->steps + 31) / 32 * sizeof places->has[0]);
}

bool pv_pattern_has_counted(
	const struct pv_pattern *p, const char *text, size_t len, uint64_t *steps)
{
	struct places room[2], *now = &room[0], *then = &room[1];
	struct search s = { .p = p, .first = true, .last = len == 0 };
	empty(p, now);
	wait_at(&s, now, 0);
	for (size_t i = 0; i < len && !s.found; i++) {
		uint8_t c = (uint8_t)text[i], folded = p->any_case ? lower(c) : c;
		s.first = false;
		s.last = i + 1 == len;
		empty(p, then);
		for (unsigned k = 0; k < now->n && !s.found; k++) {
			const struct pv_pattern_step *step = &p->step[now->at[k]];
			bool fits = step->what == BYTE ? step->byte == folded
						       : in(p->set[step->byte], c);
			s.steps++;
			if (fits && !(then->has[step->to >> 5] >> (step->to & 31) & 1))
				wait_at(&s, then, step->to);
		}
		if (!s.found && !(then->has[0] & 1))
			wait_at(&s, then, 0);
		struct places *was = now;
		now = then;
		then = was;
	}
	*steps += s.steps;
	return s.found;
}

bool pv_pattern_has(const struct pv_pattern *p, const char *text, size_t len)
{
	uint64_t steps = 0;
	return pv_pattern_has_counted(p, text, len, &steps);
}
