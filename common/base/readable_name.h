/*
 * Names of .NET and Mono as a C# programmer writes them. A method's raw name is "Space.Outer/Inner:
 * Method (args)"; what compilers make of async methods, iterators, lambdas, local functions,
 * closures, top-level programs, accessors and operators stands in the tables of readable_tags.c. By
 * only its name, an async method of the C# compiler resembles an iterator.
 *
 * readable: for people. The class with its namespace, types in it without theirs; lambdas of one
 * method are distinguished by a number. canonical: for matching two builds. Types with namespaces,
 * no number that a compiler gives anew at each build.
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

enum pv_name_form { PV_NAME_READABLE, PV_NAME_CANONICAL };

/*
 * Pure; any thread. Return the length written, with a NUL after it that is not counted; 0: it does
 * not fit, or it is no name of that kind (a native symbol): show it as it is. What is not known is
 * left as it is. The time is linear in the name's length.
 */
size_t pv_readable_method(
	const char *raw, size_t len, enum pv_name_form form, char *to, size_t room);
size_t pv_readable_class(
	const char *raw, size_t len, enum pv_name_form form, char *to, size_t room);

#endif
