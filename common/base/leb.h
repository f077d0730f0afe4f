/* SPDX-License-Identifier: MIT */
/*
 * LEB128 eight bytes at a time, without a branch for each, for readers that have checked that the
 * bytes are there. Pure: any thread.
 */
#ifndef PV_BASE_LEB_H
#define PV_BASE_LEB_H

#include <stdint.h>
#include <string.h>

/* The eight bytes at `p`, the first byte lowest. */
static inline uint64_t pv_word_at(const uint8_t *p)
{
	uint64_t w;
	memcpy(&w, p, sizeof w);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
	w = __builtin_bswap64(w);
#endif
	return w;
}

/* Joins eight groups of seven bits, one in each byte. */
static inline uint64_t pv_leb_groups(uint64_t w)
{
	w = (w & UINT64_C(0x007f007f007f007f)) | (w & UINT64_C(0x7f007f007f007f00)) >> 1;
	w = (w & UINT64_C(0x00003fff00003fff)) | (w & UINT64_C(0x3fff00003fff0000)) >> 2;
	return (w & UINT64_C(0x0fffffff)) | (w & UINT64_C(0x0fffffff00000000)) >> 4;
}

/*
 * The value that begins the word, without sign extension. Returns the number of its bytes; 0: more
 * than eight.
 */
static inline unsigned pv_leb_in(uint64_t w, uint64_t *ret)
{
	uint64_t last = ~w & UINT64_C(0x8080808080808080);
	if (last == 0)
		return 0;
	*ret = pv_leb_groups(w & (last ^ (last - 1)) & UINT64_C(0x7f7f7f7f7f7f7f7f));
	return ((unsigned)__builtin_ctzll(last) + 1) / 8;
}

#endif
