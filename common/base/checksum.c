/* SPDX-License-Identifier: MIT */
/* MD5 and SHA-1: blocks of 64 bytes, each folded into a state of four or five words. */
#include "common/base/checksum.h"

#include <stdbool.h>
#include <string.h>

enum { BLOCK = 64, LENGTH = 8, WORDS = 5 };

typedef void fold(uint32_t state[WORDS], const uint8_t *block);

static uint32_t turn(uint32_t v, unsigned by)
{
	return v << by | v >> (32 - by);
}

static void md5_fold(uint32_t s[WORDS], const uint8_t *block)
{
	/* floor(2^32 * |sin(i + 1)|) */
	static const uint32_t sine[BLOCK] = { 0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee,
		0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1,
		0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340,
		0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6,
		0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
		0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60,
		0xbebfbc70, 0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5,
		0x1fa27cf8, 0xc4ac5665, 0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3,
		0x8f0ccc92, 0xffeff47d, 0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1,
		0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391 };
	static const uint8_t by[4][4] = { { 7, 12, 17, 22 }, { 5, 9, 14, 20 }, { 4, 11, 16, 23 },
		{ 6, 10, 15, 21 } };
	static const uint8_t step[4] = { 1, 5, 3, 7 }, first[4] = { 0, 1, 5, 0 };
	uint32_t a = s[0], b = s[1], c = s[2], d = s[3];
	for (unsigned i = 0; i < BLOCK; i++) {
		const unsigned round = i / 16;
		const uint8_t *at = block + 4 * ((i * step[round] + first[round]) % 16);
		const uint32_t word = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
				      (uint32_t)at[3] << 24;
		const uint32_t mix = round == 0   ? (b & c) | (~b & d)
				     : round == 1 ? (b & d) | (c & ~d)
				     : round == 2 ? b ^ c ^ d
						  : c ^ (b | ~d);
		const uint32_t next = b + turn(a + mix + sine[i] + word, by[round][i % 4]);
		a = d;
		d = c;
		c = b;
		b = next;
	}
	s[0] += a;
	s[1] += b;
	s[2] += c;
	s[3] += d;
}

static void sha1_fold(uint32_t s[WORDS], const uint8_t *block)
{
	enum { ROUNDS = 80 };
	static const uint32_t plus[4] = { 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6 };
	uint32_t word[ROUNDS], a = s[0], b = s[1], c = s[2], d = s[3], e = s[4];
	for (unsigned i = 0; i < 16; i++)
		word[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
			  (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (unsigned i = 16; i < ROUNDS; i++)
		word[i] = turn(word[i - 3] ^ word[i - 8] ^ word[i - 14] ^ word[i - 16], 1);
	for (unsigned i = 0; i < ROUNDS; i++) {
		const uint32_t mix = i < 20              ? (b & c) | (~b & d)
				     : i >= 40 && i < 60 ? (b & c) | (b & d) | (c & d)
							 : b ^ c ^ d;
		const uint32_t next = turn(a, 5) + mix + e + plus[i / 20] + word[i];
		e = d;
		d = c;
		c = turn(b, 30);
		b = a;
		a = next;
	}
	s[0] += a;
	s[1] += b;
	s[2] += c;
	s[3] += d;
	s[4] += e;
}

/* The bytes, a bit 1, bits 0, and the length in bits in the last 8 bytes of a block. */
static void fold_all(
	fold *one, uint32_t state[WORDS], const uint8_t *bytes, size_t n, bool big_endian)
{
	uint8_t last[2 * BLOCK] = { 0 };
	const size_t whole = n / BLOCK * BLOCK, rest = n - whole;
	const size_t end = rest + 1 + LENGTH <= BLOCK ? BLOCK : 2 * BLOCK;
	for (size_t at = 0; at < whole; at += BLOCK)
		one(state, bytes + at);
	if (rest)
		memcpy(last, bytes + whole, rest);
	last[rest] = 0x80;
	for (size_t i = 0; i < LENGTH; i++)
		last[end - LENGTH + i] =
			(uint8_t)((uint64_t)n * 8 >> 8 * (big_endian ? LENGTH - 1 - i : i));
	for (size_t at = 0; at < end; at += BLOCK)
		one(state, last + at);
}

void pv_md5(const void *bytes, size_t n, uint8_t ret[PV_MD5_BYTES])
{
	uint32_t state[WORDS] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 };
	fold_all(md5_fold, state, bytes, n, false);
	for (unsigned i = 0; i < PV_MD5_BYTES; i++)
		ret[i] = (uint8_t)(state[i / 4] >> 8 * (i % 4));
}

void pv_sha1(const void *bytes, size_t n, uint8_t ret[PV_SHA1_BYTES])
{
	uint32_t state[WORDS] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 };
	fold_all(sha1_fold, state, bytes, n, true);
	for (unsigned i = 0; i < PV_SHA1_BYTES; i++)
		ret[i] = (uint8_t)(state[i / 4] >> 8 * (3 - i % 4));
}

size_t pv_checksum_bytes(enum pv_checksum kind)
{
	static const uint8_t bytes[] = { [PV_CHECKSUM_MD5] = PV_MD5_BYTES,
		[PV_CHECKSUM_SHA1] = PV_SHA1_BYTES,
		[PV_CHECKSUM_SHA256] = PV_CHECKSUM_MOST };
	return bytes[kind];
}
