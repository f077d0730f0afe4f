/* SPDX-License-Identifier: MIT */
/*
 * Private to the readable names: text being written, and parts of a raw name, borrowed from the
 * name. Pure: any thread.
 */
#ifndef PV_BASE_READABLE_PARTS_H
#define PV_BASE_READABLE_PARTS_H

#include <stdint.h>
#include <string.h>

#include "common/base/text/readable_name.h"

enum { PV_NAME_NESTED = 16 }; /* types within types; deeper types stay as they are */

/* A part of the raw name. */
struct pv_part {
	const char *at;
	size_t len;
};

/* All forms of a name, written together. */
struct pv_name_out {
	char *const *to; /* by form; NULL: not wanted */
	size_t n[PV_NAME_FORMS], room;
	bool full[PV_NAME_FORMS]; /* the form does not fit, or is not wanted */
	unsigned depth;           /* of names within names */
};

/*
 * Adds bytes, or a NUL-terminated text, to all forms or to one; sets `full` if out of room. Only
 * the canonical form has namespaces of types within a name, only the readable form numbers of
 * lambdas.
 */
void pv_name_put(struct pv_name_out *o, const char *at, size_t len);
static inline void pv_name_put_in(
	struct pv_name_out *o, enum pv_name_form form, const char *at, size_t len)
{
	o->full[form] = o->full[form] || len >= o->room - o->n[form];
	if (o->full[form])
		return;
	memcpy(o->to[form] + o->n[form], at, len);
	o->n[form] += len;
}
void pv_name_text(struct pv_name_out *o, const char *text);

/* Whether the part is `text`, or begins with `text`. */
static inline bool pv_part_is(struct pv_part p, const char *text)
{
	return p.len == strlen(text) && memcmp(p.at, text, p.len) == 0;
}
bool pv_part_begins(struct pv_part p, const char *text);
/* The part from index `at` on; the part up to index `end`. Indices are cut to the part's length. */
struct pv_part pv_part_from(struct pv_part p, size_t at);
struct pv_part pv_part_until(struct pv_part p, size_t end);
/* Index of the first of one or two characters, outside of all <>, () and []; the length: none. */
size_t pv_part_find(struct pv_part p, const char *of);
/* Whether the part is a class in a namespace, without brackets, arity or outer classes. */
bool pv_part_is_plain(struct pv_part p);
/* The index at which the first bracket closes; the length if never. */
size_t pv_part_close(struct pv_part p);

/* "<int, string>" without the brackets. False: not closed. */
bool pv_part_inside(struct pv_part p, struct pv_part *ret);

/* The length of an identifier without "`2"; writes it. */
static inline size_t pv_name_plain_length(struct pv_part name)
{
	const char *tick = memchr(name.at, '`', name.len);
	return tick ? (size_t)(tick - name.at) : name.len;
}
void pv_name_plain(struct pv_name_out *o, struct pv_part name);
/* The part after the last dot outside of brackets; the whole part without a dot. */
struct pv_part pv_name_without_space(struct pv_part name);

enum made {
	MADE_NOTHING,
	MADE_MACHINE, /* class: a state machine of M, async or iterator */
	MADE_CLOSURE, /* class: what lambdas of M, or of a whole class, have captured */
	MADE_FILE,    /* class: visible in one file only */
	MADE_LAMBDA,  /* method: of M */
	MADE_LOCAL,   /* method: a local function of M */
	MADE_BASE,    /* method: calls the base class's, for a lambda or an async method */
	MADE_MAIN,    /* method: of a top-level program; of a record */
};

/* "<M>tag..." */
struct found {
	enum made made;
	struct pv_part of;   /* M */
	struct pv_part tail; /* after the tag */
};

/* Classifies the name of a class or a method; MADE_NOTHING: written by a programmer. */
struct found pv_name_class_found(struct pv_part name);
struct found pv_name_method_found(struct pv_part name);

/* Writes "new" for ".ctor", "operator +"; false: no such word. */
bool pv_name_put_word(struct pv_name_out *o, struct pv_part name);
/* "get" (a literal) for "get_Total", *ret_of: "Total". NULL: not an accessor. */
const char *pv_name_accessor(struct pv_part name, struct pv_part *ret_of);
/* "int" (a literal) for "System.Int32"; NULL: no alias. */
const char *pv_name_alias(struct pv_part type);

#endif
