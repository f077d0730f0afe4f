/* SPDX-License-Identifier: MIT */
/* The rows of the options, and how a value of each kind is stored in its member. */
#include "tui/app/options_set.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/units.h"
#include "common/base/utf8.h"
#include "common/check/check.h"
#include "common/compare/diff.h"
#include "common/query/source_text.h"
#include "tui/draw/time_range.h"

enum { MAX_SIDE = 1000, MS_NS = 1000000, WANTS = 160 };

/* "auto, always or never" */
static const char *list_choices(const char *choices, char to[WANTS])
{
	size_t n = 0, len;
	for (const char *at = choices; n < WANTS; at += len + 1) {
		len = strcspn(at, "|");
		bool last = !at[len];
		n += (size_t)snprintf(to + n, WANTS - n, "%s%.*s",
			at == choices ? ""
			: last        ? " or "
				      : ", ",
			(int)len, at);
		if (last)
			break;
	}
	return to;
}

/* Fails, with the option and its valid values. */
static bool bad_value(const struct ui_parse *p, const char *value)
{
	char choices[WANTS];
	return pv_fail(p->err, PV_EUSAGE, 0, "%s wants %s, not \"%s\"", p->row->name,
		p->row->wants ? p->row->wants : list_choices(p->row->choices, choices),
		PV_FIT(value, 60));
}

bool ui_number(const char *text, uint64_t max, uint64_t *ret)
{
	char *end;
	errno = 0;
	unsigned long long n = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno || n > max)
		return false;
	*ret = n;
	return true;
}

/* The index of the word in "auto|always|never"; -1: none. */
static int choice_of(const char *choices, const char *value)
{
	size_t len = strlen(value);
	for (int i = 0;; i++) {
		size_t n = strcspn(choices, "|");
		if (n == len && memcmp(choices, value, n) == 0)
			return i;
		if (!choices[n])
			return -1;
		choices += n + 1;
	}
}

/* --- texts */

static bool is_check_format(const char *value)
{
	size_t len = strcspn(value, "=");
	return pv_check_format(value, len) && (!value[len] || value[len + 1]);
}

static bool is_per(const char *value)
{
	struct pv_diff_options per;
	return pv_diff_per_of(value, &per);
}

static bool is_period(const char *value)
{
	uint64_t bytes;
	return strcmp(value, "off") == 0 || (pv_units_parse_bytes(value, &bytes) && bytes > 0);
}

static bool is_rate(const char *value)
{
	uint64_t hz;
	return ui_number(value, 10000, &hz);
}

static bool are_words(const char *value)
{
	return *value && !strpbrk(value, " \"'");
}

static bool is_meter(const char *value)
{
	return *value && !strpbrk(value, " \"';=") && strlen(value) <= 60;
}

/* --- values of no common kind */

static bool read_ascii(const struct ui_parse *p, const char *value)
{
	(void)value;
	p->o->glyphs = UI_GLYPHS_ASCII;
	return p->o->glyphs_given = true;
}

static bool read_size(const struct ui_parse *p, const char *value)
{
	char *end;
	long w = strtol(value, &end, 10), h = *end == 'x' ? strtol(end + 1, &end, 10) : 0;
	if (*end || w < 1 || h < 1 || w > MAX_SIDE || h > MAX_SIDE)
		return false;
	p->o->w = (int)w;
	p->o->h = (int)h;
	return true;
}

static bool read_object(const struct ui_parse *p, const char *value)
{
	char *end;
	errno = 0;
	p->o->report.object = strtoull(value, &end, 16);
	if (strncmp(value, "0x", 2) != 0 || !value[2] || *end || errno)
		return false;
	return p->o->report.has_object = true;
}

static bool read_set(const struct ui_parse *p, const char *value)
{
	struct pv_report_options *r = &p->o->report;
	if (!*value || r->sets_n == UI_SETS)
		return false;
	p->o->set[r->sets_n++] = (struct pv_named_set){ value, value };
	return true;
}

static bool range_of(const struct ui_parse *p, const char *value, struct ui_range *ret)
{
	if (!ui_range_parse(value, ret))
		return false;
	return ret->from_ns < ret->to_ns || ret->relative ||
	       pv_fail(p->err, PV_EUSAGE, 0,
		       "%s wants a range that begins before it ends, not \"%s\"", p->row->name,
		       PV_FIT(value, 60));
}

static bool read_range(const struct ui_parse *p, const char *value)
{
	struct ui_range r;
	if (!range_of(p, value, &r))
		return false;
	p->o->from_ns = r.from_ns;
	p->o->to_ns = r.to_ns;
	p->o->relative = r.relative;
	return p->o->ranged = true;
}

static bool read_base_range(const struct ui_parse *p, const char *value)
{
	struct ui_range r;
	if (!range_of(p, value, &r))
		return false;
	p->o->base_from_ns = r.from_ns;
	p->o->base_to_ns = r.to_ns;
	p->o->base_relative = r.relative;
	return p->o->base_ranged = true;
}

/* A time may have any unit; the probes, like Mono's own profiler, know ms only. */
static bool shot_time(struct ui_options *o, const char *value)
{
	int64_t ns;
	size_t len = strlen(value), digits = strspn(value, "0123456789.:");
	if (digits == len || !pv_units_parse_time(value, len, &ns) || ns < MS_NS)
		return false;
	snprintf(o->shot_period, sizeof o->shot_period, "%" PRId64 "ms", ns / MS_NS);
	o->heapshot = o->shot_period;
	return true;
}

static bool read_mode(const struct ui_parse *p, const char *value)
{
	p->o->heapshot = value ? value : "";
	return !value || shot_time(p->o, value) || (*value && !strpbrk(value, ", "));
}

/* --- the rows */

enum {
#define VERB(symbol, ...) symbol = UI_VERB_##symbol,
#define OPTION(...)
#define OPTION_OF(...)
#include "tui/options.def"
	LIVE = VIEW | RUN | ATTACH | LISTEN,
	ALL = 0xffff
};

#define RANGE_WANTED "FROM..TO, like 1.5s..00:01:12, -10s.. or @14:05..@14:06"
#define SHOT_WANTED  "the number of a heap shot, counted from 0"
#define AT(member)   offsetof(struct ui_options, member)
#define OPTION_OF(kind, member, name, verbs, ...)                                                  \
	{ UI_OPTION_##kind, AT(member), sizeof((struct ui_options *)0)->member, name, verbs,       \
		__VA_ARGS__ },
#define OPTION OPTION_OF
#define VERB(...)
static const struct ui_option_row rows[] = {
#include "tui/options.def"
};

const struct ui_option_row *ui_option_row(size_t i)
{
	return i < PV_COUNT_OF(rows) ? &rows[i] : NULL;
}

static const struct ui_verb_row verbs[] = {
#define VERB(symbol, ...) { UI_VERB_##symbol, __VA_ARGS__ },
#define OPTION(...)
#define OPTION_OF(...)
#include "tui/options.def"
};

const struct ui_verb_row *ui_verb_row(size_t i)
{
	return i < PV_COUNT_OF(verbs) ? &verbs[i] : NULL;
}

/* --- kinds */

/* A bool, an enum, unsigned or uint64_t. */
static bool store(const struct ui_parse *p, uint64_t n)
{
	char *to = (char *)p->o + p->row->at;
	if (p->row->size == sizeof(bool))
		*(bool *)to = n != 0;
	else if (p->row->size == sizeof(unsigned))
		*(unsigned *)to = (unsigned)n;
	else
		*(uint64_t *)to = n;
	return true;
}

static bool store_text(const struct ui_parse *p, const char *value)
{
	*(const char **)((char *)p->o + p->row->at) = value;
	return true;
}

static bool add_option_text(const struct ui_parse *p, const char *value)
{
	struct ui_texts *to = (struct ui_texts *)((char *)p->o + p->row->at);
	if ((uint64_t)to->n == p->row->most)
		return pv_fail(p->err, PV_EUSAGE, 0, "%s: %d times at most", p->row->name, to->n);
	to->at[to->n++] = value;
	return true;
}

/* Without a test of its own a row takes any text, but no empty text if `wants` is set. */
static bool is_valid_text(const struct ui_option_row *row, const char *value)
{
	return row->is ? row->is(value) : !row->wants || *value;
}

static bool take_value(const struct ui_parse *p, const char *value)
{
	const struct ui_option_row *row = p->row;
	uint64_t n;
	int choice;
	switch (row->kind) {
	case UI_OPTION_FLAG:
		return store(p, true);
	case UI_OPTION_TEXT:
		return !value ? store_text(p, "")
			      : is_valid_text(row, value) && store_text(p, value);
	case UI_OPTION_LIST:
		return is_valid_text(row, value) && add_option_text(p, value);
	case UI_OPTION_WORD:
		return choice_of(row->choices, value) >= 0 && store_text(p, value);
	case UI_OPTION_CHOICE:
		choice = choice_of(row->choices, value);
		return choice >= 0 && store(p, (uint64_t)choice);
	case UI_OPTION_NUMBER:
		return ui_number(value, row->most, &n) && n >= row->least && store(p, n);
	case UI_OPTION_BYTES:
		return pv_units_parse_bytes(value, &n) && n > 0 && store(p, n);
	case UI_OPTION_OWN:
		return row->read(p, value);
	}
	return false;
}

bool ui_option_set(const struct ui_parse *p, const char *value)
{
	if (!take_value(p, value))
		return p->err->code ? false : bad_value(p, value);
	if (p->row->given)
		*((bool *)p->o + p->row->given) = true;
	return true;
}
