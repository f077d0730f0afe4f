/* SPDX-License-Identifier: MIT */
/* Decodes and encodes UTF-8; widths of characters. */
#include "common/base/utf8.h"

#include <stdbool.h>
#include <string.h>

#include "common/base/utf8_marks.h"

/* Over-long forms, surrogates and values past U+10FFFF show in the second byte. */
static bool second_ok(unsigned char lead, unsigned char second)
{
	if (lead == 0xe0)
		return second >= 0xa0 && second <= 0xbf;
	if (lead == 0xed)
		return second >= 0x80 && second <= 0x9f;
	if (lead == 0xf0)
		return second >= 0x90 && second <= 0xbf;
	if (lead == 0xf4)
		return second >= 0x80 && second <= 0x8f;
	return second >= 0x80 && second <= 0xbf;
}

uint32_t pv_utf8_next(const char *text, const char *end, size_t *ret_len)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t left = (size_t)(end - text), len = pv_utf8_length(p[0]);
	*ret_len = 1;
	if (len == 0)
		return PV_UTF8_BAD;
	if (len == 1)
		return p[0];
	uint32_t code = p[0] & (0xffu >> (len + 1));
	for (size_t i = 1; i < len; i++) {
		bool ok = i < left && (i == 1 ? second_ok(p[0], p[1]) : (p[i] & 0xc0) == 0x80);
		if (!ok) {
			*ret_len = i;
			return PV_UTF8_BAD;
		}
		code = code << 6 | (p[i] & 0x3fu);
	}
	*ret_len = len;
	return code;
}

size_t pv_utf8_put(char buf[4], uint32_t code)
{
	if (code < 0x80) {
		buf[0] = (char)code;
		return 1;
	}
	size_t len = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	for (size_t i = len; i-- > 1; code >>= 6)
		buf[i] = (char)(0x80 | (code & 0x3f));
	buf[0] = (char)(lead[len] | code);
	return len;
}

static bool in_ranges(const struct pv_utf8_range *r, size_t n, uint32_t code)
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (r[middle].last < code)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && code >= r[low].first;
}

#define IN_RANGES(ranges, code) in_ranges(ranges, sizeof(ranges) / sizeof((ranges)[0]), code)

int pv_utf8_width(uint32_t code)
{
	/* Unicode's East Asian Width W and F, in short. */
	static const struct pv_utf8_range wide[] = { { 0x1100, 0x115f }, { 0x2329, 0x232a },
		{ 0x2e80, 0x303e }, { 0x3041, 0x33ff }, { 0x3400, 0x4dbf }, { 0x4e00, 0x9fff },
		{ 0xa000, 0xa4cf }, { 0xa960, 0xa97f }, { 0xac00, 0xd7a3 }, { 0xf900, 0xfaff },
		{ 0xfe30, 0xfe6f }, { 0xff00, 0xff60 }, { 0xffe0, 0xffe6 }, { 0x1f300, 0x1f64f },
		{ 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd } };
	if (code < 0x20 || (code >= 0x7f && code < 0xa0))
		return 0;
	if (code < 0x300)
		return 1;
	if (IN_RANGES(pv_utf8_marks, code))
		return 0;
	return IN_RANGES(wide, code) ? 2 : 1;
}
