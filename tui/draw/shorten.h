/* Long names in little room. Pure: any thread. */
#ifndef UI_SHORTEN_H
#define UI_SHORTEN_H

#include <stddef.h>

/*
 * `name` as it fits `cells` columns: whole; else with "(w)" for "(wrapper ...)" and "(…)" for its
 * arguments; else with its middle left out, since both ends of a name say more. Returns `name` or
 * `buf`, the caller's, never NULL.
 */
const char *ui_shorten(const char *name, int cells, char *buf, size_t size);

#endif
