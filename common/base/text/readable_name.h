/* SPDX-License-Identifier: MIT */
/*
 * Names of .NET and Mono as a C# programmer writes them. A method's raw name is "Space.Outer/Inner:
 * Method (args)"; the forms that compilers make of async methods, iterators, lambdas, local
 * functions, closures, top-level programs, accessors and operators stand in the tables of
 * readable_tags.c. By name only, an async method of the C# compiler resembles an iterator.
 *
 * readable: for people. The class with its namespace, types in the name without namespaces; lambdas
 * of one method are distinguished by a number. canonical: for matching two builds. Types with
 * namespaces, no number that a compiler gives anew at each build.
 *
 * "Shop.Cart/<TaxAsync>d__4:MoveNext ()"       Shop.Cart.TaxAsync
 * "Shop.Cart/<>c:<Run>b__7_2 (int)"            Shop.Cart.Run > lambda #2, canonical: > lambda
 * "Shop.Cart:<Run>g__Add|8_0 (int&)"           Shop.Cart.Run > Add(ref int)
 * "Shop.Cart:set_Total (System.Nullable`1<int>)"   Shop.Cart.Total.set(int?)
 */
#ifndef PV_BASE_READABLE_NAME_H
#define PV_BASE_READABLE_NAME_H

#include <stdbool.h>
#include <stddef.h>

enum pv_name_form { PV_NAME_READABLE, PV_NAME_CANONICAL, PV_NAME_FORMS };

/*
 * Pure; any thread. Return the length written, not counting a final NUL; 0: no room, or no name of
 * this kind (such as a native symbol), to be shown as it is. Unknown parts stay as they are. The
 * time is linear in the name's length.
 */
size_t pv_readable_method(
	const char *raw, size_t len, enum pv_name_form form, char *to, size_t room);
size_t pv_readable_class(
	const char *raw, size_t len, enum pv_name_form form, char *to, size_t room);

/* Likewise all forms in little more than the time of one, `room` bytes each; NULL: not wanted. */
void pv_readable_forms(bool class, const char *raw, size_t len, char *const to[PV_NAME_FORMS],
	size_t room, size_t ret_len[PV_NAME_FORMS]);

#endif
