/* SPDX-License-Identifier: MIT */
/* Filters in two; see filter_split.h. */
#include "common/base/filter/filter_split.h"

#include <stdio.h>
#include <string.h>

#include "common/base/filter/filter_parts.h"
#include "common/base/status.h"

static const struct pv_filter_column times[] = { { "slow", PV_FILTER_NS, PV_FILTER_SLOW },
	{ "began", PV_FILTER_NS, PV_FILTER_BEGAN } };

struct pv_filter *pv_filter_requests(const char *text, struct pv_filter_error *reterr)
{
	return pv_filter_make(text, PV_FILTER_CAPITALS, times, PV_COUNT_OF(times), reterr);
}

/* Most filters are read no further. */
static bool may_ask(const char *text)
{
	static const char *const word[] = { "route:", "query:", "slow", "began" };
	for (size_t i = 0; i < PV_COUNT_OF(word); i++)
		if (strstr(text, word[i]))
			return true;
	return false;
}

static bool is_of_request(const struct pv_filter_leaf *leaf)
{
	return leaf->what == PV_FILTER_COMPARES || leaf->field == PV_FILTER_ROUTE ||
	       leaf->field == PV_FILTER_QUERY;
}

enum { NONE, SOME, ALL };

/* How many of the leaves from `at` up to `end`, at least one, are about requests. */
static int asked(const struct pv_filter *f, unsigned at, unsigned end)
{
	unsigned n = 0;
	for (unsigned i = at; i < end; i++)
		n += is_of_request(&f->leaf[i]);
	return n == 0 ? NONE : n == end - at ? ALL : SOME;
}

static bool refuse(struct pv_filter_error *reterr, size_t at)
{
	*reterr = (struct pv_filter_error){ .at = at };
	snprintf(reterr->what, sizeof reterr->what,
		"route:, query:, slow and began go with |, ! and ( ) only among themselves");
	return false;
}

static void append_term(char *to, const char *text, size_t n)
{
	const size_t has = strlen(to), gap = has > 0;
	if (has + gap + n > PV_FILTER_MAX)
		return;
	to[has] = ' ';
	memcpy(to + has + gap, text, n);
	to[has + gap + n] = 0;
}

/* Words stay side by side: "self > 1ms" is a comparison only where the column is known. */
static bool take_terms(const struct pv_filter *f, const char *text, struct pv_filter_split *ret,
	struct pv_filter_error *reterr)
{
	for (unsigned i = 0; i < f->terms; i++) {
		const struct pv_filter_term *t = &f->term[i];
		const int of = asked(f, t->leaf, t->leaf_end);
		if (of == SOME)
			return refuse(reterr, t->at);
		append_term(of == ALL ? ret->requests : ret->rows, text + t->at,
			(size_t)(t->end - t->at));
	}
	return true;
}

static bool take(const struct pv_filter *f, const char *text, struct pv_filter_split *ret,
	struct pv_filter_error *reterr)
{
	const int of = asked(f, 0, f->leaves);
	if (of == SOME && f->either)
		return refuse(reterr, 0);
	if (of == SOME)
		return take_terms(f, text, ret, reterr);
	snprintf(of == ALL ? ret->requests : ret->rows, sizeof ret->rows, "%s", text);
	return true;
}

void pv_filter_without_slow(const char *requests, char *ret, size_t size)
{
	struct pv_filter_error ignored;
	struct pv_filter *f = pv_filter_requests(requests, &ignored);
	size_t n = 0;
	ret[0] = 0;
	if (f && f->either)
		snprintf(ret, size, "(%s)", requests);
	for (unsigned i = 0; f && !f->either && i < f->terms && n < size; i++) {
		const struct pv_filter_term *t = &f->term[i];
		if (f->leaf[t->leaf].what != PV_FILTER_COMPARES ||
			f->leaf[t->leaf].place != PV_FILTER_SLOW || t->leaf_end - t->leaf > 1)
			n += (size_t)snprintf(ret + n, size - n, "%s%.*s", n ? " " : "",
				t->end - t->at, requests + t->at);
	}
	pv_filter_free(f);
}

bool pv_filter_split(const char *text, enum pv_filter_way way, struct pv_filter_split *ret,
	struct pv_filter_error *reterr)
{
	*ret = (struct pv_filter_split){ .rows = "" };
	*reterr = (struct pv_filter_error){ 0 };
	if (way == PV_FILTER_AS_IT_IS || !may_ask(text)) {
		snprintf(ret->rows, sizeof ret->rows, "%s", text);
		return true;
	}
	struct pv_filter *f = pv_filter_make(text, way, times, PV_COUNT_OF(times), reterr);
	const bool ok = f && (f->leaves == 0 || take(f, text, ret, reterr));
	pv_filter_free(f);
	return ok;
}
