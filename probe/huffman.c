#include "probe/huffman.h"

#include <stdbool.h>
#include <string.h>

enum {
	LENGTH_SYMBOLS = 19,
	LENGTH_MAX = 7,
	REPEAT = 16,
	ZEROS = 17,
	MANY_ZEROS = 18,
	LEAST_LITERALS = 257,
	LEAST_DISTANCES = 1,
	MOST_LITERALS = 286,
	MOST_DISTANCES = 30,
};

struct leaf {
	uint32_t count;
	uint16_t symbol;
};

/* ---- lengths */

static void sort(struct leaf *v, size_t n)
{
	static const size_t gaps[] = { 132, 57, 23, 10, 4, 1 };
	for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
		for (size_t i = gaps[g]; i < n; i++) {
			struct leaf x = v[i];
			size_t k = i;
			for (; k >= gaps[g] && v[k - gaps[g]].count > x.count; k -= gaps[g])
				v[k] = v[k - gaps[g]];
			v[k] = x;
		}
	}
}

/*
 * Two queues: leaves by count, and inner nodes in the order they are made, which is by count too.
 * parent[]: of the n leaves, then of the inner nodes.
 */
static void join(const struct leaf *v, size_t n, uint16_t *parent)
{
	uint64_t sum[PVP_SYMBOLS];
	size_t leaf = 0, inner = 0;
	for (size_t made = 0; made + 1 < n; made++) {
		sum[made] = 0;
		for (int two = 0; two < 2; two++) {
			bool take_leaf = leaf < n && (inner == made || v[leaf].count <= sum[inner]);
			sum[made] += take_leaf ? v[leaf].count : sum[inner];
			parent[take_leaf ? leaf++ : n + inner++] = (uint16_t)(n + made);
		}
	}
}

/* How many codes of each length; the tree's depths, cut at `longest` so that they still fit. */
static void count_lengths(
	size_t n, const uint16_t *parent, unsigned longest, unsigned of_length[PVP_CODE_MAX + 1])
{
	uint16_t depth[2 * PVP_SYMBOLS];
	uint64_t room = 0;
	depth[2 * n - 2] = 0;
	for (size_t i = 2 * n - 2; i-- > 0;)
		depth[i] = (uint16_t)(depth[parent[i]] + 1);
	for (size_t i = 0; i < n; i++)
		of_length[depth[i] < longest ? depth[i] : longest]++;
	for (unsigned l = 1; l <= longest; l++)
		room += (uint64_t)of_length[l] << (longest - l);
	while (room > UINT64_C(1) << longest) {
		unsigned l = longest - 1;
		while (!of_length[l])
			l--;
		of_length[longest]--; /* it goes beside the one that moves down */
		of_length[l]--;
		of_length[l + 1] += 2;
		room--;
	}
}

void pvp_huffman_build(struct pvp_huffman *h, unsigned n, unsigned longest)
{
	struct leaf v[PVP_SYMBOLS];
	uint16_t parent[2 * PVP_SYMBOLS];
	unsigned of_length[PVP_CODE_MAX + 1] = { 0 };
	size_t used = 0;
	memset(h->length, 0, sizeof h->length);
	for (unsigned i = 0; i < n; i++)
		if (h->count[i])
			v[used++] = (struct leaf){ h->count[i], (uint16_t)i };
	sort(v, used);
	if (used == 1) {
		h->length[v[0].symbol] = 1;
	} else if (used > 1) {
		join(v, used, parent);
		count_lengths(used, parent, longest, of_length);
		size_t at = used;
		for (unsigned l = 1; l <= longest; l++)
			for (unsigned k = of_length[l]; k; k--)
				h->length[v[--at].symbol] = (uint8_t)l;
	}
	pvp_huffman_codes(h, n);
}

/* ---- codes */

static uint16_t turned(unsigned code, unsigned n)
{
	unsigned out = 0;
	for (; n; n--, code >>= 1)
		out = out << 1 | (code & 1);
	return (uint16_t)out;
}

void pvp_huffman_codes(struct pvp_huffman *h, unsigned n)
{
	unsigned next[PVP_CODE_MAX + 2] = { 0 }, of_length[PVP_CODE_MAX + 1] = { 0 };
	for (unsigned i = 0; i < n; i++)
		of_length[h->length[i]]++;
	of_length[0] = 0;
	for (unsigned l = 1; l <= PVP_CODE_MAX; l++)
		next[l + 1] = (next[l] + of_length[l]) << 1;
	for (unsigned i = 0; i < n; i++)
		if (h->length[i])
			h->code[i] = turned(next[h->length[i]]++, h->length[i]);
}

/* ---- the table */

struct run {
	uint8_t symbol, more, bits;
};

static unsigned used_of(const struct pvp_huffman *h, unsigned n, unsigned least)
{
	while (n > least && !h->length[n - 1])
		n--;
	return n;
}

/* Lengths as symbols: runs of zeros and of the same length are told by their length. */
static size_t find_runs(const uint8_t *length, size_t n, struct run *to)
{
	size_t runs = 0;
	for (size_t i = 0, k; i < n; i = k) {
		uint8_t l = length[i];
		for (k = i + 1; k < n && length[k] == l;)
			k++;
		size_t left = k - i;
		if (l) {
			to[runs++] = (struct run){ l, 0, 0 };
			left--;
		}
		while (left >= 3) {
			size_t most = l           ? 6
				      : left > 10 ? 138
						  : 10,
			       some = left < most ? left : most;
			to[runs++] = l ? (struct run){ REPEAT, (uint8_t)(some - 3), 2 }
				     : some > 10
					     ? (struct run){ MANY_ZEROS, (uint8_t)(some - 11), 7 }
					     : (struct run){ ZEROS, (uint8_t)(some - 3), 3 };
			left -= some;
		}
		for (; left; left--)
			to[runs++] = (struct run){ l, 0, 0 };
	}
	return runs;
}

static uint64_t add(struct pvp_lengths *l, unsigned value, unsigned n)
{
	if (n) {
		l->bits[l->n].value = (uint16_t)value;
		l->bits[l->n++].n = (uint8_t)n;
	}
	return n;
}

uint64_t pvp_lengths_make(struct pvp_lengths *l, const struct pvp_huffman *literals,
	const struct pvp_huffman *distances)
{
	static const uint8_t order[LENGTH_SYMBOLS] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12,
		3, 13, 2, 14, 1, 15 };
	uint8_t all[MOST_LITERALS + MOST_DISTANCES];
	struct run runs[MOST_LITERALS + MOST_DISTANCES];
	struct pvp_huffman own = { .count = { 0 } };
	unsigned n_lit = used_of(literals, MOST_LITERALS, LEAST_LITERALS);
	unsigned n_dist = used_of(distances, MOST_DISTANCES, LEAST_DISTANCES);
	unsigned told = LENGTH_SYMBOLS;
	uint64_t bits = 3;
	memcpy(all, literals->length, n_lit);
	memcpy(all + n_lit, distances->length, n_dist);
	size_t n = find_runs(all, n_lit + n_dist, runs);
	for (size_t i = 0; i < n; i++)
		own.count[runs[i].symbol]++;
	pvp_huffman_build(&own, LENGTH_SYMBOLS, LENGTH_MAX);
	while (told > 4 && !own.length[order[told - 1]])
		told--;
	l->n = 0;
	bits += add(l, n_lit - LEAST_LITERALS, 5);
	bits += add(l, n_dist - LEAST_DISTANCES, 5);
	bits += add(l, told - 4, 4);
	for (unsigned i = 0; i < told; i++)
		bits += add(l, own.length[order[i]], 3);
	for (size_t i = 0; i < n; i++) {
		bits += add(l, own.code[runs[i].symbol], own.length[runs[i].symbol]);
		bits += add(l, runs[i].more, runs[i].bits);
	}
	return bits;
}
