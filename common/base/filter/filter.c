/* SPDX-License-Identifier: MIT */
/* Reads the text of a filter into a tree of terms. */
#include "common/base/filter/filter.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/utf8.h"
#include "common/base/filter/filter_parts.h"

/* A text being read, up to an error. */
struct reading {
	struct pv_filter *f;
	const char *text;
	enum pv_filter_way way;
	size_t at, len;
	unsigned open, depth; /* parentheses; with ! */
	const struct pv_filter_column *column;
	size_t columns;
	struct pv_filter_error *err;
};

enum { NO_NODE = -1 };

static const char *const fields[PV_FILTER_FIELDS] = {
	[PV_FILTER_ANY] = "",
	[PV_FILTER_CLASS] = "class",
	[PV_FILTER_NAMESPACE] = "ns",
	[PV_FILTER_ASSEMBLY] = "asm",
	[PV_FILTER_MODULE] = "module",
	[PV_FILTER_THREAD] = "thread",
	[PV_FILTER_METHOD] = "method",
	[PV_FILTER_STACK] = "stack",
	[PV_FILTER_KIND] = "kind",
	[PV_FILTER_SITE] = "site",
	[PV_FILTER_ROUTE] = "route",
	[PV_FILTER_QUERY] = "query",
};

const char *pv_filter_field_name(enum pv_filter_field field)
{
	return field < PV_FILTER_FIELDS ? fields[field] : NULL;
}

static int refuse_filter(struct reading *r, size_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static int refuse_filter(struct reading *r, size_t at, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	if (!r->err->what[0]) {
		vsnprintf(r->err->what, sizeof r->err->what, format, args);
		r->err->at = at;
	}
	va_end(args);
	return NO_NODE;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_at(const struct reading *r, size_t at, char c)
{
	return at < r->len && r->text[at] == c;
}

/* Whether a term ends here. */
static bool is_end(const struct reading *r, size_t at)
{
	return at >= r->len || is_blank(r->text[at]) || r->text[at] == '|' ||
	       (r->text[at] == ')' && r->open);
}

static size_t after_blanks(const struct reading *r, size_t at)
{
	while (at < r->len && is_blank(r->text[at]))
		at++;
	return at;
}

/* --- nodes */

static int add_node(struct reading *r, enum pv_filter_op op, int a, int b)
{
	struct pv_filter *f = r->f;
	if (f->nodes == PV_FILTER_NODES)
		return refuse_filter(r, r->at, "more than %d terms", PV_FILTER_LEAVES);
	f->node[f->nodes] = (struct pv_filter_node){ (uint8_t)op, (uint8_t)a, (uint8_t)b };
	return (int)f->nodes++;
}

static struct pv_filter_leaf *new_leaf(struct reading *r, enum pv_filter_what what, size_t at)
{
	struct pv_filter *f = r->f;
	if (f->leaves == PV_FILTER_LEAVES) {
		refuse_filter(r, at, "more than %d terms", PV_FILTER_LEAVES);
		return NULL;
	}
	f->leaf[f->leaves] = (struct pv_filter_leaf){ .what = what, .of = f };
	return &f->leaf[f->leaves++];
}

static int add_leaf(struct reading *r)
{
	return add_node(r, PV_FILTER_LEAF, (int)r->f->leaves - 1, 0);
}

static int add_text_leaf(struct reading *r, enum pv_filter_field field, const char *text,
	size_t len, bool any_case, size_t at)
{
	struct pv_filter_leaf *leaf = new_leaf(r, PV_FILTER_TEXT, at);
	if (!leaf)
		return NO_NODE;
	leaf->field = field;
	if (!pv_filter_keep(r->f, text, len, any_case, leaf))
		return refuse_filter(r, at, "more than %d characters", PV_FILTER_MAX);
	return add_leaf(r);
}

/* --- "exact words" */

static int take_quoted(struct reading *r, enum pv_filter_field field)
{
	char text[PV_FILTER_MAX];
	size_t open = r->at++, n = 0;
	while (r->at < r->len && r->text[r->at] != '"') {
		bool escapes = r->text[r->at] == '\\' && r->at + 1 < r->len &&
			       (r->text[r->at + 1] == '"' || r->text[r->at + 1] == '\\');
		r->at += escapes;
		text[n++] = r->text[r->at++];
	}
	if (r->at == r->len)
		return refuse_filter(r, open, "this \" is never closed");
	r->at++;
	if (n == 0)
		return refuse_filter(r, open, "nothing between the quotes");
	return add_text_leaf(r, field, text, n, false, open);
}

/* --- regular expressions */

/* The place of the closing '/'; 0: none. */
static size_t regex_end(const struct reading *r, size_t open)
{
	bool in_set = false;
	for (size_t i = open + 1; i < r->len; i++) {
		char c = r->text[i];
		if (c == '\\' && !in_set)
			i++;
		else if (c == '[' && !in_set)
			in_set = true, i += is_at(r, i + 1, '^'), i += is_at(r, i + 1, ']');
		else if (c == ']')
			in_set = false;
		else if (c == '/' && !in_set && is_end(r, i + 1))
			return i;
	}
	return 0;
}

/* "/usr/lib" is a text, and so is "//"; with a special sign of regexes, an unclosed regex. */
static bool is_regex(const struct reading *r, size_t at)
{
	if (!is_at(r, at, '/') || is_at(r, at + 1, '/') || is_end(r, at + 1))
		return false;
	if (regex_end(r, at))
		return true;
	while (++at < r->len && !is_blank(r->text[at]) && !(r->text[at] == ')' && r->open))
		if (strchr("()[]{}*+?^$\\|", r->text[at]))
			return true;
	return false;
}

static bool has_capitals(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] >= 'A' && text[i] <= 'Z')
			return true;
	return false;
}

static int take_regex(struct reading *r, enum pv_filter_field field)
{
	struct pv_filter *f = r->f;
	struct pv_pattern_error why;
	size_t open = r->at, end = regex_end(r, open), len = end - open - 1;
	const char *text = r->text + open + 1;
	if (!end)
		return refuse_filter(r, open, "this / is never closed");
	if (f->patterns == PV_FILTER_REGEXES)
		return refuse_filter(r, open, "more than %d regexes", PV_FILTER_REGEXES);
	struct pv_pattern *made = malloc(sizeof *made);
	if (!made) {
		r->err->no_memory = true;
		return refuse_filter(r, open, "out of memory");
	}
	f->pattern[f->patterns++] = made;
	if (!pv_pattern_make(text, len, !has_capitals(text, len), made, &why))
		return refuse_filter(r, open + 1 + why.at, "%s", why.what);
	struct pv_filter_leaf *leaf = new_leaf(r, PV_FILTER_REGEX, open);
	if (!leaf)
		return NO_NODE;
	leaf->field = field;
	leaf->at = (uint16_t)(f->patterns - 1);
	r->at = end + 1;
	return add_leaf(r);
}

/* --- column OP number */

static bool unit_fits(enum pv_filter_unit column, const struct pv_filter_number *n)
{
	if (column == PV_FILTER_ALL_UNITS || column == n->unit)
		return true;
	return n->unit == PV_FILTER_PLAIN && (!n->scaled || column == PV_FILTER_BYTES);
}

static bool is_unit(const char *suffix)
{
	static const char *const units[] = { "_ns", "_bytes", "_percent", "_ms" };
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(suffix, units[i]) == 0)
			return true;
	return false;
}

/*
 * The column of this name that fits the number: best by its whole id, else with the unit left out;
 * among the latter the first, a share only if there is no other. `ret_other`: a column of this name
 * that the number does not fit.
 */
static const struct pv_filter_column *column_of(const struct reading *r, const char *name,
	size_t len, const struct pv_filter_number *n, const struct pv_filter_column **ret_other)
{
	const struct pv_filter_column *best = NULL;
	int rank = 0;
	*ret_other = NULL;
	for (size_t i = 0; i < r->columns; i++) {
		const struct pv_filter_column *c = &r->column[i];
		if (strncmp(c->id, name, len) != 0 || (c->id[len] && !is_unit(c->id + len)))
			continue;
		bool share = c->unit == PV_FILTER_PERCENT && n->unit != PV_FILTER_PERCENT;
		int is = !c->id[len] ? 3 : share ? 1 : 2;
		if (!unit_fits(c->unit, n)) {
			*ret_other = *ret_other ? *ret_other : c;
		} else if (is > rank) {
			rank = is;
			best = c;
		}
	}
	return best;
}

struct comparison {
	bool less, equal, greater;
	size_t len;
};

static bool take_operator(const struct reading *r, size_t at, struct comparison *ret)
{
	bool then = is_at(r, at + 1, '=');
	char c = at < r->len ? r->text[at] : 0;
	*ret = (struct comparison){ .len = then ? 2 : 1 };
	ret->less = c == '<' || c == '!';
	ret->greater = c == '>' || c == '!';
	ret->equal = c == '=' || (then && c != '!');
	return c == '<' || c == '>' || c == '=' || (c == '!' && then);
}

static const char *unit_text(enum pv_filter_unit unit)
{
	return unit == PV_FILTER_NS        ? "a time"
	       : unit == PV_FILTER_BYTES   ? "a size"
	       : unit == PV_FILTER_PERCENT ? "a share"
					   : "a number";
}

/* *ret: the node. False: no comparison, and nothing was read. */
static bool take_comparison(struct reading *r, int *ret)
{
	struct comparison op;
	struct pv_filter_number n;
	const struct pv_filter_column *other, *column;
	const char *name = r->text + r->at;
	size_t len = 0, from = r->at;
	while (r->at + len < r->len &&
		((name[len] >= 'a' && name[len] <= 'z') || name[len] == '_' ||
			(len && name[len] >= '0' && name[len] <= '9')))
		len++;
	size_t at = after_blanks(r, r->at + len);
	if (!len || !take_operator(r, at, &op))
		return false;
	size_t value = after_blanks(r, at + op.len), end = value;
	while (!is_end(r, end))
		end++;
	n = (struct pv_filter_number){ .value = 0 };
	column = end == value ? column_of(r, name, len, &n, &other) : NULL;
	if (end == value && (column || other)) {
		*ret = refuse_filter(r, at, "nothing after %.*s", (int)op.len, r->text + at);
		return true;
	}
	if (!pv_filter_number_of(r->text + value, end - value, &n))
		return false;
	column = column_of(r, name, len, &n, &other);
	if (!column && !other)
		return false;
	*ret = NO_NODE;
	if (!column) {
		refuse_filter(r, value, "%s is %s, not %s", PV_FIT(other->id, 40),
			unit_text(other->unit), n.scaled ? "a number" : unit_text(n.unit));
		return true;
	}
	struct pv_filter_leaf *leaf = new_leaf(r, PV_FILTER_COMPARES, from);
	if (!leaf)
		return true;
	leaf->place = column->place;
	leaf->unit = n.unit;
	leaf->number = n.scaled && column->unit == PV_FILTER_BYTES ? n.value_of_bytes : n.value;
	leaf->less = op.less;
	leaf->equal = op.equal;
	leaf->greater = op.greater;
	r->at = end;
	*ret = add_leaf(r);
	return true;
}

/* --- words */

/* The end of a word; parentheses opened and closed within the word are part of it. */
static size_t word_end(const struct reading *r, size_t at)
{
	size_t inside = 0;
	for (; at < r->len && !is_blank(r->text[at]) && r->text[at] != '|'; at++) {
		if (r->text[at] == '(')
			inside++;
		else if (r->text[at] == ')' && inside)
			inside--;
		else if (r->text[at] == ')' && r->open)
			break;
	}
	return at;
}

/* The field of "class:" and the like, without a second ':' after; the length goes to *ret. */
static enum pv_filter_field field_at(const struct reading *r, size_t *ret)
{
	for (enum pv_filter_field i = 1; i < PV_FILTER_FIELDS; i++) {
		size_t n = strlen(fields[i]);
		if (r->len - r->at <= n || memcmp(r->text + r->at, fields[i], n) != 0 ||
			r->text[r->at + n] != ':' || is_at(r, r->at + n + 1, ':'))
			continue;
		*ret = n + 1;
		return i;
	}
	*ret = 0;
	return PV_FILTER_ANY;
}

/* "field:=" asks for the whole name, as written. */
static int take_whole(struct reading *r, enum pv_filter_field field)
{
	size_t start = r->at;
	bool quoted = is_at(r, start, '"');
	r->at = quoted ? start : word_end(r, start);
	int node = quoted ? take_quoted(r, field)
			  : add_text_leaf(r, field, r->text + start, r->at - start, false, start);
	if (node == NO_NODE)
		return NO_NODE;
	struct pv_filter_leaf *leaf = &r->f->leaf[r->f->leaves - 1];
	leaf->equal = true;
	leaf->any_case = false;
	return node;
}

static int take_word(struct reading *r)
{
	int compared;
	size_t from = r->at, prefix;
	enum pv_filter_field field = field_at(r, &prefix);
	if (!field && take_comparison(r, &compared))
		return compared;
	r->at += prefix;
	bool whole = field && is_at(r, r->at, '=');
	r->at += whole;
	if (is_end(r, r->at))
		return refuse_filter(
			r, from, "nothing after %s:%s", fields[field], whole ? "=" : "");
	if (whole)
		return take_whole(r, field);
	if (is_at(r, r->at, '"'))
		return take_quoted(r, field);
	if (is_regex(r, r->at))
		return take_regex(r, field);
	size_t start = r->at;
	r->at = word_end(r, start);
	return add_text_leaf(r, field, r->text + start, r->at - start,
		!field && r->way == PV_FILTER_WORDS, start);
}

/* --- terms */

static int take_either(struct reading *r);

static int take_group(struct reading *r)
{
	size_t open = r->at++;
	if (++r->depth > PV_FILTER_DEPTH)
		return refuse_filter(
			r, open, "more than %d ( and ! within each other", PV_FILTER_DEPTH);
	r->open++;
	int inner = take_either(r);
	if (inner == NO_NODE)
		return NO_NODE;
	if (!is_at(r, r->at, ')'))
		return refuse_filter(r, open, "this ( is never closed");
	r->at++;
	r->open--;
	r->depth--;
	return inner;
}

static int negate(struct reading *r, int of)
{
	struct pv_filter *f = r->f;
	if (of != NO_NODE && f->node[of].op == PV_FILTER_NOT)
		return f->node[of].a;
	return of == NO_NODE ? NO_NODE : add_node(r, PV_FILTER_NOT, of, 0);
}

static int take_term(struct reading *r)
{
	if (is_at(r, r->at, '!')) {
		size_t at = r->at;
		if (++r->depth > PV_FILTER_DEPTH)
			return refuse_filter(
				r, at, "more than %d ( and ! within each other", PV_FILTER_DEPTH);
		r->at = after_blanks(r, at + 1);
		if (is_end(r, r->at))
			return refuse_filter(r, at, "nothing after !");
		int of = negate(r, take_term(r));
		r->depth--;
		return of;
	}
	if (is_at(r, r->at, '(') && !is_at(r, r->at + 1, ')'))
		return take_group(r);
	return take_word(r);
}

/* Notes the term just read, which begins at `at`, if at the top level. */
static void note_term(struct reading *r, size_t at, unsigned leaf)
{
	struct pv_filter *f = r->f;
	if (r->depth == 0 && f->terms < PV_FILTER_LEAVES)
		f->term[f->terms++] = (struct pv_filter_term){ (uint16_t)at, (uint16_t)r->at,
			(uint8_t)leaf, (uint8_t)f->leaves };
}

/* Terms side by side. */
static int take_all(struct reading *r)
{
	int all = NO_NODE;
	for (r->at = after_blanks(r, r->at); !is_end(r, r->at); r->at = after_blanks(r, r->at)) {
		if (is_at(r, r->at, ')'))
			return refuse_filter(r, r->at, "no ( is open that this ) could close");
		const size_t from = r->at;
		const unsigned leaf = r->f->leaves;
		int term = take_term(r);
		note_term(r, from, leaf);
		if (term != NO_NODE && all != NO_NODE)
			term = add_node(r, PV_FILTER_AND, all, term);
		if (term == NO_NODE)
			return NO_NODE;
		all = term;
	}
	if (all == NO_NODE)
		refuse_filter(r, r->at, "%s",
			r->at == r->len        ? "a word is missing at the end"
			: is_at(r, r->at, '|') ? "nothing before |"
					       : "nothing within ( )");
	return all;
}

static int take_either(struct reading *r)
{
	int any = take_all(r);
	while (any != NO_NODE && is_at(r, r->at, '|')) {
		size_t at = r->at++;
		r->f->either = r->f->either || r->depth == 0;
		if (is_end(r, after_blanks(r, r->at)))
			return refuse_filter(r, at, "nothing after |");
		int other = take_all(r);
		any = other == NO_NODE ? NO_NODE : add_node(r, PV_FILTER_OR, any, other);
	}
	return any;
}

/* A double negation leaves an unused node: the root may not be the last. */
static bool end_with(struct reading *r, int root)
{
	struct pv_filter *f = r->f;
	if (root == NO_NODE || (unsigned)root + 1 == f->nodes)
		return root != NO_NODE;
	f->nodes = (unsigned)root + 1;
	return true;
}

/* --- from outside */

/* Fills the filter; false with an error. */
static bool read_filter(struct reading *r)
{
	size_t len = r->len < PV_FILTER_MAX ? r->len : PV_FILTER_MAX;
	if (r->way == PV_FILTER_AS_IT_IS)
		return !len || add_text_leaf(r, PV_FILTER_ANY, r->text, len, true, 0) != NO_NODE;
	if (len < r->len)
		refuse_filter(r, PV_FILTER_MAX, "more than %d characters", PV_FILTER_MAX);
	else if (after_blanks(r, 0) == len)
		return true;
	return len == r->len && end_with(r, take_either(r));
}

struct pv_filter *pv_filter_make(const char *text, enum pv_filter_way way,
	const struct pv_filter_column *column, size_t columns, struct pv_filter_error *reterr)
{
	struct reading r = { .text = text ? text : "",
		.way = way,
		.column = column,
		.columns = columns,
		.err = reterr };
	*reterr = (struct pv_filter_error){ 0 };
	r.len = strlen(r.text);
	r.f = calloc(1, sizeof *r.f);
	if (!r.f) {
		reterr->no_memory = true;
		refuse_filter(&r, 0, "out of memory");
		return NULL;
	}
	if (read_filter(&r))
		return r.f;
	pv_filter_free(r.f);
	return NULL;
}

void pv_filter_free(struct pv_filter *f)
{
	for (unsigned i = 0; f && i < f->patterns; i++)
		free(f->pattern[i]);
	free(f);
}

size_t pv_filter_leaves(const struct pv_filter *f)
{
	return f->leaves;
}

const struct pv_filter_leaf *pv_filter_leaf(const struct pv_filter *f, size_t i)
{
	return &f->leaf[i];
}
