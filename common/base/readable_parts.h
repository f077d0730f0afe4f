/*
 * Private to the readable names: text being written, and parts of a raw name, which are borrowed
 * from it. Pure: any thread.
 */
#ifndef PV_BASE_READABLE_PARTS_H
#define PV_BASE_READABLE_PARTS_H

#include <stdint.h>
#include <string.h>

#include "common/base/readable_name.h"

enum { PV_NAME_NESTED = 16 }; /* types within types; deeper ones stay as they are */

/* A part of the raw name. */
struct pv_part {
	const char *at;
	size_t len;
};

struct pv_name_out {
	char *to;
	size_t n, room;
	unsigned depth; /* of names within names */
	bool full;      /* not all of it fits */
	bool spaces;    /* namespaces are written everywhere */
	bool numbers;   /* of lambdas */
};

/* Adds bytes, or a NUL-terminated text; sets `full` where they do not fit. */
void pv_name_put(struct pv_name_out *o, const char *at, size_t len);
void pv_name_text(struct pv_name_out *o, const char *text);

/* Whether the part is `text`, or begins with it. */
bool pv_part_is(struct pv_part p, const char *text);
bool pv_part_begins(struct pv_part p, const char *text);
/* The part from index `at` on, and that up to `end`; what lies beyond its length is left out. */
struct pv_part pv_part_from(struct pv_part p, size_t at);
struct pv_part pv_part_until(struct pv_part p, size_t end);
/* The first of one or two characters outside of all <>, () and []; the length without one. */
size_t pv_part_find(struct pv_part p, const char *of);
/* The index at which the first bracket closes; the length when it does not. */
size_t pv_part_close(struct pv_part p);

/* "<int, string>" without its brackets. False: it does not close. */
bool pv_part_inside(struct pv_part p, struct pv_part *ret);

/* An identifier without "`2". */
void pv_name_plain(struct pv_name_out *o, struct pv_part name);
/* The part after the last dot outside of brackets; all of it when there is none. */
struct pv_part pv_name_without_space(struct pv_part name);

enum made {
	MADE_NOTHING,
	MADE_MACHINE, /* class: a state machine of M, async or iterator */
	MADE_CLOSURE, /* class: what lambdas of M, or of a whole class, have captured */
	MADE_FILE,    /* class: visible in its own file only */
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

/* Classifies the name of a class or a method; MADE_NOTHING: a programmer wrote it. */
struct found pv_name_class_found(struct pv_part name);
struct found pv_name_method_found(struct pv_part name);

/* "new" for ".ctor", "operator +"; false: there is no word for it. */
bool pv_name_put_word(struct pv_name_out *o, struct pv_part name);
/* "get" (a literal) of "get_Total", *ret_of: "Total". NULL: it is no accessor. */
const char *pv_name_accessor(struct pv_part name, struct pv_part *ret_of);
/* "int" (a literal) for "System.Int32"; NULL: it has no other name. */
const char *pv_name_alias(struct pv_part type);

#endif
