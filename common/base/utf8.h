/* SPDX-License-Identifier: MIT */
/* UTF-8 from logs and terminals: decoding that never fails, and cell widths. Pure: any thread. */
#ifndef PV_BASE_UTF8_H
#define PV_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define PV_UTF8_BAD UINT32_C(0xfffd)

/* Bytes of the character that begins with `lead`, 1 to 4; 0: no character does. */
static inline size_t pv_utf8_length(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if (lead >= 0xc2 && lead < 0xe0)
		return 2;
	if (lead >= 0xe0 && lead < 0xf0)
		return 3;
	if (lead >= 0xf0 && lead < 0xf5)
		return 4;
	return 0;
}

/*
 * The code point at `text` (at least one byte before `end`); *ret_len is 1 to 4. Ill-formed input
 * gives PV_UTF8_BAD and the length of the maximal bad prefix.
 */
uint32_t pv_utf8_next(const char *text, const char *end, size_t *ret_len);

/* Encodes a code point; returns the bytes written to buf (1 to 4). */
size_t pv_utf8_put(char buf[4], uint32_t code);

/*
 * Terminal cells a code point takes: 0 (combining, control), 1 or 2. Locale-independent. Of a
 * text: pv_showable_cells() in showable.h.
 */
int pv_utf8_width(uint32_t code);

/* Removes an incomplete last character, after a text was cut to fit. */
void pv_utf8_trim(char *text);

/* Ends a text that was cut to fill `size` bytes in "...", after a whole character. */
void pv_utf8_cut(char *to, size_t size);

/*
 * Copies `len` bytes of a text, or as many as fit into `size` bytes with a NUL; then the copy ends
 * in "..." after a whole character. Returns `to`, owned by the caller.
 */
char *pv_utf8_fit(char *to, size_t size, const char *text, size_t len);

/* For an argument of printf: at most `most` bytes of the text, in memory of the present block. */
#define PV_FIT_LEN(text, len, most) pv_utf8_fit((char[(most) + 1]){ 0 }, (most) + 1, text, len)
#define PV_FIT(text, most)          PV_FIT_LEN(text, SIZE_MAX, most)

#endif
