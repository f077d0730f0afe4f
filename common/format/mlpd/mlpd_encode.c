/* SPDX-License-Identifier: MIT */
/* Encodes events by their rows, the reverse of mlpd_decode.c. */
#include "common/format/mlpd/mlpd.h"

#include <string.h>

/* State of the encoder: the output, the bases of differences, the pools of the event's lists. */
struct encoder {
	uint8_t *to;
	struct mlpd_bases b;
	const struct mlpd_format *f;
	const struct pv_batch *pools;
	uint8_t form; /* enum mlpd_form of the field at hand */
};

/* Differences wrap at the pointer size, so that a 32-bit log holds what a 32-bit writer writes. */
static int64_t difference(const struct encoder *e, uint64_t value, uint64_t base)
{
	uint64_t d = value - base;
	return e->f->pointer_size == 4 ? (int32_t)(uint32_t)d : (int64_t)d;
}

static void put_ptr(struct encoder *e, uint64_t v)
{
	e->to = pv_put_sleb(e->to, difference(e, v, e->b.ptr));
}

static void put_obj(struct encoder *e, uint64_t v)
{
	e->to = pv_put_sleb(e->to, (int64_t)((v >> 3) - e->b.obj));
}

static void put_meth(struct encoder *e, uint64_t v)
{
	e->to = pv_put_sleb(e->to, difference(e, v, e->b.method));
	e->b.method = v;
}

static void put_uleb(struct encoder *e, uint64_t v)
{
	e->to = pv_put_uleb(e->to, v);
}

static void encode_text(struct encoder *e, struct pv_text t)
{
	if (t.len)
		memcpy(e->to, t.at, t.len);
	e->to[t.len] = 0;
	e->to += t.len + 1;
}

static void put_counter_word(struct encoder *e, uint64_t v)
{
	if (e->form == MLPD_NARROW)
		*e->to++ = (uint8_t)v;
	else
		put_uleb(e, v);
}

static void put_values(struct encoder *e, struct pv_span s)
{
	for (uint32_t i = 0; i < s.n; i++) {
		const struct pv_counter_value *v = &e->pools->values.v[s.at + i];
		put_uleb(e, v->index);
		put_counter_word(e, v->type);
		if (v->type == PV_COUNTER_DOUBLE)
			e->to = pv_put_u64(e->to, v->raw);
		else if (v->type == PV_COUNTER_STRING)
			*e->to++ = v->raw != 0;
		else if (v->type == PV_COUNTER_UINT || v->type == PV_COUNTER_ULONG)
			put_uleb(e, v->raw);
		else
			e->to = pv_put_sleb(e->to, (int64_t)v->raw);
		if (v->type == PV_COUNTER_STRING && v->raw)
			encode_text(e, v->text);
	}
	put_uleb(e, 0);
}

static void put_descriptions(struct encoder *e, struct pv_span s)
{
	put_uleb(e, s.n);
	for (uint32_t i = 0; i < s.n; i++) {
		const struct pv_counter_desc *d = &e->pools->descs.v[s.at + i];
		put_uleb(e, d->section);
		if (d->section == PV_SECTION_PERFCOUNTERS && e->form != MLPD_BARE)
			encode_text(e, d->section_name);
		encode_text(e, d->name);
		put_counter_word(e, d->type);
		put_counter_word(e, d->unit);
		put_counter_word(e, d->variance);
		put_uleb(e, d->index);
	}
}

static void put_references(struct encoder *e, const uint64_t *v, uint32_t n)
{
	uint64_t before = 0;
	put_uleb(e, n / 2);
	for (uint32_t i = 0; i + 1 < n; i += 2) {
		if (e->form != MLPD_BARE)
			put_uleb(e, v[i] - before);
		before = v[i];
		put_obj(e, v[i + 1]);
	}
}

static void put_old_root_type(struct encoder *e, uint64_t type)
{
	uint8_t number = 0;
	while (number < 8 && !(type >> number & 1))
		number++;
	if (e->form == MLPD_PLAIN)
		put_uleb(e, type);
	else
		*e->to++ = e->form == MLPD_NARROW ? (uint8_t)type : number;
}

static void put_old_roots(struct encoder *e, const uint64_t *v, uint32_t n, uint64_t collections)
{
	put_uleb(e, n / 3);
	put_uleb(e, collections);
	for (uint32_t i = 0; i + 2 < n; i += 3) {
		put_obj(e, v[i]);
		put_old_root_type(e, v[i + 1]);
		put_uleb(e, v[i + 2]);
	}
}

/* Unknown offsets are 0. */
static void put_offsets(struct encoder *e, struct pv_span known, uint32_t n, uint32_t i)
{
	for (uint32_t k = 0; k < 2; k++)
		e->to = pv_put_sleb(e->to,
			known.n == 2 * n ? (int64_t)e->pools->pool.v[known.at + 2 * i + k] : 0);
}

static void put_methods(struct encoder *e, const struct pv_event *ev, const uint64_t *v, uint32_t n)
{
	if (e->form == MLPD_POINTERS)
		put_uleb(e, 0);
	put_uleb(e, n);
	for (uint32_t i = 0; i < n; i++) {
		if (e->form == MLPD_POINTERS)
			put_ptr(e, v[i]);
		else
			put_meth(e, v[i]);
		if (e->form == MLPD_OFFSETS)
			put_offsets(e, ev->hit.offsets, n, i);
	}
}

static void put_steps(struct encoder *e, const uint64_t *v, uint32_t n)
{
	put_uleb(e, n / 2);
	for (uint32_t i = 0; i < n; i++)
		e->to = pv_put_sleb(e->to, (int64_t)(v[i] - (i < 2 ? 0 : v[i - 2])));
}

static void put_list(struct encoder *e, const struct pv_event *ev, uint8_t type, struct pv_span s)
{
	static const uint64_t nothing[1];
	bool pooled = type != MLPD_DESCS && type != MLPD_VALUES; /* else a pool of their own */
	const uint64_t *v = s.n && e->pools && pooled ? e->pools->pool.v + s.at : nothing;
	switch (type) {
	case MLPD_BT:
	case MLPD_FRAMES:
		put_methods(e, ev, v, s.n);
		break;
	case MLPD_REFS:
		put_references(e, v, s.n);
		break;
	case MLPD_STEPS:
		put_steps(e, v, s.n);
		break;
	case MLPD_OLD_ROOTS:
		put_old_roots(e, v, s.n, ev->roots.collections);
		break;
	case MLPD_DESCS:
		put_descriptions(e, s);
		break;
	case MLPD_VALUES:
		put_values(e, s);
		break;
	default: /* MLPD_OBJS, MLPD_IPS, MLPD_ROOTS */
		put_uleb(e, type == MLPD_ROOTS ? s.n / 2 : s.n);
		for (uint32_t i = 0; i < s.n; i++) {
			if (type == MLPD_IPS || (type == MLPD_ROOTS && i % 2 == 0))
				put_ptr(e, v[i]);
			else
				put_obj(e, v[i]);
		}
	}
}

bool mlpd_helper_named(uint64_t type, uint8_t form)
{
	return type == (form == MLPD_OLD_NUMBERS ? 6 : 5);
}

static void put_number(struct encoder *e, uint8_t type, uint64_t v)
{
	switch (type) {
	case MLPD_SET:
	case MLPD_SUB:
		break;
	case MLPD_BYTE:
		*e->to++ = (uint8_t)(e->form == MLPD_OLD_NUMBERS ? v + 1 : v);
		break;
	case MLPD_PTR:
		put_ptr(e, v);
		break;
	case MLPD_OBJ:
		put_obj(e, v);
		break;
	case MLPD_METH:
		put_meth(e, v);
		break;
	case MLPD_SLEB:
	case MLPD_SPTR:
		e->to = pv_put_sleb(e->to, (int64_t)v);
		break;
	default:
		put_uleb(e, v);
	}
}

static void put_field(struct encoder *e, const struct pv_event *ev, const struct mlpd_field *f)
{
	const void *member = (const char *)ev + f->member;
	e->form = f->form;
	if (f->type == MLPD_CSTR)
		encode_text(e, *(const struct pv_text *)member);
	else if (f->type == MLPD_HELPER_NAME) {
		if (mlpd_helper_named(ev->helper.type, f->form))
			encode_text(e, *(const struct pv_text *)member);
	} else if (f->type >= MLPD_BT)
		put_list(e, ev, f->type, *(const struct pv_span *)member);
	else
		put_number(e, f->type, *(const uint64_t *)member);
}

static size_t values_max(const struct pv_batch *pools, struct pv_span s)
{
	size_t n = PV_LEB_MAX;
	for (uint32_t i = 0; i < s.n; i++)
		n += 4 * PV_LEB_MAX + pools->values.v[s.at + i].text.len;
	return n;
}

static size_t descriptions_max(const struct pv_batch *pools, struct pv_span s)
{
	size_t n = PV_LEB_MAX;
	for (uint32_t i = 0; i < s.n; i++)
		n += 6 * PV_LEB_MAX + pools->descs.v[s.at + i].name.len +
		     pools->descs.v[s.at + i].section_name.len;
	return n;
}

static size_t field_max(
	const struct pv_event *ev, const struct mlpd_field *f, const struct pv_batch *pools)
{
	const void *member = (const char *)ev + f->member;
	const struct pv_span *span = member;
	if (f->type == MLPD_CSTR || f->type == MLPD_HELPER_NAME)
		return ((const struct pv_text *)member)->len + 1;
	if (f->type < MLPD_BT)
		return PV_LEB_MAX;
	if (f->type == MLPD_VALUES)
		return values_max(pools, *span);
	if (f->type == MLPD_DESCS)
		return descriptions_max(pools, *span);
	/* flags, count, collection count, and the bytes of an element besides its value */
	size_t more = f->type == MLPD_FRAMES ? 2 * PV_LEB_MAX : 2;
	return 3 * PV_LEB_MAX + (size_t)span->n * (PV_LEB_MAX + more);
}

static size_t row_max(
	const struct pv_event *e, const struct mlpd_row *row, const struct pv_batch *pools)
{
	size_t n = 0;
	const struct mlpd_field *before = NULL;
	for (const struct mlpd_field *f = row->field; f->type; before = f++)
		if (!before || before->member != f->member) /* else the same, in another form */
			n += field_max(e, f, pools);
	return n;
}

/* The maximum over all formats: some kinds have rows in layouts only. */
size_t mlpd_encode_max(const struct pv_event *e, const struct pv_batch *pools)
{
	size_t most = 0;
	const struct mlpd_row *row = NULL;
	while ((row = mlpd_next_row(e, row)) != NULL) {
		size_t n = row_max(e, row, pools);
		most = n > most ? n : most;
	}
	return most + 2 + 3 * PV_LEB_MAX; /* byte, sub, time, extension length and kind */
}

static void put_fields(struct encoder *e, const struct pv_event *ev, const struct mlpd_row *row)
{
	uint8_t version = e->f->data_version;
	for (const struct mlpd_field *f = row->field; f->type; f++)
		if (version >= f->since && version <= f->until)
			put_field(e, ev, f);
}

static void encode_event(struct encoder *e, const struct pv_event *ev, const struct mlpd_row *row)
{
	*e->to++ = row->byte;
	if (e->f->data_version >= row->time_since) {
		put_uleb(e, ev->time - e->b.time);
		e->b.time = ev->time;
	}
	if ((row->byte & 0xf) != MLPD_EXT_TYPE) {
		if (row->sub != MLPD_SUB_NONE)
			*e->to++ = row->sub;
		put_fields(e, ev, row);
		return;
	}
	/*
	 * The payload's length stands before it: leave room for the longest length, move the
	 * payload afterwards.
	 */
	uint8_t *length_at = e->to, *payload = e->to + PV_LEB_MAX;
	e->to = pv_put_uleb(payload, row->sub);
	put_fields(e, ev, row);
	size_t len = (size_t)(e->to - payload);
	uint8_t *moved = pv_put_uleb(length_at, len);
	memmove(moved, payload, len);
	e->to = moved + len;
}

size_t mlpd_encode(uint8_t *to, size_t room, struct mlpd_bases *b, const struct mlpd_format *f,
	const struct pv_event *ev, const struct pv_batch *pools)
{
	const struct mlpd_row *row = mlpd_row_for(ev, f);
	if (!row || mlpd_encode_max(ev, pools) > room)
		return 0;
	struct encoder e = { .to = to, .b = *b, .f = f, .pools = pools };
	encode_event(&e, ev, row);
	*b = e.b;
	return (size_t)(e.to - to);
}
