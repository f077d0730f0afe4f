/* SPDX-License-Identifier: MIT */
/*
 * Skips values word by word, and finds backtraces by their bytes: most backtraces of a payload are
 * repeated, the first method and all further bytes alike. Inlined into the decoders; one thread a
 * decoder.
 */
#ifndef PV_FORMAT_MLPD_VALUES_H
#define PV_FORMAT_MLPD_VALUES_H

#include "common/base/leb.h"
#include "common/format/mlpd/mlpd_plain.h"

/*
 * Skips `n` values. The result points into the payload, at the next byte; NULL where a value has
 * more than eight bytes, or the values run to the end. *hash, if not NULL, becomes the hash of the
 * bytes.
 */
static inline __attribute__((always_inline)) const uint8_t *mlpd_skip_values(
	const uint8_t *p, const uint8_t *end, uint64_t n, uint64_t *hash)
{
	const uint64_t tops = UINT64_C(0x8080808080808080), ones = UINT64_C(0x0101010101010101);
	unsigned open = 0; /* bits of the value begun in the last word */
	uint64_t h = n;
	while (n > 0 && end - p >= (ptrdiff_t)sizeof h) {
		uint64_t w = pv_word_at(p), last = ~w & tops;
		if (!last || open + (unsigned)__builtin_ctzll(last) > 64)
			return NULL;
		uint64_t in_word = (last >> 7) * ones >> 56;
		open = (unsigned)__builtin_clzll(last);
		for (; in_word > n; in_word--)
			last ^= UINT64_C(1) << (63 - __builtin_clzll(last));
		unsigned unused = n == in_word ? (unsigned)__builtin_clzll(last) : 0;
		n -= in_word;
		if (hash) {
			h = (h ^ w << unused) * UINT64_C(0x9e3779b97f4a7c15);
			h ^= h >> 32;
		}
		p += sizeof h - unused / 8;
	}
	if (hash)
		*hash = h;
	return n == 0 ? p : NULL;
}

/*
 * The backtrace of `n` frames with a known first, the others from `p` on; `from` NULL: not
 * comparable.
 */
static inline struct mlpd_stack_seen mlpd_stack_begin(
	const uint8_t *p, const uint8_t *end, uint32_t n, uint64_t first)
{
	uint64_t hash = 0;
	const uint8_t *after = mlpd_skip_values(p, end, n - 1, &hash);
	return (struct mlpd_stack_seen){ .from = after ? p : NULL,
		.bytes = after ? (size_t)(after - p) : 0,
		.first = first,
		.hash = (hash ^ first) * UINT64_C(0x9e3779b97f4a7c15),
		.span = { 0, n } };
}

/* The entry for this hash, owned by the decoder, never NULL. */
static inline struct mlpd_stack_seen *mlpd_stack_place(
	const struct mlpd_decoder *d, const struct mlpd_stack_seen *now)
{
	return &d->seen[now->hash >> 32 & (MLPD_STACKS - 1)];
}

/* Whether `seen` is the same backtrace. */
static inline bool mlpd_stack_is(
	const struct mlpd_stack_seen *seen, const struct mlpd_stack_seen *now)
{
	return now->from && seen->span.n == now->span.n && seen->first == now->first &&
	       seen->bytes == now->bytes && memcmp(seen->from, now->from, now->bytes) == 0;
}

/*
 * Index of a hint. A backtrace mostly equals the previous one of the same length and first method;
 * then no hash of the bytes is needed.
 */
static inline unsigned mlpd_stack_hint(uint32_t n, uint64_t first)
{
	return (unsigned)((first + n) * UINT64_C(0x9e3779b97f4a7c15) >> 58);
}
_Static_assert(MLPD_STACK_HINTS == 1 << (64 - 58), "as many as there are hints");

/* Whether the `n` bytes at both are the same; a word after them must be readable. */
static inline bool mlpd_same_bytes(const uint8_t *a, const uint8_t *b, size_t n)
{
	for (; n >= sizeof(uint64_t); n -= sizeof(uint64_t)) {
		if (pv_word_at(a) != pv_word_at(b))
			return false;
		a += sizeof(uint64_t);
		b += sizeof(uint64_t);
	}
	return n == 0 || (pv_word_at(a) ^ pv_word_at(b)) << (64 - 8 * n) == 0;
}

/* As mlpd_stack_is(), from the bytes at `p` only: as many whole values as remembered. */
static inline bool mlpd_stack_is_at(const struct mlpd_stack_seen *seen, const uint8_t *p,
	const uint8_t *end, uint32_t n, uint64_t first)
{
	return seen->from && seen->span.n == n && seen->first == first &&
	       (size_t)(end - p) >= seen->bytes + sizeof(uint64_t) &&
	       mlpd_same_bytes(seen->from, p, seen->bytes);
}

#endif
