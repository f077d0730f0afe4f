/* SPDX-License-Identifier: MIT */
/* Reads decimal figures without floating point, so that 0.1 stays a tenth. */
#include "common/format/stacks/stack_number.h"

enum { MOST_DIGITS = 18, MOST_EXPONENT = 9999 };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "e3", "E-06" up to the end. */
static bool read_exponent(const char *at, const char *end, int *exponent)
{
	int e = 0, sign = 1;
	if (++at < end && (*at == '-' || *at == '+'))
		sign = *at++ == '-' ? -1 : 1;
	if (at == end)
		return false;
	for (; at < end; at++) {
		if (!is_digit(*at) || e > MOST_EXPONENT)
			return false;
		e = e * 10 + (*at - '0');
	}
	*exponent += sign * e;
	return true;
}

bool pv_stack_number(const char *at, size_t n, struct pv_stack_number *ret)
{
	const char *end = at + n;
	bool any = false, after = false;
	int kept = 0;
	*ret = (struct pv_stack_number){ 0 };
	if (n > MOST_EXPONENT)
		return false;
	for (; at < end && (is_digit(*at) || (*at == '.' && !after)); at++) {
		if (*at == '.') {
			after = true;
			continue;
		}
		any = true;
		if (kept < MOST_DIGITS) {
			ret->digits = ret->digits * 10 + (uint64_t)(*at - '0');
			kept += ret->digits > 0;
			ret->exponent -= after;
		} else {
			ret->exponent += !after; /* further digits are left out */
		}
	}
	if (!any || (at < end && *at != 'e' && *at != 'E') ||
		(at < end && !read_exponent(at, end, &ret->exponent)))
		return false;
	while (ret->digits && ret->digits % 10 == 0) {
		ret->digits /= 10;
		ret->exponent++;
	}
	return true;
}

bool pv_stack_scale(
	const struct pv_stack_number *number, unsigned decimals, uint64_t *ret, bool *ret_exact)
{
	uint64_t value = number->digits, rest = 0;
	int e = value ? number->exponent + (int)decimals : 0;
	bool exact = true;
	for (; e > 0; e--)
		if (__builtin_mul_overflow(value, 10, &value) || value > PV_STACK_MOST)
			return false;
	for (; e < 0 && (value || rest); e++) {
		exact &= rest == 0;
		rest = value % 10;
		value /= 10;
	}
	*ret = value + (rest >= 5);
	*ret_exact = exact && rest == 0;
	return *ret <= PV_STACK_MOST;
}
