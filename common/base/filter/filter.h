/* SPDX-License-Identifier: MIT */
/*
 * The language of filters, one for screen, reports, dump, exports and rules. Words joined by blank
 * are "and", | is "or" (blank binds tighter), ! is "not", parentheses stand around terms; a term is
 * a word, "exact words", /regex/ (pattern.h), field:text, field:=text (the text is the whole name
 * then), or column OP number with a unit, like self>10ms. "word:" is a field only for the names
 * below, and not before a second ':'; an operator makes a comparison only between a column of the
 * table at hand and a number: all else is text, as it stands (a column and an operator with nothing
 * to compare are a mistake). A column is named by its id, with or without the unit. Case of ASCII
 * letters is ignored unless the text has capitals; commands whose options have always ignored case
 * in plain words still do (PV_FILTER_WORDS).
 *
 * A filter is made once, and may then be asked from any thread. The cost is linear in the text
 * asked about, for any filter and text.
 */
#ifndef PV_BASE_FILTER_H
#define PV_BASE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PV_FILTER_MAX = 1024,  /* bytes of a filter */
	PV_FILTER_LEAVES = 64, /* words, fields, comparisons */
	PV_FILTER_DEPTH = 64,  /* parentheses and ! within each other */
	PV_FILTER_REGEXES = 8,
};

enum pv_filter_field {
	PV_FILTER_ANY, /* no field: any text of the row */
	PV_FILTER_CLASS,
	PV_FILTER_NAMESPACE,
	PV_FILTER_ASSEMBLY,
	PV_FILTER_MODULE,
	PV_FILTER_THREAD,
	PV_FILTER_METHOD,
	PV_FILTER_STACK,
	PV_FILTER_KIND,
	PV_FILTER_SITE,
	PV_FILTER_ROUTE, /* this and the next are of requests: filter_split.h */
	PV_FILTER_QUERY,
	PV_FILTER_FIELDS
};

/* The field's name before the ':', a literal; "" for PV_FILTER_ANY, NULL past the last. */
const char *pv_filter_field_name(enum pv_filter_field field);

/* The kind of a number; values are in ns, bytes, or percent. */
enum pv_filter_unit {
	PV_FILTER_PLAIN, /* things */
	PV_FILTER_NS,
	PV_FILTER_BYTES,
	PV_FILTER_PERCENT,
	PV_FILTER_ALL_UNITS, /* of a column: each row has its unit */
};

/* A column to compare with numbers. */
struct pv_filter_column {
	const char *id; /* borrowed while the filter is made */
	enum pv_filter_unit unit;
	int place; /* of the caller, in pv_filter_leaf.place */
};

enum pv_filter_what { PV_FILTER_TEXT, PV_FILTER_REGEX, PV_FILTER_COMPARES };

/* A term. */
struct pv_filter_leaf {
	enum pv_filter_what what;
	enum pv_filter_field field;
	int place;                  /* PV_FILTER_COMPARES: the column's */
	enum pv_filter_unit unit;   /* as in the text; PLAIN without one */
	const struct pv_filter *of; /* private from here on */
	long double number;         /* has all values of 64 bits on the machines we know */
	bool less, equal, greater;  /* than the number: then holds; of a text equal: the whole */
	bool any_case;
	uint16_t at, len;
};

struct pv_filter;

/* The mistake in a filter: the byte of the text, from 0 on, and the reason. */
struct pv_filter_error {
	bool no_memory;
	size_t at;
	char what[96]; /* without the place */
};

/* How a text is read. */
enum pv_filter_way {
	PV_FILTER_WORDS,    /* case of words without a field or quotes is ignored in any case */
	PV_FILTER_CAPITALS, /* but if they have capitals */
	PV_FILTER_AS_IT_IS, /* one text without operators, case ignored */
};

/*
 * Makes a filter of a text, for a table with these columns; NULL with *reterr. The caller frees the
 * filter. NULL, "" and blanks make a filter that all rows pass. With AS_IT_IS no text is wrong: a
 * text longer than a filter may be is cut.
 */
struct pv_filter *pv_filter_make(const char *text, enum pv_filter_way way,
	const struct pv_filter_column *column, size_t columns, struct pv_filter_error *reterr);
void pv_filter_free(struct pv_filter *f); /* NULL is fine */

/*
 * Writes a filter that finds just this text into `ret`: the text itself if it has one meaning only,
 * else in quotes, with a backslash before " and \. Cut to `size` bytes with the NUL. Returns `ret`,
 * owned by the caller, never NULL.
 */
const char *pv_filter_quote(const char *text, char *ret, size_t size);

/* Number of terms, and each term, owned by the filter; never NULL. */
size_t pv_filter_leaves(const struct pv_filter *f);
const struct pv_filter_leaf *pv_filter_leaf(const struct pv_filter *f, size_t i);

/* Whether a row passes the filter; `holds` answers whether the row fits a term. */
bool pv_filter_passes(const struct pv_filter *f,
	bool (*holds)(const void *row, const struct pv_filter_leaf *leaf), const void *row);
/* The same where bit i says whether term i holds. */
bool pv_filter_passes_bits(const struct pv_filter *f, uint64_t leaves);

/* Whether a row may pass, when only terms with a bit in `known` are decided, by `leaves`. */
bool pv_filter_may_pass(const struct pv_filter *f, uint64_t known, uint64_t leaves);

/* Whether a text of `len` bytes, a name, has what the term (no comparison) asks for. */
bool pv_filter_text_has(const struct pv_filter_leaf *leaf, const char *text, size_t len);
/*
 * The same for a text in which names stand among other words: a whole name must be one of these
 * names.
 */
bool pv_filter_line_has(const struct pv_filter_leaf *leaf, const char *text, size_t len);
/* Whether a value satisfies the term's comparison. */
bool pv_filter_number_is(const struct pv_filter_leaf *leaf, long double value);

/*
 * The filter as understood, for tests: "(and a (not b))". Returns `ret`, owned by the caller, never
 * NULL; cut to `size` bytes.
 */
const char *pv_filter_tree(const struct pv_filter *f, char *ret, size_t size);

#endif
