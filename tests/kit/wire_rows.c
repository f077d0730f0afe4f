/* SPDX-License-Identifier: MIT */
#include "tests/kit/wire_rows.h"

#include <check.h>

bool wire_row_is_written(const struct mlpd_row *row, const struct mlpd_format *f)
{
	struct pv_event e = { .kind = row->kind };
	for (const struct mlpd_field *field = row->field; field->type; field++)
		if (field->type == MLPD_BT)
			((struct pv_span *)(void *)((char *)&e + field->member))->n = 1;
	return row->kind != PV_KIND_EXT_UNKNOWN && mlpd_row_for(&e, f) == row;
}

/* A value that survives the wire: objects are multiples of 8, a byte below 128, as real ones are. */
static uint64_t value(uint8_t type, const struct mlpd_format *f, unsigned salt)
{
	uint64_t high = f->pointer_size == 4 ? UINT64_C(0x7ffe0000) : UINT64_C(0x7ffe00001000);
	switch (type) {
	case MLPD_BYTE:
		return salt % 100;
	case MLPD_PTR:
	case MLPD_SPTR:
	case MLPD_METH:
		return high + salt * 40;
	case MLPD_OBJ:
		return high + salt * 64;
	case MLPD_FLAGS:
		return 0;
	case MLPD_HANDLE:
		return 0xfffffff0u + salt % 8;
	case MLPD_SET:
		return 1;
	default:
		return salt * 131;
	}
}

static struct pv_span pool_list(struct pv_batch *p, const struct mlpd_format *f,
	const uint8_t *types, unsigned width, unsigned salt)
{
	unsigned entries = 1 + salt % 3;
	struct pv_span s = { (uint32_t)p->pool.n, entries * width };
	ck_assert(pv_reserve(&p->pool, s.n));
	for (unsigned i = 0; i < s.n; i++)
		p->pool.v[p->pool.n++] = value(types[i % width], f, salt + i / width);
	return s;
}

static struct pv_text text(unsigned salt)
{
	static const char *const words[] = { "", "a", "System.Int32:Parse (string)", "\xc3\xa4" };
	const char *w = words[salt % 4];
	return (struct pv_text){ w, strlen(w) };
}

/* One description of each counter type, the last two in the section that has a name. */
static struct pv_span descriptions(struct pv_batch *p, uint8_t form, unsigned salt)
{
	struct pv_span s = { (uint32_t)p->descs.n, 8 };
	ck_assert(pv_reserve(&p->descs, 8));
	for (unsigned i = 0; i < 8; i++) {
		bool narrow = form == MLPD_NARROW, named = i >= 6;
		p->descs.v[p->descs.n++] =
			(struct pv_counter_desc){ .section =
							  named ? PV_SECTION_PERFCOUNTERS : 0x100,
				.type = i,
				.unit = narrow ? 0 : 1 << 24,
				.variance = narrow ? 0 : 1 << 28,
				.index = salt * 8 + i + 1,
				.name = text(salt + 1),
				.section_name = text(named && form != MLPD_BARE ? salt : 0) };
	}
	return s;
}

static struct pv_span values(struct pv_batch *p, unsigned salt)
{
	struct pv_span s = { (uint32_t)p->values.n, 8 };
	ck_assert(pv_reserve(&p->values, 8));
	for (unsigned i = 0; i < 8; i++) {
		bool string = i == PV_COUNTER_STRING;
		p->values.v[p->values.n++] = (struct pv_counter_value){ .index = salt * 8 + i + 1,
			.type = i,
			.raw = string ? 1 : (uint64_t)0 - salt,
			.text = text(string ? salt : 0) };
	}
	return s;
}

/* Root types with the top bit of a byte, so that one byte is not one uleb; one bit as a number. */
static struct pv_span old_root_list(
	struct pv_batch *p, const struct mlpd_format *f, uint8_t form, unsigned salt)
{
	static const uint8_t types[] = { MLPD_OBJ, MLPD_BYTE, MLPD_ULEB };
	struct pv_span s = pool_list(p, f, types, 3, salt);
	for (uint32_t i = 1; i < s.n; i += 3)
		p->pool.v[s.at + i] = form == MLPD_OLD_NUMBERS ? UINT64_C(1) << salt % 5
							       : p->pool.v[s.at + i] | 0x80;
	return s;
}

static struct pv_span list(const struct mlpd_field *field, struct pv_event *e,
	const struct mlpd_format *f, struct pv_batch *p, unsigned salt)
{
	static const uint8_t objects[] = { MLPD_OBJ, MLPD_OBJ }, bare[] = { MLPD_FLAGS, MLPD_OBJ },
			     refs[] = { MLPD_ULEB, MLPD_OBJ }, roots[] = { MLPD_PTR, MLPD_OBJ },
			     numbers[] = { MLPD_ULEB, MLPD_ULEB }, one[] = { MLPD_PTR };
	switch (field->type) {
	case MLPD_OBJS:
		return pool_list(p, f, objects, 2, salt);
	case MLPD_REFS:
		return pool_list(p, f, field->form == MLPD_BARE ? bare : refs, 2, salt);
	case MLPD_ROOTS:
		e->roots.width = 2;
		return pool_list(p, f, roots, 2, salt);
	case MLPD_STEPS:
		return pool_list(p, f, numbers, 2, salt);
	case MLPD_OLD_ROOTS:
		e->roots.width = 3;
		e->roots.collections = salt;
		return old_root_list(p, f, field->form, salt);
	case MLPD_DESCS:
		return descriptions(p, field->form, salt);
	case MLPD_VALUES:
		return values(p, salt);
	default: /* MLPD_BT, MLPD_IPS, MLPD_FRAMES */
		return pool_list(p, f, one, 1, salt);
	}
}

/* Mostly of the type that has a name. */
static void set_helper(struct pv_event *e, uint8_t form, unsigned salt)
{
	uint64_t named = mlpd_helper_named(5, form) ? 5 : 6;
	e->helper.type = salt % 4 ? named : salt % 8;
	e->helper.name = text(e->helper.type == named ? 2 : 0);
}

struct pv_event wire_row_event(const struct mlpd_row *row, const struct mlpd_format *f,
	unsigned salt, struct pv_batch *pools)
{
	struct pv_event e = { .kind = row->kind, .row = (uint16_t)(row - mlpd_rows) };
	for (const struct mlpd_field *field = row->field; field->type; field++) {
		void *at = (char *)&e + field->member;
		if (f->data_version < field->since || f->data_version > field->until)
			continue;
		if (field->type == MLPD_CSTR)
			*(struct pv_text *)at = text(salt++);
		else if (field->type == MLPD_HELPER_NAME)
			set_helper(&e, field->form, salt++);
		else if (field->type >= MLPD_BT)
			*(struct pv_span *)at = list(field, &e, f, pools, salt++);
		else
			*(uint64_t *)at = value(field->type, f, salt++);
	}
	return e;
}
