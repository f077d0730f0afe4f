#include "common/query/identity_line.h"

#include <stdio.h>
#include <string.h>

#include "common/base/units.h"
#include "common/model/objects/identity.h"
#include "common/query/build.h"

struct line {
	char text[PV_IDENTITY_LINE];
	size_t n;
};

static void add(struct line *to, const char *text)
{
	size_t n = strlen(text);
	if (n >= sizeof to->text - to->n)
		return;
	memcpy(to->text + to->n, text, n + 1);
	to->n += n;
}

/* "; 3 events lost": what is counted is a word with an s. */
static void say(struct line *to, uint64_t n, const char *what, const char *more)
{
	char number[PV_UNIT_MAX];
	add(to, "; ");
	add(to, pv_units_exact(number, sizeof number, n));
	add(to, " ");
	add(to, what);
	add(to, n == 1 ? "" : "s");
	add(to, more);
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
		say(&line, l->no_allocation, "birth", " not recorded");
	if (l->mismatched)
		say(&line, l->mismatched, "object", " of another class than was allocated there");
	if (l->duplicates)
		say(&line, l->duplicates, "object", " listed twice");
	if (l->lost)
		say(&line, l->lost, "event", " lost");
	if (l->cut)
		say(&line, PV_IDENTITY_CELLS, "cell", " of the ladder, the rest is left out");
	if (l->damaged)
		add(&line, "; a part of the log is damaged");
	if (l->unordered)
		add(&line, "; events in the order of the file");
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
