/* SPDX-License-Identifier: MIT */
/* Decodes events by their rows: a decoder of each row's fields is made from mlpd.def. */
#include "common/format/mlpd/mlpd_plain.h"
#include "common/format/mlpd/mlpd_values.h"

static uint64_t get_ptr(struct mlpd_decoder *d)
{
	return (d->b.ptr + (uint64_t)pv_get_sleb(&d->c)) & d->mask;
}

static uint64_t get_obj(struct mlpd_decoder *d)
{
	return ((d->b.obj + (uint64_t)pv_get_sleb(&d->c)) << 3) & d->mask;
}

static uint64_t get_meth(struct mlpd_decoder *d)
{
	d->b.method += (uint64_t)pv_get_sleb(&d->c);
	return d->b.method & d->mask;
}

/* Undoes the writer's sign extension: many sizes passed through a signed 32-bit int there. */
static uint64_t get_size(struct mlpd_decoder *d)
{
	uint64_t v = pv_get_uleb(&d->c);
	return v >> 32 == UINT32_MAX ? (uint32_t)v : v;
}

static struct pv_text get_text(struct mlpd_decoder *d)
{
	struct pv_text t;
	t.at = pv_get_cstr(&d->c, &t.len);
	return t;
}

/*
 * A count of list elements of at least `least` bytes each: bounded by the bytes left, so that no
 * count can make us allocate more than a few times the buffer.
 */
static uint32_t get_count(struct mlpd_decoder *d, size_t least)
{
	uint64_t n = get_size(d);
	if (n > pv_cursor_left(&d->c) / least) {
		d->c.short_read = true;
		return 0;
	}
	return (uint32_t)n;
}

static struct pv_span take_pool(struct mlpd_decoder *d, size_t n)
{
	struct pv_span span = { (uint32_t)d->pools->pool.n, (uint32_t)n };
	if (!pv_cursor_ok(&d->c) || !pv_reserve(&d->pools->pool, n)) {
		d->nomem |= pv_cursor_ok(&d->c);
		return (struct pv_span){ 0 };
	}
	d->pools->pool.n += n;
	return span;
}

static void get_frames_into(struct mlpd_decoder *d, struct pv_span s, bool plain)
{
	for (uint32_t i = 0; i < s.n; i++)
		d->pools->pool.v[s.at + i] = plain ? get_ptr(d) : get_meth(d);
}

/* A backtrace already seen in the payload shares the frames of the first. */
static struct pv_span get_seen(struct mlpd_decoder *d, uint32_t n)
{
	const struct mlpd_bases b = d->b;
	const struct pv_cursor at = d->c;
	get_meth(d);
	struct mlpd_stack_seen now = mlpd_stack_begin(d->c.at, d->c.end, n, d->b.method);
	struct mlpd_stack_seen *seen = mlpd_stack_place(d, &now);
	if (mlpd_stack_is(seen, &now)) {
		d->c.at += now.bytes;
		d->b.method = seen->last;
		return seen->span;
	}
	d->b = b;
	d->c = at;
	now.span = take_pool(d, n);
	get_frames_into(d, now.span, false);
	now.last = d->b.method;
	if (now.from && pv_cursor_ok(&d->c))
		*seen = now;
	return now.span;
}

static struct pv_span get_backtrace(struct mlpd_decoder *d)
{
	bool plain = d->form == MLPD_POINTERS;
	if (plain && pv_get_uleb(&d->c) != 0)
		d->c.malformed = true; /* flags no writer ever set */
	uint32_t n = get_count(d, 1);
	if (n > 1 && !plain && d->seen)
		return get_seen(d, n);
	struct pv_span s = take_pool(d, n);
	get_frames_into(d, s, plain);
	return s;
}

static struct pv_span get_objects(struct mlpd_decoder *d)
{
	struct pv_span s = take_pool(d, get_count(d, 1));
	for (uint32_t i = 0; i < s.n; i++)
		d->pools->pool.v[s.at + i] = get_obj(d);
	return s;
}

/* Pairs (offset, object); on the wire each offset is a difference from the previous one. */
static struct pv_span get_references(struct mlpd_decoder *d)
{
	bool with_offset = d->form != MLPD_BARE;
	uint32_t n = get_count(d, with_offset ? 2 : 1);
	uint64_t offset = 0;
	const uint8_t *end = d->counts_refs && pv_cursor_ok(&d->c)
				     ? mlpd_skip_values(d->c.at, d->c.end,
					       with_offset ? 2 * (uint64_t)n : n, &offset)
				     : NULL;
	if (end) {
		d->c.at = end;
		return (struct pv_span){ 0, 2 * n };
	}
	struct pv_span s = take_pool(d, (size_t)n * 2);
	offset = 0;
	for (uint32_t i = 0; i + 1 < s.n; i += 2) {
		if (with_offset)
			offset += pv_get_uleb(&d->c);
		d->pools->pool.v[s.at + i] = offset;
		d->pools->pool.v[s.at + i + 1] = get_obj(d);
	}
	return s;
}

static struct pv_span get_roots(struct mlpd_decoder *d, struct pv_event *e)
{
	struct pv_span s = take_pool(d, (size_t)get_count(d, 2) * 2);
	e->roots.width = 2;
	for (uint32_t i = 0; i + 1 < s.n; i += 2) {
		d->pools->pool.v[s.at + i] = get_ptr(d);
		d->pools->pool.v[s.at + i + 1] = get_obj(d);
	}
	return s;
}

/* The root type as bits, in any encoding; 0 for a number without a bit. */
static uint64_t get_old_root_type(struct mlpd_decoder *d)
{
	if (d->form == MLPD_PLAIN)
		return pv_get_uleb(&d->c);
	uint8_t type = pv_get_u8(&d->c);
	if (d->form == MLPD_NARROW)
		return type;
	return type < 8 ? UINT64_C(1) << type : 0;
}

static struct pv_span get_old_roots(struct mlpd_decoder *d, struct pv_event *e)
{
	uint64_t n = get_size(d);
	e->roots.collections = get_size(d);
	e->roots.width = 3;
	if (n > pv_cursor_left(&d->c) / 3)
		d->c.short_read = true;
	struct pv_span s = take_pool(d, d->c.short_read ? 0 : (size_t)n * 3);
	for (uint32_t i = 0; i + 2 < s.n; i += 3) {
		uint64_t *root = &d->pools->pool.v[s.at + i];
		root[0] = get_obj(d);
		root[1] = get_old_root_type(d);
		root[2] = pv_get_uleb(&d->c);
	}
	return s;
}

static struct pv_span get_ips(struct mlpd_decoder *d)
{
	struct pv_span s = take_pool(d, get_count(d, 1));
	for (uint32_t i = 0; i < s.n; i++)
		d->pools->pool.v[s.at + i] = get_ptr(d);
	return s;
}

static struct pv_span get_steps(struct mlpd_decoder *d)
{
	struct pv_span s = take_pool(d, (size_t)get_count(d, 2) * 2);
	for (uint32_t i = 0; i < s.n; i++) {
		uint64_t *v = &d->pools->pool.v[s.at + i];
		*v = (i < 2 ? 0 : v[-2]) + (uint64_t)pv_get_sleb(&d->c);
	}
	return s;
}

/* On the wire an offset pair follows each method; in the pool all methods come before the pairs. */
static struct pv_span get_frames(struct mlpd_decoder *d, struct pv_event *e)
{
	bool with_offsets = d->form == MLPD_OFFSETS;
	uint32_t n = get_count(d, with_offsets ? 3 : 1);
	struct pv_span s = take_pool(d, (size_t)n * (with_offsets ? 3 : 1));
	s.n = s.n ? n : 0;
	if (with_offsets)
		e->hit.offsets = (struct pv_span){ s.at + s.n, 2 * s.n };
	for (uint32_t i = 0; i < s.n; i++) {
		d->pools->pool.v[s.at + i] = get_meth(d);
		for (uint32_t k = 0; k < 2 && with_offsets; k++)
			d->pools->pool.v[e->hit.offsets.at + 2 * i + k] =
				(uint64_t)pv_get_sleb(&d->c);
	}
	return s;
}

/* Counter type, unit and variance. */
static uint64_t get_counter_word(struct mlpd_decoder *d)
{
	return d->form == MLPD_NARROW ? pv_get_u8(&d->c) : pv_get_uleb(&d->c);
}

static struct pv_span get_descriptions(struct mlpd_decoder *d)
{
	uint32_t n = get_count(d, 6);
	struct pv_span s = { (uint32_t)d->pools->descs.n, n };
	if (!pv_cursor_ok(&d->c) || !pv_reserve(&d->pools->descs, n)) {
		d->nomem |= pv_cursor_ok(&d->c);
		return (struct pv_span){ 0 };
	}
	d->pools->descs.n += n;
	for (uint32_t i = 0; i < n; i++) {
		struct pv_counter_desc *desc = &d->pools->descs.v[s.at + i];
		*desc = (struct pv_counter_desc){ .section = get_size(d),
			.section_name = { "", 0 } };
		if (desc->section == PV_SECTION_PERFCOUNTERS && d->form != MLPD_BARE)
			desc->section_name = get_text(d);
		desc->name = get_text(d);
		desc->type = get_counter_word(d);
		desc->unit = get_counter_word(d);
		desc->variance = get_counter_word(d);
		desc->index = get_size(d);
	}
	return s;
}

static void get_counter_value(struct mlpd_decoder *d, struct pv_counter_value *v)
{
	v->text = (struct pv_text){ "", 0 };
	switch (v->type) {
	case PV_COUNTER_INT:
	case PV_COUNTER_WORD:
	case PV_COUNTER_LONG:
	case PV_COUNTER_TIME_INTERVAL:
		v->raw = (uint64_t)pv_get_sleb(&d->c);
		break;
	case PV_COUNTER_UINT:
	case PV_COUNTER_ULONG:
		v->raw = pv_get_uleb(&d->c);
		break;
	case PV_COUNTER_DOUBLE:
		v->raw = pv_get_u64(&d->c);
		break;
	case PV_COUNTER_STRING:
		v->raw = pv_get_u8(&d->c);
		if (v->raw)
			v->text = get_text(d);
		break;
	default:
		d->c.malformed = true; /* unknown type: its length is unknown too */
	}
}

static struct pv_span get_values(struct mlpd_decoder *d)
{
	struct pv_span s = { (uint32_t)d->pools->values.n, 0 };
	for (;;) {
		uint64_t index = get_size(d);
		if (!pv_cursor_ok(&d->c) || index == 0)
			return s;
		if (!pv_reserve(&d->pools->values, 1)) {
			d->nomem = true;
			return s;
		}
		struct pv_counter_value *v = &d->pools->values.v[d->pools->values.n++];
		v->index = index;
		v->type = get_counter_word(d);
		get_counter_value(d, v);
		s.n++;
	}
}

/* JIT helpers: numbers that begin one higher mean the same (formats.md 1.9). */
static uint64_t get_byte(struct mlpd_decoder *d)
{
	return pv_get_u8(&d->c) - (d->form == MLPD_OLD_NUMBERS ? UINT64_C(1) : 0);
}

static struct pv_text get_helper_name(struct mlpd_decoder *d, const struct pv_event *e)
{
	return mlpd_helper_named(e->helper.type, (uint8_t)d->form) ? get_text(d)
								   : (struct pv_text){ "", 0 };
}

/* --- a decoder of each row's fields, made from the rows --- */

#define GET_SET(d, e)         1
#define GET_SUB(d, e)         (d)->sub
#define GET_ULEB(d, e)        pv_get_uleb(&(d)->c)
#define GET_FLAGS(d, e)       pv_get_uleb(&(d)->c)
#define GET_SIZE(d, e)        get_size(d)
#define GET_HANDLE(d, e)      (uint32_t)pv_get_uleb(&(d)->c)
#define GET_SLEB(d, e)        (uint64_t)pv_get_sleb(&(d)->c)
#define GET_SPTR(d, e)        (uint64_t)pv_get_sleb(&(d)->c) & (d)->mask
#define GET_BYTE(d, e)        get_byte(d)
#define GET_PTR(d, e)         get_ptr(d)
#define GET_OBJ(d, e)         get_obj(d)
#define GET_METH(d, e)        get_meth(d)
#define GET_CSTR(d, e)        get_text(d)
#define GET_HELPER_NAME(d, e) get_helper_name(d, e)
#define GET_BT(d, e)          get_backtrace(d)
#define GET_OBJS(d, e)        get_objects(d)
#define GET_REFS(d, e)        get_references(d)
#define GET_ROOTS(d, e)       get_roots(d, e)
#define GET_OLD_ROOTS(d, e)   get_old_roots(d, e)
#define GET_IPS(d, e)         get_ips(d)
#define GET_STEPS(d, e)       get_steps(d)
#define GET_FRAMES(d, e)      get_frames(d, e)
#define GET_DESCS(d, e)       get_descriptions(d)
#define GET_VALUES(d, e)      get_values(d)

/* A text absent from the data version is empty; other absent fields are zero. */
#define NO_TEXT(...)                                                                               \
	__builtin_choose_expr(                                                                     \
		__builtin_types_compatible_p(__typeof__(__VA_ARGS__), struct pv_text),             \
		((struct pv_text){ "", 0 }), (__VA_ARGS__))

#define F(type, member) d->form = MLPD_PLAIN, e->member = GET_##type(d, e);
#define W(since, until, as, type, member)                                                          \
	if (d->f->data_version >= (since) && d->f->data_version <= (until))                        \
		d->form = MLPD_##as, e->member = GET_##type(d, e);                                 \
	else if (MLPD_##type == MLPD_CSTR)                                                         \
		e->member = NO_TEXT(e->member);
#define V(since, until, type, member) W(since, until, PLAIN, type, member)
#define ROW(name, ...)                                                                             \
	static void name(struct mlpd_decoder *d, struct pv_event *e)                               \
	{                                                                                          \
		(void)d;                                                                           \
		(void)e;                                                                           \
		__VA_ARGS__                                                                        \
	}
#define EVENT(symbol, kind, byte, sub, since, until, time_since, ...)                              \
	ROW(get_##symbol##_##byte, __VA_ARGS__)
#define READ(symbol, kind, byte, sub, since, until, time_since, ...)                               \
	ROW(get_##symbol##_##byte, __VA_ARGS__)
#define ALT(layout, symbol, kind, byte, sub, since, until, time_since, ...)                        \
	ROW(get_##symbol##_##byte, __VA_ARGS__)
#define EXT(symbol, kind, ex, number, ...) ROW(get_ext_##symbol, __VA_ARGS__)
#include "common/format/mlpd/mlpd_list.h"
#undef ROW
#undef EVENT
#undef READ
#undef ALT
#undef EXT

/* By index in mlpd_rows. */
static void (*const get_fields[])(struct mlpd_decoder *d, struct pv_event *e) = {
#define EVENT(symbol, kind, byte, ...)       get_##symbol##_##byte,
#define READ(symbol, kind, byte, ...)        get_##symbol##_##byte,
#define ALT(layout, symbol, kind, byte, ...) get_##symbol##_##byte,
#define EXT(symbol, kind, ex, number, ...)   get_ext_##symbol,
#include "common/format/mlpd/mlpd_list.h"
#undef EVENT
#undef READ
#undef ALT
#undef EXT
};

static void get_row(struct mlpd_decoder *d, struct pv_event *e, size_t row)
{
	e->kind = mlpd_rows[row].kind;
	e->row = (uint16_t)row;
	get_fields[row](d, e);
}

/* t, payload length, payload: kind number and fields; trailing bytes come from newer writers. */
static void get_extension(struct mlpd_decoder *d, struct pv_event *e, uint8_t byte)
{
	d->b.time += pv_get_uleb(&d->c);
	const uint8_t *payload = NULL;
	uint64_t len = pv_get_uleb(&d->c);
	if (len <= pv_cursor_left(&d->c))
		payload = pv_get_bytes(&d->c, (size_t)len);
	else
		d->c.short_read = true;
	e->kind = PV_KIND_EXT_UNKNOWN;
	e->ext.family = byte >> 4;
	if (!payload || !pv_cursor_ok(&d->c))
		return;
	struct pv_cursor after = d->c;
	d->c = (struct pv_cursor){ .at = payload, .end = payload + len };
	e->ext.kind = pv_get_uleb(&d->c);
	const struct mlpd_row *row = e->ext.kind && e->ext.kind < MLPD_SUB_ANY
					     ? mlpd_find_row(byte, (uint8_t)e->ext.kind, d->f)
					     : NULL;
	if (row && pv_cursor_ok(&d->c)) {
		get_row(d, e, (size_t)(row - mlpd_rows));
	}
	if (pv_cursor_ok(&d->c))
		d->c = after;
	else
		d->c.malformed = true; /* the payload is shorter than its own fields */
}

/* An event whose row depends on more than its byte. */
static void get_chosen(struct mlpd_decoder *d, struct pv_event *e, uint8_t byte)
{
	bool has_sub = mlpd_byte_has_sub(byte, d->f);
	const struct mlpd_row *row = mlpd_find_row(byte, MLPD_SUB_NONE, d->f);
	if (!row && !has_sub) {
		d->c.malformed = true;
		return;
	}
	if (has_sub || d->f->data_version >= row->time_since)
		d->b.time += pv_get_uleb(&d->c);
	if (has_sub) {
		d->sub = pv_get_u8(&d->c);
		row = d->sub < MLPD_SUB_ANY ? mlpd_find_row(byte, (uint8_t)d->sub, d->f) : NULL;
	}
	d->c.malformed |= !row && !d->c.short_read;
	if (row && pv_cursor_ok(&d->c))
		get_row(d, e, (size_t)(row - mlpd_rows));
}

void mlpd_decoder_begin(struct mlpd_decoder *d, const struct pv_cursor *c,
	const struct mlpd_bases *b, const struct mlpd_format *f, struct pv_batch *pools)
{
	*d = (struct mlpd_decoder){ .c = *c,
		.b = *b,
		.f = f,
		.pools = pools,
		.rows = mlpd_plain_rows(f),
		.mask = f->pointer_size == 4 ? UINT32_MAX : UINT64_MAX };
}

static enum mlpd_status undo(struct mlpd_decoder *d, const struct pv_cursor *c,
	const struct mlpd_bases *b, const size_t pools[3])
{
	enum mlpd_status s = d->nomem ? MLPD_NOMEM : d->c.malformed ? MLPD_BAD : MLPD_SHORT;
	d->pools->pool.n = pools[0];
	d->pools->descs.n = pools[1];
	d->pools->values.n = pools[2];
	d->c = *c;
	d->b = *b;
	d->nomem = false;
	return s;
}

enum mlpd_status mlpd_decode_next(struct mlpd_decoder *d, struct pv_event *ret)
{
	const struct pv_cursor c = d->c;
	const struct mlpd_bases b = d->b;
	const size_t pools[3] = { d->pools->pool.n, d->pools->descs.n, d->pools->values.n };
	if (c.at == c.end)
		return MLPD_SHORT;
	uint8_t byte = *d->c.at++;
	uint16_t plain = d->rows ? d->rows[byte] : MLPD_NO_ROW;
	bool known = plain < MLPD_BY_SUB, all = !known || !pv_kind_is_plain(mlpd_rows[plain].kind);
	memset(ret, 0, PV_PLAIN_BYTES);
	if (all)
		memset((char *)ret + PV_PLAIN_BYTES, 0, sizeof *ret - PV_PLAIN_BYTES);
	if (known) {
		if (d->f->data_version >= mlpd_rows[plain].time_since)
			d->b.time += pv_get_uleb(&d->c);
		get_row(d, ret, plain);
	} else if ((byte & 0xf) == MLPD_EXT_TYPE) {
		get_extension(d, ret, byte);
	} else {
		get_chosen(d, ret, byte);
	}
	ret->time = d->b.time;
	return d->nomem || !pv_cursor_ok(&d->c) ? undo(d, &c, &b, pools) : MLPD_OK;
}

enum mlpd_status mlpd_decode(struct pv_cursor *c, struct mlpd_bases *b, const struct mlpd_format *f,
	struct pv_batch *pools, struct pv_event *ret)
{
	struct mlpd_decoder d;
	mlpd_decoder_begin(&d, c, b, f, pools);
	enum mlpd_status s = mlpd_decode_next(&d, ret);
	*c = d.c;
	*b = d.b;
	return s;
}
