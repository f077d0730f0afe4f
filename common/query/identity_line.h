/*
 * Private to the query layer: the coverage line of views and flames that rest on the identity of
 * objects (model/objects/identity.h), which says how certain that is. On the thread that asks.
 */
#ifndef PV_QUERY_IDENTITY_LINE_H
#define PV_QUERY_IDENTITY_LINE_H

#include <stddef.h>

struct pv_build;
struct pv_identity;

enum { PV_IDENTITY_LINE = 500 };
/* In the coverage line of a table that would know more if they were. */
#define PV_NOT_FOLLOWED "objects were not followed"
/* Into `size` bytes, cut where it is longer. NULL: objects were not followed. */
void pv_identity_text(const struct pv_identity *l, char *ret, size_t size);
/* The same as the table's coverage line; of a query with `identity`. */
void pv_identity_line(struct pv_build *b);

#endif
