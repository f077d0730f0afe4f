/* SPDX-License-Identifier: MIT */
/*
 * Decodes plain events in a row while so many bytes are left that no field of a row can run past
 * the end: no byte is read twice, nothing is undone. The rest (a text, a new stack, a value of more
 * than ten bytes) is left to the decoder of its row.
 */
#include "common/format/mlpd/mlpd_wide.h"

#include <stddef.h>

#include "common/format/mlpd/mlpd_call.h"
#include "common/format/mlpd/mlpd_values.h"

/* Time, and the fields of the longest row of numbers. */
enum { WIDE = 8 * PV_LEB_MAX };

/*
 * Each decodes a field at `p` and returns the byte after it, NULL where the row's decoder must do
 * so.
 */

static const uint8_t *take_long_uleb(const uint8_t *p, uint64_t *ret)
{
	unsigned bits;
	p = mlpd_take_leb(p, ret, &bits);
	return bits > 70 ? NULL : p;
}

static const uint8_t *take_long_sleb(const uint8_t *p, uint64_t *ret)
{
	unsigned bits;
	p = mlpd_take_leb(p, ret, &bits);
	*ret = mlpd_sign_extended(*ret, bits);
	return bits > 70 ? NULL : p;
}

/* Most values have one byte or two, mostly as in the row's previous event. */
static inline const uint8_t *take_uleb(const uint8_t *p, uint64_t *ret)
{
	*ret = *p & 0x7fu;
	if (*p < 0x80)
		return p + 1;
	if (p[1] >= 0x80)
		return take_long_uleb(p, ret);
	*ret |= (uint64_t)p[1] << 7;
	return p + 2;
}

/* Differences of addresses mostly have up to four bytes. Negative values get ones above. */
static inline const uint8_t *take_sleb(const uint8_t *p, uint64_t *ret)
{
	uint32_t w = (uint32_t)pv_word_at(p), last = ~w & UINT32_C(0x80808080);
	if (!last)
		return take_long_sleb(p, ret);
	uint32_t top = last & -last, sign = top >> 1;
	w = ((w & (top - 1)) ^ sign) - sign;
	w = (w & 0x007f007f) | (w & 0x7f007f00) >> 1;
	w = (w & 0x00003fff) | (w >> 2 & 0x0fffc000);
	*ret = (uint64_t)((int64_t)((uint64_t)w << 36) >> 36);
	return p + 1 + (unsigned)__builtin_ctz(last) / 8;
}

/*
 * Skips `n` values, not 0. Returns the byte after them; NULL where a value has more than eight
 * bytes.
 */
static inline const uint8_t *pass_values(const uint8_t *p, const uint8_t *end, uint64_t n)
{
	unsigned open = 0; /* bits of the value begun in the last word */
	while (end - p >= (ptrdiff_t)sizeof(uint64_t)) {
		uint64_t last = ~pv_word_at(p) & UINT64_C(0x8080808080808080);
		if (!last || open + (unsigned)__builtin_ctzll(last) > 64)
			return NULL;
		uint64_t in_word = (last >> 7) * UINT64_C(0x0101010101010101) >> 56;
		if (in_word >= n) {
			while (--n)
				last &= last - 1;
			return p + 1 + (unsigned)__builtin_ctzll(last) / 8;
		}
		n -= in_word;
		open = (unsigned)__builtin_clzll(last);
		p += sizeof(uint64_t);
	}
	return NULL;
}

/* A field may follow a list. */
static inline const uint8_t *end_list(const struct mlpd_decoder *d, const uint8_t *p)
{
	return p && d->c.end - p >= WIDE ? p : NULL;
}

static inline const uint8_t *take_references(
	const struct mlpd_decoder *d, const uint8_t *p, bool with_offset, struct pv_span *ret)
{
	uint64_t n;
	p = d->counts_refs ? take_uleb(p, &n) : NULL;
	if (!p || n == 0)
		return p;
	if (n > (uint64_t)(d->c.end - p))
		return NULL;
	ret->n = 2 * (uint32_t)n;
	return end_list(d, pass_values(p, d->c.end, with_offset ? 2 * n : n));
}

static const uint8_t *take_stack(
	struct mlpd_decoder *d, const uint8_t *p, uint64_t *method, struct pv_span *ret)
{
	uint64_t n, first;
	p = take_uleb(p, &n);
	if (!p || !d->seen || n < 2 || n > (uint64_t)(d->c.end - p))
		return NULL;
	p = take_sleb(p, &first);
	if (!p)
		return NULL;
	first += *method;
	uint8_t *hint = &d->hint[mlpd_stack_hint((uint32_t)n, first)];
	const struct mlpd_stack_seen *seen = &d->seen[*hint];
	if (!mlpd_stack_is_at(seen, p, d->c.end, (uint32_t)n, first)) {
		const struct mlpd_stack_seen now =
			mlpd_stack_begin(p, d->c.end, (uint32_t)n, first);
		seen = mlpd_stack_place(d, &now);
		if (!mlpd_stack_is(seen, &now))
			return NULL;
		*hint = (uint8_t)(seen - d->seen);
	}
	*method = seen->last;
	*ret = seen->span;
	return end_list(d, p + seen->bytes);
}

static const uint8_t *take_objects(const struct mlpd_decoder *d, const uint8_t *p,
	const uint64_t base, const uint64_t mask, struct pv_span *ret)
{
	uint64_t n, step;
	struct pv_batch *pools = d->pools;
	p = take_uleb(p, &n);
	if (!p || n > (uint64_t)(d->c.end - p) || !pv_reserve(&pools->pool, n))
		return NULL;
	*ret = (struct pv_span){ (uint32_t)pools->pool.n, (uint32_t)n };
	uint64_t *to = n ? pools->pool.v + pools->pool.n : NULL;
	for (uint64_t i = 0; i < n; i++) {
		p = d->c.end - p >= PV_LEB_MAX ? take_sleb(p, &step) : NULL;
		if (!p)
			return NULL;
		to[i] = ((base + step) << 3) & mask;
	}
	p = end_list(d, p);
	pools->pool.n += p ? n : 0;
	return p;
}

/* --- per row: whether it can be decoded here, and how */

#define TAKE(take, member, value)                                                                  \
	if (!(p = take(p, &v)))                                                                    \
		return NULL;                                                                       \
	e->member = value;
#define LIST(...)                                                                                  \
	if (!(p = (__VA_ARGS__)))                                                                  \
		return NULL;
#define LEFT_TO_ROW return NULL;

#define TAKE_ULEB(form, member)   TAKE(take_uleb, member, v)
#define TAKE_FLAGS(form, member)  TAKE_ULEB(form, member)
#define TAKE_SIZE(form, member)   TAKE(take_uleb, member, v >> 32 == UINT32_MAX ? (uint32_t)v : v)
#define TAKE_HANDLE(form, member) TAKE(take_uleb, member, (uint32_t)v)
#define TAKE_SLEB(form, member)   TAKE(take_sleb, member, v)
#define TAKE_SPTR(form, member)   TAKE(take_sleb, member, v & d->mask)
#define TAKE_PTR(form, member)    TAKE(take_sleb, member, (b->ptr + v) & mask)
#define TAKE_OBJ(form, member)    TAKE(take_sleb, member, ((b->obj + v) << 3) & mask)
#define TAKE_METH(form, member)   TAKE(take_sleb, member, (b->method += v) & mask)
#define TAKE_BYTE(form, member)   e->member = *p++ - (uint64_t)((form) == MLPD_OLD_NUMBERS);
#define TAKE_REFS(form, member)   LIST(take_references(d, p, (form) != MLPD_BARE, &e->member))
#define TAKE_BT(form, member)                                                                      \
	uint64_t method = b->method;                                                               \
	LIST((form) == MLPD_POINTERS ? NULL : take_stack(d, p, &method, &e->member))               \
	b->method = method;
#define TAKE_OBJS(form, member)        LIST(take_objects(d, p, b->obj, mask, &e->member))
#define TAKE_SET(form, member)         LEFT_TO_ROW
#define TAKE_SUB(form, member)         LEFT_TO_ROW
#define TAKE_CSTR(form, member)        LEFT_TO_ROW
#define TAKE_HELPER_NAME(form, member) LEFT_TO_ROW
#define TAKE_ROOTS(form, member)       LEFT_TO_ROW
#define TAKE_OLD_ROOTS(form, member)   LEFT_TO_ROW
#define TAKE_IPS(form, member)         LEFT_TO_ROW
#define TAKE_STEPS(form, member)       LEFT_TO_ROW
#define TAKE_FRAMES(form, member)      LEFT_TO_ROW
#define TAKE_DESCS(form, member)       LEFT_TO_ROW
#define TAKE_VALUES(form, member)      LEFT_TO_ROW

#define F(type, member) TAKE_##type(MLPD_PLAIN, member)
#define W(since, until, form, type, member)                                                        \
	if (version >= (since) && version <= (until)) {                                            \
		TAKE_##type(MLPD_##form, member)                                                   \
	}
#define V(since, until, type, member) W(since, until, PLAIN, type, member)

/* By index in mlpd_rows. */
enum row {
#define EVENT(symbol, kind, byte, ...)       AT_##symbol##_##byte,
#define READ(symbol, kind, byte, ...)        AT_##symbol##_##byte,
#define ALT(layout, symbol, kind, byte, ...) AT_##symbol##_##byte,
#define EXT(symbol, kind, ex, number, ...)   AT_EXT_##symbol,
#include "common/format/mlpd/mlpd_list.h"
#undef EVENT
#undef READ
#undef ALT
#undef EXT
};

/* --- the loop */

/* The row chosen by a sub; MLPD_NO_ROW: none. */
static uint16_t row_by_sub(struct mlpd_decoder *d, uint8_t byte, uint8_t sub)
{
	uint16_t key = (uint16_t)(byte << 8 | sub);
	struct mlpd_row_by_sub *known = &d->by_sub[(byte >> 7 ^ sub) & (MLPD_SUBS - 1)];
	if (known->key == key)
		return known->row;
	const struct mlpd_row *row = sub < MLPD_SUB_ANY ? mlpd_find_row(byte, sub, d->f) : NULL;
	bool by_sub = row && row->sub != MLPD_SUB_NONE;
	known->key = key;
	known->row = by_sub ? (uint16_t)(row - mlpd_rows) : MLPD_NO_ROW;
	return known->row;
}

/* A row's part of take(); a row chosen by a sub comes after its time. */
#define ROW(place, said, needs_sub, time_since, ...)                                               \
	case place: {                                                                              \
		if (!pv_kind_is_plain(PV_KIND_##said))                                             \
			return NULL;                                                               \
		if ((needs_sub) == MLPD_SUB_NONE && version >= (time_since)) {                     \
			LIST(take_uleb(p, &v))                                                     \
			b->time += v;                                                              \
		}                                                                                  \
		e->kind = PV_KIND_##said;                                                          \
		__VA_ARGS__                                                                        \
		break;                                                                             \
	}
#define EVENT(symbol, kind, byte, sub, since, until, time_since, ...)                              \
	ROW(AT_##symbol##_##byte, kind, sub, time_since, __VA_ARGS__)
#define READ(symbol, kind, byte, sub, since, until, time_since, ...)                               \
	ROW(AT_##symbol##_##byte, kind, sub, time_since, __VA_ARGS__)
#define ALT(layout, symbol, kind, byte, sub, since, until, time_since, ...)                        \
	ROW(AT_##symbol##_##byte, kind, sub, time_since, __VA_ARGS__)
#define EXT(symbol, kind, ex, number, ...)

/*
 * Decodes the event at `p` into `e`, a plain event of PV_PLAIN_BYTES. Returns the next byte, NULL
 * where the event is left to the decoder of its row.
 */
static inline __attribute__((always_inline)) const uint8_t *take(
	struct mlpd_decoder *d, const uint8_t *p, struct mlpd_bases *b, struct pv_event *e)
{
	const unsigned version = d->f->data_version;
	const uint64_t mask = d->mask;
	const uint8_t byte = *p++;
	uint16_t at = d->rows[byte];
	uint64_t v;
	if (at == MLPD_BY_SUB) {
		LIST(take_uleb(p, &v))
		b->time += v;
		at = row_by_sub(d, byte, *p++);
	}
	memset(e, 0, PV_PLAIN_BYTES);
	switch (at) {
#include "common/format/mlpd/mlpd_list.h"
	default:
		return NULL;
	}
	e->row = at;
	e->time = b->time;
	return p;
}

size_t mlpd_wide_run(struct mlpd_decoder *d)
{
	struct pv_batch *to = d->pools;
	const size_t before = to->n;
	const uint8_t *p = d->c.at;
	struct mlpd_bases b = d->b;
	while (d->rows && d->c.end - p > WIDE) {
		if (to->n == to->room && !pv_batch_reserve(to, 1))
			break;
		struct pv_event *e = mlpd_next_plain(to, (size_t)(d->c.end - p));
		struct mlpd_bases next = b;
		const uint8_t *after = e ? take(d, p, &next, e) : NULL;
		if (!after)
			break;
		e->offset = (uint32_t)(p - to->bytes.v);
		p = after;
		b = next;
		mlpd_push(to, e->time, e->kind, to->plain_events.n++);
	}
	d->c.at = p;
	d->b = b;
	return to->n - before;
}
