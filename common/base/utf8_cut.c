/* SPDX-License-Identifier: MIT */
/* Cuts texts to fit; separate from utf8.c for the probe, which needs no widths of characters. */
#include "common/base/utf8.h"

#include <stdbool.h>
#include <string.h>

void pv_utf8_cut(char *to, size_t size)
{
	static const char dots[] = "...";
	if (size < sizeof dots)
		return;
	to[size - sizeof dots] = 0;
	pv_utf8_trim(to);
	strcat(to, dots);
}

char *pv_utf8_fit(char *to, size_t size, const char *text, size_t len)
{
	size_t n = strnlen(text, len < size ? len : size);
	if (size == 0)
		return to;
	bool all = n < size;
	memcpy(to, text, all ? n : size - 1);
	to[all ? n : size - 1] = 0;
	if (!all)
		pv_utf8_cut(to, size);
	return to;
}

void pv_utf8_trim(char *text)
{
	size_t len = strlen(text);
	for (size_t tail = 1; tail <= 3 && tail <= len; tail++) {
		unsigned char lead = (unsigned char)text[len - tail];
		if ((lead & 0xc0) == 0x80)
			continue;
		if (pv_utf8_length(lead) > tail)
			text[len - tail] = 0;
		return;
	}
}
