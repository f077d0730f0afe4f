#include "probe/deflate.h"

#include <stdlib.h>
#include <string.h>

#include "probe/huffman.h"

enum {
	WINDOW = 32 << 10,
	HASH_BITS = 14,
	WAYS = 2, /* places remembered for each hash */
	LEAST_MATCH = 4,
	LONGEST_MATCH = 258,
	LITERALS = 286,
	DISTANCES = 30,
	END_OF_BLOCK = 256,
	FIXED = 1,
	DYNAMIC = 2,
	SLICES = 4,
};

/* A token: this | length << 16 | distance - 1; else a literal. */
#define MATCH UINT32_C(0x80000000)

struct bits {
	uint8_t *to;
	uint64_t held;
	unsigned n;
};

struct pvp_gzip {
	uint32_t crc_of[SLICES][256];
	uint32_t crc, crc_new;
	uint32_t bytes, bytes_new;         /* of the member, and with what is not settled */
	uint64_t base;                     /* place of window[0] in all that was put */
	uint64_t floor;                    /* nothing refers to what lies before */
	uint64_t at[1 << HASH_BITS][WAYS]; /* place + 1 */
	size_t n;                          /* bytes in the window */
	uint8_t window[2 * WINDOW];
	uint32_t token[PVP_GZIP_IN];
	size_t tokens;
	struct pvp_huffman literals, distances;
};

/* ---- the checksum */

static void make_crc(struct pvp_gzip *z)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;
		for (int k = 0; k < 8; k++)
			c = c & 1 ? c >> 1 ^ UINT32_C(0xedb88320) : c >> 1;
		z->crc_of[0][i] = c;
	}
	for (unsigned s = 1; s < SLICES; s++)
		for (unsigned i = 0; i < 256; i++)
			z->crc_of[s][i] =
				z->crc_of[s - 1][i] >> 8 ^ z->crc_of[0][z->crc_of[s - 1][i] & 0xff];
}

static uint32_t crc(const struct pvp_gzip *z, uint32_t c, const uint8_t *p, size_t n)
{
	c = ~c;
	for (; n >= SLICES; n -= SLICES, p += SLICES) {
		uint32_t four;
		memcpy(&four, p, sizeof four);
		c ^= four;
		c = z->crc_of[3][c & 0xff] ^ z->crc_of[2][c >> 8 & 0xff] ^
		    z->crc_of[1][c >> 16 & 0xff] ^ z->crc_of[0][c >> 24];
	}
	for (; n; n--)
		c = c >> 8 ^ z->crc_of[0][(c ^ *p++) & 0xff];
	return ~c;
}

/* ---- matches */

static uint32_t hash(const uint8_t *p)
{
	uint32_t four;
	memcpy(&four, p, sizeof four);
	return four * UINT32_C(2654435761) >> (32 - HASH_BITS);
}

static size_t same(const uint8_t *a, const uint8_t *b, size_t most)
{
	size_t n = 0;
	while (n < most && a[n] == b[n])
		n++;
	return n;
}

/* Remembers the place, in front of those of the same hash. */
static void remember(struct pvp_gzip *z, size_t i)
{
	uint64_t *at = z->at[hash(z->window + i)];
	at[1] = at[0];
	at[0] = z->base + i + 1;
}

/* The longest match of those remembered; its length, 0 for none. */
static size_t match(const struct pvp_gzip *z, size_t i, size_t *ret_distance)
{
	const uint64_t *at = z->at[hash(z->window + i)];
	size_t most = z->n - i < LONGEST_MATCH ? z->n - i : LONGEST_MATCH, best = 0;
	uint64_t here = z->base + i;
	for (int way = 0; way < WAYS; way++) {
		if (at[way] <= z->base || at[way] <= z->floor || here - (at[way] - 1) > WINDOW)
			continue;
		size_t there = (size_t)(at[way] - 1 - z->base);
		size_t len = same(z->window + there, z->window + i, most);
		if (len >= LEAST_MATCH && len > best) {
			best = len;
			*ret_distance = i - there;
		}
	}
	return best;
}

static void find_tokens(struct pvp_gzip *z, size_t from)
{
	z->tokens = 0;
	for (size_t i = from; i < z->n;) {
		size_t distance = 0, len = 0;
		if (z->n - i >= LEAST_MATCH) {
			len = match(z, i, &distance);
			remember(z, i);
		}
		if (!len) {
			z->token[z->tokens++] = z->window[i++];
			continue;
		}
		z->token[z->tokens++] = MATCH | (uint32_t)len << 16 | (uint32_t)(distance - 1);
		for (size_t end = i++ + len; i < end; i++)
			if (z->n - i >= LEAST_MATCH)
				remember(z, i);
	}
}

/* ---- bits */

static void put_bits(struct bits *b, uint32_t value, unsigned n)
{
	b->held |= (uint64_t)value << b->n;
	b->n += n;
	for (; b->n >= 8; b->n -= 8) {
		*b->to++ = (uint8_t)b->held;
		b->held >>= 8;
	}
}

static void put_code(struct bits *b, const struct pvp_huffman *h, unsigned symbol)
{
	put_bits(b, h->code[symbol], h->length[symbol]);
}

/*
 * Lengths and distances in groups whose size doubles: `first` of them stand alone, then there are
 * 2^shift groups to each number of further bits.
 */
struct group {
	unsigned symbol, more, bits;
};

static struct group grouped(unsigned value, unsigned shift)
{
	unsigned bits = 0;
	while (value >> (bits + shift + 1))
		bits++;
	return (struct group){ value >> bits ? (bits << shift) + (value >> bits) : value,
		value & ((1U << bits) - 1), bits };
}

static struct group length_group(unsigned length)
{
	if (length == LONGEST_MATCH)
		return (struct group){ 285, 0, 0 };
	struct group g = grouped(length - 3, 2);
	g.symbol += 257;
	return g;
}

static struct group distance_group(unsigned distance)
{
	return grouped(distance - 1, 1);
}

static unsigned length_of(uint32_t token)
{
	return token >> 16 & 0x1ff;
}

static unsigned distance_of(uint32_t token)
{
	return (token & 0xffff) + 1;
}

/* ---- blocks */

static void count_symbols(struct pvp_gzip *z)
{
	memset(z->literals.count, 0, sizeof z->literals.count);
	memset(z->distances.count, 0, sizeof z->distances.count);
	for (size_t i = 0; i < z->tokens; i++) {
		uint32_t t = z->token[i];
		if (!(t & MATCH)) {
			z->literals.count[t]++;
			continue;
		}
		z->literals.count[length_group(length_of(t)).symbol]++;
		z->distances.count[distance_group(distance_of(t)).symbol]++;
	}
	z->literals.count[END_OF_BLOCK] = 1;
}

/* Bits that the tokens take with the codes chosen. */
static uint64_t cost(const struct pvp_gzip *z)
{
	uint64_t bits = 0;
	for (unsigned i = 0; i < LITERALS; i++) {
		unsigned more = i >= 265 && i < 285 ? (i - 261) / 4 : 0;
		bits += (uint64_t)z->literals.count[i] * (z->literals.length[i] + more);
	}
	for (unsigned i = 0; i < DISTANCES; i++) {
		unsigned more = i >= 4 ? i / 2 - 1 : 0;
		bits += (uint64_t)z->distances.count[i] * (z->distances.length[i] + more);
	}
	return bits;
}

static void choose_fixed(struct pvp_gzip *z)
{
	memset(z->literals.length, 8, 144);
	memset(z->literals.length + 144, 9, 112);
	memset(z->literals.length + 256, 7, 24);
	memset(z->literals.length + 280, 8, 8);
	memset(z->distances.length, 5, DISTANCES);
	pvp_huffman_codes(&z->literals, 288);
	pvp_huffman_codes(&z->distances, DISTANCES);
}

static void put_tokens(struct pvp_gzip *z, struct bits *b)
{
	for (size_t i = 0; i < z->tokens; i++) {
		uint32_t t = z->token[i];
		if (!(t & MATCH)) {
			put_code(b, &z->literals, t);
			continue;
		}
		struct group g = length_group(length_of(t));
		put_code(b, &z->literals, g.symbol);
		put_bits(b, g.more, g.bits);
		g = distance_group(distance_of(t));
		put_code(b, &z->distances, g.symbol);
		put_bits(b, g.more, g.bits);
	}
	put_code(b, &z->literals, END_OF_BLOCK);
}

static void align(struct bits *b)
{
	put_bits(b, 0, (8 - b->n % 8) % 8);
}

static void put_stored(struct bits *b, const uint8_t *from, size_t n)
{
	put_bits(b, 0, 3);
	align(b);
	put_bits(b, (uint32_t)n, 16);
	put_bits(b, (uint32_t)n ^ 0xffff, 16);
	if (n)
		memcpy(b->to, from, n);
	b->to += n;
}

/* In the shortest of the three ways. */
static void put_block(struct pvp_gzip *z, struct bits *b, size_t from)
{
	struct pvp_lengths lengths;
	count_symbols(z);
	pvp_huffman_build(&z->literals, LITERALS, PVP_CODE_MAX);
	pvp_huffman_build(&z->distances, DISTANCES, PVP_CODE_MAX);
	uint64_t table = pvp_lengths_make(&lengths, &z->literals, &z->distances);
	uint64_t dynamic = cost(z) + table;
	choose_fixed(z);
	uint64_t fixed = cost(z), stored = (z->n - from) * 8 + 40;
	if (stored <= fixed && stored <= dynamic) {
		put_stored(b, z->window + from, z->n - from);
		return;
	}
	if (fixed <= dynamic) {
		put_bits(b, FIXED << 1, 3);
	} else {
		pvp_huffman_build(&z->literals, LITERALS, PVP_CODE_MAX);
		pvp_huffman_build(&z->distances, DISTANCES, PVP_CODE_MAX);
		put_bits(b, DYNAMIC << 1, 3);
		for (size_t i = 0; i < lengths.n; i++)
			put_bits(b, lengths.bits[i].value, lengths.bits[i].n);
	}
	put_tokens(z, b);
}

/* ---- */

struct pvp_gzip *pvp_gzip_create(void)
{
	struct pvp_gzip *z = calloc(1, sizeof *z);
	if (z)
		make_crc(z);
	return z;
}

void pvp_gzip_destroy(struct pvp_gzip *z)
{
	free(z);
}

size_t pvp_gzip_begin(struct pvp_gzip *z, uint8_t to[PVP_GZIP_HEAD])
{
	enum { DEFLATE = 8, UNIX = 3 };
	static const uint8_t head[PVP_GZIP_HEAD] = { 0x1f, 0x8b, DEFLATE, 0, 0, 0, 0, 0, 0, UNIX };
	memcpy(to, head, sizeof head);
	z->crc = z->crc_new = 0;
	z->bytes = z->bytes_new = 0;
	z->floor = z->base + z->n;
	return sizeof head;
}

size_t pvp_gzip_put(struct pvp_gzip *z, const uint8_t *from, size_t n, uint8_t to[PVP_GZIP_OUT])
{
	struct bits b = { .to = to };
	if (z->n + n > sizeof z->window) {
		size_t drop = z->n - WINDOW;
		memmove(z->window, z->window + drop, WINDOW);
		z->base += drop;
		z->n = WINDOW;
	}
	size_t start = z->n;
	memcpy(z->window + z->n, from, n);
	z->n += n;
	z->crc_new = crc(z, z->crc_new, from, n);
	z->bytes_new += (uint32_t)n;
	find_tokens(z, start);
	put_block(z, &b, start);
	put_stored(&b, NULL, 0);
	return (size_t)(b.to - to);
}

void pvp_gzip_settle(struct pvp_gzip *z, bool written)
{
	if (!written) {
		z->floor = z->base + z->n;
		z->crc_new = z->crc;
		z->bytes_new = z->bytes;
	}
	z->crc = z->crc_new;
	z->bytes = z->bytes_new;
}

size_t pvp_gzip_end(struct pvp_gzip *z, uint8_t to[PVP_GZIP_TAIL])
{
	struct bits b = { .to = to };
	put_bits(&b, 1 | FIXED << 1, 3);
	put_bits(&b, 0, 7); /* the end of the block */
	align(&b);
	put_bits(&b, z->crc, 32);
	put_bits(&b, z->bytes, 32);
	return (size_t)(b.to - to);
}
