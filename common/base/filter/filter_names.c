/* SPDX-License-Identifier: MIT */
/* Named filters: a list of names, and their replacement in a filter's text. */
#include "common/base/filter/filter_names.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/status.h"

void pv_filter_names_finish(struct pv_filter_names *n)
{
	while (n->name.n)
		free(n->name.v[--n->name.n].text);
	pv_array_finish(&n->name);
}

static size_t name_length(const char *text)
{
	size_t n = 0;
	if (!isalpha((unsigned char)text[0]))
		return 0;
	while (isalnum((unsigned char)text[n]) || text[n] == '-' || text[n] == '_')
		n++;
	return n;
}

bool pv_filter_is_name(const char *text, size_t len)
{
	return len > 0 && len <= PV_FILTER_NAME && name_length(text) == len;
}

static struct pv_filter_name *find_filter_name(
	const struct pv_filter_names *n, const char *name, size_t len)
{
	for (size_t i = 0; n && i < n->name.n; i++)
		if (strlen(n->name.v[i].name) == len && memcmp(n->name.v[i].name, name, len) == 0)
			return &n->name.v[i];
	return NULL;
}

static bool fail_names(struct pv_filter_error *e, size_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static bool fail_names(struct pv_filter_error *e, size_t at, const char *format, ...)
{
	va_list args;
	*e = (struct pv_filter_error){ .at = at };
	va_start(args, format);
	vsnprintf(e->what, sizeof e->what, format, args);
	va_end(args);
	return false;
}

/*
 * Bytes of a text in quotes, or a regex, at the beginning, where no names are replaced; 0: neither.
 */
static size_t quoted_length(const char *text)
{
	size_t i = 1;
	if (text[0] != '"' && text[0] != '/')
		return 0;
	while (text[i] && text[i] != text[0])
		i += text[i] == '\\' && text[i + 1] ? 2 : 1;
	return text[i] ? i + 1 : 0; /* unclosed: a word */
}

/* A term may begin there: names are nowhere else, quotes and regexes after a field, too. */
static bool begins_term(const char *text, size_t at)
{
	return at == 0 || strchr(" \t!(|", text[at - 1]);
}

struct out {
	char *to;
	size_t size, n;
};

static bool put_expanded(struct out *o, const char *text, size_t len)
{
	if (o->n + len >= o->size)
		return false;
	memcpy(o->to + o->n, text, len);
	o->n += len;
	o->to[o->n] = 0;
	return true;
}

bool pv_filter_expand(const struct pv_filter_names *n, const char *text, char *to, size_t size,
	struct pv_filter_error *reterr)
{
	struct out o = { to, size, 0 };
	for (size_t i = 0, len; text[i]; i += len) {
		const bool begin = begins_term(text, i);
		bool of_field =
			i > 0 &&
			(text[i - 1] == ':' || (i > 1 && text[i - 1] == '=' && text[i - 2] == ':'));
		size_t quoted = begin || of_field ? quoted_length(text + i) : 0;
		size_t name = begin && text[i] == '\\' ? name_length(text + i + 1) : 0;
		const struct pv_filter_name *is =
			name ? find_filter_name(n, text + i + 1, name) : NULL;
		len = quoted ? quoted : name ? name + 1 : 1;
		if (name && !is)
			return fail_names(reterr, i, "no filter is named %.*s in profview.conf",
				name < PV_FILTER_NAME ? (int)name : PV_FILTER_NAME, text + i + 1);
		bool fits = is ? put_expanded(&o, "(", 1) &&
					    put_expanded(&o, is->text, strlen(is->text)) &&
					    put_expanded(&o, ")", 1)
			       : put_expanded(&o, text + i, len);
		if (!fits)
			return fail_names(reterr, i, "it is too long, with its names replaced");
	}
	if (size && !text[0])
		to[0] = 0;
	return true;
}

bool pv_filter_names_add(struct pv_filter_names *n, const char *name, const char *text,
	struct pv_filter_error *reterr)
{
	char whole[PV_FILTER_MAX + 1];
	struct pv_filter *f = pv_filter_make(text, PV_FILTER_CAPITALS, NULL, 0, reterr);
	bool empty = f && pv_filter_leaves(f) == 0;
	pv_filter_free(f);
	if (empty)
		return fail_names(reterr, 0, "it asks for nothing");
	if (!f || !pv_filter_expand(n, text, whole, sizeof whole, reterr))
		return false;
	struct pv_filter_name *is = find_filter_name(n, name, strlen(name));
	char *copy = strdup(whole);
	if (!is && n->name.n >= PV_FILTER_NAMED) {
		free(copy);
		return fail_names(reterr, 0, "there are %d filters already", PV_FILTER_NAMED);
	}
	if (!copy || (!is && !pv_reserve(&n->name, 1))) {
		free(copy);
		*reterr = (struct pv_filter_error){ .no_memory = true, .what = "out of memory" };
		return false;
	}
	if (!is) {
		is = &n->name.v[n->name.n++];
		*is = (struct pv_filter_name){ .text = NULL };
		snprintf(is->name, sizeof is->name, "%s", name);
	}
	free(is->text);
	is->text = copy;
	return true;
}
