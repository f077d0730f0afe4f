/* SPDX-License-Identifier: MIT */
/*
 * A bounded reader over borrowed bytes. An error sticks: after a short or malformed read every
 * further read returns 0 and moves nothing, so field code needs no branches and a record needs one
 * check at its end. No other state: any thread, also in signal handlers.
 */
#ifndef PV_BASE_CURSOR_H
#define PV_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/base/leb.h"

struct pv_cursor {
	const uint8_t *at, *end;
	bool short_read; /* ran into `end` */
	bool malformed;  /* a value that no writer produces, as a LEB128 of over 10 bytes */
};

/* Bytes not yet read. */
static inline size_t pv_cursor_left(const struct pv_cursor *c)
{
	return (size_t)(c->end - c->at);
}

/* False once a read ran short or met a malformed value. */
static inline bool pv_cursor_ok(const struct pv_cursor *c)
{
	return !c->short_read && !c->malformed;
}

/* Reads a byte. */
static inline uint8_t pv_get_u8(struct pv_cursor *c)
{
	if (c->at == c->end || c->malformed) {
		c->short_read |= !c->malformed;
		return 0;
	}
	return *c->at++;
}

/* Fixed-width little-endian integers. */
uint16_t pv_get_u16(struct pv_cursor *c);
uint32_t pv_get_u32(struct pv_cursor *c);
uint64_t pv_get_u64(struct pv_cursor *c);

enum { PV_LEB_MAX = 10 };

/* LEB128, at most 10 bytes: near the end, of more than eight bytes, or after an error. */
uint64_t pv_get_uleb_slow(struct pv_cursor *c);
int64_t pv_get_sleb_slow(struct pv_cursor *c);

/*
 * Reads all bytes of a value at once: returns their number, or 0 where the slow way is needed, as
 * for the next read of a failed cursor.
 */
static inline unsigned pv_cursor_leb(const struct pv_cursor *c, uint64_t *ret)
{
	if (pv_cursor_left(c) < PV_LEB_MAX || !pv_cursor_ok(c))
		return 0;
	return pv_leb_in(pv_word_at(c->at), ret);
}

/* An unsigned LEB128. */
static inline uint64_t pv_get_uleb(struct pv_cursor *c)
{
	uint64_t v;
	if (c->at != c->end && *c->at < 0x80 && !c->malformed)
		return *c->at++;
	unsigned n_bytes = pv_cursor_leb(c, &v);
	if (n_bytes == 0)
		return pv_get_uleb_slow(c);
	c->at += n_bytes;
	return v;
}

/* A signed LEB128. */
static inline int64_t pv_get_sleb(struct pv_cursor *c)
{
	uint64_t v;
	if (c->at != c->end && *c->at < 0x80 && !c->malformed) {
		unsigned b = *c->at++;
		return (int64_t)b - (int64_t)((b & 0x40) << 1);
	}
	unsigned n_bytes = pv_cursor_leb(c, &v);
	if (n_bytes == 0)
		return pv_get_sleb_slow(c);
	c->at += n_bytes;
	const unsigned unused = 64 - 7 * n_bytes; /* at least eight bits */
	return (int64_t)(v << unused) >> unused;  /* arithmetic on every compiler we build with */
}

/*
 * The bytes before the next NUL, which is consumed. *ret_len excludes the NUL; the result points
 * into the input and is NUL-terminated. "" after a failure.
 */
const char *pv_get_cstr(struct pv_cursor *c, size_t *ret_len);

/* `n` n_bytes as they are, in the input; NULL after a failure. */
const uint8_t *pv_get_bytes(struct pv_cursor *c, size_t n);

/*
 * Writers into the caller's memory, which must have room; each returns the place after its bytes.
 */
uint8_t *pv_put_u16(uint8_t *to, uint16_t v);
uint8_t *pv_put_u32(uint8_t *to, uint32_t v);
uint8_t *pv_put_u64(uint8_t *to, uint64_t v);

/* LEB128, unsigned and signed: at most PV_LEB_MAX bytes; the place after them. */
static inline uint8_t *pv_put_uleb(uint8_t *to, uint64_t v)
{
	while (v >= 0x80) {
		*to++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*to++ = (uint8_t)v;
	return to;
}

/* Likewise, signed. */
static inline uint8_t *pv_put_sleb(uint8_t *to, int64_t v)
{
	while (v < -64 || v > 63) {
		*to++ = (uint8_t)(((uint64_t)v & 0x7f) | 0x80);
		v >>= 7; /* arithmetic on every compiler we build with */
	}
	*to++ = (uint8_t)((uint64_t)v & 0x7f);
	return to;
}

#endif
