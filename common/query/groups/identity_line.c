/* SPDX-License-Identifier: MIT */
/* Says in a coverage line how certain the identity of objects is. */
#include "common/query/groups/identity_line.h"

#include <stdio.h>
#include <string.h>

#include "common/base/text/units.h"
#include "common/model/identity/identity.h"
#include "common/query/groups/build.h"

struct line {
	char text[PV_IDENTITY_LINE];
	size_t n;
};

static void add_to_line(struct line *to, const char *text)
{
	size_t n = strlen(text);
	if (n >= sizeof to->text - to->n)
		return;
	memcpy(to->text + to->n, text, n + 1);
	to->n += n;
}

/* "; 3 events lost": `what` takes an s in the plural. */
static void say_number(struct line *to, uint64_t n, const char *what, const char *more)
{
	char number[PV_UNIT_MAX];
	add_to_line(to, "; ");
	add_to_line(to, pv_units_exact(number, sizeof number, n));
	add_to_line(to, " ");
	add_to_line(to, what);
	add_to_line(to, n == 1 ? "" : "s");
	add_to_line(to, more);
}

static void say_how(struct line *to, const struct pv_identity *l)
{
	const struct pv_identity_options *o = &l->options;
	const char *how = o->by_address            ? "by address"
			  : o->sampled && o->moves ? "by moves, allocations only sampled"
			  : o->sampled ? "by address, class and size: moves not recorded, "
					 "allocations only sampled"
			  : o->allocs && o->moves ? "by identity"
			  : o->allocs ? "by identity, moves not recorded: by class and size"
			  : o->moves  ? "by moves, allocations not recorded"
				      : "by address, class and size: neither moves nor "
					"allocations recorded";
	double share = l->of ? 100 * (double)l->uncertain / (double)l->of : 0;
	int n = o->base == o->shot
			? snprintf(to->text, sizeof to->text, "shot %u", o->shot)
			: snprintf(to->text, sizeof to->text, "shots %u to %u", o->base, o->shot);
	n += snprintf(
		to->text + n, sizeof to->text - (size_t)n, " %s, uncertain %.1f %%", how, share);
	to->n = n > 0 ? (size_t)n : 0;
}

void pv_identity_text(const struct pv_identity *l, char *ret, size_t size)
{
	struct line line = { .n = 0 };
	if (!l) {
		snprintf(ret, size, "%s", PV_NOT_FOLLOWED);
		return;
	}
	say_how(&line, l);
	if (l->no_allocation)
		say_number(&line, l->no_allocation, "birth", " not recorded");
	if (l->mismatched)
		say_number(&line, l->mismatched, "object",
			" of another class than was allocated there");
	if (l->duplicates)
		say_number(&line, l->duplicates, "object", " listed twice");
	if (l->lost)
		say_number(&line, l->lost, "event", " lost");
	if (l->cut)
		say_number(
			&line, PV_IDENTITY_CELLS, "cell", " of the ladder, the rest is left out");
	if (l->damaged)
		add_to_line(&line, "; a part of the log is damaged");
	if (l->unordered)
		add_to_line(&line, "; events in the order of the file");
	snprintf(ret, size, "%s", line.text);
}

void pv_identity_line(struct pv_build *b)
{
	char text[PV_IDENTITY_LINE];
	if (!b->table)
		return;
	pv_identity_text(b->query->identity, text, sizeof text);
	b->table->coverage = pv_build_text(b, text);
}
