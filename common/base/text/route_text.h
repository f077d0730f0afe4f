/* SPDX-License-Identifier: MIT */
/*
 * The name of a span without the parts that differ from span to span: numbers and ids in paths are
 * "*", literals in SQL "?", the query string of a URL is cut off. Pure: any thread.
 */
#ifndef PV_BASE_ROUTE_TEXT_H
#define PV_BASE_ROUTE_TEXT_H

#include <stddef.h>

enum { PV_ROUTE_TEXT = 400 };

/* Writes the name of a route, cut where the buffer ends; the text is valid UTF-8 as `name` is. */
void pv_route_text(const char *name, char *to, size_t size);
/* Likewise for SQL, whatever the text begins with. */
void pv_route_sql(const char *command, char *to, size_t size);

#endif
