/* SPDX-License-Identifier: MIT */
/*
 * Strings to small ids and back. Id 0 is the empty string. Text is append-only and never moves: a
 * name's pointer is good until pv_intern_finish(). Valid when zeroed. One writer; readers of
 * pv_intern_text() need the writer's lock only to learn the id.
 *
 * A name comes from outside and stands in every row about it, so a name longer than PV_INTERN_MOST
 * is kept as its beginning, its length, a hash of the whole, and its end: two different names stay
 * different. Real names are shorter: generic instances of .NET take one or two KiB, demangled
 * templates of C++ rarely eight. Once very much text is kept, further names are cut shorter still.
 */
#ifndef PV_BASE_INTERN_H
#define PV_BASE_INTERN_H

#include "common/base/map.h"
#include "common/base/mem.h"

enum {
	PV_INTERN_MOST = 4096,      /* bytes of a text, without its NUL */
	PV_INTERN_LESS = 256,       /* likewise, for new texts from then on: */
	PV_INTERN_MUCH = 512 << 20, /* bytes of all */
};

struct pv_intern {
	struct pv_arena arena;
	PV_ARRAY(const char *) text; /* by id */
	PV_ARRAY(uint32_t) next;     /* by id: next id with the same hash, 0 ends */
	struct pv_map heads;         /* hash -> newest id; differs by process */
	uint64_t cut;                /* texts kept shorter than they came */
};

/*
 * The id of the text up to `len` bytes or a NUL, new if needed; 0: an empty text. False: out of
 * memory.
 */
bool pv_intern_add(struct pv_intern *in, const char *text, size_t len, uint32_t *ret_id);

/* Whether a text is the text of the id. */
bool pv_intern_is(const struct pv_intern *in, uint32_t id, const char *text, size_t len);

/* Owned by `in`. Never NULL; "" for id 0 and for ids never given out. */
const char *pv_intern_text(const struct pv_intern *in, uint32_t id);

/*
 * Call after `text` was filled directly: pv_intern_add() then finds all. False when out of memory.
 */
bool pv_intern_link(struct pv_intern *in);

/* Frees all text; ids and pointers given out lose their meaning. */
void pv_intern_finish(struct pv_intern *in);

#endif
