/* SPDX-License-Identifier: MIT */
#include "tests/tools/mutations.h"

#include <string.h>

#include "common/base/cursor.h"

static uint64_t state;

void mutate_seed(uint64_t seed)
{
	state = seed * UINT64_C(0x9e3779b97f4a7c15);
}

uint64_t mutate_any(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return below ? state % below : 0;
}

static void cut(struct bytes *b)
{
	size_t at = mutate_any(b->n), n = mutate_any(b->n - at) + 1;
	if (mutate_any(2))
		n = b->n - at; /* the end is missing */
	memmove(b->v + at, b->v + at + n, b->n - at - n);
	b->n -= n;
}

static void flip(struct bytes *b)
{
	for (uint64_t i = 1 + mutate_any(8); i > 0; i--)
		b->v[mutate_any(b->n)] ^= (uint8_t)(1u << mutate_any(8));
}

static void overwrite(struct bytes *b)
{
	static const uint8_t nasty[] = { 0, 0xff, 0x80, 0x7f, 0x6e };
	size_t at = mutate_any(b->n), n = 1 + mutate_any(16);
	memset(b->v + at, nasty[mutate_any(sizeof nasty)], n < b->n - at ? n : b->n - at);
}

static void splice(struct bytes *b)
{
	size_t from = mutate_any(b->n), n = mutate_any(b->n - from < 4096 ? b->n - from : 4096),
	       to = mutate_any(b->n - n);
	memmove(b->v + to, b->v + from, n);
}

/* Offset of the i-th buffer header, as found by its id; b->n when there is none. */
static size_t find_buffer(const struct bytes *b, uint64_t i)
{
	static const uint8_t id[] = { 0x01, 0x4c, 0x50, 0x4d };
	for (size_t at = 0; at < b->n;) {
		const uint8_t *p = memmem(b->v + at, b->n - at, id, sizeof id);
		if (!p)
			break;
		if (i-- == 0)
			return (size_t)(p - b->v);
		at = (size_t)(p - b->v) + 1;
	}
	return b->n;
}

static void move_buffers(struct bytes *b)
{
	size_t from = find_buffer(b, mutate_any(16)), to = find_buffer(b, mutate_any(16));
	size_t end = find_buffer(b, mutate_any(16));
	if (end > from && to < b->n && end - from <= b->n - to)
		memmove(b->v + to, b->v + from, end - from);
}

/* Two neighbours change places. */
static void swap_buffers(struct bytes *b)
{
	uint64_t i = mutate_any(16);
	size_t at = find_buffer(b, i), middle = find_buffer(b, i + 1), end = find_buffer(b, i + 2);
	size_t first = middle - at, second = end - middle;
	uint8_t kept[65536];
	if (first == 0 || second == 0 || first > sizeof kept)
		return;
	memcpy(kept, b->v + at, first);
	memmove(b->v + at, b->v + middle, second);
	memcpy(b->v + at + second, kept, first);
}

static void lie_about_length(struct bytes *b)
{
	size_t at = find_buffer(b, mutate_any(16));
	if (at + 8 <= b->n)
		pv_put_u32(b->v + at + 4,
			(uint32_t)(mutate_any(2) ? mutate_any(1 << 17) : mutate_any(UINT32_MAX)));
}

static void lie_in_header(struct bytes *b)
{
	size_t at = mutate_any(48);
	if (at < b->n)
		b->v[at] = (uint8_t)(at == 6 ? 1 + mutate_any(17) : mutate_any(256));
}

void mutate(struct bytes *b)
{
	static void (*const how[])(struct bytes *b) = { cut, flip, overwrite, splice, move_buffers,
		swap_buffers, lie_about_length, lie_in_header };
	for (uint64_t i = 1 + mutate_any(3); i > 0 && b->n > 0; i--)
		how[mutate_any(sizeof how / sizeof how[0])](b);
}
