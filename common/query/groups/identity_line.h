/* SPDX-License-Identifier: MIT */
/*
 * Private to the query layer: the coverage line of views and flames with the identity of objects
 * (model/objects/identity.h): how certain identity is. On the thread that asks.
 */
#ifndef PV_QUERY_IDENTITY_LINE_H
#define PV_QUERY_IDENTITY_LINE_H

#include <stddef.h>

struct pv_build;
struct pv_identity;

enum { PV_IDENTITY_LINE = 500 };
/* In the coverage line of a table that would know more with identity. */
#define PV_NOT_FOLLOWED "objects were not followed"
/* Into `size` bytes, longer text is cut. NULL: objects were not followed. */
void pv_identity_text(const struct pv_identity *l, char *ret, size_t size);
/* The same as the table's coverage line, for queries with `identity`. */
void pv_identity_line(struct pv_build *b);

#endif
