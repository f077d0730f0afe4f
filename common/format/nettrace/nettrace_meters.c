/* SPDX-License-Identifier: MIT */
/*
 * Instruments of meters, from the provider System.Diagnostics.Metrics, with values once in an
 * interval: a counter has its rate and, since .NET 8, its total; a histogram its quantiles, the
 * number of values and their sum. A series is an instrument with one set of tags; each becomes a
 * counter "instrument{tag=value,...}", with a word added where it has several figures.
 *
 * Layouts: dotnet/runtime, MetricsEventSource.cs. All fields are texts but the last ones.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/format/nettrace/nettrace_parts.h"
#include "common/format/nettrace/nettrace_value.h"

enum { PART = 256, TAGS = 700, NAME = PART + TAGS + 24, FILETIME_HZ = 10000000 };

struct series {
	struct pv_stream *s;
	uint64_t offset;
	uint32_t section, unit;
	char name[NAME]; /* without the word for a figure */
};

static size_t text(struct pv_cursor *c, char *to, size_t room)
{
	size_t n = nt_text_into(c, to, room - 1);
	to[n] = '\0';
	return n;
}

/* Reads the fields common to all: session, meter, its version, instrument, unit, tags. */
static bool read_series(struct series *r, struct pv_cursor *c)
{
	struct nettrace *d = nt_of(r->s);
	char instrument[PART], tags[TAGS];
	nt_skip_text(c);
	r->section = nt_text(d, c);
	nt_skip_text(c);
	size_t n = text(c, instrument, sizeof instrument);
	r->unit = nt_text(d, c);
	bool tagged = text(c, tags, sizeof tags) != 0;
	snprintf(r->name, sizeof r->name, tagged ? "%s{%s}" : "%s", instrument, tags);
	return n != 0;
}

static void put_instrument(
	const struct series *r, const char *word, double value, bool grows, bool adds)
{
	struct nettrace *d = nt_of(r->s);
	char name[NAME + 16];
	int n = snprintf(name, sizeof name, "%s%s", r->name, word);
	const struct nt_counter k = { .section = r->section,
		.name = n > 0 ? nt_intern(d, name, (size_t)n) : 0,
		.unit = r->unit,
		.grows = grows,
		.adds = adds };
	nt_put_counter(r->s, r->offset, &k, value);
}

/* Reads a number, a text with a point in any language; false: no number. */
static bool read_instrument_number(struct pv_cursor *c, double *ret)
{
	char digits[64], *end = digits;
	if (text(c, digits, sizeof digits))
		*ret = strtod(digits, &end);
	return end != digits && *ret - *ret == 0;
}

static void rate(struct series *r, struct pv_cursor *c, bool changes)
{
	const struct nettrace *d = nt_of(r->s);
	double more = 0, value = 0;
	bool moved = read_instrument_number(c, &more), valued = read_instrument_number(c, &value);
	if (valued)
		put_instrument(r, "", value, !changes, false);
	else if (moved) /* before .NET 8 */
		put_instrument(r, "", more, !changes, true);
	if (moved && !changes)
		put_instrument(r, " a second",
			d->meter_seconds > 0 ? more / d->meter_seconds : more, false, false);
}

static void level(struct series *r, struct pv_cursor *c)
{
	double value = 0;
	if (read_instrument_number(c, &value))
		put_instrument(r, "", value, false, false);
}

/* Quantiles as "0.5=16;0.95=27;0.99=28": empty if there was no value. */
static void put_quantiles(struct series *r, struct pv_cursor *c)
{
	struct nettrace *d = nt_of(r->s);
	char quantiles[PART], word[16];
	bool any = text(c, quantiles, sizeof quantiles) != 0;
	for (char *at = quantiles; any && *at;) {
		char *end;
		double q = strtod(at, &end) * 100, value = *end == '=' ? strtod(end + 1, &end) : 0;
		if (end == at || q < 0 || q > 100)
			break;
		snprintf(word, sizeof word, " p%g", q);
		if (value - value == 0)
			put_instrument(r, word, value, false, false);
		at = *end == ';' ? end + 1 : end;
		if (at == end)
			break;
	}
	struct nt_scalar count, sum;
	if (!nt_scalar(c, NT_I32, &count) || !nt_scalar(c, NT_F64, &sum))
		return; /* before .NET 8 */
	uint32_t unit = r->unit;
	put_instrument(r, " sum", sum.f - sum.f == 0 ? sum.f : 0, false, true);
	r->unit = nt_intern(d, "count", 5);
	put_instrument(r, " count", (double)count.i, true, true);
	r->unit = unit;
}

/* Session, begin and end of the interval. */
static void interval(struct nettrace *d, struct pv_cursor *c)
{
	nt_skip_text(c);
	uint64_t from = pv_get_u64(c), to = pv_get_u64(c);
	if (pv_cursor_ok(c) && to > from)
		d->meter_seconds = (double)(to - from) / FILETIME_HZ;
}

/* Limits reached, other tools with the same meters, errors of a callback: as marks. */
static void says(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c)
{
	struct nettrace *d = nt_of(s);
	static const struct {
		uint32_t id;
		const char *text;
	} known[] = { { 9, "meters: an error" },
		{ 12, "meters: more series than are asked for, the others are not counted" },
		{ 13, "meters: more histograms than are asked for, the others are not counted" },
		{ 14, "meters: a program's callback failed" },
		{ 15, "meters: another tool has them, and this runtime serves one" },
		{ 17, "meters: another tool has them with other limits" } };
	char line[PART + 100], more[PART] = "";
	const char *what = "meters";
	uint32_t id = d->kind.v[b->kind].id;
	for (size_t i = 0; i < PV_COUNT_OF(known); i++)
		if (known[i].id == id)
			what = known[i].text;
	nt_skip_text(c);
	if (id == 9 || id == 14)
		text(c, more, sizeof more);
	int n = snprintf(line, sizeof line, *more ? "%s: %s" : "%s", what, more);
	nt_mark(s, line, n > 0 ? (size_t)n : 0, b->offset);
}

void nt_meter(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c)
{
	struct nettrace *d = nt_of(s);
	enum nt_event_kind what = d->kind.v[b->kind].what;
	struct series r = { .s = s, .offset = b->offset };
	if (what == NT_METER_TIME)
		interval(d, c);
	else if (what == NT_METER_SAYS)
		says(s, b, c);
	else if (!read_series(&r, c))
		return;
	else if (what == NT_METER_LEVEL)
		level(&r, c);
	else if (what == NT_METER_SPREAD)
		put_quantiles(&r, c);
	else
		rate(&r, c, what == NT_METER_CHANGES);
	if (d->counters_beyond && !d->said_beyond) {
		static const char full[] =
			"meters: more series than are kept, the others are not shown";
		nt_mark(s, full, sizeof full - 1, b->offset);
		d->said_beyond = d->counters_beyond;
	}
}
