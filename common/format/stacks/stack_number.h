/* SPDX-License-Identifier: MIT */
/*
 * Figures of folded stacks: "5", "0.25", "6.", "1.5e3". Pure: any thread.
 */
#ifndef PV_FORMAT_STACK_NUMBER_H
#define PV_FORMAT_STACK_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value: digits * 10^exponent. The last digit is not zero unless the value is 0. */
struct pv_stack_number {
	uint64_t digits;
	int exponent;
};

/* Parses a figure. False: the text is no figure. */
bool pv_stack_number(const char *at, size_t n, struct pv_stack_number *ret);

/*
 * The value times 10^decimals, rounded to a whole number; *ret_exact: nothing was rounded. False:
 * the result is above PV_STACK_MOST.
 */
#define PV_STACK_MOST UINT64_C(1000000000000000000)
bool pv_stack_scale(
	const struct pv_stack_number *number, unsigned decimals, uint64_t *ret, bool *ret_exact);

#endif
