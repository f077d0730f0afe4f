/* SPDX-License-Identifier: MIT */
/* Filters asked and shown. A tree is as deep as a filter has terms at most. */
#include <stdio.h>
#include <string.h>

#include "common/base/filter/filter_parts.h"

struct asked {
	const struct pv_filter *f;
	bool (*holds)(const void *row, const struct pv_filter_leaf *leaf);
	const void *row;
};

static bool node_passes(const struct asked *a, unsigned at)
{
	const struct pv_filter_node *n = &a->f->node[at];
	switch (n->op) {
	case PV_FILTER_NOT:
		return !node_passes(a, n->a);
	case PV_FILTER_AND:
		return node_passes(a, n->a) && node_passes(a, n->b);
	case PV_FILTER_OR:
		return node_passes(a, n->a) || node_passes(a, n->b);
	default:
		return a->holds(a->row, &a->f->leaf[n->a]);
	}
}

bool pv_filter_passes(const struct pv_filter *f,
	bool (*holds)(const void *row, const struct pv_filter_leaf *leaf), const void *row)
{
	struct asked a = { f, holds, row };
	return f->nodes == 0 || node_passes(&a, f->nodes - 1);
}

static bool bit(const void *row, const struct pv_filter_leaf *leaf)
{
	const uint64_t *bits = row;
	return *bits >> (leaf - leaf->of->leaf) & 1;
}

bool pv_filter_passes_bits(const struct pv_filter *f, uint64_t leaves)
{
	return pv_filter_passes(f, bit, &leaves);
}

/* Bits of what a node may be: 1 false, 2 true. */
static unsigned outcomes(const struct pv_filter *f, unsigned at, uint64_t known, uint64_t leaves)
{
	const struct pv_filter_node *n = &f->node[at];
	if (n->op == PV_FILTER_LEAF)
		return !(known >> n->a & 1) ? 3 : leaves >> n->a & 1 ? 2 : 1;
	unsigned a = outcomes(f, n->a, known, leaves);
	if (n->op == PV_FILTER_NOT)
		return (a >> 1 & 1) | (a << 1 & 2);
	unsigned b = outcomes(f, n->b, known, leaves);
	return n->op == PV_FILTER_AND ? (a & b & 2) | ((a | b) & 1) : ((a | b) & 2) | (a & b & 1);
}

bool pv_filter_may_pass(const struct pv_filter *f, uint64_t known, uint64_t leaves)
{
	return f->nodes == 0 || outcomes(f, f->nodes - 1, known, leaves) & 2;
}

/* --- quoting */

static bool has_one_meaning(const char *text)
{
	size_t name = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
	if (!*text || strpbrk(text, " \t|\"()") || *text == '!' || *text == '/')
		return false;
	return !text[name] || !strchr("<>=!:", text[name]);
}

const char *pv_filter_quote(const char *text, char *ret, size_t size)
{
	size_t n = 0;
	if (has_one_meaning(text)) {
		snprintf(ret, size, "%s", text);
		return ret;
	}
	if (size < 4) {
		ret[0] = 0;
		return ret;
	}
	ret[n++] = '"';
	for (; *text && n + 4 <= size; text++) {
		if (*text == '"' || *text == '\\')
			ret[n++] = '\\';
		ret[n++] = *text;
	}
	ret[n++] = '"';
	ret[n] = 0;
	return ret;
}

/* --- as text */

struct writing {
	char *to;
	size_t n, size;
};

static void write_text(struct writing *w, const char *text, size_t len)
{
	for (size_t i = 0; i < len && w->n + 1 < w->size; i++)
		w->to[w->n++] = text[i];
}

static void write_leaf(struct writing *w, const struct pv_filter_leaf *leaf)
{
	char number[80];
	const char *field = pv_filter_field_name(leaf->field);
	if (leaf->what == PV_FILTER_COMPARES) {
		int n = snprintf(number, sizeof number, "#%d%s%s%s%.10Lg", leaf->place,
			leaf->less ? "<" : "", leaf->greater ? ">" : "", leaf->equal ? "=" : "",
			leaf->number);
		write_text(w, number, (size_t)n);
		return;
	}
	write_text(w, field, strlen(field));
	if (*field)
		write_text(w, leaf->equal ? ":=" : ":", leaf->equal ? 2 : 1);
	if (leaf->what == PV_FILTER_REGEX)
		write_text(w, "/", 1);
	else
		write_text(w, leaf->of->text + leaf->at, leaf->len);
	if (!leaf->any_case && leaf->what == PV_FILTER_TEXT)
		write_text(w, "'", 1);
}

static void write_node(struct writing *w, const struct pv_filter *f, unsigned at)
{
	static const char *const words[] = { "", "(not ", "(and ", "(or " };
	const struct pv_filter_node *n = &f->node[at];
	if (n->op == PV_FILTER_LEAF) {
		write_leaf(w, &f->leaf[n->a]);
		return;
	}
	write_text(w, words[n->op], strlen(words[n->op]));
	write_node(w, f, n->a);
	if (n->op != PV_FILTER_NOT) {
		write_text(w, " ", 1);
		write_node(w, f, n->b);
	}
	write_text(w, ")", 1);
}

const char *pv_filter_tree(const struct pv_filter *f, char *ret, size_t size)
{
	struct writing w = { .to = ret, .size = size };
	if (f->nodes)
		write_node(&w, f, f->nodes - 1);
	ret[w.n] = 0;
	return ret;
}
