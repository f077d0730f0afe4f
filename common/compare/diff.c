/* SPDX-License-Identifier: MIT */
/* Collects recordings to compare, joins rows, and notes other differences between the sides. */
#include "common/compare/diff.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/units.h"
#include "common/base/utf8.h"
#include "common/compare/diff_parts.h"
#include "common/compare/match_key.h"
#include "common/compare/options_differ.h"

struct pv_diff *pv_diff_create(const struct pv_diff_options *o)
{
	struct pv_diff *d = calloc(1, sizeof *d);
	if (d)
		d->options = o;
	return d;
}

void pv_diff_destroy(struct pv_diff *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < PV_DIFF_LISTS; i++) {
		pv_array_finish(&d->rows[i].name);
		pv_array_finish(&d->rows[i].row_of);
		pv_array_finish(&d->rows[i].entry);
		pv_intern_finish(&d->rows[i].key);
	}
	for (size_t i = 0; i < PV_DIFF_SIDES; i++) {
		pv_array_finish(&d->log[i]);
		pv_array_finish(&d->block[i]);
	}
	pv_array_finish(&d->note);
	pv_intern_finish(&d->text);
	pv_arena_finish(&d->arena);
	free(d);
}

/* --- rows whose parameters changed --- */

struct stem {
	uint32_t row[PV_DIFF_SIDES], rows[PV_DIFF_SIDES];
};

static bool note_stem(struct pv_intern *names, const char *key, uint32_t row, unsigned side,
	struct stem *stem, size_t room)
{
	uint32_t id;
	size_t len = pv_match_stem(key);
	if (!len)
		return true;
	if (!pv_intern_add(names, key, len, &id))
		return false;
	if (id < room) {
		stem[id].row[side] = row;
		stem[id].rows[side]++;
	}
	return true;
}

bool pv_diff_join(struct pv_diff *d)
{
	struct pv_diff_rows *r = &d->rows[PV_DIFF_METHODS];
	struct pv_intern names = { 0 };
	size_t room = r->name.n + 2;
	struct stem *stem = calloc(room, sizeof *stem);
	bool ok = stem != NULL;
	for (size_t id = 0; ok && !d->options->raw_names && id < r->row_of.n; id++) {
		uint32_t row = r->row_of.v[id];
		if (row == UINT32_MAX)
			continue;
		const struct pv_diff_name *n = &r->name.v[row];
		if (!n->raw[PV_DIFF_BASE] != !n->raw[PV_DIFF_NEW])
			ok = note_stem(&names, pv_intern_text(&r->key, (uint32_t)id), row,
				n->raw[PV_DIFF_BASE] ? PV_DIFF_BASE : PV_DIFF_NEW, stem, room);
	}
	for (size_t i = 0; ok && i < room; i++) {
		const struct stem *s = &stem[i];
		if (s->rows[0] != 1 || s->rows[1] != 1)
			continue;
		struct pv_diff_name *base = &r->name.v[s->row[0]], *now = &r->name.v[s->row[1]];
		base->same_as = s->row[1] + 1;
		now->raw[PV_DIFF_BASE] = base->raw[PV_DIFF_BASE];
		now->signature = true;
	}
	free(stem);
	pv_intern_finish(&names);
	return ok;
}

/* --- notes --- */

/* Adds a sentence for the head. */
static bool add_note(struct pv_diff *d, const char *format, ...)
{
	char text[400];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	const char *kept = pv_arena_copy(&d->arena, text, strlen(text));
	if (!kept || !pv_reserve(&d->note, 1))
		return false;
	d->note.v[d->note.n++] = kept;
	return true;
}

static int64_t mean_length(const struct pv_diff *d, enum pv_diff_side side)
{
	double sum = 0;
	for (size_t i = 0; i < d->log[side].n; i++)
		sum += (double)d->log[side].v[i].duration_ns / (double)d->log[side].n;
	return (int64_t)sum;
}

/* Sums of a longer recording are greater, unless divided by a unit. */
static bool note_lengths(struct pv_diff *d)
{
	char a[PV_UNIT_MAX], b[PV_UNIT_MAX];
	const int64_t base = mean_length(d, PV_DIFF_BASE), now = mean_length(d, PV_DIFF_NEW);
	if (d->options->per > PV_PER_NONE || !pv_units_lasted_else(base, now))
		return true;
	return add_note(d,
		"base lasted %s, new %s, which all sums follow; --per second divides by it",
		pv_units_ns(a, sizeof a, base), pv_units_ns(b, sizeof b, now));
}

static bool note_options(struct pv_diff *d)
{
	char base[150], now[150];
	const char *a = d->log[0].v[0].args, *b = d->log[1].v[0].args;
	pv_options_only(a, b, base, sizeof base);
	pv_options_only(b, a, now, sizeof now);
	if (!*base && !*now)
		return true;
	return add_note(d, "recorded with other options: base %s, new %s",
		*base ? base : "none besides", *now ? now : "none besides");
}

static bool note_losses(struct pv_diff *d)
{
	for (unsigned s = 0; s < PV_DIFF_SIDES; s++) {
		for (size_t i = 0; i < d->log[s].n; i++) {
			const struct pv_diff_log *l = &d->log[s].v[i];
			if ((l->lost || l->damaged) &&
				!add_note(d,
					"%s: %" PRIu64 " events lost, %" PRIu64
					" damaged places: figures are at least these",
					PV_FIT(l->path, 150), l->lost, l->damaged))
				return false;
		}
	}
	return true;
}

static bool has_calls(const struct pv_diff_log *l)
{
	for (size_t i = 0; i < pv_diff_measure_count; i++)
		if (strcmp(pv_diff_measures[i].section, "methods.calls") == 0)
			return !(l->absent >> i & 1);
	return false;
}

bool pv_diff_note_all(struct pv_diff *d)
{
	size_t base = d->log[0].n, now = d->log[1].n;
	if (has_calls(&d->log[0].v[0]) != has_calls(&d->log[1].v[0]) &&
		!add_note(d, "calls were recorded at one side only: what that costs is in its "
			     "times and samples"))
		return false;
	if (base + now > 2 && (base < 4 || now < 4) &&
		!add_note(d, "too few runs for a test, which wants four a side: a change is "
			     "what lies apart in all of them"))
		return false;
	return note_lengths(d) && note_options(d) && note_losses(d);
}
