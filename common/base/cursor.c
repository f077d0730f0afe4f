/* SPDX-License-Identifier: MIT */
/* The parts of the bounded reader and of the writers that need no inlining. */
#include "common/base/cursor.h"

#define TOP_OF_TENTH 63

static uint64_t fixed(struct pv_cursor *c, size_t bytes)
{
	const uint8_t *p = pv_get_bytes(c, bytes);
	uint64_t v = 0;
	for (size_t i = 0; p && i < bytes; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

uint16_t pv_get_u16(struct pv_cursor *c)
{
	return (uint16_t)fixed(c, 2);
}

uint32_t pv_get_u32(struct pv_cursor *c)
{
	return (uint32_t)fixed(c, 4);
}

uint64_t pv_get_u64(struct pv_cursor *c)
{
	return fixed(c, 8);
}

/* Reads the groups; *ret_shift is the number of value bits met, *ret_last the final byte. */
static uint64_t last_groups(struct pv_cursor *c, unsigned *ret_shift, uint8_t *ret_last)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t b = 0;
	*ret_last = 0;
	*ret_shift = 64;
	do {
		if (shift > TOP_OF_TENTH) {
			c->malformed = true;
			return 0;
		}
		b = pv_get_u8(c);
		if (!pv_cursor_ok(c))
			return 0;
		v |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
	} while (b & 0x80);
	*ret_shift = shift;
	*ret_last = b;
	return v;
}

uint64_t pv_get_uleb_slow(struct pv_cursor *c)
{
	unsigned shift;
	uint8_t last;
	return last_groups(c, &shift, &last);
}

int64_t pv_get_sleb_slow(struct pv_cursor *c)
{
	unsigned shift;
	uint8_t last;
	uint64_t v = last_groups(c, &shift, &last);
	if (shift < 64 && (last & 0x40))
		v |= UINT64_MAX << shift;
	return (int64_t)v;
}

const char *pv_get_cstr(struct pv_cursor *c, size_t *ret_len)
{
	const uint8_t *nul = NULL;
	*ret_len = 0;
	if (pv_cursor_ok(c))
		nul = memchr(c->at, 0, pv_cursor_left(c));
	if (!nul) {
		c->short_read |= !c->malformed;
		return "";
	}
	const char *s = (const char *)c->at;
	*ret_len = (size_t)(nul - c->at);
	c->at = nul + 1;
	return s;
}

const uint8_t *pv_get_bytes(struct pv_cursor *c, size_t n)
{
	if (!pv_cursor_ok(c) || pv_cursor_left(c) < n) {
		c->short_read |= !c->malformed;
		return NULL;
	}
	const uint8_t *p = c->at;
	c->at += n;
	return p;
}

static uint8_t *put_fixed(uint8_t *to, uint64_t v, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		*to++ = (uint8_t)(v >> (8 * i));
	return to;
}

uint8_t *pv_put_u16(uint8_t *to, uint16_t v)
{
	return put_fixed(to, v, 2);
}

uint8_t *pv_put_u32(uint8_t *to, uint32_t v)
{
	return put_fixed(to, v, 4);
}

uint8_t *pv_put_u64(uint8_t *to, uint64_t v)
{
	return put_fixed(to, v, 8);
}
