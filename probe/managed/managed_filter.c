/* SPDX-License-Identifier: MIT */
/* Parses and applies the filter of traced methods. */
#include "probe/managed/managed_filter.h"

#include <fnmatch.h>
#include <string.h>

enum { TERM = 256 };

struct term {
	bool out;
	char what; /* a n c m, or i: the least size */
	char name[TERM];
	uint32_t least;
};

/* The next term; what 0: invalid. Returns the start of the term after. */
static const char *next_term(const char *at, struct term *t)
{
	size_t len = strcspn(at, "+"), i = 0;
	*t = (struct term){ .out = at[0] == '-' };
	i += t->out;
	const char *colon = memchr(at + i, ':', len - i);
	size_t key = colon ? (size_t)(colon - at) - i : 0;
	size_t name = colon ? len - i - key - 1 : 0;
	if (colon && name > 0 && name < TERM) {
		memcpy(t->name, colon + 1, name);
		if (key == 1 && strchr("ancm", at[i]))
			t->what = at[i];
		else if (key == 2 && memcmp(at + i, "il", 2) == 0 && !t->out &&
			 strspn(t->name, "0123456789") == name && name < 9)
			t->what = 'i';
	}
	for (const char *d = t->name; t->what == 'i' && *d; d++)
		t->least = t->least * 10 + (uint32_t)(*d - '0');
	at += len;
	return at + (*at == '+');
}

bool pvp_filter_sound(const char *filter)
{
	struct term t;
	while (*filter) {
		filter = next_term(filter, &t);
		if (!t.what)
			return false;
	}
	return true;
}

static bool term_names(const struct term *t, const struct pvp_managed_method *m)
{
	const char *text = t->what == 'a'   ? m->assembly
			   : t->what == 'n' ? m->name_space
			   : t->what == 'c' ? m->class_name
					    : m->name;
	return text && fnmatch(t->name, text, 0) == 0;
}

bool pvp_filter_takes(const char *filter, const struct pvp_managed_method *m)
{
	bool any = false, in = false;
	struct term t;
	while (*filter) {
		filter = next_term(filter, &t);
		if (t.what == 'i') {
			if (m->il < t.least)
				return false;
			continue;
		}
		if (t.out && term_names(&t, m))
			return false;
		any |= !t.out;
		in |= !t.out && term_names(&t, m);
	}
	return in || !any;
}
