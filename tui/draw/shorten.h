/* SPDX-License-Identifier: MIT */
/* Long names in little room. Pure: any thread. */
#ifndef UI_SHORTEN_H
#define UI_SHORTEN_H

#include <stddef.h>

/*
 * `name` fitted into `cells` columns: whole; else with "(w)" for "(wrapper ...)", without keys of
 * labels ("{route=/a}"), with "(…)" for arguments, without outer parts of the namespace; else with
 * the middle left out, since both ends of a name say more. Returns `name` or `buf`, the caller's,
 * never NULL.
 */
const char *ui_shorten(const char *name, int cells, char *buf, size_t size);

#endif
