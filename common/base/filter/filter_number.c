/* SPDX-License-Identifier: MIT */
/* Numbers with units, and what the parts of a filter say of a value or a text. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/filter/filter_parts.h"

static const struct {
	const char *suffix;
	enum pv_filter_unit unit;
	long double times;
} suffixes[] = {
	{ "%", PV_FILTER_PERCENT, 1 },
	{ "ns", PV_FILTER_NS, 1 },
	{ "us", PV_FILTER_NS, 1e3L },
	{ "\xc2\xb5s", PV_FILTER_NS, 1e3L },
	{ "ms", PV_FILTER_NS, 1e6L },
	{ "s", PV_FILTER_NS, 1e9L },
	{ "m", PV_FILTER_NS, 60e9L },
	{ "min", PV_FILTER_NS, 60e9L },
	{ "h", PV_FILTER_NS, 3600e9L },
	{ "B", PV_FILTER_BYTES, 1 },
};

/* "k", "KiB", "MB": sizes go in binary steps, as everywhere here. */
static bool is_scaled(const char *text, size_t len, struct pv_filter_number *ret)
{
	static const char letters[] = "kMGT";
	const char *at = strchr(letters, text[0] == 'K' ? 'k' : text[0]);
	long double binary = 1024, decimal = 1000;
	if (!at || !*at)
		return false;
	for (ptrdiff_t i = at - letters; i > 0; i--) {
		binary *= 1024;
		decimal *= 1000;
	}
	ret->scaled = len == 1;
	ret->unit = ret->scaled ? PV_FILTER_PLAIN : PV_FILTER_BYTES;
	ret->value_of_bytes = ret->value * binary;
	ret->value *= ret->scaled ? decimal : binary;
	return len == 1 || (len == 2 && text[1] == 'B') ||
	       (len == 3 && text[1] == 'i' && text[2] == 'B');
}

static bool is_hex(const char *digits, size_t len, struct pv_filter_number *ret)
{
	uint64_t v = 0;
	if (len < 3 || len > 18 || digits[0] != '0' || (digits[1] | 32) != 'x')
		return false;
	for (size_t i = 2; i < len; i++) {
		const char *all = "0123456789abcdef";
		char c = digits[i] >= 'A' && digits[i] <= 'F' ? (char)(digits[i] + 32) : digits[i];
		const char *at = c ? strchr(all, c) : NULL;
		if (!at)
			return false;
		v = v << 4 | (uint64_t)(at - all);
	}
	ret->value = (long double)v;
	return true;
}

bool pv_filter_number_of(const char *text, size_t len, struct pv_filter_number *ret)
{
	char digits[40];
	*ret = (struct pv_filter_number){ .unit = PV_FILTER_PLAIN };
	if (is_hex(text, len, ret))
		return true;
	size_t sign = len && (text[0] == '-' || text[0] == '+'), n = sign, dots = 0, figures = 0;
	for (; n < len && ((text[n] >= '0' && text[n] <= '9') || (text[n] == '.' && !dots)); n++) {
		dots += text[n] == '.';
		figures += text[n] != '.';
	}
	if (!figures || n >= sizeof digits)
		return false;
	memcpy(digits, text, n);
	digits[n] = 0;
	ret->value = strtold(digits, NULL);
	if (n == len)
		return true;
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		if (strlen(suffixes[i].suffix) != len - n ||
			memcmp(text + n, suffixes[i].suffix, len - n) != 0)
			continue;
		ret->value *= suffixes[i].times;
		ret->unit = suffixes[i].unit;
		return true;
	}
	return is_scaled(text + n, len - n, ret);
}

bool pv_filter_number_is(const struct pv_filter_leaf *leaf, long double value)
{
	if (value == leaf->number)
		return leaf->equal;
	return value < leaf->number ? leaf->less : value > leaf->number && leaf->greater;
}

/* --- texts */

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

bool pv_filter_keep(struct pv_filter *f, const char *text, size_t len, bool any_case,
	struct pv_filter_leaf *leaf)
{
	char *kept = f->text + f->used;
	uint16_t *again = f->again + f->used;
	if (len > PV_FILTER_MAX - f->used)
		return false;
	leaf->any_case = true;
	for (size_t i = 0; i < len && !any_case; i++)
		leaf->any_case = leaf->any_case && lower(text[i]) == text[i];
	leaf->at = (uint16_t)f->used;
	leaf->len = (uint16_t)len;
	for (size_t i = 0, k = 0; i < len; i++) {
		kept[i] = leaf->any_case ? lower(text[i]) : text[i];
		while (i && k && kept[i] != kept[k])
			k = again[k - 1];
		k += i && kept[i] == kept[k];
		again[i] = (uint16_t)k;
	}
	f->used += (unsigned)len;
	return true;
}

/*
 * Searches without a second look at any byte: `again` has the length of the part that still fits.
 */
static bool text_holds(
	const struct pv_filter *f, const struct pv_filter_leaf *leaf, const char *text, size_t len)
{
	const char *part = f->text + leaf->at;
	const uint16_t *again = f->again + leaf->at;
	size_t n = leaf->len, k = 0;
	bool any_case = leaf->any_case;
	if (n == 0)
		return true;
	const char first = part[0];
	const char other = any_case && first >= 'a' && first <= 'z' ? (char)(first - 32) : first;
	for (size_t i = 0; i < len; i++) {
		while (k == 0 && i + 1 < len && text[i] != first && text[i] != other)
			i++;
		char c = any_case ? lower(text[i]) : text[i];
		while (k && c != part[k])
			k = again[k - 1];
		k += c == part[k];
		if (k == n)
			return true;
	}
	return false;
}

static bool is_whole(const struct pv_filter_leaf *leaf, const char *text, size_t len)
{
	return len == leaf->len && memcmp(text, leaf->of->text + leaf->at, len) == 0;
}

static bool is_of_name(const char *text, size_t len, size_t at)
{
	return at < len && (isalnum((unsigned char)text[at]) || (unsigned char)text[at] >= 0x80 ||
				   strchr("_.$/+`<>[]&*@", text[at]));
}

bool pv_filter_line_has(const struct pv_filter_leaf *leaf, const char *text, size_t len)
{
	if (leaf->what != PV_FILTER_TEXT || !leaf->equal)
		return pv_filter_text_has(leaf, text, len);
	for (size_t at = 0; at + leaf->len <= len; at++) {
		const char *begin = memchr(text + at, leaf->of->text[leaf->at], len - at);
		if (!begin)
			return false;
		at = (size_t)(begin - text);
		bool fits = at + leaf->len <= len && !is_of_name(text, at, at - 1) &&
			    !is_of_name(text, len, at + leaf->len);
		if (fits && is_whole(leaf, begin, leaf->len))
			return true;
	}
	return false;
}

bool pv_filter_text_has(const struct pv_filter_leaf *leaf, const char *text, size_t len)
{
	if (leaf->what == PV_FILTER_TEXT && leaf->equal)
		return is_whole(leaf, text, len);
	if (leaf->what == PV_FILTER_TEXT)
		return text_holds(leaf->of, leaf, text, len);
	return leaf->what == PV_FILTER_REGEX &&
	       pv_pattern_has(leaf->of->pattern[leaf->at], text, len);
}
