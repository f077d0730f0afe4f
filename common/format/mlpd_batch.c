#include "common/format/mlpd.h"

#include <stdio.h>
#include <stdlib.h>

enum { FIRST_ROOM = 4096, LEAVE = 0x13, ENTER = 0x23, EXC_LEAVE = 0x33 };

void pv_batch_reset(struct pv_batch *b)
{
	b->n = b->allocs.n = b->rare.n = b->pool.n = b->descs.n = b->values.n = b->bytes.n = 0;
	b->continues = b->told = b->gap_before = b->damaged = false;
	b->damage_offset = b->damage_bytes = 0;
}

void pv_batch_finish(struct pv_batch *b)
{
	free(b->time);
	free(b->kind);
	free(b->key);
	pv_array_finish(&b->allocs);
	pv_array_finish(&b->rare);
	pv_array_finish(&b->pool);
	pv_array_finish(&b->descs);
	pv_array_finish(&b->values);
	pv_array_finish(&b->bytes);
	*b = (struct pv_batch){ 0 };
}

bool pv_batch_reserve(struct pv_batch *b, size_t extra)
{
	if (b->room - b->n >= extra)
		return true;
	size_t room = b->room ? b->room * 2 : FIRST_ROOM;
	while (room - b->n < extra)
		room *= 2;
	uint64_t *time = realloc(b->time, room * sizeof *time);
	if (time)
		b->time = time;
	uint8_t *kind = realloc(b->kind, room * sizeof *kind);
	if (kind)
		b->kind = kind;
	uint64_t *key = realloc(b->key, room * sizeof *key);
	if (key)
		b->key = key;
	if (!time || !kind || !key)
		return false;
	b->room = room;
	return true;
}

static void push(struct pv_batch *b, uint64_t time, uint8_t kind, uint64_t key)
{
	b->time[b->n] = time;
	b->kind[b->n] = kind;
	b->key[b->n] = key;
	b->n++;
}

static bool push_rare(struct pv_batch *b, const struct pv_event *e)
{
	if (e->kind == PV_KIND_ALLOC) {
		if (!pv_reserve(&b->allocs, 1))
			return false;
		b->allocs.v[b->allocs.n] = (struct pv_alloc){ e->alloc.type, e->alloc.object,
			e->alloc.size, e->alloc.stack };
		push(b, e->time, e->kind, b->allocs.n++);
		return true;
	}
	if (!pv_reserve(&b->rare, 1))
		return false;
	b->rare.v[b->rare.n] = *e;
	push(b, e->time, e->kind, b->rare.n++);
	return true;
}

/* The kinds of the three call bytes, one more than the kind so that 0 means "none of them". */
static const uint8_t call_kind[256] = {
	[ENTER] = PV_KIND_METHOD_ENTER + 1,
	[LEAVE] = PV_KIND_METHOD_LEAVE + 1,
	[EXC_LEAVE] = PV_KIND_METHOD_EXC_LEAVE + 1,
};

/* A call event is at most this long: byte, time and method difference. */
enum { CALL_MAX = 1 + 2 * PV_LEB_MAX };

/*
 * LEB128 without a look at the end: the caller has seen to it that PV_LEB_MAX bytes are there.
 * *shift is the number of value bits; more than 70 is malformed. Differences of times take one or
 * two bytes and those of methods up to four, each with a branch of its own that predicts well.
 */
static inline const uint8_t *take_leb(const uint8_t *p, uint64_t *v, unsigned *shift)
{
	uint64_t x = p[0] & 0x7f;
	*shift = 7;
	*v = x;
	if (p[0] < 0x80)
		return p + 1;
	x |= (uint64_t)(p[1] & 0x7f) << 7;
	*shift = 14;
	*v = x;
	if (p[1] < 0x80)
		return p + 2;
	x |= (uint64_t)(p[2] & 0x7f) << 14;
	*shift = 21;
	*v = x;
	if (p[2] < 0x80)
		return p + 3;
	x |= (uint64_t)(p[3] & 0x7f) << 21;
	*shift = 28;
	*v = x;
	if (p[3] < 0x80)
		return p + 4;
	unsigned i = 4;
	do {
		x |= (uint64_t)(p[i] & 0x7f) << (7 * i);
		*shift += 7;
	} while (p[i++] >= 0x80 && i < PV_LEB_MAX);
	*v = x;
	if (p[i - 1] >= 0x80)
		*shift = 77;
	return p + i;
}

static inline uint64_t sign_extended(uint64_t v, unsigned shift)
{
	if (shift >= 64)
		return v;
	uint64_t sign = UINT64_C(1) << (shift - 1);
	return (v ^ sign) - sign;
}

struct call {
	uint64_t time, method; /* differences */
	const uint8_t *behind; /* NULL: cut or malformed */
};

static inline struct call take_call(const uint8_t *p)
{
	struct call e;
	unsigned time_bits, method_bits;
	e.behind = take_leb(p, &e.time, &time_bits);
	e.behind = take_leb(e.behind, &e.method, &method_bits);
	e.method = sign_extended(e.method, method_bits);
	if (time_bits > 70 || method_bits > 70)
		e.behind = NULL;
	return e;
}

/* The same near the end of the payload, through the bounded cursor. */
static struct call take_last_call(const uint8_t *p, const uint8_t *end)
{
	struct pv_cursor c = { .at = p, .end = end };
	struct call e = { .time = pv_get_uleb(&c), .method = (uint64_t)pv_get_sleb(&c) };
	e.behind = pv_cursor_ok(&c) ? c.at : NULL;
	return e;
}

/*
 * Enter and leave events in a row; stops before anything else, or an event that is cut. This is
 * where a call-heavy log is read: everything lives in locals, since stores through uint8_t may
 * alias any structure.
 */
static void decode_calls(struct pv_batch *b, struct pv_cursor *c, struct mlpd_bases *bases,
	uint64_t mask)
{
	const uint8_t *p = c->at, *end = c->end;
	uint64_t now = bases->time, method = bases->method;
	uint64_t *restrict time = b->time + b->n, *restrict key = b->key + b->n;
	uint8_t *restrict kind = b->kind + b->n;
	size_t n = 0, room = b->room - b->n;
	while (p != end && n < room) {
		uint8_t k = call_kind[*p];
		if (k == 0)
			break;
		struct call e = end - p >= CALL_MAX ? take_call(p + 1) : take_last_call(p + 1, end);
		if (!e.behind)
			break;
		p = e.behind;
		time[n] = now += e.time;
		method += e.method;
		key[n] = method & mask;
		kind[n] = (uint8_t)(k - 1);
		n++;
	}
	b->n += n;
	c->at = p;
	bases->time = now;
	bases->method = method;
}

static void note_damage(struct pv_batch *b, const struct pv_cursor *c, enum mlpd_status why)
{
	size_t done = b->bytes.n - pv_cursor_left(c);
	b->damaged = true;
	b->damage_offset = b->offset + MLPD_BUFFER_HEADER + done;
	b->damage_bytes = pv_cursor_left(c);
	snprintf(b->damage_reason, sizeof b->damage_reason,
		why == MLPD_SHORT ? "event 0x%02x runs past the end of its buffer"
				  : "event 0x%02x cannot be decoded", c->at[0]);
}

bool mlpd_decode_batch(struct pv_batch *b, struct mlpd_bases *bases, const struct mlpd_format *f,
	bool partial, size_t *ret_used)
{
	struct pv_cursor c = { .at = b->bytes.v, .end = b->bytes.v + b->bytes.n };
	uint64_t mask = f->pointer_size == 4 ? UINT32_MAX : UINT64_MAX;
	while (c.at != c.end) {
		/* A call event is at least three bytes: room for all of them at once. */
		if (!pv_batch_reserve(b, pv_cursor_left(&c) / 3 + 1))
			return false;
		decode_calls(b, &c, bases, mask);
		if (c.at == c.end)
			break;
		struct pv_event e;
		const uint8_t *start = c.at;
		enum mlpd_status s = mlpd_decode(&c, bases, f, b, &e);
		if (s == MLPD_NOMEM)
			return false;
		if (s == MLPD_SHORT && partial)
			break;
		if (s != MLPD_OK) {
			note_damage(b, &c, s);
			break;
		}
		e.offset = (uint32_t)(start - b->bytes.v);
		if (!push_rare(b, &e))
			return false;
	}
	*ret_used = (size_t)(c.at - b->bytes.v);
	return true;
}
