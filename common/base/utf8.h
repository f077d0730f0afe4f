/*
 * UTF-8 as it comes from logs and terminals: decoding that never fails, and cell widths. Pure:
 * any thread.
 */
#ifndef PV_BASE_UTF8_H
#define PV_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define PV_UTF8_BAD UINT32_C(0xfffd)

/*
 * The code point at `text` (at least one byte left before `end`); *ret_len is 1 to 4. Ill-formed
 * input gives PV_UTF8_BAD and the length of its maximal bad prefix.
 */
uint32_t pv_utf8_next(const char *text, const char *end, size_t *ret_len);

/* Encodes a code point; returns the bytes written to buf (1 to 4). */
size_t pv_utf8_put(char buf[4], uint32_t code);

/*
 * Terminal cells a code point takes: 0 (combining, control), 1 or 2. Locale-independent. Of a
 * text: pv_showable_cells() in showable.h.
 */
int pv_utf8_width(uint32_t code);

/* Takes away a last character that is not there as a whole, after a text was cut to fit. */
void pv_utf8_trim(char *text);

#endif
