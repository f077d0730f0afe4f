/* SPDX-License-Identifier: MIT */
/*
 * Decoding of call events (byte, time and method difference) and of allocations without a
 * backtrace, inlined into the loops that read nothing else. Pure: any thread. Times are ns.
 */
#ifndef PV_FORMAT_MLPD_CALL_H
#define PV_FORMAT_MLPD_CALL_H

#include <string.h>

#include "common/base/leb.h"
#include "common/format/mlpd/mlpd.h"

enum { MLPD_ALLOC = 0x00, MLPD_LEAVE = 0x13, MLPD_ENTER = 0x23, MLPD_EXC_LEAVE = 0x33 };
enum { MLPD_CALL_MAX = 1 + 2 * PV_LEB_MAX, MLPD_ALLOC_MAX = 1 + 4 * PV_LEB_MAX }; /* bytes */

struct mlpd_call {
	uint64_t time, method; /* differences */
	const uint8_t *end;    /* the byte after the event; NULL: cut or malformed */
};

/*
 * LEB128 without a check of the end: the caller ensures that PV_LEB_MAX bytes are there. *shift is
 * the number of value bits; more than 70 is malformed. Returns the next byte of the caller's
 * input, never NULL.
 */
static inline const uint8_t *mlpd_take_leb(const uint8_t *p, uint64_t *v, unsigned *shift)
{
	unsigned i = pv_leb_in(pv_word_at(p), v);
	*shift = 7 * i;
	if (i > 0)
		return p + i;
	uint64_t x = 0;
	*shift = 0;
	do {
		x |= (uint64_t)(p[i] & 0x7f) << *shift;
		*shift += 7;
	} while (p[i++] >= 0x80 && i < PV_LEB_MAX);
	*v = x;
	if (p[i - 1] >= 0x80)
		*shift = 77;
	return p + i;
}

/* Sign-extends a value of `shift` bits to 64. */
static inline uint64_t mlpd_sign_extended(uint64_t v, unsigned shift)
{
	if (shift >= 64)
		return v;
	uint64_t sign = UINT64_C(1) << (shift - 1);
	return (v ^ sign) - sign;
}

/* A call with values of any length; `p` is after the event's byte. */
static inline struct mlpd_call mlpd_take_long_call(const uint8_t *p)
{
	struct mlpd_call e;
	unsigned time_bits, method_bits;
	e.end = mlpd_take_leb(p, &e.time, &time_bits);
	e.end = mlpd_take_leb(e.end, &e.method, &method_bits);
	e.method = mlpd_sign_extended(e.method, method_bits);
	if (time_bits > 70 || method_bits > 70)
		e.end = NULL;
	return e;
}

/* The same near the end of the payload, through the bounded cursor. */
static inline struct mlpd_call mlpd_take_last_call(const uint8_t *p, const uint8_t *end)
{
	struct pv_cursor c = { .at = p, .end = end };
	struct mlpd_call e = { .time = pv_get_uleb(&c), .method = (uint64_t)pv_get_sleb(&c) };
	e.end = pv_cursor_ok(&c) ? c.at : NULL;
	return e;
}

/*
 * MLPD_CALL_MAX bytes are at `p`, the event's own byte. Differences of times nearly always have two
 * bytes, so branches decide; differences of methods have one (the same method again) or up to four,
 * unpredictable for a branch.
 */
static inline __attribute__((always_inline)) struct mlpd_call mlpd_take_call(const uint8_t *p)
{
	struct mlpd_call e;
	uint64_t w, m;
	memcpy(&w, p, sizeof w);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
	w = __builtin_bswap64(w);
#endif
	if ((w & 0x808000) == 0x8000) {
		e.time = (w >> 8 & 0x7f) | (w >> 9 & 0x3f80);
		e.end = p + 3;
		m = w >> 24;
	} else if ((w & 0x8000) == 0) {
		e.time = w >> 8 & 0x7f;
		e.end = p + 2;
		m = w >> 16;
	} else {
		return mlpd_take_long_call(p + 1);
	}
	if ((m & 0x80) == 0) {
		e.method = mlpd_sign_extended(m & 0x7f, 7);
		e.end++;
		return e;
	}
	uint64_t last = ~m & 0x80808080;
	if (last == 0)
		return mlpd_take_long_call(p + 1);
	unsigned bits = (unsigned)__builtin_ctzll(last) + 1; /* 16, 24, 32 */
	m &= (last ^ (last - 1)) & 0x7f7f7f7f;
	m = (m & 0x007f007f) | (m & 0x7f007f00) >> 1;
	m = (m & 0x3fff) | (m >> 2 & 0xfffc000);
	unsigned above = 64 - bits + bits / 8;
	e.method = (uint64_t)((int64_t)(m << above) >> above);
	e.end += bits / 8;
	return e;
}

/* `p` < `end` is at the event's own byte. */
static inline struct mlpd_call mlpd_get_call(const uint8_t *p, const uint8_t *end)
{
	return end - p >= MLPD_CALL_MAX ? mlpd_take_call(p) : mlpd_take_last_call(p + 1, end);
}

/*
 * Decodes the allocation at c->at like the row's decoder. False, with nothing changed, if malformed
 * or near the end: left to the row's decoder.
 */
static inline bool mlpd_take_alloc(
	struct pv_cursor *c, struct mlpd_bases *b, uint64_t mask, struct pv_alloc *ret)
{
	unsigned bits[4];
	uint64_t time, type, object, size;
	if (pv_cursor_left(c) < MLPD_ALLOC_MAX)
		return false;
	const uint8_t *p = mlpd_take_leb(c->at + 1, &time, &bits[0]);
	p = mlpd_take_leb(p, &type, &bits[1]);
	p = mlpd_take_leb(p, &object, &bits[2]);
	p = mlpd_take_leb(p, &size, &bits[3]);
	if (bits[0] > 70 || bits[1] > 70 || bits[2] > 70 || bits[3] > 70)
		return false;
	c->at = p;
	b->time += time;
	ret->type = (b->ptr + mlpd_sign_extended(type, bits[1])) & mask;
	ret->object = ((b->obj + mlpd_sign_extended(object, bits[2])) << 3) & mask;
	ret->size = size >> 32 == UINT32_MAX ? (uint32_t)size : size;
	ret->stack = (struct pv_span){ 0 };
	return true;
}

#endif
